"""The newest values of a site, out of the newest stored minute of each of its zones and passages.

Those minutes are read at start and after each change, and kept in memory. Newest is the newest that has
begun: minutes that lie in the future, stored while a clock was wrong, are as if they were not there until
time reaches them. Of a series that has nothing but days in an archive it is the last of those.

The answer's minute is the newest that any of the asked zones or passages has. Entrances and exits are those
of that minute; visitorsInside is a level, so each zone adds the newest it has, unless a daily reset has
passed since: then nothing is known of today's level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, select, true, union_all

from contract import METRICS, MetricKey
from contract.minutes import MINUTES_A_DAY, minute_start
from service.store.archive_tables import ARCHIVED_SITES
from service.store.bucket_query import FORMULAS
from service.store.folded_minutes import NEVER
from service.store.former_resets import FormerResets, former_resets_of_sites
from service.store.last_rows import LAST_ROWS
from service.store.protocol import Bucket
from service.store.schema import PASSAGE_MINUTES, PASSAGES, SITES, ZONE_MINUTES, ZONES
from service.store.topology import Topology

_MARK_COLUMNS: Final = select(SITES.c.id, SITES.c.version, SITES.c.revision)
# Of PostgreSQL, what was written last comes last, unless it is asked for an order.
_MARKS: Final = _MARK_COLUMNS.order_by(SITES.c.id)
_MARK: Final = _MARK_COLUMNS.where(SITES.c.id == bindparam("site_id"))
_STATE_COLUMNS: Final = _MARK_COLUMNS.add_columns(ARCHIVED_SITES.c.until).outerjoin(
    ARCHIVED_SITES, ARCHIVED_SITES.c.site_id == SITES.c.id
)
_STATE: Final = _STATE_COLUMNS.where(SITES.c.id == bindparam("site_id"))
_STATES: Final = _STATE_COLUMNS.where(SITES.c.id.in_(bindparam("site_ids", expanding=True)))
_LAST: Final = 2**62
_RECENT: Final = 40 * MINUTES_A_DAY
"""Minutes in which nearly all series have their newest."""

ANY_MINUTE: Final = 0
"""First changed minute of a change of which nothing is known."""


class ZoneMinute(NamedTuple):
    minute: int
    entrances: int
    exits: int
    inside: int
    uncounted: int
    """1 where no passage has a count, else 0."""


class PassageMinute(NamedTuple):
    minute: int
    forward: int
    backward: int


class SiteMark(NamedTuple):
    """Another mark, another state of the site."""

    version: int
    revision: int

    def after_counts(self) -> SiteMark:
        """The mark after one more write of counts."""
        return self._replace(revision=self.revision + 1)


@dataclass(frozen=True, slots=True)
class NewestMinutes:
    """What memory holds of one site."""

    mark: SiteMark
    topology: Topology
    zones: Mapping[int, ZoneMinute]
    """By number; zones without a stored minute are absent."""
    passages: Mapping[int, PassageMinute]
    """By number; passages without a stored minute are absent."""
    valid: range
    """While the present minute is one of these, this is what would be read: from the newest minute to the
    next one that is stored already."""
    archived_until: int
    """Levels begin there at 0, also where that is a reset no more; `NEVER` without an archive."""
    former_resets: Sequence[FormerResets]
    """Of days before that."""

    def levels_begin(self, minute: int) -> int:
        """The last minute up to this one at which levels began at 0."""
        if minute >= self.archived_until:
            return max(self.topology.reset_minutes(minute, minute)[0], self.archived_until)
        begun = NEVER
        for former in self.former_resets:
            if former.start <= minute < former.end:
                return max(former.around(minute, minute)[0], former.start)
            begun = former.end if former.end <= minute else begun
        return max(self.topology.reset_minutes(minute, minute)[0], begun)


def newest_of_zones(
    newest: NewestMinutes, zone_ids: Sequence[str], metrics: Collection[MetricKey]
) -> Bucket | None:
    """The newest minute of the zones, summed; None before their first count."""
    topology = newest.topology
    numbers = [
        topology.zones[zone_id] for zone_id in topology.asked_zones(zone_ids) if zone_id in topology.zones
    ]
    known = [newest.zones[number] for number in numbers if number in newest.zones]
    if not known:
        return None
    minute = max(zone.minute for zone in known)
    reset = newest.levels_begin(minute)
    reporting = [zone for zone in known if zone.minute == minute]
    columns = {
        "entrances": sum(zone.entrances for zone in reporting),
        "exits": sum(zone.exits for zone in reporting),
        "inside": sum(zone.inside for zone in known if zone.minute >= reset),
        "minutes": 1,
        "counted": int(any(not zone.uncounted for zone in reporting)),
        "uncounted": int(any(zone.uncounted for zone in reporting)),
    }
    return _bucket(minute, columns, metrics)


def newest_of_passages(
    newest: NewestMinutes,
    passage_ids: Collection[str],
    zone_ids: Collection[str],
    metrics: Collection[MetricKey],
) -> Bucket | None:
    """The newest minute of the passages, summed; None before their first count."""
    known = [
        (newest.passages[flow.passage], flow.forward_enters)
        for flow in newest.topology.flows_of_passages(passage_ids, zone_ids)
        if flow.passage in newest.passages
    ]
    if not known:
        return None
    minute = max(count.minute for count, _ in known)
    columns = {"entrances": 0, "exits": 0, "minutes": 1, "counted": 1, "uncounted": 0}
    for count, forward_enters in known:
        if count.minute == minute:
            entering, leaving = count.forward, count.backward
            if not forward_enters:
                entering, leaving = leaving, entering
            columns["entrances"] += entering
            columns["exits"] += leaving
    return _bucket(minute, columns, [metric for metric in metrics if METRICS[metric].is_of_passages])


def _bucket(minute: int, columns: Mapping[str, int], metrics: Collection[MetricKey]) -> Bucket:
    values = {metric: FORMULAS[metric].value(columns) for metric in metrics}
    return Bucket(
        minute_start(minute), {metric: value for metric, value in values.items() if value is not None}
    )


def read_marks(connection: Connection) -> dict[str, SiteMark]:
    """Site id -> mark."""
    return {row.id: SiteMark(row.version, row.revision) for row in connection.execute(_MARKS)}


def read_mark(connection: Connection, site_id: str) -> SiteMark:
    _, version, revision = connection.execute(_MARK, {"site_id": site_id}).one()
    return SiteMark(version, revision)


class Known(NamedTuple):
    """What was read of a site, and the first minute that has changed since."""

    newest: NewestMinutes | None
    first_change: int


def read_newest(
    connection: Connection, topologies: Mapping[str, Topology], present: int, known: Mapping[str, Known]
) -> dict[str, NewestMinutes]:
    """The newest minutes up to `present`, the minute that is running, of some hundreds of sites at most.

    `topologies` and `known` have the same sites, by id.
    """
    since = present - _RECENT
    asked = {**_asked_of(topologies), "present": present, "since": since}
    # Of series that have nothing recent it is as it was: some never have.
    before = {
        site_id: one.newest
        for site_id, one in known.items()
        if one.newest is not None and one.first_change >= since
    }
    passages: defaultdict[str, dict[int, PassageMinute]] = defaultdict(dict)
    zones: defaultdict[str, dict[int, ZoneMinute]] = defaultdict(dict)
    for site_id, newest in before.items():
        passages[site_id] = {number: one for number, one in newest.passages.items() if one.minute < since}
        zones[site_id] = {number: one for number, one in newest.zones.items() if one.minute < since}
    are_some = len(topologies) > 1
    states = {row.id: row for row in connection.execute(_STATES if are_some else _STATE, asked)}
    with_older = known.keys() - before.keys()
    archived = {site_id for site_id in with_older if states[site_id].until is not None}

    formers = {site_id: newest.former_resets for site_id, newest in before.items()}
    formers |= former_resets_of_sites(connection, archived) if archived else {}

    def read(owners: Table, minutes: Table) -> list[tuple[Any, ...]]:
        rows = _newest_rows(connection, owners, minutes, asked, with_older)
        if not archived:
            return rows
        statement = _newest_statement(owners, LAST_ROWS[minutes], are_some=len(archived) > 1)
        lasting = connection.execute(statement, {**_asked_of(archived), "present": present})
        # By minute, so that of each series the later one is the last to be named.
        return sorted([*map(tuple, lasting), *rows], key=itemgetter(2))

    for site_id, number, *values in read(PASSAGES, PASSAGE_MINUTES):
        passages[site_id][number] = PassageMinute(*values)
    for row in read(ZONES, ZONE_MINUTES):
        site_id, number, minute, entrances, exits, inside, _, _, uncounted = row
        zones[site_id][number] = ZoneMinute(minute, entrances, exits, inside, uncounted)
    following = {
        row.site_id: row.minute for row in connection.execute(_next_statement(are_some=are_some), asked)
    }
    found = {}
    for site_id, of_site in topologies.items():
        stored = chain(passages[site_id].values(), zones[site_id].values())
        newest_minute = max((minute for minute, *_ in stored), default=0)
        next_minute, state = following.get(site_id), states[site_id]
        found[site_id] = NewestMinutes(
            mark=SiteMark(state.version, state.revision),
            topology=of_site,
            zones=zones[site_id],
            passages=passages[site_id],
            valid=range(newest_minute, _LAST if next_minute is None else next_minute),
            archived_until=NEVER if state.until is None else state.until,
            former_resets=formers.get(site_id, ()),
        )
    return found


def _newest_rows(
    connection: Connection,
    owners: Table,
    minutes: Table,
    asked: Mapping[str, Any],
    with_older: Collection[str],
) -> list[tuple[Any, ...]]:
    """Rows of the site id and a minute. `with_older`: of these, those of before `since`, too, whatever it
    takes.
    """
    if connection.dialect.name == "sqlite":
        newest = _newest_statement(owners, minutes, are_some="site_ids" in asked)
        return [tuple(row) for row in connection.execute(newest, asked)]
    rows = connection.execute(_newest_by_month(owners, minutes, are_some="site_ids" in asked), asked).all()
    if again := {row.site_id for row in rows if row.minute is None} & set(with_older):
        # Months are opened one by one, of which there may be hundreds.
        older = {**_asked_of(again), "present": asked["present"], "since": NEVER}
        by_month = _newest_by_month(owners, minutes, are_some=len(again) > 1)
        rows = [row for row in rows if row.site_id not in again]
        rows += connection.execute(by_month, older).all()
    return [tuple(row) for row in rows if row.minute is not None]


def _asked_of(site_ids: Collection[str]) -> dict[str, Any]:
    """Parameters. One is what nearly all posts ask for: a list is made a text of at each execution."""
    return {"site_ids": list(site_ids)} if len(site_ids) > 1 else {"site_id": next(iter(site_ids))}


def _is_asked(column: ColumnElement[str], *, are_some: bool) -> ColumnElement[bool]:
    if are_some:
        return column.in_(bindparam("site_ids", expanding=True))
    return column == bindparam("site_id")


@cache
def _newest_statement(owners: Table, minutes: Table, *, are_some: bool) -> Select[Any]:
    past = minutes.alias()
    begun = (past.c.number == owners.c.number) & (past.c.minute <= bindparam("present"))
    newest = select(func.max(past.c.minute)).where(begun).scalar_subquery()
    return (
        select(owners.c.site_id, minutes)
        .join_from(owners, minutes, (minutes.c.number == owners.c.number) & (minutes.c.minute == newest))
        .where(_is_asked(owners.c.site_id, are_some=are_some))
    )


@cache
def _newest_by_month(owners: Table, minutes: Table, *, are_some: bool) -> Select[Any]:
    """The same for PostgreSQL, which reads month by month up to the one that has a row, from `since` on."""
    minute = minutes.c.minute
    begun = (minutes.c.number == owners.c.number) & minute.between(bindparam("since"), bindparam("present"))
    newest = select(minutes).where(begun).order_by(minute.desc()).limit(1).lateral()
    return (
        select(owners.c.site_id, newest)
        .join_from(owners, newest, true(), isouter=True)
        .where(_is_asked(owners.c.site_id, are_some=are_some))
    )


@cache
def _next_statement(*, are_some: bool) -> Select[Any]:
    """The first minute of each site's passages and zones that has not begun."""
    firsts = [
        select(
            owners.c.site_id,
            select(func.min(minutes.c.minute))
            .where(minutes.c.number == owners.c.number, minutes.c.minute > bindparam("present"))
            .scalar_subquery()
            .label("minute"),
        ).where(_is_asked(owners.c.site_id, are_some=are_some))
        for owners, minutes in ((PASSAGES, PASSAGE_MINUTES), (ZONES, ZONE_MINUTES))
    ]
    each = union_all(*firsts).subquery()
    return select(each.c.site_id, func.min(each.c.minute).label("minute")).group_by(each.c.site_id)


def first_change(newest: NewestMinutes, present: int) -> int:
    """What changed because time passed: from a minute on that it reached, or anything when it went back."""
    return newest.valid.stop if present >= newest.valid.stop else ANY_MINUTE
