"""The hours of a range, and in which of them a place is open, as far as its counts tell.

The API names no opening hours. Any door misses somebody now and then, who then counts as inside until the
number begins again, often all night. So an hour in which somebody is counted inside is no open one where
nobody came or went in it nor in the hours around it, three on end: whoever is counted inside in such a
stretch was left over. A shorter one belongs to a meeting, a film, a quiet noon.

An hour without counts is none in which nobody came or went: nobody knows. Where such hours make up the three,
counters may be off at night or have failed by day. Who is left over is one of few; where more are inside, it
may be open.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.time_range import TimeRange
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint

METRICS_OF_HOURS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS, MetricKey.TIME_SPENT)
"""What an hour tells of who came, left, was inside and for how long."""
_HOUR: Final = timedelta(hours=1)
_CLOSED: Final = timedelta(hours=3)
"""Without anybody who comes or goes."""
_FEW: Final = 0.25
"""Of the fullest hour: who is left over makes no more, or the number inside means nothing (decision 19)."""


def open_hours(hours: Sequence[MetricPoint], start: datetime, end: datetime) -> frozenset[datetime] | None:
    """Starts of those hours in which somebody came, went or was inside, without closed ones.

    `hours` ascend and are all that is counted from `start` until `end`, in sums of entrances and exits;
    people inside may be missing. None where entrances or exits are missing.
    """
    if not all(metric in hour.metrics for hour in hours for metric in CROSSINGS):
        return None
    crossed = [hour.timestamp for hour in hours if any(hour.metrics[metric] for metric in CROSSINGS)]
    busy, few = frozenset(crossed), _FEW * max((_inside(hour) for hour in hours), default=0.0)
    quiet = [hour.timestamp for hour in hours if hour.timestamp not in busy]
    silences = _Stretches([start, *(one + _HOUR for one in crossed)], [*crossed, end])
    counted = _met(quiet, start, end)

    def is_open(hour: MetricPoint) -> bool:
        """After the last crossing before it, the next one is soon; or nobody knows, and many are inside."""
        inside, at = _inside(hour), hour.timestamp
        if inside <= 0 or counted.around(at) >= _CLOSED:
            return False
        return silences.around(at) < _CLOSED or inside >= few

    return busy.union(hour.timestamp for hour in hours if hour.timestamp not in busy and is_open(hour))


def _inside(hour: MetricPoint) -> float:
    return float(hour.metrics.get(MetricKey.VISITORS_INSIDE) or 0)


class _Stretches(NamedTuple):
    begins: list[datetime]
    """Ascending."""
    ends: list[datetime]

    def around(self, moment: datetime) -> timedelta:
        """How long the last one is that begins by then, or the first."""
        index = max(0, bisect(self.begins, moment) - 1)
        return self.ends[index] - self.begins[index]


def _met(hours: Sequence[datetime], start: datetime, end: datetime) -> _Stretches:
    """Hours that meet are one stretch, as far as it is from `start` until `end`."""
    found = _Stretches([], [])
    for hour in hours:
        if found.ends and found.ends[-1] == hour:
            found.ends.pop()
        else:
            found.begins.append(max(start, hour))
        found.ends.append(min(end, hour + _HOUR))
    return found


def read_hours(request: HistoryRequest, run: RunQueries) -> Points:
    """Who came and left, was inside and for how long, hour by hour, whichever metrics the page shows.

    Without what could not be read, or is answered in longer buckets.
    """
    hours = request.over(request.range, Granularity.HOUR)
    answers = run(replace(hours, metrics=METRICS_OF_HOURS, aggregation=None).queries())
    return {
        subject: points
        for subject, points in answers.items()
        if not points or answered_in(points, Granularity.HOUR, request.timezone) is Granularity.HOUR
    }


def open_by_label(hours: Points, range_: TimeRange) -> dict[str, frozenset[datetime]]:
    """Label -> starts of the hours in which it is open, where that is known."""
    found = {subject.label: open_hours(points, *range_) for subject, points in hours.items()}
    return {label: starts for label, starts in found.items() if starts is not None}
