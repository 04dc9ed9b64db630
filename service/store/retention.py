"""Minutes that are folded: quarters stand, the minutes of passages and zones, and levels, are deleted.

A day is folded at a time, from one daily reset to the next, and never a part of one: levels begin at 0 where
minutes begin. One transaction makes the quarters of some days again from the raw rows and says until when the
site is folded; from then on nobody reads these minutes, and others delete them. Killed in between, it goes on
where it was: a day is folded or it is not. Corrections stay, as the record that they are; of a folded minute
they change nothing any more.

The last day of which a site has something is never folded, and no day after it: were the clock set ahead for
a moment, what is counted next would be refused until that day has come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, delete, exists, func, select

from contract.buckets import local_midnight
from contract.minutes import MINUTES_A_DAY, minute_ceiling, minute_number, minute_start
from service.store.archived_days import kept_minutes
from service.store.database import Database
from service.store.errors import StoreBusyError
from service.store.folded_minutes import NEVER, folded_until
from service.store.late_counts import has_late_counts
from service.store.metrics import SqlMetricStore
from service.store.recompute import recompute
from service.store.schema import (
    BELIEVED_TIME,
    CORRECTIONS,
    FOLDED_SITES,
    PASSAGE_MINUTES,
    PASSAGES,
    SITES,
    ZONE_LEVELS,
    ZONE_MINUTES,
    ZONES,
)
from service.store.series_import import ROOM_SECONDS
from service.store.site_lock import lock_sites
from service.store.topology import Topologies, Topology
from service.store.upsert import insert
from service.store.zone_series import QUARTER

_MINUTES_TOGETHER: Final = 30_000
"""Passage minutes that one transaction folds, but for a single day of a site that has more."""
_SERIES_TOGETHER: Final = 20
"""Of which one transaction deletes what is folded."""
_ALWAYS: Final = 2**62
_OWNERS: Final = ((PASSAGES, PASSAGE_MINUTES), (ZONES, ZONE_LEVELS), (ZONES, ZONE_MINUTES))

_RAW: Final = (
    (PASSAGES, PASSAGE_MINUTES, PASSAGE_MINUTES.c.number),
    (ZONES, ZONE_LEVELS, ZONE_LEVELS.c.number),
    (ZONES, CORRECTIONS, CORRECTIONS.c.zone),
)
"""Of what quarters are made, and by which column each belongs to its passage or zone."""


class _By(NamedTuple):
    days: int
    present: datetime


class SqlRetention:
    """`Retention` in the same file as the counts."""

    def __init__(self, database: Database, metrics: SqlMetricStore, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._metrics = metrics
        self._clock = clock
        self._topologies = Topologies()

    def folded_until(self, site_id: str) -> datetime | None:
        with self._database.reading() as connection:
            until = folded_until(connection, site_id)
        return None if until == NEVER else minute_start(until)

    def fold(
        self, days: int, stop: threading.Event | None = None, *, present: datetime | None = None
    ) -> bool:
        stop, by = stop or threading.Event(), _By(days, present or self._clock())
        with self._database.reading() as connection:
            site_ids = connection.execute(select(SITES.c.id)).scalars().all()
        folded = [site_id for site_id in site_ids if self._fold_site(site_id, by, stop)]
        if folded:
            self._database.give_back(minute_number(by.present) - days * MINUTES_A_DAY)
        return bool(folded)

    def believed_time(self) -> datetime | None:
        with self._database.reading() as connection:
            noted: int | None = connection.execute(select(BELIEVED_TIME.c.at)).scalar()
            if noted is not None:
                return datetime.fromtimestamp(noted, UTC)
            site_ids = connection.execute(select(SITES.c.id)).scalars().all()
            newest = (last_stored(connection, site_id) for site_id in site_ids)
            stored = max((minute for minute in newest if minute is not None), default=None)
        return None if stored is None else minute_start(stored)

    def note_believed_time(self, moment: datetime) -> None:
        noted = insert(BELIEVED_TIME).values(number=1, at=int(moment.timestamp()))
        replaced = noted.on_conflict_do_update(index_elements=["number"], set_={"at": noted.excluded.at})
        with self._database.storing() as connection:
            connection.execute(replaced)

    def _fold_site(self, site_id: str, by: _By, stop: threading.Event) -> bool:
        """Whether minutes were folded."""
        is_folded = self._delete_folded(site_id, stop)
        while not stop.is_set() and self._fold_some(site_id, by):
            is_folded = self._delete_folded(site_id, stop) or is_folded
        if is_folded:
            with self._metrics.rewriting() as (_, site_ids):
                site_ids.add(site_id)
        return is_folded

    def _fold_some(self, site_id: str, by: _By) -> bool:
        """The next days; False when there are none, or an import is being stored."""
        with self._database.reading() as connection:
            topology = self._topologies.read(connection, site_id)
            if self._next_days(connection, topology, by) is None:
                return False
        try:
            lock = self._database.import_lock(patience=0)
        except StoreBusyError:
            return False
        # What an import has checked must not be folded before it is stored.
        with closing(lock), self._database.storing() as connection:
            lock_sites(connection, [site_id])
            topology = self._topologies.read(connection, site_id)
            found = self._next_days(connection, topology, by)
            if found is None:
                return False
            first, until = found
            midnights = range(first - first % MINUTES_A_DAY + MINUTES_A_DAY, until, MINUTES_A_DAY)
            # Of passages and zones, too, that the site has no more.
            topology, passages = with_former_zones(connection, topology), _passages(connection, site_id)
            zones = list(topology.zones.values())
            recompute(connection, topology, passages, [first, *midnights], zones)
            made = insert(FOLDED_SITES).values(site_id=site_id, until=until)
            connection.execute(made.on_conflict_do_update(index_elements=["site_id"], set_={"until": until}))
            lock.check()
        return True

    def _next_days(self, connection: Connection, topology: Topology, by: _By) -> tuple[int, int] | None:
        """The first minute that is to be folded, and the reset up to which it is."""
        site_id = topology.record.site.id
        if has_late_counts(connection, site_id):
            return None  # they are taken, and what is folded takes none
        until = kept_minutes(connection, site_id).settled_until
        passages = _passages(connection, site_id)
        first, newest = _first_stored(connection, site_id, until), last_stored(connection, site_id)
        last = newest_reset(topology, by.days, by.present)
        if first is None or newest is None or first >= last:
            return None
        last = min(last, topology.reset_minutes(newest, newest)[0])
        resets = topology.reset_minutes(first, last - 1)[1:] if first < last else []
        # A reset within a quarter, as of an offset of a century ago, would cut it.
        whole = [reset for reset in resets if reset <= last and reset % QUARTER == 0]
        series = max(len(passages), len(topology.zones), 1)
        together = whole[: max(1, _MINUTES_TOGETHER // (MINUTES_A_DAY * series))]
        if not together:
            return None
        stored = last_stored(connection, site_id, together[-1])
        return first, next(reset for reset in together if stored is None or reset > stored)

    def _delete_folded(self, site_id: str, stop: threading.Event) -> bool:
        """Whether there was something to delete."""
        is_deleted = False
        for owners, minutes in _OWNERS:
            while numbers := self._with_folded(site_id, owners, minutes):
                with self._database.storing() as connection:
                    until = folded_until(connection, site_id)
                    own = minutes.c.number.in_(numbers) & (minutes.c.minute < until)
                    connection.execute(delete(minutes).where(own))
                is_deleted = True
                if stop.wait(ROOM_SECONDS):
                    return is_deleted
        return is_deleted

    def _with_folded(self, site_id: str, owners: Table, minutes: Table) -> Sequence[int]:
        """Numbers of some series that have minutes which are folded."""
        with self._database.reading() as connection:
            until = folded_until(connection, site_id)
            own = (minutes.c.number == owners.c.number) & (minutes.c.minute < until)
            found = select(owners.c.number).where(
                owners.c.site_id == site_id, exists(select(minutes.c.minute).where(own))
            )
            return connection.execute(found.limit(_SERIES_TOGETHER)).scalars().all()


def newest_reset(topology: Topology, days: int, present: datetime) -> int:
    """The last reset before the local day that is so many days before the present one."""
    day = present.astimezone(topology.timezone).date() - timedelta(days=days)
    midnight = minute_number(minute_ceiling(local_midnight(day, topology.timezone)))
    return topology.reset_minutes(midnight, midnight)[0]


def _first_stored(connection: Connection, site_id: str, begin: int) -> int | None:
    """The first minute, not before `begin`, of which any of the site's series has something."""
    return min(_stored(connection, site_id, func.min, (begin, _ALWAYS)), default=None)


