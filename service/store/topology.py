"""A site as its series see it: which passages feed which zone, and when its day begins at 0.

Zones and passages are numbers here, as in every stored minute. Topologies are read from the tables of sites
and kept in memory for as long as the site is not saved again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, RowMapping, Table, bindparam, select

from contract import DEFAULT_TIMEZONE, Passage, Site
from contract.buckets import offset_pieces
from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.errors import UnknownSiteError
from service.store.protocol import SiteRecord
from service.store.schema import PASSAGES, SITES, ZONES


class Flow(NamedTuple):
    """One way into a zone (or a set of zones); the way out is the same passage in the other direction."""

    passage: int
    """Number of the passage in the store."""
    forward_enters: bool
    """True: `forward` counts as entrances and `backward` as exits. False: the reverse."""


RECORD_COLUMNS = (SITES.c.resource, SITES.c.top_zone_id, SITES.c.daily_reset_hour)

_VERSION = select(SITES.c.version).where(SITES.c.id == bindparam("site_id"))
_VERSIONS = select(SITES.c.id, SITES.c.version).where(SITES.c.id.in_(bindparam("site_ids", expanding=True)))


@dataclass(frozen=True, slots=True)
class Topology:
    record: SiteRecord
    zones: Mapping[str, int]
    """Zone id -> number, of the zones the site has now."""
    passages: Mapping[str, int]
    """Passage id -> number, of the passages the site has now."""
    flows: Mapping[str, tuple[Flow, ...]]
    """Zone id -> its flows."""

    @property
    def timezone(self) -> ZoneInfo:
        return ZoneInfo(self.record.site.timezone or DEFAULT_TIMEZONE)

    def reset_minutes(self, first: int, last: int) -> list[int]:
        """See `reset_minutes`."""
        return reset_minutes(first, last, self.timezone, self.record.daily_reset_hour)

    def asked_zones(self, zone_ids: Iterable[str]) -> tuple[str, ...]:
        """The zones meant, each once; none named means the top zone."""
        return tuple(dict.fromkeys(zone_ids)) or (self.record.top_zone_id,)

    def flows_of_passages(self, passage_ids: Collection[str], zone_ids: Collection[str]) -> list[Flow]:
        """The asked passages as ways into the asked zones, or, without zones, into the site.

        Without zones an inner passage counts forward as entrances.
        """
        asked = frozenset(passage_ids)
        if not zone_ids:
            return [
                Flow(self.passages[passage.id], forward_enters=passage.to_zone_id is not None)
                for passage in self.record.site.passages
                if passage.id in asked
            ]
        numbers = {self.passages[passage_id] for passage_id in asked if passage_id in self.passages}
        return [
            flow
            for zone_id in dict.fromkeys(zone_ids)
            for flow in self.flows.get(zone_id, ())
            if flow.passage in numbers
        ]

    def zones_fed_by(self, passages: Collection[int]) -> list[str]:
        """Ids of the zones whose series change when counts of these passages (numbers) change."""
        return [
            zone_id
            for zone_id, flows in self.flows.items()
            if any(flow.passage in passages for flow in flows)
        ]


def topology(record: SiteRecord, zones: Mapping[str, int], passages: Mapping[str, int]) -> Topology:
    """The topology of `record`, given the numbers of at least its zones and passages."""
    site = record.site
    flows: dict[str, list[Flow]] = {zone.id: [] for zone in site.zones}
    # By passage, each of which leads to few zones: by zone it would be all passages times all zones.
    for passage in site.passages:
        ends = {record.top_zone_id, passage.from_zone_id or "", passage.to_zone_id or ""}
        for zone_id in ends & flows.keys():
            ways = _ways_into(zone_id, record.top_zone_id, passage)
            flows[zone_id] += [Flow(passages[passage.id], forward_enters) for forward_enters in ways]
    return Topology(
        record=record,
        zones={zone.id: zones[zone.id] for zone in site.zones},
        passages={passage.id: passages[passage.id] for passage in site.passages},
        flows={zone_id: tuple(ways) for zone_id, ways in flows.items()},
    )


def derives_alike(one: SiteRecord, other: SiteRecord) -> bool:
    """Whether both records make the same zone series out of the same counts."""
    return _derivation(one) == _derivation(other)


def _derivation(record: SiteRecord) -> tuple[object, ...]:
    site = record.site
    return (
        record.top_zone_id,
        record.daily_reset_hour,
        site.timezone or DEFAULT_TIMEZONE,
        frozenset(zone.id for zone in site.zones),
        frozenset((passage.id, passage.from_zone_id, passage.to_zone_id) for passage in site.passages),
    )


def _ways_into(zone_id: str, top_zone_id: str, passage: Passage) -> list[bool]:
    """Directions of `passage` that lead into the zone: True for forward, False for backward.

    The top zone is the whole site, so only passages with exactly one outside end lead into it.
    """
    if zone_id == top_zone_id:
        from_outside, to_outside = passage.from_zone_id is None, passage.to_zone_id is None
        return [from_outside] if from_outside != to_outside else []
    ways = []
    if passage.to_zone_id == zone_id:
        ways.append(True)
    if passage.from_zone_id == zone_id:
        ways.append(False)
    return ways


def reset_minutes(first: int, last: int, timezone: ZoneInfo, reset_hour: int) -> list[int]:
    """Daily resets of visitorsInside, which are at a site-local hour, in order.

    From the last at or before minute `first` to the first after minute `last`.

    An hour that the clocks skip resets at the change; one that they repeat resets the first time.
    """
    day = _local_day(first, timezone)
    # The hour of the date itself may be still to come, or the change of offset may move it past `first`.
    resets = list(_resets_from(day - timedelta(days=2), last, timezone, reset_hour))
    past = max(index for index, minute in enumerate(resets) if minute <= first)
    return resets[past:]


def _resets_from(day: datetime, last: int, timezone: ZoneInfo, reset_hour: int) -> Iterator[int]:
    minute = None
    while minute is None or minute <= last:
        minute = _reset_minute(day.year, day.month, day.day, timezone, reset_hour)
        yield minute
        day += timedelta(days=1)


@lru_cache(maxsize=20_000)
def _reset_minute(year: int, month: int, day: int, timezone: ZoneInfo, reset_hour: int) -> int:
    local = datetime(year, month, day, reset_hour, tzinfo=timezone)
    reset = local.astimezone(UTC)
    if reset.astimezone(timezone).hour != reset_hour:
        # Skipped: read with the offset before the change, it lies at the change or later.
        reset = offset_pieces(reset - timedelta(days=1), reset, timezone)[0].end
    return minute_number(minute_ceiling(reset))


def _local_day(minute: int, timezone: ZoneInfo) -> datetime:
    return minute_start(minute).astimezone(timezone).replace(hour=0, minute=0, second=0, tzinfo=UTC)


class Topologies:
    """The topologies of all sites, by site id."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Topology]] = {}

    def read(self, connection: Connection, site_id: str) -> Topology:
        """The topology that the connection sees.

        Raises UnknownSiteError.
        """
        version = connection.execute(_VERSION, {"site_id": site_id}).scalar()
        if version is None:
            raise UnknownSiteError(f"no such site: {site_id}")
        known = self._known.get(site_id)
        if known is None or known[0] != version:
            known = (version, read_topology(connection, site_id))
            self._known[site_id] = known
        return known[1]

    def read_some(self, connection: Connection, site_ids: Sequence[str]) -> dict[str, Topology]:
        """`read` of some hundreds at most, in a few statements."""
        if len(site_ids) == 1:
            return {site_id: self.read(connection, site_id) for site_id in site_ids}
        asked = {"site_ids": site_ids}
        versions = {row.id: row.version for row in connection.execute(_VERSIONS, asked)}
        if missing := set(site_ids) - versions.keys():
            raise UnknownSiteError(f"no such site: {min(missing)}")
        known = {site_id: self._known.get(site_id) for site_id in site_ids}
        new = [site_id for site_id, one in known.items() if one is None or one[0] != versions[site_id]]
        if new:
            read = _read_topologies(connection, new)
            self._known |= {site_id: (versions[site_id], read[site_id]) for site_id in new}
        return {site_id: self._known[site_id][1] for site_id in site_ids}


