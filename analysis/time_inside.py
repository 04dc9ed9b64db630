"""How long people stay: one figure for a stretch of time, from its hours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.open_hours import open_hours
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint, Number
from contract.buckets import bucket_start

_FEW: Final = 0.05
"""So many of those who came in may have been inside where counts begin or end: the mean hardly moves."""
_MUCH: Final = 0.1
"""So large a part of the time may be that of people who had left without being counted."""
FEWEST_VISITS: Final = 10
"""Of fewer who came in, an hour tells nothing of how long people stay."""
_BALANCED: Final = 0.5
"""Where fewer than this part of the others come in or go out, an hour cuts most visits."""
_INSIDE: Final = MetricKey.VISITORS_INSIDE
_MINUTE: Final = 60.0
_HOUR: Final = timedelta(hours=1)
NIGHT: Final = timedelta(hours=3)
"""Without any counts: who was inside before is not counted inside after it."""


class Gap(NamedTuple):
    """Minutes without counts within a stretch."""

    people: float
    """Who was inside just before it and just after it, together."""
    seconds: float


class Within(NamedTuple):
    """The minutes of an hour that are counted."""

    lowest: Number
    """People inside in the emptiest of them."""
    seconds: float
    """All of them."""


class Hour(NamedTuple):
    """What is counted of an hour."""

    start: datetime
    came: Number
    spent: float
    """Seconds that people spent inside within it, all together."""
    lowest: Number
    """People inside in its emptiest minute."""
    seconds: float
    """That are counted."""
    is_open: bool


def within_hours(minutes: Iterable[tuple[datetime, Number]], timezone: ZoneInfo) -> dict[datetime, Within]:
    """Start of an hour -> its minutes; they are starts and who was inside."""
    inside: dict[datetime, list[Number]] = {}
    for start, people in minutes:
        inside.setdefault(bucket_start(start, Granularity.HOUR, timezone), []).append(people)
    return {start: Within(min(people), len(people) * _MINUTE) for start, people in inside.items()}


def hours_of(
    points: Sequence[MetricPoint], within: Mapping[datetime, Within], start: datetime, end: datetime
) -> list[Hour]:
    """The hours from `start` until `end` that are counted.

    `points` are they, ascending, with timeSpent, entrances, exits and the average of people inside; without
    those whose entrances have no time. `within` has the minutes of each. Empty where entrances
    or exits of some hour are missing: which hours are open is then not known, nor who was left over.
    """
    are_open = open_hours(points, start, end)
    if are_open is None:
        return []
    hours = []
    for point in points:
        first, came = point.timestamp, point.metrics.get(MetricKey.ENTRANCES, 0)
        lowest, seconds = within.get(first, Within(0, 0))
        if (spent := _spent(point, seconds)) is not None:
            hours.append(Hour(first, came, spent, lowest, seconds, first in are_open))
    return hours


def _spent(point: MetricPoint, seconds: float) -> float | None:
    """TimeSpent is the time that everybody spent inside, divided by those who came in: if somebody did."""
    came = point.metrics.get(MetricKey.ENTRANCES, 0)
    if came <= 0:
        return max(0, point.metrics.get(MetricKey.VISITORS_INSIDE, 0)) * seconds
    stay = point.metrics.get(MetricKey.TIME_SPENT)
    return None if stay is None else stay * came


def mean_time_inside(
    hours: Sequence[Hour], *, inside_before: float, inside_after: float, gaps: Iterable[Gap] = ()
) -> float | None:
    """Mean seconds inside per person who came in; None where that is not known.

    It is the time that everybody spent inside, divided by those who came in. Over a stretch that is how long
    people stayed only where hardly anybody's visit is cut: who was inside already when it began
    (`inside_before`) adds time without having come in, and who still is when it ends (`inside_after`) has
    come in without all of their time. A morning of a shop so tells a quarter of an hour, and its whole day a
    half. Minutes without counts cut visits likewise, and one that is shorter than a visit cuts of each the
    part that it is of a visit.

    Who left without being counted adds all hours until the number inside begins again. Closed hours are
    therefore left out, and there is no mean where such people may have spent much of the time in open ones.
    """
    people = sum(hour.came for hour in hours)
    spent = sum(hour.spent for hour in hours if hour.is_open)
    if not people:
        return None
    mean = spent / people
    cut = max(0, inside_before) + max(0, inside_after) + sum(_cut(gap, mean) for gap in gaps)
    left = sum(seconds for hour, seconds in _left_over(hours) if hour.is_open)
    return None if cut > _FEW * people or left > _MUCH * spent else mean


def telling_hours(points: Sequence[MetricPoint], hours: Sequence[Hour]) -> frozenset[datetime]:
    """Starts of those hours whose own time inside is about that of a visit.

    Such an hour is open, some people came in it, about as many left (one in which a place fills or empties
    cuts their visits), and people who had left may have made little of it. `hours` are those of `points`.
    """
    left_over = _left_over(hours, _last_of_counts(points))
    sound = {hour.start for hour, left in left_over if hour.is_open and left <= _MUCH * hour.spent}
    return frozenset(point.timestamp for point in points if point.timestamp in sound and _is_balanced(point))


def _last_of_counts(points: Sequence[MetricPoint]) -> frozenset[datetime]:
    """Starts of those hours after which fewer are inside than exits explain: the number began again at a
    daily reset, and who was left over until then is inside no more.
    """
    return frozenset(
        before.timestamp
        for before, after in pairwise(points)
        if before.metrics.get(_INSIDE, 0) - after.metrics.get(_INSIDE, 0)
        > max(0, _more_left(before)) + max(0, _more_left(after)) + 1
    )


def _more_left(hour: MetricPoint) -> Number:
    came, left = (hour.metrics.get(metric, 0) for metric in CROSSINGS)
    return left - came


def _is_balanced(hour: MetricPoint) -> bool:
    came, left = (hour.metrics.get(metric, 0) for metric in CROSSINGS)
    return came >= FEWEST_VISITS and min(came, left) >= _BALANCED * max(came, left)


def gaps_of(minutes: Iterable[tuple[datetime, Number]]) -> list[Gap]:
    """`minutes` are starts and who was inside, ascending; what lies between two of them has no counts."""
    steps = (
        (before, after, (second - first).total_seconds() - _MINUTE)
        for (first, before), (second, after) in pairwise(minutes)
    )
    return [Gap(max(0, before) + max(0, after), missing) for before, after, missing in steps if missing > 0]


def _cut(gap: Gap, visit: float) -> float:
    """Visits, each of `visit` seconds."""
    return max(0, gap.people) * (min(1, gap.seconds / visit) if visit > 0 else 1)


def _left_over(
    hours: Sequence[Hour], last: Collection[datetime] = frozenset()
) -> Iterator[tuple[Hour, float]]:
    """Of each hour, the last first, the seconds that people who had left may have spent inside, at most.

    Whoever had left by some minute is counted inside in all that follow, until the place closes: so they are
    no more than were inside in the emptiest of these. `last` are starts of hours after which the number is
    known to begin again, though the place stays open.
    """
    people, after = float("inf"), None
    for hour in reversed(hours):
        is_last = hour.start in last or not hour.is_open or (after and after - hour.start >= _HOUR + NIGHT)
        people = max(0.0, hour.lowest if is_last else min(people, hour.lowest))
        yield hour, people * hour.seconds
        after = hour.start
