"""A site as its series see it: which passages feed which zone, and when its day begins.

Pure: the numbers that stand for zones and passages in the store are given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, Passage
from service.store.protocol import SiteRecord


class Flow(NamedTuple):
    """One way into a zone (or a set of zones); the way out is the same passage in the other direction."""

    passage: int
    """Number of the passage in the store."""
    forward_enters: bool
    """True: `forward` counts as entrances and `backward` as exits. False: the reverse."""


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
    return Topology(
        record=record,
        zones={zone.id: zones[zone.id] for zone in site.zones},
        passages={passage.id: passages[passage.id] for passage in site.passages},
        flows={
            zone.id: tuple(
                Flow(passages[passage.id], forward_enters)
                for passage in site.passages
                for forward_enters in _ways_into(zone.id, record.top_zone_id, passage)
            )
            for zone in site.zones
        },
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
    """For each way of `passage` into the zone, whether it is the forward one.

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
