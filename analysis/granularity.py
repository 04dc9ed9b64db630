"""In which granularity the past is asked for, and in which a service answered: it may be a longer one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final
from zoneinfo import ZoneInfo

from analysis.history_request import HistoryRequest, Points
from analysis.time_range import TimeRange, local_span
from contract import Granularity, MetricPoint
from contract.buckets import (
    bucket_start,
    bucket_starts,
    inferred_granularity,
    minute_range_is_allowed,
    next_bucket_start,
)
from contract.minutes import MINUTE

_FEWEST: Final = 4
"""Fewer may lie on a coarse grid by chance."""
_FEWEST_DAYS: Final = 2
_LENGTH: Final = {
    Granularity.MINUTE: MINUTE,
    Granularity.HOUR: timedelta(hours=1),
    Granularity.DAY: timedelta(days=1),
}
_LEAST: Final = {
    Granularity.HOUR: 2 * MINUTE,
    Granularity.DAY: timedelta(hours=23),
    Granularity.MONTH: timedelta(days=28),
}
"""How far from each other buckets begin, at least; minutes do where none between them are missing."""
_QUARTER: Final = 15
"""Minutes."""
_GRID: Final = 300
"""Seconds: no service tells minutes and leaves out all but each fifth."""


def usual_granularity(range_: TimeRange, timezone: ZoneInfo) -> Granularity:
    """The granularity that the service's rule infers for a range as long on the local clock."""
    return inferred_granularity(range_.start, range_.start + local_span(range_, timezone))


def asked_granularity(
    range_: TimeRange, timezone: ZoneInfo, chosen: Granularity | None
) -> Granularity | None:
    """What to send; None where the service infers the usual one by itself.

    A week in which the clocks go back has an hour more, and the service would infer days.
    """
    usual = usual_granularity(range_, timezone)
    return chosen or (None if inferred_granularity(*range_) is usual else usual)


def allowed_granularities(range_: TimeRange, timezone: ZoneInfo) -> tuple[Granularity, ...]:
    """All but `minute` where the range is longer than a day (specification, Limits)."""
    if minute_range_is_allowed(range_.start, range_.end, timezone):
        return tuple(Granularity)
    return tuple(unit for unit in Granularity if unit is not Granularity.MINUTE)


def answered_granularity(request: HistoryRequest, inferred: Mapping[str, Any], points: Points) -> Granularity:
    """What was asked for; else what the service says it inferred; else what its rule would be, unless
    `points`, its answers, are closer than such buckets are: the rule is each service's own.
    """
    if request.granularity is not None:
        return request.granularity
    try:
        return Granularity(inferred["granularity"])
    except (KeyError, ValueError):
        return _told_by_points(points, usual_granularity(request.range, request.timezone))


def _told_by_points(points: Points, usual: Granularity) -> Granularity:
    """`usual`, or a shorter one; the first of the points may be cut and tells nothing."""
    starts = sorted({one.timestamp for own in points.values() for one in own})[1:]
    closest = min((after - start for start, after in pairwise(starts)), default=timedelta.max)
    for unit, longer in pairwise(Granularity):
        if unit is usual or closest < _LEAST[longer]:
            return unit
    return usual


def answered_in(points: Sequence[MetricPoint], asked: Granularity, timezone: ZoneInfo) -> Granularity:
    """The granularity of points, by how close they are: a service may answer in longer ones than asked for.

    What stands alone may be a minute or an hour; it is within the hour from there in either case. Hours begin
    at a quarter of an hour in any time zone, but the first of them, which the range may cut. Days and months
    begin at midnight, in the `timezone` that was asked for or in UTC, which the specification has where none
    is: what is counted in one hour a day is a day apart, too, and no day.
    """
    gaps = [after.timestamp - before.timestamp for before, after in pairwise(points)]
    if asked is Granularity.MINUTE and not gaps:
        return Granularity.HOUR
    longest = (Granularity.MONTH, Granularity.DAY, Granularity.HOUR)
    longer = next((unit for unit in longest if gaps and min(gaps) >= _LEAST[unit]), asked)
    if longer in {Granularity.DAY, Granularity.MONTH} and not _begin_days(points[1:], timezone):
        longer = Granularity.HOUR
    if longer is Granularity.HOUR and any(point.timestamp.minute % _QUARTER for point in points[1:]):
        return asked
    return max(asked, longer, key=list(Granularity).index)


