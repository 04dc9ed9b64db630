"""`MetricStore` over the tables, and the memory that answers for the newest minutes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

import structlog
from sqlalchemy import Connection, func, select, update

from contract import MetricKey
from service.store import bucket_query, derivation
from service.store.database import Database
from service.store.latest import latest_of_passages, latest_of_zones
from service.store.newest_minutes import NewestMinutes, read_marks, read_newest
from service.store.passage_counts import remember_idempotency_key, write_counts
from service.store.protocol import (
    Bucket,
    BucketQuery,
    CountBatch,
    IdempotencyConflictError,
    PassageCount,
    SiteRecord,
    WriteMode,
)
from service.store.schema import SITES, ZONE_MINUTES
from service.store.stored_topology import Topologies

Listener = Callable[[frozenset[str]], None]


class SqlMetricStore:
    """`MetricStore` over the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._topologies = Topologies()
        self._newest: dict[str, NewestMinutes] = {}
        self._reading_newest = threading.Lock()
        self._data_version = 0
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
        with self._database.writing() as connection:
            if idempotency is not None and not remember_idempotency_key(connection, *idempotency):
                return False
            changed = self._write(connection, counts, mode)
        self.take_in(changed)
        return True

    def append_all(self, batches: Sequence[CountBatch]) -> list[bool | IdempotencyConflictError]:
        """See `MetricStore`.

        Raises also StoreBusyError.
        """
        with self._database.writing() as connection:
            outcomes = [_is_new(connection, batch) for batch in batches]
            new = (batch.counts for batch, outcome in zip(batches, outcomes, strict=True) if outcome is True)
            changed = self._write(connection, chain.from_iterable(new), WriteMode.ADD)
        self.take_in(changed)
        return outcomes

    def _write(
        self, connection: Connection, counts: Iterable[PassageCount], mode: WriteMode
    ) -> frozenset[str]:
        """The ids of the sites that changed."""
        changes = write_counts(connection, counts, mode)
        for site_id, change in changes.items():
            topology = self._topologies.read(connection, site_id)
            derivation.derive(connection, topology, change.passages, change.first_changes)
        _mark_changed(connection, changes)
        return frozenset(changes)

    def rebuild(self, site_id: str) -> None:
        """Make everything derived for a site again from its passage counts."""
        with self._database.writing() as connection:
            derivation.rebuild(connection, self._topologies.read(connection, site_id))
            _mark_changed(connection, [site_id])
        self.take_in(frozenset([site_id]))

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
        newest = self._newest.get(site_id)
        if newest is None:
            return None
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
        version = self._database.data_version()
        if version == self._data_version:
            return False
        self._data_version = version
        with self._database.reading() as connection:
            marks = read_marks(connection)
        known = {site_id: newest.mark for site_id, newest in self._newest.items()}
        changed = frozenset(site_id for site_id, mark in marks.items() if known.get(site_id) != mark)
        self.take_in(changed)
        return bool(changed)

    def take_in(self, site_ids: frozenset[str]) -> None:
        """Read the newest minutes of changed sites into memory, then tell the listeners.

        It was committed: a listener that fails is logged, and takes nothing back.
        """
        if not site_ids:
            return
        # Read within the lock: of two changes at once, the later must not be overwritten by the earlier.
        with self._reading_newest, self._database.reading() as connection:
            for site_id in site_ids:
                topology = self._topologies.read(connection, site_id)
                self._newest[site_id] = read_newest(connection, topology)
        for listener in self._listeners:
            try:
                listener(site_ids)
            except Exception:  # noqa: BLE001 - the edge between what is stored and who hears of it
                structlog.get_logger().exception("listener failed")


def _is_new(connection: Connection, batch: CountBatch) -> bool | IdempotencyConflictError:
    if batch.idempotency is None:
        return True
    try:
        return remember_idempotency_key(connection, *batch.idempotency)
    except IdempotencyConflictError as error:
        return error


def _mark_changed(connection: Connection, site_ids: Collection[str]) -> None:
    connection.execute(update(SITES).where(SITES.c.id.in_(site_ids)).values(revision=SITES.c.revision + 1))
