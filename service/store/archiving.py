"""Days of long ago, brought to the archive, and back when something of them comes late.

A piece of a site's days is copied while others store; what they change of it is noted (`archived_days`), and
the copy does not hold then. It holds once all of it has been read back from the archive and is the same; in
one transaction the days are the archive's then, and deleted here. Killed in between, they are copied again,
as a later shipment. Of two processes that copy the same, the one that began last brings it to an end. What
the others brought, or still bring, nobody reads (`shipments`).

The last day of which a site has something stays here, and each after it: what is newest is never far away.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import structlog
from sqlalchemy import Connection, Table, delete, select, update

from contract.minutes import MINUTES_A_DAY
from service.store.archive_protocol import Archive
from service.store.archive_reach import ArchiveReach, Work
from service.store.archive_spans import archived_stretches, next_span
from service.store.archive_tables import ARCHIVED_SITES, RETURNED_DAYS
from service.store.archived_days import Span, Stretch, kept_minutes, note_change
from service.store.archived_rows import OWNERS, Rows, delete_rows, site_rows
from service.store.database import Database
from service.store.errors import ArchiveAwayError
from service.store.former_resets import forget_former_resets
from service.store.last_rows import forget_last_rows, keep_last_rows
from service.store.late_counts import (
    LateCounts,
    count_late_minutes,
    forget_late_counts,
    next_late_counts,
    sites_with_late_counts,
)
from service.store.metrics import SqlMetricStore
from service.store.protocol import Numbers, WriteMode
from service.store.recompute import recompute
from service.store.retention import with_former_zones
from service.store.schema import (
    CORRECTIONS,
    PASSAGE_MINUTES,
    PASSAGE_QUARTERS,
    SITES,
    ZONE_LEVELS,
    ZONE_MINUTES,
    ZONE_QUARTERS,
    ZONES,
)
from service.store.series_rows import write_rows, write_series_rows
from service.store.shipments import (
    Shipments,
    begin_shipment,
    hold_shipment,
    void_beside,
    void_shipments,
)
from service.store.site_lock import lock_sites
from service.store.told_minutes import first_told_minutes
from service.store.topology import Topologies, Topology
from service.store.upsert import insert

_DERIVED: Final = frozenset({PASSAGE_QUARTERS, ZONE_MINUTES, ZONE_QUARTERS})


class _Copy(NamedTuple):
    """Days that are being copied."""

    span: Span
    shipment: int
    is_returned: bool


class SqlArchiving:
    """`Archiving` of a store."""

    def __init__(self, database: Database, metrics: SqlMetricStore, archive: Archive) -> None:
        self._database = database
        self._metrics = metrics
        self._archive = archive
        self._reach = ArchiveReach(archive)
        self._topologies = Topologies()

    @property
    def is_set(self) -> bool:
        return self._archive.is_set

    def trouble(self) -> ArchiveAwayError | None:
        return self._reach.trouble()

    def look(self) -> bool:
        return self._reach.look()

    def late_minutes(self) -> int:
        with self._database.reading() as connection:
            return count_late_minutes(connection)

    def ship(self, days: int, present: datetime, stop: threading.Event) -> int:
        def of_site(site_id: str) -> int:
            shipped = 0
            while not stop.is_set() and (copy := self._begin(site_id, days, present)):
                if not self._shipped(site_id, copy):
                    break
                shipped += 1
            return shipped

        if not self.look():
            return 0
        with self._database.reading() as connection:
            site_ids = connection.execute(select(SITES.c.id).order_by(SITES.c.id)).scalars().all()
        return self._reach.of_each(Work.SHIP, site_ids, of_site, stop)

    def take_late(self, stop: threading.Event) -> int:
        def of_site(site_id: str) -> int:
            taken = 0
            while not stop.is_set() and (found := self._taken(site_id)):
                taken += found
            return taken

        with self._database.reading() as connection:
            site_ids = sites_with_late_counts(connection)
        if site_ids and not self.look():
            return 0
        return self._reach.of_each(Work.TAKE_LATE, site_ids, of_site, stop)

    def _begin(self, site_id: str, days: int, present: datetime) -> _Copy | None:
        """Note which days are copied next; None where there are none."""
        with self._database.reading() as connection:
            topology = self._topologies.read(connection, site_id)
            if next_span(connection, topology, days, present) is None:
                return None
        with self._database.storing() as connection:
            lock_sites(connection, [site_id])
            topology = self._topologies.read(connection, site_id)
            found = next_span(connection, topology, days, present)
            if found is None:
                return None
            if not found.is_returned:
                _make_former_zones(connection, topology, found.span)
            shipment = begin_shipment(connection, site_id, found.span)
        return _Copy(found.span, shipment, found.is_returned)

    def _shipped(self, site_id: str, copy: _Copy) -> int:
        """How many rows are the archive's now; 0 where something of them was changed meanwhile."""
        with self._database.reading() as connection:
            stored = site_rows(connection, site_id, copy.span)
            void = void_beside(connection, site_id, copy.shipment)
        for table, rows in stored.items():
            self._copied(site_id, table, rows, copy, void)
        with self._database.storing() as connection:
            lock_sites(connection, [site_id])
            own = ARCHIVED_SITES.c.site_id == site_id
            state = connection.execute(select(ARCHIVED_SITES).where(own)).one()
            if (state.shipment, state.copied_from) != (copy.shipment, copy.span.start):
                return 0
            ended: dict[str, int | None] = {"copied_from": None, "copied_to": None}
            if copy.is_returned:
                returned = RETURNED_DAYS.c
                within = (returned.start >= copy.span.start) & (returned.start < copy.span.end)
                connection.execute(delete(RETURNED_DAYS).where(returned.site_id == site_id, within))
            else:
                ended["until"] = copy.span.end
            connection.execute(update(ARCHIVED_SITES).where(own).values(ended))
            hold_shipment(connection, site_id, copy.shipment)
            keep_last_rows(connection, stored)
            delete_rows(connection, site_id, copy.span)
        return max(1, sum(map(len, stored.values())))

    def _copied(
        self, site_id: str, table: Table, rows: Numbers, copy: _Copy, void: Sequence[Shipments]
    ) -> None:
        """Raises ArchiveAwayError where what is read back is something else."""
        if len(rows):
            self._archive.put(table, site_id, rows, copy.shipment)
        found = self._archive.rows(table, site_id, *copy.span, void)
        if np.array_equal(found, rows):
            return
        # Days that were there before, and have fewer rows now.
        gone = found[~_among(found, rows)]
        if len(gone):
            self._archive.put(table, site_id, gone, copy.shipment, are_gone=True)
            found = self._archive.rows(table, site_id, *copy.span, void)
        if not np.array_equal(found, rows):
            self._outdo(site_id, self._archive.last_shipment(table, site_id, *copy.span))
            raise ArchiveAwayError(
                f"The archive gave {len(found)} rows of {table.name} of {site_id} back, and others than the"
                f" {len(rows)} that were brought there: those stay where they are and are brought again."
            )

    def _outdo(self, site_id: str, shipment: int) -> None:
        """The next shipment is to hold against all that are there: also after an older copy of the store was
        restored, which does not know of them.
        """
        with self._database.storing() as connection:
            lock_sites(connection, [site_id])
            later = (ARCHIVED_SITES.c.site_id == site_id) & (ARCHIVED_SITES.c.shipment < shipment)
            connection.execute(update(ARCHIVED_SITES).where(later).values(shipment=shipment))

    def _taken(self, site_id: str) -> int:
        """How many minutes of late counts of a site are counted now, of its oldest days; 0 where there are
        none, or another process counts them.
        """
        with self._database.reading() as connection:
            topology = self._topologies.read(connection, site_id)
            late = next_late_counts(connection, site_id)
            asked = list(archived_stretches(connection, topology, late))
            void = void_shipments(connection, site_id)
        back = [(stretch, self._read_back(site_id, stretch, void)) for stretch in asked]
        with suppress(_TakenByAnotherError), self._metrics.rewriting() as (connection, site_ids):
            lock_sites(connection, [site_id])
            topology = self._topologies.read(connection, site_id)
            is_same = list(archived_stretches(connection, topology, late)) == asked
            if not is_same or forget_late_counts(connection, [one.number for one in late]) != len(late):
                raise _TakenByAnotherError
            for stretch, rows in back:
                _bring_back(connection, site_id, stretch, rows)
            _count(connection, topology, late, back)
            site_ids.add(site_id)
            return sum(len(counts.columns[0]) for counts in late)
        return 0

    def _read_back(self, site_id: str, stretch: Stretch, void: Sequence[Shipments]) -> Rows:
        start, end = stretch.start, stretch.end
        return {table: self._archive.rows(table, site_id, start, end, void) for table in OWNERS}


