"""The SQLite file of the saved screens: its table, its permissions, and the way from an older format."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    inspect,
)

from screens.links import digest_of

_FORMAT: Final = 2
"""`PRAGMA user_version`. 1 (which is 0 there): links as they are; 2: their digests."""
_BUSY_SECONDS: Final = 10
_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700

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


class NewerFormatError(OSError):
    """A newer dashboard has changed the file; this one could only do harm to it."""


def open_file(path: Path) -> Engine:
    """Raises OSError, SQLAlchemyError."""
    _make_private(path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # WAL: a screen that opens never waits for somebody who saves.
        connection.execute("PRAGMA journal_mode = WAL")

    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _bring_up_to_date(connection, path)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _make_private(path: Path) -> None:
    """Readable by the dashboard's user alone. A folder that was there is left as it is: it may hold more."""
    path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    # Only where it is missing: closing a file that SQLite has open in this process would drop its locks.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError, PermissionError):
            path.with_name(path.name + suffix).chmod(_PRIVATE_FILE)


def _bring_up_to_date(connection: Connection, path: Path) -> None:
    """In one transaction, so that two dashboards that start together do it once."""
    # What is replaced is overwritten, not only forgotten: no link stays readable in the file.
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if found > _FORMAT:
        raise NewerFormatError(
            f"it was written by a newer dashboard (format {found}, this one knows {_FORMAT}); "
            "update this one, or give it another HEADROOM_DATA_DIR"
        )
    if found < _FORMAT:
        if inspect(connection).has_table(SCREENS.name):
            _replace_links_by_digests(connection)
        _METADATA.create_all(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {_FORMAT}")
    connection.exec_driver_sql("COMMIT")
    if found < _FORMAT:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    _make_private(path)


def _replace_links_by_digests(connection: Connection) -> None:
    # Under another name: a dashboard of the older version, still running, must not take digests for links.
    connection.exec_driver_sql("ALTER TABLE screens RENAME COLUMN token TO link")
    links = connection.exec_driver_sql("SELECT id, link FROM screens WHERE link IS NOT NULL").all()
    for screen_id, token in links:
        connection.exec_driver_sql("UPDATE screens SET link = ? WHERE id = ?", (digest_of(token), screen_id))
