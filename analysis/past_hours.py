"""What hours of the weeks before had, by day and hour of the local clock: what an estimate is made of.

An hour tells what is usual where it is as whole as such hours are. One that lies between counted ones is to
have all its minutes: of three Tuesdays with a minute each, none has told that hour. One with which the counts
of a day begin or end has as many as on other days, but for a few minutes nobody calls it open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import isnan
from statistics import fmean, median
from typing import Final, NamedTuple

from analysis.bands import Band, added_up, band
from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_minutes, held_minutes, is_nearly_all
from analysis.expected_minutes import counted_rows, edges_of
from analysis.forecast import SURELY_OPEN
from analysis.history_data import HistoryData, rows_that_count
from analysis.reporting_rate import MINUTES_AN_HOUR
from analysis.rhythm import DAYS_A_WEEK
from analysis.time_range import naive_local
from contract import Granularity, MetricKey
from contract.buckets import next_bucket_start

WEEKS: Final = 8
"""Before each day of which hours are missing; longer ago, and it is last season's."""
FEWEST_DAYS: Final = 3
_MOST: Final = 0.75
"""Of an hour's minutes: where such hours usually have so many, those are expected of it."""
_FEWEST: Final = 0.25
"""With usually less, an hour that begins or ends a day's counts is not expected at all."""
_HOUR: Final = timedelta(hours=1)
_WEEK: Final = timedelta(days=DAYS_A_WEEK)

Column = tuple[str, MetricKey]
"""Label and metric."""


class Estimated(NamedTuple):
    """Of the missing hours of one day, or of one of them."""

    people: Band
    """Of who came or went, so many more; of people inside, so many on average."""
    minutes: float
    """That are missing."""


class LackingHour(NamedTuple):
    """An hour that lacks minutes."""

    start: datetime
    day: date
    clock: int
    """Of the local clock."""
    missing: float
    """Minutes."""


class Seen(NamedTuple):
    """An hour that has counts."""

    value: float
    minutes: float | None
    """That are counted; None: it is not known of how many."""
    is_edge: bool = False
    """Whether an hour beside it has no counts."""
    is_sound: bool = True
    """Whether its value means anything; its minutes tell all the same how many such an hour has."""


SeenHours = Mapping[tuple[date, int], list[Seen]]
"""By day and hour of the local clock; an hour that the clocks repeat is two."""


def seen_hours(column: Column, data: HistoryData, unsound: Collection[datetime]) -> SeenHours:
    """Of open hours those counted whole; `unsound`: starts of those whose values mean nothing."""
    label, known = column[0], data.minutes.get(column[0], {})
    seen: defaultdict[tuple[date, int], list[Seen]] = defaultdict(list)
    edges = edges_of(counted_rows(data, label))
    cells = zip(data.table[column], few_minutes(data, label), edges, strict=True)
    for (start, local, held), (value, few, is_edge) in zip(clock_hours(data), cells, strict=True):
        if not held or isnan(value):
            continue
        is_sound, place = start not in unsound, (local.date(), local.hour)
        if data.open_time is None:
            seen[place].append(Seen(float(value), known.get(start), bool(is_edge), is_sound))
        elif few is None:
            seen[place].append(Seen(float(value), held, is_sound=is_sound))
    return seen


def clock_hours(data: HistoryData) -> Iterator[tuple[datetime, datetime, float]]:
    """Of each row its start, the same by the local clock, and its minutes that count: 0 where it is closed,
    or where the clocks change within it.
    """
    held_in = held_minutes(Granularity.HOUR, data)
    for start, counts in zip(starts_of(data.table), rows_that_count(data), strict=True):
        is_hour = next_bucket_start(start, Granularity.HOUR, data.timezone) - start == _HOUR
        held = held_in(start) if counts and is_hour else 0.0
        yield start, naive_local(start, data.timezone), held


class PastHours:
    """The hours that are known."""

    def __init__(self, seen: SeenHours, *, is_flow: bool, has_hours: bool) -> None:
        """`has_hours`: somebody has said when it is open, so that the seen ones are whole, however short."""
        self._is_flow, self._has_hours = is_flow, has_hours
        self._seen = _without_quiet_days(seen)

    def usual(self, day: date, clock: int) -> float:
        """Minutes that such an hour is to have; 0: none before has counts, or too few to be called open."""
        seen = [one for before in _days_before(day) for one in self._seen.get((before, clock), ())]
        known = [one.minutes for one in seen if one.minutes is not None]
        if not known:
            return MINUTES_AN_HOUR if seen else 0
        minutes = median(known)
        if self._has_hours or minutes >= _MOST * MINUTES_AN_HOUR:
            return minutes
        if 2 * sum(one.is_edge for one in seen) <= len(seen):
            return MINUTES_AN_HOUR
        return minutes if minutes >= _FEWEST * MINUTES_AN_HOUR else 0

    def of_hour(self, hour: LackingHour) -> Estimated | None:
        """None: too few of such days before tell it."""
        return _estimated([own[hour.start] for own in self._before([hour])], hour.missing)

    def of_day(self, hours: Sequence[LackingHour], told: Mapping[datetime, Estimated]) -> Estimated:
        """What these hours brought together on such days that have them all; else, hour by hour added up."""
        minutes = sum(one.missing for one in hours)
        return _estimated([sum(own.values()) for own in self._before(hours)], minutes) or Estimated(
            added_up([told[one.start].people for one in hours]), minutes
        )

    def _before(self, hours: Sequence[LackingHour]) -> list[dict[datetime, float]]:
        """By hour what each of such days before had of it, where it has them all. They are of one day."""
        usual = {one.start: self.usual(one.day, one.clock) for one in hours}
        found = []
        for day in _days_before(hours[0].day):
            own = {one.start: self._part(one, day, usual[one.start]) for one in hours}
            known = {start: value for start, value in own.items() if value is not None}
            found += [known] if len(known) == len(own) else []
        return found

    def _part(self, hour: LackingHour, day: date, usual: float) -> float | None:
        """What such an hour had in as many minutes; None where it has less than what is usual of it."""
        seen = [
            one.value * hour.missing / max(usual, one.minutes or 0) if self._is_flow else one.value
            for one in self._seen.get((day, hour.clock), ())
            if one.is_sound
            and (one.minutes is None or is_nearly_all(Completeness(round(one.minutes), round(usual))))
        ]
        return fmean(seen) if seen else None


def _days_before(day: date) -> list[date]:
    return [day - weeks * _WEEK for weeks in range(1, WEEKS + 1)]


def _estimated(values: Sequence[float], minutes: float) -> Estimated | None:
    return Estimated(band(values, len(values)), minutes) if len(values) >= FEWEST_DAYS else None


def _without_quiet_days(seen: SeenHours) -> SeenHours:
    """Without days on which nobody came though on such a weekday people do: a holiday tells nothing. Where
    few come, nobody may by chance.
    """
    of_day: defaultdict[date, float] = defaultdict(float)
    for (day, _), own in seen.items():
        for one in own:
            if one.is_sound:
                of_day[day] += one.value
    busy = {day.weekday() for day, people in of_day.items() if people >= SURELY_OPEN}
    quiet = {day for day, people in of_day.items() if people <= 0 and day.weekday() in busy}
    return {(day, hour): own for (day, hour), own in seen.items() if day not in quiet}
