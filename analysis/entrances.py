"""How many people came in: by each door today, and by zone and door within a range.

A door is a passage with the outside on one of its sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.bucket_table import Completeness, sum_of
from analysis.history_request import HistoryRequest
from analysis.subject import labels_of, whole_site
from analysis.time_range import NamedRange, named_range, time_text
from contract import (
    NOW,
    Aggregation,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Number,
    Site,
)

MOST_PLACES: Final = 40
"""The API sums what one query names, so each place takes a query of its own; of more places none is run."""
ENTRANCES: Final = "Entrances"
SHARE: Final = "Share"
_HOUR: Final = timedelta(hours=1)


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


def entrances_by_door(points: Mapping[str, Sequence[MetricPoint]]) -> dict[str, Number]:
    """The sum of each door that has any value, by passage id: missing is never 0."""
    sums = {door: sum_of(own, MetricKey.ENTRANCES) for door, own in points.items()}
    return {door: total for door, total in sums.items() if total is not None}


def counted_hours(points: Sequence[MetricPoint]) -> Completeness:
    """Of a door, asked for by the hour: those with counts, of those from its first to its last."""
    known = [point.timestamp for point in points if MetricKey.ENTRANCES in point.metrics]
    return Completeness(len(known), (max(known) - min(known)) // _HOUR + 1 if known else 0)


class Place(NamedTuple):
    """A zone, or a door together with the zone behind it: without one, it is open which way is in."""

    label: str
    zone_id: str
    passage_id: str | None = None

    @property
    def filter(self) -> MetricsFilter:
        passages = None if self.passage_id is None else (self.passage_id,)
        return MetricsFilter(zone_ids=(self.zone_id,), passage_ids=passages)


def zones_to_rank(site: Site, top_zone_ids: Collection[str]) -> list[Place]:
    """All zones but those that stand for the whole site."""
    labels = labels_of(site.zones)
    return [Place(labels[zone.id], zone.id) for zone in site.zones if zone.id not in top_zone_ids]


def doors_to_rank(site: Site) -> list[Place]:
    return [Place(door.label, door.zone_id, door.passage_id) for door in doors_of(site)]


def ranking_queries(
    site: Site, request: HistoryRequest, places: Sequence[Place], aggregation: Aggregation | None = None
) -> dict[Place, MetricsQuery]:
    """One query for each place about the range of `request`, in few and large buckets."""
    entrances = replace(
        request, metrics=(MetricKey.ENTRANCES,), granularity=Granularity.MONTH, aggregation=aggregation
    ).query(whole_site(site))
    return {place: entrances.model_copy(update={"filter": place.filter}) for place in places}


def ranking_table(
    places: Sequence[Place], answers: Mapping[Place, Sequence[MetricPoint]], heading: str
) -> pd.DataFrame:
    """Each place, the most entered first: `heading`, `ENTRANCES`, and `SHARE` in percent.

    A place of which nothing is counted, or that could not be read, comes last and has no number; then no
    share of the others is known either.
    """
    table = pd.DataFrame(
        {
            heading: [place.label for place in places],
            ENTRANCES: [sum_of(answers.get(place, ()), MetricKey.ENTRANCES) for place in places],
        }
    ).astype({ENTRANCES: "float64"})
    whole = table[ENTRANCES].sum(skipna=False)
    table[SHARE] = 100 * table[ENTRANCES] / whole if whole else float("nan")
    return table.sort_values(ENTRANCES, ascending=False, kind="stable", ignore_index=True)
