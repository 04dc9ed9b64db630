"""A day of the past, ready to be played: of each place its numbers step by step, of each passage who crossed.

A step is a minute, or whatever a service tells of that day: an hour then, whose number inside is a mean. What
has no point is None, and stays so. Times are UTC; a day is local, and has 23, 24 or 25 hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from analysis.drift import Drift, drifts
from analysis.time_range import TimeRange, counted_part, whole_day
from contract import Granularity, MetricKey, MetricPoint, Number
from contract.buckets import bucket_start
from contract.minutes import MINUTE

_DAY: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)
_MORNING: Final = timedelta(hours=12)
"""Of the next day, in which those who were left over at midnight are forgotten."""
_FEWEST: Final = 4
"""Points that must lie on a longer grid before it is believed: fewer may by chance."""
_LONGER_STEPS: Final = tuple(timedelta(minutes=one) for one in (60, 30, 15, 10, 5))

Value = TypeVar("Value")

Values = tuple[Number | None, ...]
"""One for each step; None: no count."""
Both = tuple[Number, Number]
"""People from where a passage begins to where it ends, and back."""


class Stretch(NamedTuple):
    """A time in which the number inside cannot be trusted, since who came and who left do not add up."""

    start: datetime
    end: datetime
    people: float
    """By how many."""


class RecordedPlace(NamedTuple):
    """A zone, or the whole site."""

    inside: Values
    entrances: Values
    exits: Values
    untrusted: tuple[Stretch, ...] = ()


class Fullest(NamedTuple):
    inside: Number
    at: datetime
    """Start of the step; the first of several that were as full."""


class RepeatedTime(NamedTuple):
    """A time of the day that its clocks show twice, once of two."""

    start: datetime
    end: datetime
    offset: str
    """From UTC: `+02:00`."""


@dataclass(frozen=True, slots=True)
class RecordedDay:
    day: date
    whole: TimeRange
    """From midnight to midnight."""
    counted: TimeRange
    """As much of it as was published when it was read."""
    timezone: ZoneInfo
    step: timedelta
    places: Mapping[str, RecordedPlace]
    """By name; one that could not be read is absent."""
    passages: Mapping[str, tuple[Both | None, ...]]
    """By id, by step; one that could not be read is absent."""
    has_refused: bool = False
    """Whether values are left out because they cannot be right."""

    @property
    def is_by_the_minute(self) -> bool:
        return self.step == MINUTE

    @property
    def length(self) -> timedelta:
        """Of the whole day: another than usual where the clocks are changed, on Lord Howe by half an hour."""
        return self.whole.end - self.whole.start

    def start_of(self, index: int) -> datetime:
        return self.counted.start + index * self.step


def repeated_times(day: RecordedDay) -> list[RepeatedTime]:
    """Both of each time that the clocks of the day show twice, ascending; none of a day of 24 hours."""
    found: list[RepeatedTime] = []
    minutes = (day.whole.end - day.whole.start) // MINUTE if day.whole.end - day.whole.start > _DAY else 0
    for at in (day.whole.start + minute * MINUTE for minute in range(minutes)):
        local = at.astimezone(day.timezone)
        if local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset():
            offset = local.isoformat(timespec="minutes")[len("2026-10-25T02:30") :]
            if found and (found[-1].end, found[-1].offset) == (at, offset):
                found[-1] = found[-1]._replace(end=at + MINUTE)
            else:
                found.append(RepeatedTime(at, at + MINUTE, offset))
    return found


def empty_day(day: date, timezone: ZoneInfo, now: datetime, step: timedelta = MINUTE) -> RecordedDay:
    """`day` as far as it is published at `now`, with nothing in it yet."""
    whole = whole_day(day, timezone)
    return RecordedDay(day, whole, counted_part(whole, now), timezone, step, {}, {})


def parts_of(range_: TimeRange) -> list[TimeRange]:
    """The range in parts of a day at most, as long as any service tells minutes of; none of an empty one."""
    parts = []
    while not range_.is_empty:
        end = min(range_.end, range_.start + _DAY)
        parts.append(TimeRange(range_.start, end))
        range_ = TimeRange(end, range_.end)
    return parts


def morning_after(day: RecordedDay, now: datetime) -> TimeRange:
    """What must be read besides where `typical_day.needs_what_follows`; it may be empty."""
    return counted_part(TimeRange(day.whole.end, day.whole.end + _MORNING), now)


def day_before(day: RecordedDay) -> TimeRange:
    """What must be read besides where `needs_what_precedes`."""
    return TimeRange(day.whole.start - _DAY, day.whole.start)


def needs_what_precedes(day: RecordedDay, points: Sequence[MetricPoint]) -> bool:
    """Whether only the day before tells if the number at midnight can be trusted: a count that people came or
    left in goes on then. One that is held at 0 looks as if it began; of hours, or of one minute, nothing is
    told.
    """
    counts = drifts(((point.timestamp, point.metrics) for point in points), day.counted.start)
    goes_on = bool(counts) and not counts[0].is_begin_seen and counts[0].busy_until is not None
    return goes_on and day.is_by_the_minute and counts[0].minutes > 1


def step_of(points: Sequence[MetricPoint], asked: Granularity = Granularity.MINUTE) -> timedelta:
    """How long the buckets are that a service answered in: a minute, unless all lie on a longer grid."""
    if asked is Granularity.HOUR:
        return _HOUR
    gaps = [after.timestamp - before.timestamp for before, after in pairwise(points)]
    if len(points) < _FEWEST:
        return MINUTE
    own = (one for one in _LONGER_STEPS if min(gaps) >= one and _are_on_grid(points, one))
    return next(own, MINUTE)


def _are_on_grid(points: Iterable[MetricPoint], step: timedelta) -> bool:
    return all(point.timestamp.timestamp() % step.total_seconds() == 0 for point in points)


def recorded_place(
    day: RecordedDay,
    points: Sequence[MetricPoint],
    after: Sequence[MetricPoint] = (),
    before: Sequence[MetricPoint] = (),
) -> RecordedPlace:
    """A zone or the whole site; `after` are the points of the next morning, `before` those of the day before,
    where they are needed.
    """

    def values(metric: MetricKey) -> Values:
        return _by_step(day, {point.timestamp: point.metrics.get(metric) for point in points})

    return RecordedPlace(
        values(MetricKey.VISITORS_INSIDE),
        values(MetricKey.ENTRANCES),
        values(MetricKey.EXITS),
        _untrusted(day, (*before, *points, *after)),
    )


def recorded_passage(day: RecordedDay, counts: Mapping[datetime, Both]) -> tuple[Both | None, ...]:
    return _by_step(day, counts)


def _by_step(day: RecordedDay, values: Mapping[datetime, Value | None]) -> tuple[Value | None, ...]:
    """The service's own points, each in its step; what lies outside the day is left out."""
    found: list[Value | None] = [None] * -((day.counted.start - day.counted.end) // day.step)
    for moment, value in values.items():
        index = (moment - day.counted.start) // day.step
        if 0 <= index < len(found):
            found[index] = value
    return tuple(found)


def _untrusted(day: RecordedDay, points: Sequence[MetricPoint]) -> tuple[Stretch, ...]:
    """Known after the day, it holds for the whole of a count, from its reset to the next.

    Of a count that was going on at midnight the beginning is not among the points where the day before could
    not be read: as in `analysis/typical_day.py` it is judged by whom it left inside, beside the highest
    number of the day.
    """
    counts = drifts((point.timestamp, point.metrics) for point in points)
    own = [one for one in counts if one.since < day.counted.end and _is_after(one.until, day.counted.start)]
    peak = max((count.peak for count in own), default=0)
    if own and own[0].until and not own[0].is_whole:
        own[0] = replace(own[0], is_whole=True, peak=peak)
    found = (_stretch(count, day) for count in own if count.is_spoiling)
    return tuple(one for one in found if one.start < one.end)


def _is_after(until: datetime | None, moment: datetime) -> bool:
    return until is None or until > moment


def _stretch(count: Drift, day: RecordedDay) -> Stretch:
    end = (count.busy_until or count.until) if count.until else None
    return Stretch(
        max(count.since, day.counted.start), min(end or day.counted.end, day.counted.end), count.people
    )


def fullest(day: RecordedDay, place: RecordedPlace) -> Fullest | None:
    """Of the steps whose number can be trusted; None: there is none, or nobody was inside in any."""
    known = [
        (value, -index)
        for index, value in enumerate(place.inside)
        if value is not None and _is_trusted(place, day.start_of(index), day.step)
    ]
    inside, index = max(known, default=(0, 0))
    return Fullest(inside, day.start_of(-index)) if inside > 0 else None


def _is_trusted(place: RecordedPlace, at: datetime, step: timedelta) -> bool:
    return not any(one.start < at + step and at < one.end for one in place.untrusted)


def untrusted_times(place: RecordedPlace) -> list[TimeRange]:
    """The stretches, those that touch each other as one."""
    found: list[TimeRange] = []
    for one in place.untrusted:
        if found and one.start <= found[-1].end:
            found[-1] = TimeRange(found[-1].start, max(found[-1].end, one.end))
        else:
            found.append(TimeRange(one.start, one.end))
    return found


def busiest_hour(day: RecordedDay, place: RecordedPlace) -> datetime | None:
    """Start of the hour in which most came in; None: nobody did."""
    steps = max(1, _HOUR // day.step)
    hours = [
        (sum(value or 0 for value in place.entrances[first : first + steps]), -first)
        for first in range(0, len(place.entrances), steps)
    ]
    entered, first = max(hours, default=(0, 0))
    return day.start_of(-first) if entered > 0 else None


def missing_steps(place: RecordedPlace) -> int:
    """How many steps have no number inside."""
    return sum(value is None for value in place.inside)


def busiest_day(points: Iterable[MetricPoint], timezone: ZoneInfo, weekday: int | None = None) -> date | None:
    """The local day on which most came in, by points of days; only of a `weekday` (0: Monday) where one is
    given. Of several the latest; None: nobody came on any.
    """
    found = [
        (entered, bucket_start(point.timestamp, Granularity.DAY, timezone).astimezone(timezone).date())
        for point in points
        if (entered := point.metrics.get(MetricKey.ENTRANCES, 0)) > 0
    ]
    return max((one for one in found if weekday in (None, one[1].weekday())), default=(0, None))[1]
