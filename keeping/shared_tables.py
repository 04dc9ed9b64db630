"""Tables of one kind of thing that is kept, in the database that dashboards share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from threading import Lock
from typing import Final

import psycopg
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from keeping.columns import WORDS
from keeping.postgresql import SharedDatabase, is_gone, said_of
from keeping.reach import NO_ANSWER, DatabaseAwayError
from keeping.sqlite_file import NewerFormatError

# Two dashboards that find each other's lock wait no longer than a page does.
_BEGIN: Final = "BEGIN; SET LOCAL lock_timeout = '4s'; SELECT pg_advisory_xact_lock({lock})"
_NOTHING_CHANGED: Final = (
    "the database that dashboards share gives no answer, so that nothing was changed;"
    " do it again when it does"
)
"""Of what somebody asked for, as a press of a button: nobody repeats it."""
_FORMATS: Final = Table(
    "kept_formats",
    MetaData(),
    # The file in which the same tables are where there is no database
    Column("name", WORDS, primary_key=True),
    Column("format", Integer, nullable=False),
)


class SharedTables:
    """See `Tables`. `name` is that of the file in which they are where there is no database. `tidy` is called
    once in a process, in a transaction.
    """

    def __init__(
        self,
        database: SharedDatabase,
        name: str,
        tables: MetaData,
        table_format: int,
        *,
        what: str,
        raised: type[Exception],
        tidy: Callable[[Connection], None] | None = None,
    ) -> None:
        self._database, self._name, self._tables, self._format = database, name, tables, table_format
        self._what, self._raised, self._tidy = what, raised, tidy
        digest = blake2b(f"headroom dashboard {name}".encode(), digest_size=8).digest()
        self._begin = _BEGIN.format(lock=int.from_bytes(digest, signed=True))
        self._making = Lock()
        self._is_made = False

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._explained(), self._usable() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """In one transaction; no other that writes these tables is beside it."""
        with self._explained(_NOTHING_CHANGED), self._usable() as connection, self._transaction(connection):
            yield connection

    def close(self) -> None:
        """The database is closed by whoever opened it."""

    @contextmanager
    def _usable(self) -> Iterator[Connection]:
        with self._database.connected() as connection:
            if not self._is_made:
                self._make(connection)
            else:
                self._check(connection)
            yield connection

    @contextmanager
    def _explained(self, instead: str = "") -> Iterator[None]:
        """`instead` is said of a database that is away, by whoever does not ask again by itself."""
        try:
            yield
        except (OSError, SQLAlchemyError) as error:
            if isinstance(error, DatabaseAwayError):
                said = instead if instead and error.said == NO_ANSWER else error.said
                raise self._raised(f"{self._what} cannot be used: {said}.") from error
            where = self._database.where
            raise self._raised(f"{self._what} in {where} cannot be used: {said_of(error)}.") from error

    @contextmanager
    def _transaction(self, connection: Connection) -> Iterator[None]:
        connection.exec_driver_sql(self._begin)
        try:
            yield
        except BaseException:
            with suppress(SQLAlchemyError):
                connection.exec_driver_sql("ROLLBACK")
            raise
        try:
            connection.exec_driver_sql("COMMIT")
        except DBAPIError as error:
            if is_gone(error):
                raise DatabaseAwayError(
                    said_of(error),
                    "the database that dashboards share went away while something was kept, and did not say"
                    " whether it was; look before you do it again",
                ) from error
            raise

    def _make(self, connection: Connection) -> None:
        """Once in a process: tables that are taken away later are somebody's who brings them back."""
        with self._making:
            if self._is_made:
                return
            if connection.exec_driver_sql("SHOW server_encoding").scalar() != "UTF8":
                raise OSError("it does not keep texts as UTF-8; create a database WITH ENCODING 'UTF8'")
            with self._transaction(connection):
                # Beside those of other names, too, this table is made once.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('headroom kept_formats'))")
                _FORMATS.create(connection, checkfirst=True)
                if self._found(connection) is None:
                    self._tables.create_all(connection)
                    connection.execute(insert(_FORMATS).values(name=self._name, format=self._format))
                if self._tidy:
                    self._tidy(connection)
            self._is_made = True

    def _check(self, connection: Connection) -> None:
        if self._found(connection) is None:
            raise OSError("its tables were taken away; bring them back, or start the dashboard again")

    def _found(self, connection: Connection) -> int | None:
        """The format; None: there is nothing of that name. Raises NewerFormatError."""
        wanted = select(_FORMATS.c.format).where(_FORMATS.c.name == self._name)
        try:
            found: int | None = connection.execute(wanted).scalar_one_or_none()
        except DBAPIError as error:
            if isinstance(error.orig, psycopg.errors.UndefinedTable):
                return None
            raise
        if found is not None and found > self._format:
            raise NewerFormatError(
                f"it was written by a newer dashboard (format {found}, this one knows {self._format}); "
                "update this one, or give it another HEADROOM_DASHBOARD_STORE"
            )
        return found
