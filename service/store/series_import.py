"""Counts of a file, stored in pieces with room between them for others, and yet whole or not at all.

Staged: in short transactions, each passage's days are packed into `staged_counts`, which nobody reads.
Decided: one row of `count_imports`. Until then the file was never there; from then on it will be stored.
Applied: site by site, oldest days first, a few days in each transaction, with all that follows from them;
what is applied is staged no more.

Whoever stores an import holds a lock, which goes with the process, however that ends, or with its connection:
each transaction looks whether it is still held. What is staged while nobody holds it was left behind: it is
forgotten, or applied where it was decided.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any, Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, delete, exists, insert, select

from service.store.database import Database, ImportLock
from service.store.errors import ImportUnfinishedError, StoreBusyError, StoreError, UnknownPassageError
from service.store.late_counts import without_late
from service.store.metrics import SqlMetricStore
from service.store.packed_counts import packed_rows, unpacked
from service.store.passage_counts import KnownPassage, find_passages
from service.store.protocol import CountSeries, WriteMode
from service.store.recompute import recompute
from service.store.schema import COUNT_IMPORTS, PASSAGE_MINUTES, STAGED_COUNTS
from service.store.series_rows import write_series_rows
from service.store.site_lock import lock_sites
from service.store.topology import Topologies

ROOM_SECONDS: Final = 0.11
"""Between two transactions: SQLite looks every 0.1 s whether it may write, once it has waited for 0.2 s."""

BUSY_SECONDS: Final = 20
"""For which an import waits for another."""
_MINUTES_TOGETHER: Final = 30_000
"""Passage minutes of one transaction."""
_STAGED_TOGETHER: Final = 250

_IS_STAGED: Final = select(exists(select(STAGED_COUNTS.c.number)))
_IS_DECIDED: Final = select(exists(select(COUNT_IMPORTS.c.number)))


class SqlCountImports:
    """`CountImports` in the same file as the counts."""

    def __init__(self, database: Database, metrics: SqlMetricStore) -> None:
        self._database = database
        self._metrics = metrics
        self._topologies = Topologies()

    def store(self, series: Iterable[CountSeries], progress: Callable[[int], None] = lambda _: None) -> None:
        with closing(self._database.import_lock(BUSY_SECONDS)) as lock:
            self._take_up(lock, threading.Event())
            try:
                stage(self._database, series, lock)
                with self._database.storing() as connection:
                    decide(connection)
                    lock.check()
            except BaseException:
                # Without it, what is staged may be another's.
                with suppress(StoreError):
                    lock.check()
                    self._take_up(lock, threading.Event())
                raise
            try:
                self._apply(lock, threading.Event(), progress)
            except StoreError as error:
                raise ImportUnfinishedError(str(error)) from error

    def take_up(self, stop: threading.Event | None = None) -> bool:
        if not self._is_left():
            return False
        try:
            lock = self._database.import_lock(patience=0)
        except StoreBusyError:
            return False
        with closing(lock):
            return self._take_up(lock, stop or threading.Event())

    def _take_up(self, lock: ImportLock, stop: threading.Event) -> bool:
        if not self._is_left():
            return False
        if self._is_decided():
            self._apply(lock, stop, lambda _: None)
        else:
            forget(self._database)
        return True

    def _is_left(self) -> bool:
        with self._database.reading() as connection:
            return any(connection.execute(either).scalar() for either in (_IS_STAGED, _IS_DECIDED))

    def _is_decided(self) -> bool:
        with self._database.reading() as connection:
            return bool(connection.execute(_IS_DECIDED).scalar())

    def _apply(self, lock: ImportLock, stop: threading.Event, progress: Callable[[int], None]) -> None:
        """All that is staged, unless it is to stop before."""
        while True:
            with self._metrics.rewriting() as (connection, sites):
                minutes, site_id, is_last = apply_some(connection, self._topologies)
                lock.check()
                # Streams read a site again once it is whole, and not as often as something is applied.
                sites.update({site_id} if site_id else {})
            progress(minutes)
            if is_last or stop.wait(ROOM_SECONDS):
                return


def stage(database: Database, series: Iterable[CountSeries], lock: ImportLock) -> None:
    """Keep all of them where nobody looks, for as long as the lock is held.

    Raises UnknownPassageError once all columns are read, FoldedCountsError.
    """
    known: dict[str, KnownPassage] = {}
    unknown: set[str] = set()
    waiting: list[dict[str, Any]] = []
    for columns in series:
        if columns.passage_id not in known:
            with database.reading() as connection:
                known |= find_passages(connection, [columns.passage_id])
        if columns.passage_id not in known:
            unknown.add(columns.passage_id)
        elif not unknown and len(columns.minutes):
            passage = known[columns.passage_id]
            passage.check(int(columns.minutes[0]))
            told = [columns.minutes, columns.forward, columns.backward]
            waiting += packed_rows(passage.site_id, passage.number, columns.mode, told)
        if len(waiting) >= _STAGED_TOGETHER:
            _keep(database, waiting, lock)
            waiting = []
    if unknown:
        raise UnknownPassageError(unknown)
    _keep(database, waiting, lock)


def decide(connection: Connection) -> None:
    """All that is staged will be stored."""
    connection.execute(insert(COUNT_IMPORTS))


def forget(database: Database) -> None:
    """What is staged, undecided."""
    some = select(STAGED_COUNTS.c.number).limit(_STAGED_TOGETHER)
    while True:
        with database.storing() as connection:
            if not connection.execute(delete(STAGED_COUNTS).where(STAGED_COUNTS.c.number.in_(some))).rowcount:
                return


def apply_some(connection: Connection, topologies: Topologies) -> tuple[int, str | None, bool]:
    """Set the oldest days that are staged of one site, or some passages of such a day.

    What follows from them is made again. How many minutes of passages they were, the site of which no more is
    staged, and whether nothing is. A passage that left its site meanwhile keeps its counts, as others do, in
    case it comes back.
    """
    site_id, rows = _next_rows(connection)
    lock_sites(connection, [site_id] if site_id else [])
    numbers = list(_together(rows))
    staged = STAGED_COUNTS.c
    own = staged.number.in_(numbers)
    passages, first_changes = set[int](), set[int]()
    found = connection.execute(select(staged.passage, staged.mode, staged.day, staged.counts).where(own))
    for passage, mode, day, counts in found:
        columns = unpacked(counts, day)
        if site_id:
            columns = without_late(connection, site_id, passage, columns, WriteMode(mode))
        if not len(columns[0]):
            continue
        write_series_rows(connection, PASSAGE_MINUTES, passage, columns, WriteMode(mode))
        passages.add(passage)
        first_changes.add(int(columns[0][0]))
    if site_id:
        topology = topologies.read(connection, site_id)
        recompute(connection, topology, passages.intersection(topology.passages.values()), first_changes)
        connection.execute(delete(STAGED_COUNTS).where(own))
    following, _ = _next_rows(connection)
    if following is None:
        connection.execute(delete(COUNT_IMPORTS))
    minutes = sum(row.minutes for row in rows[: len(numbers)])
    return minutes, site_id if following != site_id else None, following is None


class _Staged(NamedTuple):
    number: int
    day: int
    minutes: int


def _next_rows(connection: Connection) -> tuple[str | None, Sequence[_Staged]]:
    """A site, and what is staged of it next: of its oldest days, passage by passage."""
    staged = STAGED_COUNTS.c
    site_id = connection.execute(select(staged.site_id).order_by(staged.site_id).limit(1)).scalar()
    some = select(staged.number, staged.day, staged.minutes).where(staged.site_id == site_id)
    ordered = some.order_by(staged.day, staged.passage).limit(_STAGED_TOGETHER)
    return site_id, [_Staged(*row) for row in connection.execute(ordered)]


def _together(rows: Sequence[_Staged]) -> Iterator[int]:
    """Numbers of the first rows that are applied at once: whole days, or what fits of a single one."""
    room = _MINUTES_TOGETHER - np.cumsum([row.minutes for row in rows], dtype=np.int64)
    fitting = max(int((room >= 0).sum()), 1)
    if fitting < len(rows) and rows[0].day != rows[fitting].day:
        fitting = next(place for place, row in enumerate(rows) if row.day == rows[fitting].day)
    return (row.number for row in rows[:fitting])


def _keep(database: Database, rows: Sequence[dict[str, Any]], lock: ImportLock) -> None:
    if rows:
        with database.storing() as connection:
            connection.execute(insert(STAGED_COUNTS), rows)
            lock.check()