class _TakenByAnotherError(RuntimeError):
    """Undoes the transaction: another process was faster."""


def _among(rows: Numbers, others: Numbers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows have the series and minute of one of the others."""
    keys = {(number, minute) for number, minute in others[:, :2].tolist()}
    return np.array([(number, minute) in keys for number, minute in rows[:, :2].tolist()], dtype=np.bool_)


def _make_former_zones(connection: Connection, topology: Topology, span: Span) -> None:
    """Of zones that the site has no more, what follows from what was told: they may come back."""
    site_id, all_ = topology.record.site.id, with_former_zones(connection, topology)
    if former := set(all_.zones.values()).difference(topology.zones.values()):
        begin = max(span.start, kept_minutes(connection, site_id).folded_until)
        told = first_told_minutes(connection, site_id, begin)
        recompute(connection, all_, (), (first for first in told if first < span.end), former)


def _bring_back(connection: Connection, site_id: str, stretch: Stretch, rows: Rows) -> None:
    span = Span(stretch.start, stretch.end)
    # Of an archived day nobody reads what may still be here.
    delete_rows(connection, site_id, span)
    is_made_again = stretch.start >= kept_minutes(connection, site_id).folded_until
    for table, found in rows.items():
        if not (is_made_again and table in _DERIVED):
            write_rows(connection, table, found, WriteMode.SET)
    connection.execute(insert(RETURNED_DAYS).values(site_id=site_id, start=span.start, end=span.end))
    forget_last_rows(connection, site_id, span)
    forget_former_resets(connection, site_id, span)
    note_change(connection, site_id, *span)


def _count(
    connection: Connection,
    topology: Topology,
    late: Sequence[LateCounts],
    back: Sequence[tuple[Stretch, Rows]],
) -> None:
    """As counts that are told now; but those of minutes that were folded meanwhile, which the log tells.

    Days that are back follow from the site as it is now, all of them: it may have been another when they were
    brought away.
    """
    until = kept_minutes(connection, topology.record.site.id).folded_until
    firsts, lost = set(chain.from_iterable(_first_minutes(rows) for _, rows in back)), 0
    for stretch, _ in back:
        firsts.update(_set_by_hand(connection, topology.record.site.id, stretch))
    passages = set(topology.passages.values()) if back else set[int]()
    # Of a zone that has left its site is known what was told.
    topology = with_former_zones(connection, topology)
    zones = topology.zones.values() if back else ()
    for counts in late:
        is_kept = counts.columns[0] >= until
        columns = [column[is_kept] for column in counts.columns]
        lost += int((~is_kept).sum())
        if len(columns[0]):
            write_series_rows(connection, PASSAGE_MINUTES, counts.passage, columns, counts.mode)
            passages.add(counts.passage)
            firsts.add(int(columns[0][0]))
    if lost:
        structlog.get_logger().warning("late counts of folded minutes left out", minutes=lost)
    # A passage that left its site meanwhile keeps its counts, as others do, in case it comes back.
    firsts = {first for first in firsts if first >= until}
    recompute(connection, topology, passages.intersection(topology.passages.values()), firsts, zones)


def _set_by_hand(connection: Connection, site_id: str, stretch: Stretch) -> list[int]:
    """The minutes of a stretch of which corrections tell: those never leave the store."""
    minute = CORRECTIONS.c.minute
    asked = select(minute).join(ZONES, CORRECTIONS.c.zone == ZONES.c.number)
    within = (ZONES.c.site_id == site_id) & (minute >= stretch.start) & (minute < stretch.end)
    return list(connection.execute(asked.where(within)).scalars())


def _first_minutes(rows: Rows) -> Iterator[int]:
    """Of each UTC day the first that was counted, or told."""
    for table in (PASSAGE_MINUTES, ZONE_LEVELS):
        minutes = np.unique(rows[table][:, 1])
        _, firsts = np.unique(minutes // MINUTES_A_DAY, return_index=True)
        yield from minutes[firsts].tolist()