def last_stored(connection: Connection, site_id: str, end: int = _ALWAYS) -> int | None:
    """The last minute before `end` of which any of the site's series has something."""
    return max(_stored(connection, site_id, func.max, (NEVER, end)), default=None)


def _stored(
    connection: Connection, site_id: str, extreme: Callable[..., Any], within: tuple[int, int]
) -> Iterator[int]:
    """The extreme minute of each kind of row in `_RAW`, of those that the site has."""
    for owners, rows, owner in _RAW:
        is_within = (rows.c.minute >= within[0]) & (rows.c.minute < within[1])
        # By owner: of each the first row and the last one are found at once.
        stored = select(extreme(rows.c.minute)).where(owner == owners.c.number, is_within)
        found = select(extreme(stored.scalar_subquery())).where(owners.c.site_id == site_id)
        minute: int | None = connection.execute(found).scalar()
        if minute is not None:
            yield minute


def with_former_zones(connection: Connection, topology: Topology) -> Topology:
    """The topology with all zones that the site had, too: of those is known what was told."""
    own = select(ZONES.c.id, ZONES.c.number).where(ZONES.c.site_id == topology.record.site.id)
    zones = {row.id: row.number for row in connection.execute(own)}
    return replace(topology, zones=zones, flows={**dict.fromkeys(zones, ()), **topology.flows})


def _passages(connection: Connection, site_id: str) -> list[int]:
    """Numbers of all that the site has or had."""
    own = select(PASSAGES.c.number).where(PASSAGES.c.site_id == site_id)
    return list(connection.execute(own).scalars())
