"""When a place is busy in a week: a number for each hour of each weekday, and on how many days it rests.

Hours are those of the local clock. One that comes twice when the clocks go back counts twice for its cell,
one that is skipped not at all. Hours that the range holds only in part, of which minutes are missing, or
whose number inside means nothing (decision 19) are left out and counted as such: none of them makes a cell
look quieter than it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import isnan
from typing import Final, NamedTuple

from analysis.bands import Band, band
from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_minutes
from analysis.history_data import HistoryData, rows_with_counts
from contract import METRICS, MetricKey, MetricKind
from contract.buckets import next_bucket_start

DAYS_A_WEEK: Final = 7
HOURS_A_DAY: Final = 24
FEWEST_DAYS: Final = 2
"""On fewer, a cell is one day and no rhythm: it is neither the busiest nor the quietest."""
_MOST_ENTRANCES: Final = 0.8
"""The part of all entrances that power hours hold."""
_MOST_LEFT_OUT: Final = 0.25
"""Of the hours in which anybody comes; where more are left out, the others are no week."""
_HOUR: Final = timedelta(hours=1)


class Hour(NamedTuple):
    """An hour of the week."""

    weekday: int
    """0: Monday."""
    hour: int
    """0 to 23, by the local clock."""


class Cell(NamedTuple):
    value: float | None
    """Mean of its hours, of a mean over people their mean by entrances; None: it has none."""
    days: Completeness
    """On how many days its hour could be used, of those of the range."""
    spoilt: int = 0
    """Days that are left out because the number inside means nothing then."""
    partial: int = 0
    """Days that are left out because some of its minutes have counts, and others have none."""
    missed: int = 0
    """Days on which it is open, as somebody has said, and has no counts."""

    @property
    def is_of_few_days(self) -> bool:
        """Whether most of its days are left out, so that another cell may rest on other weeks."""
        return 2 * self.days.present < self.days.expected

    @property
    def is_usual(self) -> bool:
        """Whether its value rests on enough days to tell of any week."""
        return self.days.present >= FEWEST_DAYS and not self.is_of_few_days

    @property
    def is_left_out(self) -> bool:
        """Whether somebody is counted in it, or may be as it is open, and on too few days to tell how many.

        One that never has counts is none in which nobody comes, nor one that is missed: it may be closed.
        """
        return not self.is_usual and bool(self.value or self.partial or self.missed or self.spoilt)


class PowerHours(NamedTuple):
    hours: tuple[Hour, ...]
    """Of a typical week, the busiest first."""
    share: float
    """Of the entrances of its hours that are told, those that come in these."""
    open_hours: int
    """Of the week, in which anybody comes, of those that are told."""
    left_out: tuple[Hour, ...] = ()
    """Those of which too few days tell how many come, ascending: they are in none of the above."""

    @property
    def are_told(self) -> bool:
        """Whether so few are left out that the others are nearly a week."""
        return len(self.left_out) <= _MOST_LEFT_OUT * (self.open_hours + len(self.left_out))


class _Used(NamedTuple):
    day: date
    value: float
    weight: float


class _Told(NamedTuple):
    """What an hour of the range tells."""

    hour: Hour
    day: date
    value: float | None
    """None: it cannot be used."""
    weight: float
    is_spoilt: bool
    is_partial: bool
    """Whether it lacks minutes."""
    is_missed: bool
    """Whether it is open, as somebody has said, and has no counts."""


class Rhythm(NamedTuple):
    cells: Mapping[Hour, Cell]
    """All 168 of a week."""
    bands: Mapping[Hour, Band]
    """Of those that have FEWEST_DAYS or more."""

    def bands_of(self, weekday: int) -> dict[int, Band]:
        """By hour."""
        return {hour.hour: band for hour, band in self.bands.items() if hour.weekday == weekday}

    @property
    def has_numbers(self) -> bool:
        """Whether there is anything of which a map or a table could be made."""
        return any(cell.value is not None for cell in self.cells.values())

    @property
    def left_out(self) -> tuple[Hour, ...]:
        """Hours in which somebody is counted, or may be, on too few days to tell how many; ascending."""
        return tuple(hour for hour in sorted(self.cells) if self.cells[hour].is_left_out)

    def left_out_on(self, weekday: int) -> frozenset[int]:
        """Likewise, hours of the clock."""
        return frozenset(hour.hour for hour in self.left_out if hour.weekday == weekday)

    def extreme(self, *, busiest: bool) -> tuple[Hour, float] | None:
        """The hour with the highest or, above 0, the lowest mean; None: none rests on enough days."""
        known = {hour: cell.value for hour, cell in self.cells.items() if cell.value and cell.is_usual}
        if not known:
            return None
        return (max if busiest else min)(known.items(), key=lambda item: item[1])


def rhythm(
    data: HistoryData,
    label: str,
    metric: MetricKey,
    *,
    left_out: Collection[datetime] = frozenset(),
    spoilt: Collection[datetime] = frozenset(),
    open_: Collection[datetime] = frozenset(),
) -> Rhythm:
    """Of one column of hours; `data` has their minutes, as far as these are known.

    `left_out` are starts of hours that are left out besides, `spoilt` of those whose number means nothing,
    `open_` of those in which it is open, where somebody has said so.
    """
    used: dict[Hour, list[_Used]] = defaultdict(list)
    days: dict[Hour, set[date]] = defaultdict(set)
    unsound: dict[Hour, set[date]] = defaultdict(set)
    partial: dict[Hour, set[date]] = defaultdict(set)
    missed: dict[Hour, set[date]] = defaultdict(set)
    for told in _hours(data, label, metric, left_out=left_out, spoilt=spoilt, open_=open_):
        days[told.hour].add(told.day)
        if told.is_partial:
            partial[told.hour].add(told.day)
        if told.is_missed:
            missed[told.hour].add(told.day)
        if told.is_spoilt:
            unsound[told.hour].add(told.day)
        elif told.value is not None:
            used[told.hour].append(_Used(told.day, told.value, told.weight))
    week = [Hour(weekday, hour) for weekday in range(DAYS_A_WEEK) for hour in range(HOURS_A_DAY)]

    def cell(hour: Hour) -> Cell:
        left = (len(one[hour]) for one in (unsound, partial, missed))
        return Cell(_mean(used[hour]), Completeness(_days(used[hour]), len(days[hour])), *left)

    return Rhythm(
        {hour: cell(hour) for hour in week},
        {hour: band for hour in week if (band := _band(used[hour]))},
    )


def power_hours(of_entrances: Rhythm) -> PowerHours | None:
    """The fewest hours of a typical week that hold four fifths of its entrances.

    None where nobody came, or on too few days to tell. Whether they may be told follows from how many hours
    are left out: nobody knows how many come in those.
    """
    means = {hour: cell.value for hour, cell in of_entrances.cells.items() if cell.value and cell.is_usual}
    total = sum(means.values())
    busiest = sorted(means, key=lambda hour: (-means[hour], hour))
    held, chosen = 0.0, []
    for hour in busiest:
        if held >= _MOST_ENTRANCES * total:
            break
        chosen.append(hour)
        held += means[hour]
    if not chosen:
        return None
    return PowerHours(tuple(chosen), held / total, len(means), of_entrances.left_out)


def usual_sum(
    data: HistoryData, label: str, metric: MetricKey, weekday: int, hours: Collection[int]
) -> Band | None:
    """What so many hours of such a day bring together, of the days that have them all; None: too few have."""
    by_day: dict[date, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for told in _hours(data, label, metric):
        if told.hour.weekday == weekday and told.hour.hour in hours and told.value is not None:
            by_day[told.day][told.hour.hour] += told.value
    whole = [_Used(day, sum(own.values()), 1.0) for day, own in by_day.items() if own.keys() == set(hours)]
    return _band(whole)


def _hours(
    data: HistoryData,
    label: str,
    metric: MetricKey,
    *,
    left_out: Collection[datetime] = frozenset(),
    spoilt: Collection[datetime] = frozenset(),
    open_: Collection[datetime] = frozenset(),
) -> Iterator[_Told]:
    """Of each whole hour."""
    starts = starts_of(data.table)
    few = few_minutes(data, label)
    there = rows_with_counts(data, [label])
    rows = zip(
        starts, data.cut, data.table[label, metric], _weights(data, label, metric), few, there, strict=True
    )
    for start, cut, value, weight, missing, is_there in rows:
        # An hour that a change of offset cuts holds fewer people than others.
        if not cut and next_bucket_start(start, data.granularity, data.timezone) - start == _HOUR:
            local = start.astimezone(data.timezone)
            is_known = missing is None and weight > 0 and start not in left_out and not isnan(value)
            yield _Told(
                Hour(local.weekday(), local.hour), local.date(), float(value) if is_known else None,
                float(weight), start in spoilt, missing is not None, not is_there and start in open_,
            )  # fmt: skip


def _weights(data: HistoryData, label: str, metric: MetricKey) -> Sequence[float]:
    """A mean over people counts by how many came, where that is read; any other number once an hour."""
    came = (label, MetricKey.ENTRANCES)
    if METRICS[metric].kind is MetricKind.MEAN and came in data.table.columns:
        return list(data.table[came])
    return [1.0] * len(data.table)


def _mean(used: Sequence[_Used]) -> float | None:
    weights = sum(one.weight for one in used)
    return sum(one.value * one.weight for one in used) / weights if used else None


def _days(used: Sequence[_Used]) -> int:
    return len({one.day for one in used})


def _band(used: Sequence[_Used]) -> Band | None:
    days = _days(used)
    return band([one.value for one in used], days) if days >= FEWEST_DAYS else None
