"""`MetricStore` over the tables, and the memory that answers for the newest minutes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from typing import Final

import structlog
from sqlalchemy import Connection, Update, func, select, update

from contract import MetricKey
from contract.minutes import minute_number
from service.store import bucket_query, derivation
from service.store.database import Database
from service.store.errors import StoreError
from service.store.idempotency_keys import IdempotencyKeys
from service.store.latest import latest_of_passages, latest_of_zones
from service.store.newest_minutes import NewestMinutes, SiteMark, read_mark, read_marks, read_newest
from service.store.passage_counts import SiteChange, write_counts, write_series
from service.store.protocol import (
    Bucket,
    BucketQuery,
    CountBatch,
    CountSeries,
    IdempotencyConflictError,
    PassageCount,
    SiteRecord,
    WriteMode,
)
from service.store.schema import SITES, ZONE_MINUTES
from service.store.stored_topology import Topologies

ANY_MINUTE: Final = 0
"""First changed minute of a change of which nothing is known."""

_UNKNOWN: Final = -1
"""No data version that the database gives."""

Listener = Callable[[Mapping[str, int]], None]


class SqlMetricStore:
    """`MetricStore` over the tables. `clock` gives the present, aware."""

    def __init__(
        self, database: Database, *, idempotency_keys: IdempotencyKeys, clock: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._idempotency_keys = idempotency_keys
        self._clock = clock
        self._topologies = Topologies()
        self._newest: dict[str, NewestMinutes] = {}
        self._told: dict[str, SiteMark] = {}
        """The state of each site up to which all changes were told to the listeners, or are about to be."""
        self._reading_newest = threading.Lock()
        self._data_version = _UNKNOWN
        self._listeners: list[Listener] = []
        self.refresh()

    def append(
        self,
        counts: Iterable[PassageCount],
        mode: WriteMode,
        *,
        idempotency: tuple[str, str] | None = None,
    ) -> bool:
        """See `MetricStore`. Counts may come from a generator: they are stored as they are read.

        Raises also StoreBusyError.
        """
        with self._writing() as (connection, told):
            if idempotency is not None and not self._idempotency_keys.remember(connection, *idempotency):
                return False
            told.update(self._derive(connection, write_counts(connection, counts, mode)))
        return True

    def append_all(self, batches: Sequence[CountBatch]) -> list[bool | IdempotencyConflictError]:
        """See `MetricStore`.

        Raises also StoreError.
        """
        with self._writing() as (connection, told):
            outcomes = [self._is_new(connection, batch) for batch in batches]
            new = (batch.counts for batch, outcome in zip(batches, outcomes, strict=True) if outcome is True)
            changes = write_counts(connection, chain.from_iterable(new), WriteMode.ADD)
            told.update(self._derive(connection, changes))
        return outcomes

    def append_series(self, series: Iterable[CountSeries]) -> None:
        """See `MetricStore`.

        Raises also StoreBusyError.
        """
        with self._writing() as (connection, told):
            told.update(self._derive(connection, write_series(connection, series)))

    def rebuild(self, site_id: str) -> None:
        """Make everything derived for a site again from its passage counts."""
        with self._database.writing() as connection:
            derivation.rebuild(connection, self._topologies.read(connection, site_id))
            connection.execute(_mark_statement([site_id]))
        self.take_in_stored({site_id: ANY_MINUTE})

    def buckets(self, query: BucketQuery) -> list[Bucket]:
        """See `MetricStore`.

        Raises UnknownSiteError.
        """
        with self._database.reading() as connection:
            newest = self._newest.get(query.site_id)
            topology = newest.topology if newest else self._topologies.read(connection, query.site_id)
            return bucket_query.buckets(connection, query, topology)

    def latest(
        self,
        site_id: str,
        *,
        zone_ids: Sequence[str] = (),
        passage_ids: Sequence[str] = (),
        metrics: Sequence[MetricKey],
    ) -> Bucket | None:
        """See `MetricStore`. From memory, but for once after time reached a stored minute, or went back."""
        newest = self._newest.get(site_id)
        if newest is None:
            return None
        if (present := self._present()) not in newest.valid:
            self.take_in({site_id: _first_change(newest, present)})
            newest = self._newest[site_id]
        if passage_ids:
            return latest_of_passages(newest, passage_ids, zone_ids, metrics)
        return latest_of_zones(newest, zone_ids, metrics)

    def recall_site(self, site_id: str) -> SiteRecord | None:
        """The site as `buckets` and `latest` see it."""
        newest = self._newest.get(site_id)
        return newest.topology.record if newest else None

    def hidden_drift(self, site_id: str, zone_id: str, start: int, end: int) -> int | None:
        """People that clamping added to a zone in the minutes [start, end); None when none is stored."""
        columns = ZONE_MINUTES.c
        with self._database.reading() as connection:
            number = self._topologies.read(connection, site_id).zones[zone_id]
            hidden: int | None = connection.execute(
                select(func.sum(columns.hidden)).where(
                    columns.number == number, columns.minute >= start, columns.minute < end
                )
            ).scalar_one()
        return hidden

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        self._listeners = [*self._listeners, listener]

        def remove() -> None:
            self._listeners = [other for other in self._listeners if other is not listener]

        return remove

    def refresh(self) -> bool:
        present = self._present()
        changes = {
            site_id: _first_change(newest, present)
            for site_id, newest in list(self._newest.items())
            if present not in newest.valid
        }
        version = self._database.data_version()
        known, self._data_version = self._data_version, version
        try:
            if version != known:
                with self._database.reading() as connection:
                    marks = read_marks(connection)
                news = (site_id for site_id, mark in marks.items() if self._is_news(site_id, mark))
                changes |= dict.fromkeys(news, ANY_MINUTE)
            self.take_in(changes)
        except BaseException:
            # What was not taken in is news to the next look, although nobody commits meanwhile.
            self._data_version = _UNKNOWN
            raise
        return bool(changes)

    def take_in(self, changes: Mapping[str, int]) -> None:
        """Read the newest minutes of changed sites into memory, then tell the listeners.

        `changes` has the first changed minute of each site. It was committed: a listener that fails is
        logged, and takes nothing back.
        """
        if not changes:
            return
        # Read within the lock: of two changes at once, the later must not be overwritten by the earlier.
        with self._reading_newest, self._database.reading() as connection:
            for site_id, first_minute in changes.items():
                topology = self._topologies.read(connection, site_id)
                self._newest[site_id] = read_newest(connection, topology, self._present())
                if first_minute == ANY_MINUTE:
                    self._told[site_id] = self._newest[site_id].mark
        for listener in self._listeners:
            try:
                listener(changes)
            except Exception:  # noqa: BLE001 - the edge between what is stored and who hears of it
                structlog.get_logger().exception("listener failed")

    def take_in_stored(self, changes: Mapping[str, int]) -> None:
        """`take_in` of what this process committed; what cannot be read back is left to the next `refresh`.

        It is stored: whoever heard of an error would store it again.
        """
        try:
            self.take_in(changes)
        except BaseException as error:
            self._doubt(changes)
            if not isinstance(error, StoreError):
                raise

    def _doubt(self, site_ids: Collection[str]) -> None:
        """Nobody was told what was noted as told: let the next `refresh` look at these sites anew."""
        for site_id in site_ids:
            self._told.pop(site_id, None)
            self._data_version = _UNKNOWN

    def _present(self) -> int:
        """The minute that is running."""
        return minute_number(self._clock())

    def _is_news(self, site_id: str, mark: SiteMark) -> bool:
        """Whether another process changed the site; a write of this one that is under way did not."""
        told = self._told.get(site_id)
        return told is None or (mark != told and mark.after_counts() != told)

    @contextmanager
    def _writing(self) -> Iterator[tuple[Connection, dict[str, int]]]:
        """A transaction, and a place for the answer of `_derive`, which is told once it is committed."""
        told: dict[str, int] = {}
        try:
            with self._database.writing() as connection:
                yield connection, told
        except BaseException:
            self._doubt(told)
            raise
        self.take_in_stored(told)

    def _is_new(self, connection: Connection, batch: CountBatch) -> bool | IdempotencyConflictError:
        if batch.idempotency is None:
            return True
        try:
            return self._idempotency_keys.remember(connection, *batch.idempotency)
        except IdempotencyConflictError as error:
            return error

    def _derive(self, connection: Connection, changes: Mapping[str, SiteChange]) -> dict[str, int]:
        """Make what depends on changed counts again; site id -> first changed minute, to be told."""
        for site_id, change in changes.items():
            topology = self._topologies.read(connection, site_id)
            derivation.derive(connection, topology, change.passages, change.first_changes)
        return self._mark_changed(
            connection, {site_id: min(change.first_changes) for site_id, change in changes.items()}
        )

    def _mark_changed(self, connection: Connection, firsts: Mapping[str, int]) -> dict[str, int]:
        """Site id -> first changed minute that the listeners are to be told.

        `ANY_MINUTE` when another process changed the site since they were last told: from then on its change
        could no longer be known from this one.
        """
        connection.execute(_mark_statement(firsts))
        marks = {site_id: read_mark(connection, site_id) for site_id in firsts}
        known = {
            site_id
            for site_id, mark in marks.items()
            if site_id in self._told and mark == self._told[site_id].after_counts()
        }
        self._told |= marks
        return {site_id: first if site_id in known else ANY_MINUTE for site_id, first in firsts.items()}


def _first_change(newest: NewestMinutes, present: int) -> int:
    """What changed because time passed: from a minute on that it reached, or anything when it went back."""
    return newest.valid.stop if present >= newest.valid.stop else ANY_MINUTE


def _mark_statement(site_ids: Collection[str]) -> Update:
    return update(SITES).where(SITES.c.id.in_(site_ids)).values(revision=SITES.c.revision + 1)
