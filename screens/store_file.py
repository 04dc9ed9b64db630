"""The SQLite file of the saved screens: its table, its permissions, and the way from an older format."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    NullPool,
    Table,
    Text,
    create_engine,
    inspect,
)
from sqlalchemy.exc import OperationalError

from screens.definition import digest_of
from screens.sqlite_file import format_of, make_private

_FORMAT: Final = 2
"""`PRAGMA user_version`. 1 (which is 0 there): links as they are; 2: their digests."""
_BUSY_SECONDS: Final = 10

_METADATA: Final = MetaData()
SCREENS: Final = Table(
    "screens",
    _METADATA,
    Column("id", Text, primary_key=True),
    # Digest of what its link ends in; NULL: revoked
    Column("link", Text, unique=True),
    Column("revision", Integer, nullable=False),
    Column("composition", Text, nullable=False),
    # ISO 8601, UTC
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
)
OPENED: Final = Table(
    "opened",
    _METADATA,
    Column("screen_id", Text, primary_key=True),
    # ISO 8601, UTC: when its stream began, an hour or two ago at most while a wall looks;
    # NULL: before it was written down
    Column("at", Text),
)
"""When a wall last looked at a screen; it has no row until one does. A dashboard that does not know the table
leaves it alone, so that it is no other format.
"""


class RemovedFileError(OSError):
    """Somebody has taken the file away, or empties it to put another there.

    It is not made anew: links would be dead, and a file that is put back would lose what came meanwhile.
    """

    def __init__(self) -> None:
        super().__init__(
            "the file was removed; put it back, or start the dashboard again to begin without any"
        )


def open_file(path: Path) -> Engine:
    """Make the file where it is missing, and bring it up to date. Raises OSError, SQLAlchemyError."""
    make_private(path)
    # A connection for each use: of a file that was replaced, none is left that writes into the old one.
    connect = partial(sqlite3.connect, f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS)
    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    engine = engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        # Earlier versions kept a write-ahead log; one that still runs beside this one holds on to it.
        with suppress(OperationalError):
            connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
        _bring_up_to_date(connection, path)
    return engine


@contextmanager
def connected(engine: Engine, path: Path) -> Iterator[Connection]:
    """The file as it is now. Raises OSError, SQLAlchemyError."""
    if not path.exists() or not path.stat().st_size:
        raise RemovedFileError
    with engine.connect() as connection:
        if not _is_up_to_date(connection):  # somebody has put an older one there
            _bring_up_to_date(connection, path)
        yield connection


def _is_up_to_date(connection: Connection) -> bool:
    return format_of(connection, _FORMAT) == _FORMAT and inspect(connection).has_table(OPENED.name)


def _bring_up_to_date(connection: Connection, path: Path) -> None:
    """In one transaction, so that two dashboards that start together do it once."""
    # What is replaced is overwritten, not only forgotten: no link stays readable in the file.
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    found = format_of(connection, _FORMAT)
    if found < _FORMAT:
        if inspect(connection).has_table(SCREENS.name):
            _replace_links_by_digests(connection)
        SCREENS.create(connection, checkfirst=True)
        connection.exec_driver_sql(f"PRAGMA user_version = {_FORMAT}")
    if not inspect(connection).has_table(OPENED.name):
        OPENED.create(connection)
        connection.exec_driver_sql("INSERT INTO opened (screen_id) SELECT id FROM screens")
    # Not as a screen is deleted: what undoes that brings back when it was seen, too.
    connection.exec_driver_sql("DELETE FROM opened WHERE screen_id NOT IN (SELECT id FROM screens)")
    connection.exec_driver_sql("COMMIT")
    if found < _FORMAT:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    make_private(path)


def _replace_links_by_digests(connection: Connection) -> None:
    # Under another name: a dashboard of the older version, still running, must not take digests for links.
    connection.exec_driver_sql("ALTER TABLE screens RENAME COLUMN token TO link")
    links = connection.exec_driver_sql("SELECT id, link FROM screens WHERE link IS NOT NULL").all()
    for screen_id, token in links:
        connection.exec_driver_sql("UPDATE screens SET link = ? WHERE id = ?", (digest_of(token), screen_id))
