"""Connections to a store's file: how they are made, and with which settings."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

BUSY_TURN_SECONDS: Final = 1.0
"""How long SQLite may wait by itself; nothing can wake it."""

SYNCHRONOUS: Final = "FULL"
"""What is acknowledged survives the end of the machine. That would end a test, too, which needs no more than
`OFF`."""
_JOURNAL_BYTES: Final = 64 * 1024 * 1024
"""To what size the write-ahead log is cut back after a large import."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there: SQLite would put an empty one where it was removed."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        # The driver would begin transactions by itself, and only before some statements.
        isolation_level=None,
        timeout=BUSY_TURN_SECONDS,
        check_same_thread=False,
    )


def engine_of(path: Path, connections: set[sqlite3.Connection]) -> Engine:
    """`connections` holds those that are in use.

    An idle one must not be interrupted: it would not write its log into the file when it is closed.
    """
    engine = create_engine(
        "sqlite://", creator=lambda: connect(path), poolclass=QueuePool, pool_size=8, max_overflow=-1
    )
    event.listen(engine, "checkout", lambda connection, *_: connections.add(connection))
    event.listen(engine, "checkin", lambda connection, _: connections.discard(connection))
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    for setting in (
        f"synchronous = {SYNCHRONOUS}",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        "cache_size = -32768",
        f"journal_size_limit = {_JOURNAL_BYTES}",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    # A writer that began as a reader could not wait for its turn: SQLite would refuse it at once.
    writes = connection.get_execution_options().get("headroom_writes", False)
    # By the driver itself: SQLAlchemy's way of running a statement takes longer than a small query.
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if writes else "BEGIN")
