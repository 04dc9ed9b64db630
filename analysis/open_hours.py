"""The hours of a range, and in which of them a place is open, as far as its counts tell.

The API names no opening hours. Any door misses somebody now and then, who then counts as inside until the
number begins again, often all night. So an hour in which somebody is counted inside is no open one where
nobody came or went in it nor in the hours around it, three on end: whoever is counted inside in such a
stretch was left over. A shorter one belongs to a meeting, a film, a quiet noon.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.time_range import TimeRange
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint

METRICS_OF_HOURS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS, MetricKey.TIME_SPENT)
"""What an hour tells of who came, left, was inside and for how long."""
_HOUR: Final = timedelta(hours=1)
_CLOSED: Final = timedelta(hours=3)
"""Without anybody who comes or goes."""


def open_hours(hours: Sequence[MetricPoint], start: datetime, end: datetime) -> frozenset[datetime] | None:
    """Starts of those hours in which somebody came, went or was inside, without closed ones.

    `hours` ascend and are all that is counted from `start` until `end`, in sums of entrances and exits;
    people inside may be missing. None where entrances or exits are missing.
    """
    if not all(metric in hour.metrics for hour in hours for metric in CROSSINGS):
        return None
    crossed = [hour.timestamp for hour in hours if any(hour.metrics[metric] for metric in CROSSINGS)]
    ends, begins = [start, *(one + _HOUR for one in crossed)], [*crossed, end]

    def is_open(hour: MetricPoint) -> bool:
        """After the last crossing before it, the next one is soon."""
        index = bisect(crossed, hour.timestamp)
        return begins[index] - ends[index] < _CLOSED and hour.metrics.get(MetricKey.VISITORS_INSIDE, 0) > 0

    busy = frozenset(crossed)
    return busy.union(hour.timestamp for hour in hours if hour.timestamp not in busy and is_open(hour))


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
