"""Hours that are counted, and the days that they make: each from one quietest hour of the clock to the next.

Over such a day as many people go out as come in, where nobody stays the night. The API names no hour at which
a count begins again; in the quietest one the fewest can be inside, whatever a service does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all
from analysis.open_time import OpenTime
from analysis.reporting_rate import EACH_MINUTE, MINUTES_AN_HOUR, ReportingRate
from analysis.time_range import naive_local
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint

Numbers = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

_HOURS_A_DAY: Final = 24
_NOON: Final = 12
_USUAL_RESET: Final = 4
"""Of several equally quiet hours the one nearest to it, as most services begin again then."""
ALIVE: Final = 3 * _HOURS_A_DAY
"""Hours before and after, within which a count shows that a counter lives: where none does, that an hour has
none tells nothing of other weeks. Places close for a day or two a week."""
STOPPED: Final = 3
"""So many hours without the counts that are to be expected: the counter is no longer just late."""


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
    held: Mapping[int, float] = field(default_factory=dict)
    """Row -> minutes that it is to have, where these are not all: `analysis/expected_minutes.py`."""
    rate: ReportingRate = EACH_MINUTE
    """How many of its minutes a whole hour has counts of."""

    @property
    def there(self) -> Truths:
        """Which hours have counts of both ways."""
        known: Truths = ~np.isnan(self.came) & ~np.isnan(self.went)
        return known

    @property
    def counted(self) -> Truths:
        """Which hours have counts of any way."""
        known: Truths = ~np.isnan(self.came) | ~np.isnan(self.went)
        return known

    @property
    def lacks(self) -> MetricKey | None:
        """Entrances or exits, where the other is told and it never is."""
        never = {
            metric: bool(np.isnan(own).all())
            for metric, own in ((MetricKey.ENTRANCES, self.came), (MetricKey.EXITS, self.went))
        }
        return next((one for one in never if never[one]), None) if sum(never.values()) == 1 else None

    def lacks_within(self, rows: slice) -> MetricKey | None:
        """Entrances or exits, where some of these hours has the other alone."""
        counted = self.counted[rows]
        either = ((MetricKey.ENTRANCES, self.came), (MetricKey.EXITS, self.went))
        return next((one for one, own in either if np.isnan(own[rows][counted]).any()), None)

    @property
    def net(self) -> Numbers:
        """Came minus went; 0 where nothing is known: what is missing here is missing in every sum of it."""
        return np.nan_to_num(self.came) - np.nan_to_num(self.went)


class CountDay(NamedTuple):
    """Rows [first, after) of the grid."""

    date: date
    """Local; that of most of its hours, of the last where it begins at noon."""
    first: int
    after: int

    @property
    def rows(self) -> slice:
        return slice(self.first, self.after)


def hours_on(
    starts: Sequence[datetime],
    points: Sequence[MetricPoint],
    minutes: Mapping[int, Completeness] | None = None,
    held: Mapping[int, float] | None = None,
    rate: ReportingRate = EACH_MINUTE,
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
        held or {},
        rate,
    )


def quietest_hour(starts: Sequence[datetime], hours: Hours, timezone: ZoneInfo) -> int:
    """The hour of the local clock in which the fewest cross on average; 04:00 where nothing tells."""
    crossed: list[list[float]] = [[] for _ in range(_HOURS_A_DAY)]
    both = np.nan_to_num(hours.came) + np.nan_to_num(hours.went)
    for start, is_counted, people in zip(starts, hours.counted, both, strict=True):
        if is_counted:
            crossed[naive_local(start, timezone).hour].append(people)
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
    later = timedelta(days=begin >= _NOON)
    return [CountDay(dates[first] + later, first, after) for first, after in pairwise(edges)]


def expected_hours(
    starts: Sequence[datetime],
    hours: Hours,
    timezone: ZoneInfo,
    open_time: OpenTime | None = None,
    *,
    begin: int = 0,
    site: Truths | None = None,
) -> Truths:
    """In which hours counts are to be expected: those at which most weeks have some, from row `begin` on.

    With that the counts of the site begin (`analysis/first_count.py`). Before a place has any itself, they
    are to be expected when it later has some, by the clock where no such weekday tells; of a zone or a
    passage only when they are of its `site`, too.

    Where counters are switched off at night or on Sundays, nothing is missing then. A counter that has no
    counts for days tells nothing of when it should. Counts of `open_time` are to be expected besides.
    """
    counted = hours.counted
    expected = counted.copy()
    if not counted.any():
        return expected
    first, is_alive = int(counted.argmax()), _is_alive(counted)
    is_alive[:first] = False
    weeks: dict[tuple[int, int], list[int]] = {}
    clock: dict[int, list[int]] = {}
    for row in range(begin, len(starts)):
        local = naive_local(starts[row], timezone)
        weeks.setdefault((local.weekday(), local.hour), []).append(row)
        clock.setdefault(local.hour, []).append(row)
    for (_, hour), rows in weeks.items():
        is_known = is_alive[rows].any()
        expected[rows] |= _mostly(counted, is_alive, rows if is_known else clock[hour])
    if site is not None:
        expected[:first] &= site[:first]
    if open_time is not None:
        for row in range(begin, len(starts)):
            expected[row] |= open_time.of_bucket(starts[row], Granularity.HOUR, timezone) > 0
    return expected


def hours_before(
    starts: Sequence[datetime],
    hours: Hours,
    timezone: ZoneInfo,
    days: Sequence[CountDay],
    open_time: OpenTime | None = None,
    *,
    begin: int = 0,
) -> Truths:
    """Hours of the day in which the counts of the site begin, before they do with row `begin`: those at which
    later days have counts, or it is open.

    They lack nothing, but that day is no whole one: who came in them is in no sum.
    """
    before: Truths = np.zeros(len(starts), dtype=bool)
    counted, is_alive = hours.counted, _is_alive(hours.counted)
    clock: dict[int, list[int]] = {}
    for row in range(begin, len(starts)):
        clock.setdefault(naive_local(starts[row], timezone).hour, []).append(row)
    for row in range(next((day.first for day in days if day.first <= begin < day.after), begin), begin):
        rows = clock.get(naive_local(starts[row], timezone).hour, [])
        # Where no other day tells, the first is not known to be whole.
        before[row] = not rows or _mostly(counted, is_alive, rows)
        if open_time is not None:
            before[row] |= open_time.of_bucket(starts[row], Granularity.HOUR, timezone) > 0
    return before


def _mostly(counted: Truths, is_alive: Truths, rows: Sequence[int]) -> bool:
    """Whether at least half of the hours have counts in which the counter lives."""
    return bool(counted[rows].any() and 2 * counted[rows].sum() >= is_alive[rows].sum())


def _is_alive(counted: Truths) -> Truths:
    """Of each hour: whether some hour close to it has counts."""
    before = np.concatenate(([0], np.cumsum(counted)))
    rows = np.arange(counted.size)
    near = before[np.minimum(rows + ALIVE + 1, counted.size)] - before[np.maximum(rows - ALIVE, 0)]
    is_alive: Truths = near > 0
    return is_alive


def silent_from(hours: Hours, expected: Truths) -> int | None:
    """The row from which on there are none of the counts that there should be; None: there is no such row."""
    rows = np.flatnonzero(hours.counted)
    if not rows.size or expected[rows[-1] + 1 :].sum() < STOPPED:
        return None
    return int(rows[-1]) + 1


def counted_of(hours: Hours, expected: Truths, rows: slice) -> Completeness:
    """The minutes of these hours that are counted, of those that should be.

    Of an hour in which nobody was it is not known how many are: as many as of a whole hour.
    """
    own = range(rows.start, rows.stop)
    held = {row: hours.held.get(row, MINUTES_AN_HOUR) for row in own}
    part = hours.rate.mean / MINUTES_AN_HOUR
    present = sum(
        hours.minutes[row].present if row in hours.minutes else part * held[row]
        for row in own
        if hours.counted[row]
    )
    return Completeness(round(present), round(sum(held[row] for row in own if expected[row])))


def is_whole(hours: Hours, expected: Truths, rows: slice) -> bool:
    """Whether each hour that should has nearly all of its minutes, both ways, and some hour does.

    Of the day in which counts begin, those of `hours_before` are to be `expected`, too.
    """
    own = range(rows.start, rows.stop)
    if not expected[rows].any() or not hours.there[rows][expected[rows]].all():
        return False
    return all(is_nearly_all(hours.minutes[row]) for row in own if row in hours.minutes)
