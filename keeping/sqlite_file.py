"""A small SQLite file of the dashboard's own: private, shared by several dashboards."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, MetaData, NullPool, create_engine
from sqlalchemy.exc import SQLAlchemyError

_BUSY_SECONDS: Final = 5
_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700


class NewerFormatError(OSError):
    """A newer dashboard has changed the file; this one could only do harm to it."""


def format_of(connection: Connection, known: int) -> int:
    """`PRAGMA user_version`. Raises NewerFormatError where it is above `known`."""
    found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if found > known:
        raise NewerFormatError(
            f"it was written by a newer dashboard (format {found}, this one knows {known}); "
            "update this one, or give it another HEADROOM_DATA_DIR"
        )
    return found


def make_private(path: Path) -> None:
    """Make the file where it is missing. A folder that was there is left as it is: it may hold more."""
    path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    # Only where it is missing: closing a file that SQLite has open in this process would drop its locks.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError, PermissionError):
            path.with_name(path.name + suffix).chmod(_PRIVATE_FILE)


def moment_of(column: object) -> datetime | None:
    """What is kept of a moment as text; None: nothing, or what somebody else has put there.

    Of the first and the last year that there are, some moments are none in another time zone.
    """
    try:
        moment = datetime.fromisoformat(str(column))
    except ValueError:
        return None
    return moment if moment.tzinfo and MINYEAR < moment.year < MAXYEAR else None


@contextmanager
def transaction(connection: Connection) -> Iterator[Connection]:
    """Commit what the block does, or nothing of it where it raises.

    It locks the file at once: what a change reads first is still so when it writes, whoever else has it open.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        # On a full disk SQLite has done so itself, and would say that there is nothing to undo.
        with suppress(SQLAlchemyError):
            connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


@contextmanager
def explained(what: str, path: Path, raised: type[Exception]) -> Iterator[None]:
    """Raise what goes wrong with the file as `raised`, with a sentence for people. `what` is kept in it."""
    try:
        yield
    except (OSError, SQLAlchemyError) as error:
        cause = getattr(error, "orig", None) or error
        if getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            cause = "its disk is full; make room there"
        raise raised(f"{what} in {path} cannot be used: {cause}.") from error


class SqliteFile:
    """One that is made by the first that keeps something in it, and has no write-ahead log. Safe to share
    between threads; what another process writes is seen by the next read.

    `what` is kept in it, as a sentence for people begins; what goes wrong is raised as `raised`. What is not
    lasting is written when the machine has time for it: nobody needs it after the machine was switched off.
    """

    def __init__(
        self,
        path: Path,
        tables: MetaData,
        file_format: int,
        *,
        what: str,
        raised: type[Exception],
        is_lasting: bool = True,
    ) -> None:
        self._path, self._tables, self._format, self._is_lasting = path, tables, file_format, is_lasting
        self._what, self._raised = what, raised
        # A connection for each use: a file that somebody removed or put back is simply opened anew.
        self._engine = create_engine(
            f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS}, poolclass=NullPool
        ).execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection | None]:
        """None: nothing was kept yet."""
        with explained(self._what, self._path, self._raised):
            if not self._path.exists():
                yield None
                return
            with self._engine.connect() as connection:
                yield connection if format_of(connection, self._format) else None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """In one transaction."""
        with explained(self._what, self._path, self._raised):
            make_private(self._path)
            with self._engine.connect() as connection:
                if not self._is_lasting:
                    connection.exec_driver_sql("PRAGMA synchronous = OFF")
                with transaction(connection):
                    self._bring_up_to_date(connection)
                    yield connection

    def _bring_up_to_date(self, connection: Connection) -> None:
        if not format_of(connection, self._format):
            self._tables.create_all(connection)
            connection.exec_driver_sql(f"PRAGMA user_version = {self._format}")
