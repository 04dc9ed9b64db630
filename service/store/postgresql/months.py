"""Series by month: each month of UTC has a table of its own for the rows of each series table, PostgreSQL's
declarative partitions.

They are made before they are needed: the present month and the next when a store is opened and by the upkeep,
any other by whoever is about to store something of it, in a transaction of its own that waits for no writer,
and for which none waits. An advisory lock, of that transaction, has two who want a month make it once.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import numpy as np
import psycopg
from sqlalchemy import Connection, Engine, Table, text
from sqlalchemy.exc import DBAPIError

from contract.minutes import minute_number, minute_start
from service.store.protocol import Numbers
from service.store.schema import METADATA, PASSAGE_MINUTES, ZONE_LEVELS, ZONE_MINUTES

BY_MONTH: Final = tuple(
    table for table in METADATA.sorted_tables if table.dialect_options["postgresql"]["partition_by"]
)
FOLDED_BY_MONTH: Final = (PASSAGE_MINUTES, ZONE_LEVELS, ZONE_MINUTES)
"""Of which folding leaves nothing."""

_LOCK: Final = 0x68656164 + 2
"""Beside those of `postgresql.database`."""
_PATIENCE_SECONDS: Final = 20
_DROPPING: Final = "200ms"
"""For which readers of a table may have to wait behind one who drops a month of it and is not let in."""

_NAME: Final = re.compile(r".+_(\d{4})_(\d\d)", re.ASCII)
_THERE: Final = text(
    "SELECT parent, relname FROM unnest(CAST(:tables AS TEXT[])) AS parent"
    " JOIN pg_inherits ON inhparent = to_regclass(parent) JOIN pg_class ON pg_class.oid = inhrelid"
).bindparams(tables=[table.name for table in BY_MONTH])


class Month(NamedTuple):
    """Of UTC."""

    year: int
    month: int

    @classmethod
    def of(cls, minute: int) -> Month:
        start = minute_start(minute)
        return cls(start.year, start.month)

    def following(self) -> Month:
        return Month(self.year + self.month // 12, self.month % 12 + 1)

    @property
    def start(self) -> int:
        """Its first minute, since the epoch."""
        return minute_number(datetime(self.year, self.month, 1, tzinfo=UTC))

    def table(self, series: Table) -> str:
        """Name of the table of its rows."""
        return f"{series.name}_{self.year:04}_{self.month:02}"


def months_of(minutes: Numbers) -> set[Month]:
    """In which the minutes lie."""
    found = np.unique(minutes.astype("datetime64[m]").astype("datetime64[M]")).tolist()
    return {Month(first.year, first.month) for first in found}


def months_there(connection: Connection) -> Mapping[Table, set[Month]]:
    """That have a table, of each series table."""
    found = {series.name: set[Month]() for series in BY_MONTH}
    for series, name in connection.execute(_THERE):
        # What an administrator has attached by himself has other names.
        if told := _NAME.fullmatch(name):
            found[series].add(Month(int(told[1]), int(told[2])))
    return {series: found[series.name] for series in BY_MONTH}


def is_by_month(connection: Connection) -> bool:
    """Whether the series tables are made so that they have months."""
    asked = text("SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(:table)")
    return bool(connection.execute(asked, {"table": PASSAGE_MINUTES.name}).scalar())


def make_months(connection: Connection, months: Iterable[Month]) -> None:
    """Tables of these months for every series table, where they are not there.

    In a transaction that does nothing else, and that the caller ends at once. The table is made by itself and
    then attached: that asks for no more of the whole series than others leave to it who read and write.
    """
    connection.execute(text(f"SET LOCAL lock_timeout = '{_PATIENCE_SECONDS}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    wanted, there = set(months), months_there(connection)
    statements = [
        statement
        for series in BY_MONTH
        for month in sorted(wanted - there[series])
        for statement in _making(series, month)
    ]
    if statements:
        connection.exec_driver_sql("; ".join(statements))


def _making(series: Table, month: Month) -> Iterable[str]:
    name = month.table(series)
    yield f"CREATE TABLE {name} (LIKE {series.name} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"
    within = f"FROM ({month.start}) TO ({month.following().start})"
    yield f"ALTER TABLE {series.name} ATTACH PARTITION {name} FOR VALUES {within}"


def drop_month(connection: Connection, series: Table, month: Month, *, is_empty: bool = False) -> bool:
    """Take a month away with all that is stored of it; `is_empty`: only if nothing is. Whether it was.

    In a transaction that the caller ends at once: nobody reads or writes the series meanwhile. Where somebody
    has done so for a while, it gives up after a moment, with the driver's error (55P03), instead of having
    others wait in line.
    """
    if month not in months_there(connection)[series]:
        return False
    name = month.table(series)
    connection.execute(text(f"SET LOCAL lock_timeout = '{_DROPPING}'"))
    connection.exec_driver_sql(f"LOCK TABLE ONLY {series.name} IN ACCESS EXCLUSIVE MODE")
    if is_empty and connection.exec_driver_sql(f"SELECT EXISTS (SELECT FROM {name})").scalar():  # noqa: S608
        return False
    connection.exec_driver_sql(f"DROP TABLE {name}")
    return True


class Months:
    """Those that a process knows to be there; others are made. Safe to use from several threads.

    `engine` gives connections that are not those of whoever waits for a month: there might be none left.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: frozenset[Month] = frozenset()
        self._making = threading.Lock()

    def make_for(self, minutes: Numbers) -> None:
        """Have room for rows of these minutes. Raises what the driver reports."""
        self.make(months_of(minutes))

    def make(self, months: Collection[Month]) -> None:
        """The same for whole months."""
        if self._known.issuperset(months):
            return
        with self._making:
            if self._known.issuperset(months):
                return
            with self._engine.begin() as connection:
                make_months(connection, months)
            self._known = self._known.union(months)

    def forget(self) -> None:
        """Another process has taken one away."""
        self._known = frozenset()

    def drop_empty(self, before: int) -> None:
        """Months that ended before a minute, and of which folding has left nothing.

        Where one is read meanwhile, it stays, as do those after it, until this is asked again.
        """
        with self._engine.begin() as connection:
            there = months_there(connection)
        ended = [
            (series, month)
            for series in FOLDED_BY_MONTH
            for month in sorted(there[series])
            if month.following().start <= before
        ]
        try:
            for series, month in ended:
                with self._engine.begin() as connection:
                    if _is_empty(connection, series, month):
                        drop_month(connection, series, month, is_empty=True)
        except DBAPIError as error:
            if not isinstance(error.orig, psycopg.errors.LockNotAvailable):
                raise
        finally:
            self.forget()


def _is_empty(connection: Connection, series: Table, month: Month) -> bool:
    """Asked before the lock is."""
    asked = f"SELECT NOT EXISTS (SELECT FROM {month.table(series)})"  # noqa: S608 -- a name of ours
    return bool(connection.exec_driver_sql(asked).scalar())
