"""`MetricStore` over the tables, and the memory that answers for the newest minutes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

import structlog
from sqlalchemy import Connection

from contract import MetricKey
from contract.minutes import minute_number
from service.store import recompute
from service.store.archive_protocol import Archive
from service.store.batched import batched
from service.store.buckets import bucket_columns, named_buckets
from service.store.checked import Checked
from service.store.database import Database
from service.store.errors import IdempotencyConflictError, StoreError
from service.store.hidden_people import hidden_people
from service.store.idempotency_keys import IdempotencyKeys
from service.store.listeners import Listener, Listeners
from service.store.newest import (
    ANY_MINUTE,
    Known,
    NewestMinutes,
    SiteMark,
    first_change,
    newest_of_passages,
    newest_of_zones,
    read_mark,
    read_marks,
    read_newest,
)
from service.store.passage_counts import SiteChange, without_folded, write_counts, write_series
from service.store.prepared import Prepared
from service.store.protocol import (
    Bucket,
    BucketColumns,
    BucketQuery,
    CountBatch,
    CountSeries,
    HiddenPeople,
    PassageCount,
    Past,
    SiteRecord,
    SpreadMinutes,
    WriteMode,
)
from service.store.self_check import check_site
from service.store.site_lock import lock_sites
from service.store.spread_minutes import spread_minutes
from service.store.topology import Topologies, Topology

_MARK_CHANGED: Final = Prepared("UPDATE sites SET revision = revision + 1 WHERE id = :site_id")

_SITES_TOGETHER: Final = 500
"""Whose newest minutes are read by the same statements: at the start, of thousands, each would take eight."""
_UNKNOWN: Final = object()  # no data version that the database gives


class SqlMetricStore:
    """`MetricStore` over the tables. `clock` gives the present, aware."""

    def __init__(
        self, database: Database, archive: Archive, keys: IdempotencyKeys, clock: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._archive = archive
        self._idempotency_keys = keys
        self._clock = clock
        self._topologies = Topologies()
        self._newest: dict[str, NewestMinutes] = {}
        self._reported: dict[str, SiteMark] = {}
        """The state of each site up to which all changes were reported to listeners, or are about to be."""
        self._reading_newest = threading.Lock()
        self._data_version: object = _UNKNOWN
        self._listeners = Listeners()
        self.poll_changes()

    def append(
        self,
        counts: Iterable[PassageCount],
        mode: WriteMode,
        *,
        idempotency: tuple[str, str] | None = None,
    ) -> bool:
        with self._writing() as (connection, changed):
            if idempotency is not None and not self._idempotency_keys.remember(connection, *idempotency):
                return False
            changed.update(self._recompute(connection, write_counts(connection, counts, mode)))
        return True

    def append_all(self, batches: Sequence[CountBatch]) -> list[bool | IdempotencyConflictError]:
        with self._writing() as (connection, changed):
            outcomes = [self._is_new(connection, batch) for batch in batches]
            new = (batch.counts for batch, outcome in zip(batches, outcomes, strict=True) if outcome is True)
            changes = write_counts(connection, chain.from_iterable(new), WriteMode.ADD)
            changed.update(self._recompute(connection, changes))
        return outcomes

    @contextmanager
    def appending(self) -> Iterator[tuple[Connection, list[PassageCount]]]:
        """A transaction of whoever remembers more than counts: those put into the list are added at its end.

        But for those of folded minutes, which the log tells.

        Raises UnknownPassageError; nothing is kept then.
        """
        counts: list[PassageCount] = []
        with self._writing() as (connection, changed):
            yield connection, counts
            taken = without_folded(connection, counts)
            if folded := len(counts) - len(taken):
                structlog.get_logger().warning("counts of folded minutes left out", counts=folded)
            changed.update(self._recompute(connection, write_counts(connection, taken, WriteMode.ADD)))

    @contextmanager
    def rewriting(self) -> Iterator[tuple[Connection, set[str]]]:
        """A transaction of whoever changes raw rows, or not, and makes what follows from them by itself.

        Of sites whose ids are put into the set any minute is told to have changed.
        """
        site_ids: set[str] = set()
        with self._writing() as (connection, changed):
            yield connection, site_ids
            changed.update(self._mark_changed(connection, dict.fromkeys(site_ids, ANY_MINUTE)))

    @contextmanager
    def changing(self) -> Iterator[tuple[Connection, Mapping[str, SiteChange]]]:
        """A transaction of whoever changes other raw rows: what depends on the changes noted, by site id, is
        made again at its end.
        """
        changes = defaultdict[str, SiteChange](SiteChange)
        with self._writing() as (connection, changed):
            yield connection, changes
            changed.update(self._recompute(connection, changes))

    def append_series(self, series: Iterable[CountSeries]) -> None:
        with self._writing() as (connection, changed):
            changed.update(self._recompute(connection, write_series(connection, series)))

    def buckets(self, query: BucketQuery) -> list[Bucket]:
        with self._database.reading() as connection:
            return named_buckets(self._answered(connection, query))

    def past(self, query: BucketQuery) -> Past:
        found, seconds = self._database.reading_past(lambda connection: self._answered(connection, query))
        return Past(found, timedelta(seconds=seconds))

    def hidden(self, query: BucketQuery) -> list[HiddenPeople]:
        with self._database.reading() as connection:
            return hidden_people(connection, query, self._topology(connection, query.site_id))

    def spread(self, query: BucketQuery) -> list[SpreadMinutes]:
        with self._database.reading() as connection:
            return list(spread_minutes(connection, query, self._topology(connection, query.site_id)))

    def check(self) -> Iterator[Checked]:
        with self._database.reading() as connection:
            for site_id in read_marks(connection):
                yield check_site(connection, self._topologies.read(connection, site_id))

    def repair(self, site_id: str) -> None:
        with self.rewriting() as (connection, site_ids):
            lock_sites(connection, [site_id])
            recompute.rebuild(connection, self._topologies.read(connection, site_id))
            site_ids.add(site_id)

    def newest(
        self,
        site_id: str,
        *,
        zone_ids: Sequence[str] = (),
        passage_ids: Sequence[str] = (),
        metrics: Sequence[MetricKey],
    ) -> Bucket | None:
        """Answers from memory; reads the store once after time reached a stored minute, or went back."""
        newest = self._newest.get(site_id)
        if newest is None:
            return None
        if (present := self._present()) not in newest.valid:
            self._refresh({site_id: first_change(newest, present)})
            newest = self._newest[site_id]
        if passage_ids:
            return newest_of_passages(newest, passage_ids, zone_ids, metrics)
        return newest_of_zones(newest, zone_ids, metrics)

    def known_site(self, site_id: str, version: int | None = None) -> SiteRecord | None:
        """The site as `buckets` and `newest` see it, from memory; None may mean not known yet, or not in
        that version.
        """
        newest = self._newest.get(site_id)
        if newest is None or version not in {None, newest.mark.version}:
            return None
        return newest.topology.record

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        return self._listeners.add(listener)

    def poll_changes(self) -> bool:
        present = self._present()
        changes = {
            site_id: first_change(newest, present)
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
            self._refresh(changes)
        except BaseException:
            # What was not read is news to the next call, although nobody commits meanwhile.
            self._data_version = _UNKNOWN
            raise
        return bool(changes)

    def _refresh(self, changes: Mapping[str, int]) -> None:
        """Read the newest minutes of changed sites into memory, then call the listeners.

        `changes` has the first changed minute of each site, committed: a listener that fails is logged.
        """
        if not changes:
            return
        # Read within the lock: of two changes at once, the later must not be overwritten by the earlier.
        with self._reading_newest, self._database.reading() as connection:
            for some in batched(changes, _SITES_TOGETHER):
                topologies = self._topologies.read_some(connection, some)
                known = {site_id: Known(self._newest.get(site_id), changes[site_id]) for site_id in some}
                read = read_newest(connection, topologies, self._present(), known)
                self._newest |= read
                self._reported |= {
                    site_id: one.mark for site_id, one in read.items() if changes[site_id] == ANY_MINUTE
                }
        self._listeners.tell(changes)

    def refresh_stored(self, changes: Mapping[str, int]) -> None:
        """`_refresh` after a commit of this process; what cannot be read back is left to `poll_changes`.

        It is stored: whoever heard of an error would store it again.
        """
        try:
            self._refresh(changes)
        except BaseException as error:
            self._doubt(changes)
            if not isinstance(error, StoreError):
                raise

    def _doubt(self, site_ids: Collection[str]) -> None:
        """What was noted as reported was not: let the next `poll_changes` look at these sites anew."""
        for site_id in site_ids:
            self._reported.pop(site_id, None)
            self._data_version = _UNKNOWN

    def _answered(self, connection: Connection, query: BucketQuery) -> BucketColumns:
        topology = self._topology(connection, query.site_id)
        return bucket_columns(connection, query, topology, self._archive)

    def _topology(self, connection: Connection, site_id: str) -> Topology:
        """As memory has it, else as the connection sees it. Raises UnknownSiteError."""
        newest = self._newest.get(site_id)
        return newest.topology if newest else self._topologies.read(connection, site_id)

    def _present(self) -> int:
        """The minute that is running."""
        return minute_number(self._clock())

    def _is_news(self, site_id: str, mark: SiteMark) -> bool:
        """Whether another process changed it; a write of this one that is under way did not."""
        reported = self._reported.get(site_id)
        return reported is None or (mark != reported and mark.after_counts() != reported)

    @contextmanager
    def _writing(self) -> Iterator[tuple[Connection, dict[str, int]]]:
        """A transaction, and a dictionary for the answer of `_recompute`, reported once that is committed."""
        changed: dict[str, int] = {}
        try:
            with self._database.storing() as connection:
                yield connection, changed
        except BaseException:
            self._doubt(changed)
            raise
        self.refresh_stored(changed)

    def _is_new(self, connection: Connection, batch: CountBatch) -> bool | IdempotencyConflictError:
        if batch.idempotency is None:
            return True
        try:
            return self._idempotency_keys.remember(connection, *batch.idempotency)
        except IdempotencyConflictError as error:
            return error

    def _recompute(self, connection: Connection, changes: Mapping[str, SiteChange]) -> dict[str, int]:
        """Make what depends on changed raw rows again; site id -> first changed minute, to be reported."""
        for site_id, change in changes.items():
            topology = self._topologies.read(connection, site_id)
            recompute.recompute(
                connection, topology, change.passages, change.first_changes, zones=change.zones
            )
        return self._mark_changed(
            connection, {site_id: min(change.first_changes) for site_id, change in changes.items()}
        )

    def _mark_changed(self, connection: Connection, firsts: Mapping[str, int]) -> dict[str, int]:
        """Site id -> first changed minute that is to be reported to the listeners; `ANY_MINUTE` when another
        process changed the site since the last report: its change could no longer be known from this one.
        """
        for site_id in firsts:
            _MARK_CHANGED.run(connection, site_id=site_id)
        marks = {site_id: read_mark(connection, site_id) for site_id in firsts}
        known = {
            site_id
            for site_id, mark in marks.items()
            if site_id in self._reported and mark == self._reported[site_id].after_counts()
        }
        self._reported |= marks
        return {site_id: first if site_id in known else ANY_MINUTE for site_id, first in firsts.items()}
