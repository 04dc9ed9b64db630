"""Hours that are counted, and the days that they make: each from one quietest hour of the clock to the next.

Over such a day as many people go out as come in, where nobody stays the night. The API names no hour at which
a count begins again; in the quietest one the fewest can be inside, whatever a service does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all
from analysis.time_range import naive_local
from contract import CROSSINGS, MetricKey, MetricPoint

Numbers = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

_HOURS_A_DAY: Final = 24
_USUAL_RESET: Final = 4
"""Of several equally quiet hours the one nearest to it, as most services begin again then."""
_HOUR_OF_MINUTES: Final = 60
_DAYS_A_WEEK: Final = 7


@dataclass(frozen=True, eq=False)
class Hours:
    """What is counted in each hour of a grid; NaN where there is no point."""

    came: Numbers
    went: Numbers
    inside: Numbers
    """On average; NaN for a passage."""
    spent: Numbers
    """Mean seconds per person; NaN where nobody came in."""
    minutes: Mapping[int, Completeness]
    """Row -> its counted minutes, where they are known to be few."""

    @property
    def there(self) -> Truths:
        """Which hours have counts of both ways."""
        known: Truths = ~np.isnan(self.came) & ~np.isnan(self.went)
        return known

    @property
    def net(self) -> Numbers:
        """Came minus went; 0 where nothing is known: what is missing here is missing in every sum of it."""
        return np.nan_to_num(self.came) - np.nan_to_num(self.went)


class CountDay(NamedTuple):
    """Rows [first, after) of the grid."""

    date: date
    """Local; of its first hour."""
    first: int
    after: int

    @property
    def rows(self) -> slice:
        return slice(self.first, self.after)


def hours_on(
    starts: Sequence[datetime],
    points: Sequence[MetricPoint],
    minutes: Mapping[int, Completeness] | None = None,
) -> Hours:
    """`points` laid on the hours that begin at `starts`; points of other moments are left out."""
    rows = {start: index for index, start in enumerate(starts)}
    columns = {
        metric: np.full(len(starts), np.nan)
        for metric in (*CROSSINGS, MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT)
    }
    for point in points:
        if (row := rows.get(point.timestamp)) is not None:
            for metric, column in columns.items():
                column[row] = point.metrics.get(metric, np.nan)
    return Hours(
        columns[MetricKey.ENTRANCES],
        columns[MetricKey.EXITS],
        columns[MetricKey.VISITORS_INSIDE],
        columns[MetricKey.TIME_SPENT],
        minutes or {},
    )


def quietest_hour(starts: Sequence[datetime], hours: Hours, timezone: ZoneInfo) -> int:
    """The hour of the local clock in which the fewest cross on average; 04:00 where nothing tells."""
    crossed: list[list[float]] = [[] for _ in range(_HOURS_A_DAY)]
    for start, there, came, went in zip(starts, hours.there, hours.came, hours.went, strict=True):
        if there:
            crossed[naive_local(start, timezone).hour].append(came + went)
    # Hours that are never counted are those in which nobody does.
    means = [sum(own) / len(own) if own else 0.0 for own in crossed]

    def from_usual(hour: int) -> int:
        apart = abs(hour - _USUAL_RESET)
        return min(apart, _HOURS_A_DAY - apart)

    return min(range(_HOURS_A_DAY), key=lambda hour: (means[hour], from_usual(hour)))


def count_days(
    starts: Sequence[datetime], begin: int, timezone: ZoneInfo, *, end: datetime
) -> list[CountDay]:
    """The days that begin at the hour `begin` of the clock, all of whose hours are on the grid.

    `starts` ascend without a gap, and `end` is the end of the last of them.
    """
    dates = [(naive_local(start, timezone) - timedelta(hours=begin)).date() for start in starts]
    is_edge = bool(starts) and naive_local(starts[0], timezone).hour == begin
    edges = [0] * is_edge + [row for row in range(1, len(dates)) if dates[row] != dates[row - 1]]
    last = (naive_local(end, timezone) - timedelta(hours=begin)).date()
    if dates and last != dates[-1]:
        edges.append(len(dates))
    return [CountDay(dates[first], first, after) for first, after in pairwise(edges)]


def expected_hours(starts: Sequence[datetime], hours: Hours, timezone: ZoneInfo) -> Truths:
    """In which hours counts are to be expected: those at which most weeks have some, since the first count.

    Where counters are switched off at night or on Sundays, nothing is missing then.
    """
    there = hours.there
    expected = there.copy()
    if not there.any():
        return expected
    known: dict[tuple[int, int], list[int]] = {}
    for row in range(int(there.argmax()), len(starts)):
        local = naive_local(starts[row], timezone)
        known.setdefault((local.weekday(), local.hour), []).append(row)
    for rows in known.values():
        if 2 * there[rows].sum() >= len(rows):
            expected[rows] = True
    return expected


def counted_of(hours: Hours, expected: Truths, rows: slice) -> Completeness:
    """The minutes of these hours that are counted, of those that should be."""
    present = sum(
        hours.minutes[row].present if row in hours.minutes else _HOUR_OF_MINUTES
        for row in range(rows.start, rows.stop)
        if hours.there[row]
    )
    return Completeness(present, _HOUR_OF_MINUTES * int(expected[rows].sum()))


def is_whole(hours: Hours, expected: Truths, rows: slice) -> bool:
    """Whether each hour that should has nearly all of its minutes, and some hour does."""
    own = range(rows.start, rows.stop)
    if not expected[rows].any() or not hours.there[rows][expected[rows]].all():
        return False
    return all(is_nearly_all(hours.minutes[row]) for row in own if row in hours.minutes)
