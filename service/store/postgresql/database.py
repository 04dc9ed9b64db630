"""A database of PostgreSQL: its connections, and who may write when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, Engine, TextClause, text
from sqlalchemy.exc import DBAPIError

from service.store.database import ImportLock, ReplicaState, Result
from service.store.errors import StoreBusyError, StoreError, StoreUrlError, StoreVersionError
from service.store.migrations import later_format, make_tables, noted_format, noted_version, upgrade
from service.store.postgresql.address import BUSY_SECONDS, engine_of, read_address, told_address
from service.store.postgresql.announcer import CHANNEL, Announcer
from service.store.postgresql.copied_rows import copy_rows
from service.store.postgresql.errors import explained, is_gone, is_read_only, is_without_month, uncertain
from service.store.postgresql.held_lock import HeldLock
from service.store.postgresql.months import Month, Months, is_by_month
from service.store.postgresql.replica import Replica
from service.store.prepared import Prepared
from service.store.reading_together import ReadingTogether
from service.store.schema import VERSION
from service.store.series_rows import COPIES, MAKES_ROOM
from service.store.troubles import Troubles

_TRY_AGAIN_SECONDS: Final = 0.1
_TURN_SECONDS: Final = 0.5
"""After which who listens looks whether it is to stop."""

# Of advisory locks, which go with the transaction, or with the connection of whoever holds them. They are of
# the database: stores in one that do not meet wait for each other all the same.
_WRITERS: Final = 0x68656164
_IMPORT: Final = _WRITERS + 1

# Of one store, by its schema: whoever has it open shares this lock; whoever moves it has it alone.
_OPEN: Final = f"({_WRITERS}, hashtext(current_schema()))"

_ALONE: Final = text("SELECT pg_advisory_xact_lock(:lock)")
_BESIDE_OTHERS: Final = text("SELECT pg_advisory_xact_lock_shared(:lock)")
_PATIENCE: Final = text(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")
_IMPATIENCE: Final = text("SET LOCAL lock_timeout = '500ms'")
_GIVE_UP: Final = Prepared(
    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND pid = ANY(CAST(string_to_array(:writers, ',') AS INTEGER[]))"
)

_SNAPSHOT: Final = Prepared("SELECT CAST(pg_current_snapshot() AS TEXT) AS snapshot")


class PostgresqlDatabase:
    """Many readers, and writers of several processes and hosts. What the server reports is a StoreError."""

    is_elsewhere = True

    def __init__(self, url: str, replica: str | None = None, *, alone: bool = False) -> None:
        """`replica` is the URL of a standby, from which the past may be read."""
        address, copy = read_address(url), None if replica is None else read_address(replica)
        self.where = told_address(address)
        self._engine = engine_of(address)
        self._months = Months(engine_of(address, is_pooled=False))
        self._writing = self._engine.execution_options(
            **{MAKES_ROOM: self._months.make_for, COPIES: copy_rows}
        )
        self._reading = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._looking = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._asking = self._looking.execution_options(postgresql_readonly=True)
        self._held: Connection | None = None
        """The lock of whoever has the store open is its own; commits of others are heard on it, too."""
        self._listens = False
        self._announce: Callable[[], None] | None = None
        self._troubles = Troubles()
        self._writers: set[int] = set()
        """Processes of the server that write for this one."""
        self._readings = ReadingTogether(self._read)
        self._is_open = False
        self._is_ending = False
        self._announcer = Announcer(self._looking, self.where)
        self._replica: Replica | None = None
        try:
            with self._noted("written"):
                self._hold(alone=alone)
            with self.writing() as connection:
                self._make_tables(connection)
            self._is_open = True
            self._replica = None if copy is None else Replica(copy, self._asking)
        except BaseException:
            self.close()
            raise

    def _make_tables(self, connection: Connection) -> None:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        if encoding != "UTF8":
            raise StoreUrlError(
                f"{self.where} keeps texts as {encoding}, in which not every name can be written. Create a"
                " database for it WITH ENCODING 'UTF8' TEMPLATE template0."
            )
        version = noted_version(connection)
        if version is None:
            make_tables(connection)
        elif not is_by_month(connection):
            raise StoreVersionError(
                f"{self.where} was made by a version that was never released. Make a new database, and move"
                " the store again."
            )
        elif version > VERSION:
            raise later_format(self.where, version)
        elif version < VERSION:
            upgrade(connection, version)

    def reading(self) -> AbstractContextManager[Connection]:
        """See `Database`."""
        return self._readings.reading()

    def reading_together(self) -> AbstractContextManager[None]:
        """See `Database`."""
        return self._readings.together()

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._noted("read"), self._connected(self._reading) as connection, connection.begin():
            yield connection

    def reading_past(self, ask: Callable[[Connection], Result]) -> tuple[Result, float]:
        """See `Database`: from the replica if there is one that has what is needed."""
        if self._replica is not None and (answered := self._replica.read(ask)) is not None:
            return answered
        with self.reading() as connection:
            return ask(connection), 0.0

    def replica(self) -> ReplicaState | None:
        """See `Database`."""
        return None if self._replica is None else self._replica.state()

    def writing(self) -> AbstractContextManager[Connection]:
        """See `Database`."""
        return self._beginning(_ALONE)

    def storing(self) -> AbstractContextManager[Connection]:
        """See `Database`. Each statement sees what others have committed by then."""
        return self._beginning(_BESIDE_OTHERS)

    @contextmanager
    def _beginning(self, lock: TextClause) -> Iterator[Connection]:
        with (
            self._noted("written"),
            self._connected(self._writing) as connection,
            connection.begin() as transaction,
        ):
            connection.execute(_IMPATIENCE if self._is_ending else _PATIENCE)
            with self._among_writers(connection):
                connection.execute(lock, {"lock": _WRITERS})
                # A later version may have been started meanwhile: what it keeps elsewhere is not known here.
                if self._is_open and (version := noted_format(connection)) > VERSION:
                    raise later_format(self.where, version)
                yield connection
            try:
                with uncertain(self.where):
                    transaction.commit()
            finally:
                if self._replica is not None:
                    self._replica.committed()
                (self._announce or self._announcer.announce)()

    @contextmanager
    def _among_writers(self, connection: Connection) -> Iterator[None]:
        driver: Any = connection.connection.driver_connection
        writer = driver.info.backend_pid
        self._writers.add(writer)
        try:
            yield
        finally:
            self._writers.discard(writer)

    def stop_waiting(self) -> None:
        """See `Database`: the server is asked to cancel what waits for a lock."""
        self._is_ending = True
        # Where it cannot be reached, nobody waits for its locks.
        with suppress(StoreError):
            self.row(_GIVE_UP, writers=",".join(map(str, self._writers.copy())))

    @contextmanager
    def _connected(self, engine: Engine) -> Iterator[Connection]:
        """What is of no use afterwards does not go back into the pool."""
        with engine.connect() as connection:
            try:
                yield connection
            except (DBAPIError, psycopg.Error) as error:
                # Of statements that a cursor was given SQLAlchemy knows nothing.
                reported = error.orig if isinstance(error, DBAPIError) else error
                if is_gone(reported) or is_read_only(reported):
                    connection.invalidate()
                if is_read_only(reported):
                    # Sessions stay so when the server is so no more.
                    self._engine.dispose()
                if is_without_month(reported):
                    self._months.forget()
                raise

    def row(self, statement: Prepared, **asked: str) -> Mapping[str, Any] | None:
        """See `Database`."""
        with self._noted("read"), self._connected(self._asking) as connection:
            rows = statement.run(connection, **asked)
            found = rows.fetchone()
            names = [column[0] for column in rows.description]
        return None if found is None else dict(zip(names, found, strict=True))

    def data_version(self) -> object:
        """What is visible: another one once any transaction that wrote has begun or ended."""
        found = self.row(_SNAPSHOT)
        assert found is not None
        return found["snapshot"]

    def import_lock(self, patience: float) -> ImportLock:
        """On a connection of its own."""
        with self._noted("written"):
            connection = self._looking.connect()
            try:
                self._wait_for_import(connection, time.monotonic() + patience)
            except BaseException:
                connection.close()
                raise
        return HeldLock(connection, self.where)

    def _hold(self, *, alone: bool = False) -> None:
        self._held = self._looking.connect()
        shared = "" if alone else "_shared"
        # NULL where there is no schema, which is told when the tables are made.
        if self._held.exec_driver_sql(f"SELECT pg_try_advisory_lock{shared}{_OPEN}").scalar() is False:
            raise StoreBusyError(
                f"A service or another command uses {self.where}: end it first, then do this again."
                if alone
                else f"A store is being moved from or into {self.where}: try again when that is done."
            )

    def announce_by(self, announce: Callable[[], None] | None) -> None:
        """See `Database`: without NOTIFY."""
        self._announce = announce

    def wait_for_changes(self, seconds: float, stop: threading.Event) -> None:
        """By LISTEN, on a connection of its own; once it is new, at once: nobody has listened before."""
        deadline = time.monotonic() + seconds
        try:
            with explained(self.where):
                if self._held is None:
                    self._hold()
                assert self._held is not None
                if not self._listens:
                    self._held.execute(text(f"LISTEN {CHANNEL}"))
                    self._listens = True
                    return
                driver: Any = self._held.connection.driver_connection
                while not stop.is_set() and (left := deadline - time.monotonic()) > 0:
                    if any(driver.notifies(timeout=min(left, _TURN_SECONDS), stop_after=1)):
                        return
        except StoreError:
            self._let_go()
            stop.wait(min(seconds, _TURN_SECONDS))

    def _let_go(self) -> None:
        held, self._held, self._listens = self._held, None, False
        if held is not None:
            # Not back into the pool: the lock is the connection's.
            held.invalidate()
            held.close()

    def _wait_for_import(self, connection: Connection, deadline: float) -> None:
        asked = text("SELECT pg_try_advisory_lock(:lock)")
        while not connection.execute(asked, {"lock": _IMPORT}).scalar():
            if time.monotonic() >= deadline:
                raise StoreBusyError(
                    f"Another import is being stored in {self.where}: import again when that is done."
                )
            time.sleep(_TRY_AGAIN_SECONDS)

    def make_ready(self, minute: int) -> None:
        """See `Database`."""
        present = Month.of(minute)
        with self._noted("written"):
            self._months.make([present, present.following()])

    def give_back(self, before: int) -> None:
        """See `Database`."""
        with self._noted("written"):
            self._months.drop_empty(before)

    def check(self) -> None:
        """Nothing to look at in microseconds: whoever reads or writes finds out."""

    def trouble(self) -> StoreError | None:
        """What the last attempt to read or to write failed for; None when all is well."""
        return next(iter(self._troubles.errors()), None)

    def close(self) -> None:
        """May be called again."""
        self._let_go()
        self._announcer.close()
        if self._replica is not None:
            self._replica.close()
        self._engine.dispose()

    @contextmanager
    def _noted(self, doing: str) -> Iterator[None]:
        """Raise errors as `explained` does, and log when the server begins and ceases to be of use."""
        try:
            with explained(self.where):
                yield
        except StoreBusyError:
            raise
        except StoreError as error:
            self._troubles.failed(doing, error)
            raise
        self._troubles.went_well(doing)
