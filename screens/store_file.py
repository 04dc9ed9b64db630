"""The SQLite file of the saved screens: its table, its permissions, and the way from an older format."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
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
    create_engine,
    delete,
    inspect,
    select,
)
from sqlalchemy.exc import OperationalError

from keeping.columns import WORDS
from keeping.sqlite_file import explained, format_of, make_private, transaction
from screens.definition import digest_of

FORMAT: Final = 2
"""`PRAGMA user_version`. 1 (which is 0 there): links as they are; 2: their digests."""
_BUSY_SECONDS: Final = 10

TABLES: Final = MetaData()
SCREENS: Final = Table(
    "screens",
    TABLES,
    Column("id", WORDS, primary_key=True),
    # Digest of what its link ends in; NULL: revoked
    Column("link", WORDS, unique=True),
    Column("revision", Integer, nullable=False),
    Column("composition", WORDS, nullable=False),
    # ISO 8601, UTC
    Column("created_at", WORDS, nullable=False),
    Column("updated_at", WORDS, nullable=False),
)
OPENED: Final = Table(
    "opened",
    TABLES,
    Column("screen_id", WORDS, primary_key=True),
    # ISO 8601, UTC: when its stream began, an hour or two ago at most while a wall looks;
    # NULL: before it was written down
    Column("at", WORDS),
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


class ScreensFile:
    """The file, made where it is missing and brought up to date. Safe to share between threads.

    What goes wrong is raised as `raised`, with a sentence for people.
    """

    def __init__(self, path: Path, *, what: str, raised: type[Exception]) -> None:
        self._path, self._what, self._raised = path, what, raised
        self._writing = threading.Lock()
        with self._explained():
            self._engine = _open_file(path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._explained(), _connected(self._engine, self._path) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """In one transaction."""
        with (
            self._explained(),
            self._writing,
            _connected(self._engine, self._path) as connection,
            transaction(connection),
        ):
            yield connection

    def close(self) -> None:
        self._engine.dispose()

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self._what, self._path, self._raised)


def forget_deleted(connection: Connection) -> None:
    """When a screen was opened that is no more. Not as it is deleted: what undoes that brings back when it
    was seen, too.
    """
    connection.execute(delete(OPENED).where(OPENED.c.screen_id.not_in(select(SCREENS.c.id))))


def _open_file(path: Path) -> Engine:
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
def _connected(engine: Engine, path: Path) -> Iterator[Connection]:
    """The file as it is now. Raises OSError, SQLAlchemyError."""
    if not path.exists() or not path.stat().st_size:
        raise RemovedFileError
    with engine.connect() as connection:
        if not _is_up_to_date(connection):  # somebody has put an older one there
            _bring_up_to_date(connection, path)
        yield connection


def _is_up_to_date(connection: Connection) -> bool:
    return format_of(connection, FORMAT) == FORMAT and inspect(connection).has_table(OPENED.name)


def _bring_up_to_date(connection: Connection, path: Path) -> None:
    """In one transaction, so that two dashboards that start together do it once."""
    # What is replaced is overwritten, not only forgotten: no link stays readable in the file.
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    found = format_of(connection, FORMAT)
    if found < FORMAT:
        if inspect(connection).has_table(SCREENS.name):
            _replace_links_by_digests(connection)
        SCREENS.create(connection, checkfirst=True)
        connection.exec_driver_sql(f"PRAGMA user_version = {FORMAT}")
    if not inspect(connection).has_table(OPENED.name):
        OPENED.create(connection)
        connection.exec_driver_sql("INSERT INTO opened (screen_id) SELECT id FROM screens")
    forget_deleted(connection)
    connection.exec_driver_sql("COMMIT")
    if found < FORMAT:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    make_private(path)


def _replace_links_by_digests(connection: Connection) -> None:
    # Under another name: a dashboard of the older version, still running, must not take digests for links.
    connection.exec_driver_sql("ALTER TABLE screens RENAME COLUMN token TO link")
    links = connection.exec_driver_sql("SELECT id, link FROM screens WHERE link IS NOT NULL").all()
    for screen_id, token in links:
        connection.exec_driver_sql("UPDATE screens SET link = ? WHERE id = ?", (digest_of(token), screen_id))
