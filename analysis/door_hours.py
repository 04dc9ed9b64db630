"""Which door brings people at which time of the day: the share of each door by hour of the clock.

A share compares doors. So an hour of a day counts only where every door has counts in it, of about as many
minutes: one that is silent for a morning would make the others look busier. How many hours are left out for
that, the answer tells. Of an hour in which nobody came by a door it is not known how many minutes it counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from analysis.bucket_table import Completeness, ends_are_one
from analysis.entrances import Place
from analysis.history_request import HistoryRequest
from analysis.rounded_averages import minutes_of
from analysis.subject import whole_site
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, Number, Site

_ALIKE: Final = 0.9
"""So many of the minutes of the door that has most in an hour, each other must have."""
_FEW: Final = 0.05
"""Of everybody: which door a smaller part prefers, is chance."""


class DoorHours(NamedTuple):
    """Who came in by each door, by hour of the local clock, in the hours that all doors have counts of."""

    doors: tuple[Place, ...]
    """The one that brings most people first."""
    came: Mapping[tuple[Place, int], Number]
    """By door and hour of the clock, 0 to 23; without hours of which nothing is counted."""
    hours: Completeness
    """Hours of the range of which all doors have counts, about as many minutes, of those of which any has."""

    def total(self, door: Place) -> Number:
        return sum(count for (own, _), count in self.came.items() if own == door)

    def of_hour(self, hour: int) -> Number:
        """By all doors."""
        return sum(count for (_, own), count in self.came.items() if own == hour)

    def share(self, door: Place, hour: int) -> float | None:
        """Percent of all who came in at that time; None where nobody did, or nothing is counted."""
        whole = self.of_hour(hour)
        return 100 * self.came[door, hour] / whole if whole else None

    @property
    def largest_share(self) -> float:
        """Percent, of any door at any hour; 0 where nobody came in."""
        shares = (self.share(door, hour) for door in self.doors for hour in range(24))
        return max((share for share in shares if share is not None), default=0.0)

    @property
    def everybody(self) -> Number:
        return sum(self.came.values())

    def leads(self) -> list[tuple[Place, int, int]]:
        """Hours on end in which one door brings more people than any other: the door, from and until which
        hour of the clock. Without hours in which hardly anybody came, and those that two doors lead.
        """
        ahead = [(hour, self._lead(hour)) for hour in range(24)]
        runs = ((door, [hour for hour, _ in run]) for door, run in groupby(ahead, lambda of_hour: of_hour[1]))
        return [
            (door, hours[0], hours[-1] + 1)
            for door, hours in runs
            if door is not None and sum(map(self.of_hour, hours)) >= _FEW * self.everybody
        ]

    def _lead(self, hour: int) -> Place | None:
        most = max((self.came.get((door, hour), 0) for door in self.doors), default=0)
        leading = [door for door in self.doors if most and self.came.get((door, hour)) == most]
        return leading[0] if len(leading) == 1 else None


def door_hour_queries(
    site: Site, request: HistoryRequest, doors: Sequence[Place]
) -> dict[tuple[Place, Aggregation], MetricsQuery]:
    """Two queries for each door, by the hour of the range of `request`: its sum and its average."""
    return {
        (door, aggregation): replace(
            request, metrics=(MetricKey.ENTRANCES,), granularity=Granularity.HOUR, aggregation=aggregation
        )
        .query(whole_site(site))
        .model_copy(update={"filter": door.filter})
        for door in doors
        for aggregation in (Aggregation.SUM, Aggregation.AVERAGE)
    }


def door_hours(
    points: Mapping[tuple[Place, Aggregation], Sequence[MetricPoint]], request: HistoryRequest
) -> DoorHours:
    """`points` answer the queries; without averages it is not looked at how many minutes are counted."""
    values = {asked: _entrances(own) for asked, own in points.items()}
    counted, averages = (
        {door: own for (door, aggregation), own in values.items() if aggregation is asked}
        for asked in (Aggregation.SUM, Aggregation.AVERAGE)
    )

    def held(start: datetime) -> float:
        return request.held(start, Granularity.HOUR)

    minutes = {door: minutes_of(own, averages.get(door, {}), held) for door, own in counted.items()}
    of_any = set().union(*counted.values())
    of_all = {
        start
        for start in of_any.intersection(*counted.values())
        if _are_alike([own[start] for own in minutes.values() if start in own])
    }
    came: dict[tuple[Place, int], Number] = {}
    for door, own in counted.items():
        for start in of_all:
            at = door, start.astimezone(request.timezone).hour
            came[at] = came.get(at, 0) + own[start]
    first, last = min(of_any, default=None), max(of_any, default=None)
    # Of 24 hours from 18:06 on, the first and the last are the parts of one.
    is_one = first and last and ends_are_one([first, last], request.range, request.timezone)
    whole = len(of_any) - bool(is_one and (first in of_all) == (last in of_all))
    both = len(of_all) - bool(is_one and first in of_all and last in of_all)
    found = DoorHours(tuple(counted), came, Completeness(both, whole))
    return found._replace(doors=tuple(sorted(counted, key=lambda door: (-found.total(door), door.label))))


def _entrances(points: Sequence[MetricPoint]) -> dict[datetime, Number]:
    came = MetricKey.ENTRANCES
    return {point.timestamp: point.metrics[came] for point in points if came in point.metrics}


def _are_alike(minutes: Sequence[float]) -> bool:
    return not minutes or min(minutes) >= _ALIKE * max(minutes)