def minutes_past(points: Sequence[MetricPoint], unit: Granularity, timezone: ZoneInfo) -> int:
    """Minutes past the hour, or past midnight, of the local clock at which buckets of `unit` begin, as the
    two below say; 0 for minutes, which are the same everywhere.
    """
    if unit is Granularity.MINUTE:
        return 0
    is_hours = unit is Granularity.HOUR
    return past_the_hour(points, timezone) if is_hours else past_the_day(points, unit, timezone)


def past_the_hour(points: Sequence[MetricPoint], timezone: ZoneInfo) -> int:
    """Minutes past the hour of the local clock at which most hours begin: not 0 where a service has the hours
    of another zone, such as UTC's in Kathmandu. The first may be cut and tells nothing. Where the clocks
    change within an hour, as on Lord Howe, what follows is an hour of its own.
    """
    starts = [point.timestamp for point in points[1:]]
    minutes = Counter(_minutes_past(start, Granularity.HOUR, timezone) for start in starts)
    if any(minute % _QUARTER for minute in minutes):
        # Minutes do not all have the same place in their hours.
        is_grid = len(minutes) == 1 and len(starts) >= _FEWEST
        return next(iter(minutes)) if is_grid else 0
    return minutes.most_common(1)[0][0] if minutes else 0


def past_the_day(points: Sequence[MetricPoint], unit: Granularity, timezone: ZoneInfo) -> int:
    """Likewise of days or months: minutes past local midnight, of UTC's in summer other ones than in winter.
    Not 0 only where none begins at midnight.
    """
    minutes = Counter(_minutes_past(point.timestamp, unit, timezone) for point in points[1:])
    return 0 if minutes.total() < _FEWEST_DAYS or 0 in minutes else minutes.most_common(1)[0][0]


def _minutes_past(moment: datetime, unit: Granularity, timezone: ZoneInfo) -> int:
    return (moment - bucket_start(moment, unit, timezone)) // MINUTE


def _begin_days(points: Sequence[MetricPoint], timezone: ZoneInfo) -> bool:
    starts = [point.timestamp for point in points]
    return any(
        all(bucket_start(start, Granularity.DAY, zone) == start for start in starts)
        for zone in (timezone, ZoneInfo("UTC"))
    )


def longer_size(request: HistoryRequest, points: Points, asked: Granularity) -> Granularity | None:
    """What to ask for instead of `asked`, where `points`, the answer to it, are longer; else None.

    They are where no two are neighbours, and the first begins before the range does or all lie on a grid, or
    they are most of the longer buckets of the range, the last of them whole. One point alone, at the start of
    an hour, may be of the minute or of the hour: said of the hour, it is true of both. Of open hours alone
    longer ones are not told: what lies between them is closed.
    """
    units, known = list(Granularity), sorted({one.timestamp for own in points.values() for one in own})
    if asked is units[-1] or not known or (request.opening and asked is not Granularity.MINUTE):
        return None
    if any(after - start < 2 * _LENGTH[asked] for start, after in pairwise(known)):
        return None
    longer = units[units.index(asked) + 1]
    start, end = request.range
    if known[0] < bucket_start(start, asked, request.timezone):
        return longer
    if len(known) == 1:
        is_either = asked is Granularity.MINUTE and end - start > _LENGTH[asked]
        return longer if is_either and bucket_start(known[0], longer, request.timezone) == known[0] else None
    ends = next_bucket_start(known[-1], longer, request.timezone)
    buckets = set(bucket_starts(start, end, longer, request.timezone))
    if buckets.issuperset(known) and ends <= end and 2 * len(known) > len(buckets):
        return longer
    is_grid = len(known) >= _FEWEST and all(_is_on_grid(start, asked, longer, request) for start in known)
    return longer if is_grid else None


def _is_on_grid(start: datetime, asked: Granularity, longer: Granularity, request: HistoryRequest) -> bool:
    if asked is Granularity.MINUTE:
        return start.timestamp() % _GRID == 0
    return bucket_start(start, longer, request.timezone) == start
