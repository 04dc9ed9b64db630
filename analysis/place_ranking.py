"""Zones and doors by how many people entered them within a range."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import pandas as pd

from analysis.doors import doors_of
from analysis.history_request import HistoryRequest
from analysis.subject import labels_of, whole_site
from contract import Granularity, MetricKey, MetricPoint, MetricsFilter, MetricsQuery, Site

MOST_PLACES: Final = 40
"""The API sums what one query names, so each place takes a query of its own; of more places none is run."""
ENTRANCES: Final = "Entrances"
SHARE: Final = "Share"


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
    site: Site, request: HistoryRequest, places: Sequence[Place]
) -> dict[Place, MetricsQuery]:
    """One query for each place about the range of `request`, in few and large buckets."""
    entrances = replace(
        request, metrics=(MetricKey.ENTRANCES,), granularity=Granularity.MONTH, aggregation=None
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
            ENTRANCES: [_total(answers.get(place, ())) for place in places],
        }
    ).astype({ENTRANCES: "float64"})
    whole = table[ENTRANCES].sum(skipna=False)
    table[SHARE] = 100 * table[ENTRANCES] / whole if whole else float("nan")
    return table.sort_values(ENTRANCES, ascending=False, kind="stable", ignore_index=True)


def _total(points: Sequence[MetricPoint]) -> float | None:
    values = [point.metrics[MetricKey.ENTRANCES] for point in points if MetricKey.ENTRANCES in point.metrics]
    return float(sum(values)) if values else None
