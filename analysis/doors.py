"""The doors of a site, and how many people came in by each today.

A door is a passage with the outside on one of its sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.subject import labels_of
from analysis.time_range import NamedRange, named_range, time_text
from contract import NOW, Granularity, MetricKey, MetricPoint, MetricsFilter, MetricsQuery, Number, Site

MOST_DOORS: Final = 40
"""The API sums what one query names, so each door takes a query of its own; of more doors none is run."""


class Door(NamedTuple):
    """A passage with the outside on one of its sides, and the zone on the other."""

    passage_id: str
    label: str
    """Its name; followed by the id where several share the name."""
    name: str
    """Uncut."""
    zone_id: str
    """Where one is who has come in."""


def doors_of(site: Site) -> list[Door]:
    """The doors of the zones that are listed; passages between zones are none."""
    known = {zone.id for zone in site.zones}
    labels = labels_of(site.passages)
    inner = {
        passage.id: passage.to_zone_id if passage.from_zone_id is None else passage.from_zone_id
        for passage in site.passages
        if (passage.from_zone_id is None) != (passage.to_zone_id is None)
    }
    return [
        Door(passage.id, labels[passage.id], passage.name or passage.id, zone_id)
        for passage in site.passages
        if (zone_id := inner.get(passage.id)) in known and zone_id is not None
    ]


def entrances_today(
    site_id: str, doors: Sequence[Door], now: datetime, timezone: ZoneInfo
) -> dict[str, MetricsQuery]:
    """One query for each door, by passage id; today is local to `timezone`.

    Each names the zone behind the door, too: which way a passage counts as entrances is open without one.
    """
    start = time_text(named_range(NamedRange.TODAY, now, timezone).start, now, timezone)
    return {
        door.passage_id: MetricsQuery(
            metrics=(MetricKey.ENTRANCES,),
            site_id=site_id,
            from_=start,
            to=NOW,
            granularity=Granularity.HOUR,
            timezone=timezone.key,
            filter=MetricsFilter(zone_ids=(door.zone_id,), passage_ids=(door.passage_id,)),
        )
        for door in doors
    }


def counts(points: Mapping[str, Sequence[MetricPoint]]) -> dict[str, Number]:
    """The sum of each door that has any value, by passage id: missing is never 0."""
    by_door = {
        door: [point.metrics[MetricKey.ENTRANCES] for point in own if MetricKey.ENTRANCES in point.metrics]
        for door, own in points.items()
    }
    return {door: sum(values) for door, values in by_door.items() if values}