def read_topology(connection: Connection, site_id: str) -> Topology:
    """The topology of a site that exists."""
    return _read_topologies(connection, [site_id])[site_id]


def _read_topologies(connection: Connection, site_ids: Sequence[str]) -> dict[str, Topology]:
    sites = select(SITES.c.id.label("site_id"), *RECORD_COLUMNS).where(SITES.c.id.in_(site_ids))
    rows = connection.execute(sites).mappings().all()
    zones, passages = (_numbers(connection, owners, site_ids) for owners in (ZONES, PASSAGES))
    return {
        site_id: topology(record_of(row), zones[site_id], passages[site_id])
        for row in rows
        for site_id in [row["site_id"]]
    }


def _numbers(
    connection: Connection, owners: Table, site_ids: Sequence[str]
) -> defaultdict[str, dict[str, int]]:
    """Site id -> the number of each of its owners of series, by id."""
    numbered = select(owners.c.site_id, owners.c.id, owners.c.number)
    found = defaultdict[str, dict[str, int]](dict)
    for row in connection.execute(numbered.where(owners.c.site_id.in_(site_ids))):
        found[row.site_id][row.id] = row.number
    return found


def record_of(row: RowMapping | Mapping[str, Any]) -> SiteRecord:
    """The record in a row that has `RECORD_COLUMNS`."""
    return SiteRecord(
        site=Site.model_validate_json(row["resource"]),
        top_zone_id=row["top_zone_id"],
        daily_reset_hour=row["daily_reset_hour"],
    )
