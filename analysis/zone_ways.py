"""The ways that people take through the zones of a place: inwards from the outside, and outwards again.

A count knows no person, only crossings of a passage. So a way in and a way out are two pictures: in each,
every passage stands for the crossings in its direction. A passage leads inwards where the zone on one side
is fewer passages away from the outside than that on the other. Between two that are as far from it, the way
in is the direction in which more people cross, and the way out the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import sum_of
from analysis.door_blame import Way
from contract import MetricKey, MetricPoint, Number

MOST_WAYS = 40
"""Each takes a query of its own, and a picture of more is read by nobody."""


class Direction(StrEnum):
    IN = "in"
    OUT = "out"


class Stream(NamedTuple):
    """Everybody who crossed one passage in one direction."""

    way: Way
    start: str | None
    """Zone; None: the outside."""
    end: str | None
    people: Number


def streams(
    points: Mapping[Way, Sequence[MetricPoint]], direction: Direction, ways: Sequence[Way]
) -> list[Stream]:
    """Of the ways that have counts, those that anybody crossed in that direction, the widest first.

    `ways` are all of the site; they say how far each zone is from the outside.
    """
    steps = steps_inside(ways)
    found = []
    for way, own in points.items():
        into, out = (sum_of(own, metric) for metric in (MetricKey.ENTRANCES, MetricKey.EXITS))
        if into is None or out is None:
            continue
        inwards = Stream(way, way.other_id, way.zone_id, into)
        outwards = Stream(way, way.zone_id, way.other_id, out)
        if not _leads_inwards(way, steps, into >= out):
            inwards, outwards = outwards, inwards
        found.append(inwards if direction is Direction.IN else outwards)
    return sorted((one for one in found if one.people > 0), key=lambda one: (-one.people, one.way.label))


def streams_at(
    drawn: Sequence[Stream], points: Mapping[Way, Sequence[MetricPoint]], hour: int, timezone: ZoneInfo
) -> list[Stream]:
    """`drawn` of a whole range, each with those alone who crossed it in that hour of the clock, nobody too.

    `points` are those of its hours. One that has no count in them then is left out.
    """
    meant = {way: at_hour(own, hour, timezone) for way, own in points.items()}
    return [
        stream._replace(people=people)
        for stream in drawn
        for metric in [_counted_as(stream)]
        if (people := sum_of(meant.get(stream.way, ()), metric)) is not None
    ]


def at_hour(points: Sequence[MetricPoint], hour: int, timezone: ZoneInfo) -> list[MetricPoint]:
    """Those that begin in the hour of the local clock, both where the clocks show it twice."""
    return [one for one in points if one.timestamp.astimezone(timezone).hour == hour]


def _counted_as(stream: Stream) -> MetricKey:
    return MetricKey.ENTRANCES if stream.end == stream.way.zone_id else MetricKey.EXITS


def steps_inside(ways: Sequence[Way]) -> dict[str | None, int]:
    """Zone -> how many passages it is away from the outside, at least; without those that nothing leads to.

    Where no way leads outside, the first zone stands at the outside.
    """
    has_outside = any(way.other_id is None for way in ways)
    ring: set[str | None] = {None} if has_outside or not ways else {ways[0].zone_id}
    steps: dict[str | None, int] = {}
    while ring:
        steps |= dict.fromkeys(ring, len(set(steps.values())))
        beside = [end for way in ways for end in _across(way, ring)]
        ring = {end for end in beside if end not in steps}
    return steps


def _across(way: Way, ring: set[str | None]) -> list[str | None]:
    ends = (way.zone_id, way.other_id)
    return [other for one, other in (ends, ends[::-1]) if one in ring]


def _leads_inwards(way: Way, steps: Mapping[str | None, int], more_came: bool) -> bool:
    """Whether its entrances do."""
    from_, to = steps.get(way.other_id), steps.get(way.zone_id)
    return more_came if from_ is None or to is None or from_ == to else from_ < to
