"""Totals of two periods, and whether they may be compared: how much of each has counts.

Points do not tell a closed day from one on which a counter was silent, and a day that is closed in one period
may be open in the other. So what came in a period is its total, and whether totals may be compared follows
from the part that has counts of its open hours, and from how many people usually come in the others. Open are
hours in which somebody was in either period, and was not left over from others. An hour is open where the one
beside it in the other period is; where those beside each other are of other weekdays, and the periods have
all weekdays, where any of its weekday and hour is, and where they have not, one without counts beside one
without people is where any of its hour of the clock is. Where the parts are unlike, what came in the hours
that both have is compared.

All is taken in a unit that follows from the range alone, so that the verdict is the same whatever the size of
the bars. A longer unit than an hour would hide what is missing: of a day with one counted minute it would say
that it is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.bucket_table import Change, Completeness, bucket_minutes, starts_of, total
from analysis.granularity import usual_granularity
from analysis.made_once import made_once
from analysis.open_rows import (
    Lacking,
    Pairs,
    Row,
    Shared,
    UsualRows,
    are_alike,
    is_same_change,
    shared,
)
from analysis.open_time import OpenTime
from analysis.time_range import TimeRange, local_span, naive_local
from contract import Granularity, MetricKey
from contract.buckets import bucket_start, next_bucket_start

_MINUTE: Final = Granularity.MINUTE
_WEEK: Final = timedelta(weeks=1)


class Period(NamedTuple):
    """One of the two periods: its table, and which of its minutes and hours are counted."""

    range: TimeRange
    table: pd.DataFrame
    """As `bucket_table` makes it, in the unit of the comparison."""
    minutes: Mapping[str, Mapping[datetime, float]] = MappingProxyType({})
    """As in `HistoryData`."""
    open_hours: Mapping[str, frozenset[datetime]] = MappingProxyType({})
    """As in `HistoryData`."""
    open_time: OpenTime | None = None
    """What of it counts, and so is to have counts; None: all of it."""


class Verdict(NamedTuple):
    """The totals of one column in both periods, and on how many counts each rests."""

    present: float | None
    """The total; None where nothing is counted."""
    earlier: float | None
    counted: Completeness
    """Of the buckets of the open hours."""
    counted_earlier: Completeness
    minutes: Completeness
    """Of the minutes of the open hours, as far as that is known."""
    minutes_earlier: Completeness
    shared: Shared | None
    """None where they have none in common."""
    is_over: bool
    """Whether as much of the other period has passed as of the present one."""
    lacking: Lacking = Lacking(0.0, 0.0)
    """How many would have come in the minutes without counts, as far as others tell it."""
    may_hide_highest: bool = False
    """Whether an hour without counts may have been the fullest of its period."""

    @property
    def is_fair(self) -> bool:
        """Whether a change in percent means something: what is missing makes none and hides none."""
        sums = Change(self.present or 0.0, self.earlier or 0.0)
        are_whole = are_alike(self.minutes, self.minutes_earlier) and is_same_change(sums, self.lacking)
        return self.is_over and are_whole

    @property
    def are_peaks_fair(self) -> bool:
        """Likewise of the highest numbers of both."""
        return self.is_fair and not self.may_hide_highest


class OpenBucket(NamedTuple):
    """A bucket in which there should be counts, as far as its period holds it."""

    start: datetime
    """UTC."""
    held: float
    """Its minutes."""
    counted: float


@dataclass(frozen=True, slots=True)
class ComparedTotals:
    """Both periods in buckets of one unit, each row of the present beside its counterpart."""

    unit: Granularity
    timezone: ZoneInfo
    present: Period
    earlier: Period
    beside: Sequence[datetime | None]
    """Of each row of the present period, when that of the earlier one begins that it is held against."""
    is_over: bool
    made: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @made_once
    def verdict(self, column: tuple[str, MetricKey]) -> Verdict | None:
        """Both totals of a column (label, metric); None where it was not read of both periods."""
        if (both := self._both(column)) is None:
            return None
        own, other = both
        usual = UsualRows(own.values(), other.values())
        return Verdict(
            total(self.present.table[column]), total(self.earlier.table[column]),
            _counted(own), _counted(other), _minutes(own), _minutes(other), shared(self._pairs(own, other)),
            self.is_over, usual.lacking(), usual.may_hide_highest(),
        )  # fmt: skip

    def open_buckets(self, column: tuple[str, MetricKey]) -> tuple[list[OpenBucket], list[OpenBucket]] | None:
        """Those of the open hours of both periods, ascending; None where it was not read of both."""
        if (both := self._both(column)) is None:
            return None
        own, other = (
            [OpenBucket(self._begin(period, start), row.held, row.minutes) for start, row in rows.items()]
            for period, rows in zip((self.present, self.earlier), both, strict=True)
        )
        return own, other

    def held(self, period: Period, start: datetime) -> float:
        """Minutes of a bucket that count."""
        if period.open_time is not None:
            return period.open_time.of_bucket(start, self.unit, self.timezone)
        return bucket_minutes(start, self.unit, period.range, self.timezone)

    def _begin(self, period: Period, start: datetime) -> datetime:
        """The first minute of a bucket that counts."""
        if period.open_time is not None:
            after = next_bucket_start(start, self.unit, self.timezone)
            return period.open_time.within(start, after)[0].start
        return max(start, period.range.start)

    @property
    @made_once
    def is_of_week(self) -> bool:
        """Whether rows are held against those of their weekday and hour, wherever in the periods they are.

        Where those beside each other are of other weekdays, and both periods have all of these.
        """
        periods = (self.present.range, self.earlier.range)
        has_weekdays = all(local_span(range_, self.timezone) >= _WEEK for range_ in periods)
        return has_weekdays and self.unit is not Granularity.MONTH and not self._is_beside_its_weekday

    def _by_clock(
        self, own: dict[datetime, Row], other: dict[datetime, Row]
    ) -> tuple[dict[datetime, Row], dict[datetime, Row]]:
        """Rows of a few days beside other weekdays. One without counts may be open though nobody was in the
        one beside it, which is of a closed day: whether it is, all days tell that have its hour of the clock.
        """
        busy = {self._clock(start) for rows in (own, other) for start, row in rows.items() if row.is_busy}
        quiet = {
            row.kind for rows in (own, other) for row in rows.values() if row.minutes and not row.is_busy
        }
        untold = {
            start
            for rows in (own, other)
            for start, row in rows.items()
            if not row.minutes and row.kind in quiet and self._clock(start) in busy
        }
        clocks = {self._clock(start) for start in untold}
        own, other = (
            {
                start: row._replace(
                    kind=("clock", self._clock(start)), is_busy=row.is_busy or start in untold
                )
                if self._clock(start) in clocks
                else row
                for start, row in rows.items()
            }
            for rows in (own, other)
        )
        return own, other

    def _clock(self, start: datetime) -> int:
        return start.astimezone(self.timezone).hour

    @made_once
    def _both(self, column: tuple[str, MetricKey]) -> tuple[dict[datetime, Row], dict[datetime, Row]] | None:
        """Rows of the open hours of both periods."""
        if column not in self.present.table.columns or column not in self.earlier.table.columns:
            return None
        is_of_week = self.is_of_week
        own, other = (self._open(one, column, is_of_week=is_of_week) for one in (self.present, self.earlier))
        if not is_of_week and self.unit is Granularity.HOUR and not self._is_beside_its_weekday:
            own, other = self._by_clock(own, other)
        hours = {row.hour for row in (*own.values(), *other.values()) if row.is_busy}
        own, other = (
            {start: row for start, row in rows.items() if not hours or row.hour in hours}
            for rows in (own, other)
        )
        return own, other

    def _open(
        self, period: Period, column: tuple[str, MetricKey], *, is_of_week: bool
    ) -> dict[datetime, Row]:
        """Start -> row; of its weekday and hour, else of the present row beside which it lies."""
        known = period.minutes.get(column[0], {})
        own = [period.table[one].tolist() for one in period.table.columns if one[0] == column[0]]
        is_busy = [any(value > 0 for value in row) for row in zip(*own, strict=True)]  # NaN is not
        back = {} if period is self.present else self._back()
        starts = starts_of(period.table)
        holds = {start: self.held(period, start) for start in starts}
        usual = _usual_part(known, holds)
        rows = {}
        for start, value, busy in zip(starts, period.table[column], is_busy, strict=True):
            held = holds[start]
            if not held:  # closed: nothing is to be there
                continue
            # What is counted beyond the open part of an hour makes up for none of it.
            counted = 0.0 if pd.isna(value) else min(known.get(start, usual * held), held)
            is_alone = period is self.earlier and start not in back
            beside = back.get(start, start)
            of_week = self._of_week(start) if is_of_week else None
            rows[start] = Row(
                float(value),
                counted,
                held,
                of_week or (beside, is_alone),
                of_week or (self._hour(beside), is_alone),
                _is_expected(self._hour(start), period, column[0], busy=busy),
            )
        return rows

    def _back(self) -> dict[datetime, datetime]:
        starts = starts_of(self.present.table)
        return {other: start for start, other in zip(starts, self.beside, strict=True) if other}

    def _hour(self, start: datetime) -> datetime:
        return bucket_start(start, Granularity.HOUR, self.timezone) if self.unit is _MINUTE else start

    def _of_week(self, start: datetime) -> tuple[int, int, int]:
        """Weekday, hour, and whether it is the second of that name."""
        local = start.astimezone(self.timezone)
        return local.weekday(), local.hour, local.fold

    @property
    @made_once
    def _is_beside_its_weekday(self) -> bool:
        """Whether each row is held against one of its own weekday and hour."""
        local = [
            (naive_local(start, self.timezone), naive_local(before, self.timezone))
            for start, before in zip(starts_of(self.present.table), self.beside, strict=True)
            if before is not None
        ]
        return all((one - two) % _WEEK == timedelta(0) for one, two in local)

    def _pairs(self, own: Mapping[datetime, Row], other: Mapping[datetime, Row]) -> Pairs:
        """Rows beside each other that are of open hours of both; where a row stands for its weekday and hour,
        the first of these beside the first, and so on.
        """
        if not self.is_of_week:
            return [
                (own[start], other[before])
                for start, before in zip(starts_of(self.present.table), self.beside, strict=True)
                if before is not None and start in own and before in other
            ]
        others = defaultdict(list)
        for row in other.values():
            others[row.kind].append(row)
        waiting = {kind: iter(rows) for kind, rows in others.items()}
        beside = ((row, next(waiting.get(row.kind, iter(())), None)) for row in own.values())
        return [(row, found) for row, found in beside if found is not None]


def _is_expected(hour: datetime, period: Period, label: str, *, busy: bool) -> bool:
    """Whether there should be counts: when it is open as somebody has said, else when somebody was in."""
    if period.open_time is not None:
        return True
    open_hours = period.open_hours.get(label)
    return bool(busy) and (open_hours is None or hour in open_hours)


def _usual_part(known: Mapping[datetime, float], holds: Mapping[datetime, float]) -> float:
    """The share of their minutes that is counted, of the buckets where that is known; 1 where it is of none.

    Of one in which nobody was it is not, and a place that counts in quarters of an hour does so there, too.
    """
    own = [(min(counted, holds[start]), holds[start]) for start, counted in known.items() if start in holds]
    held = sum(minutes for _, minutes in own)
    return sum(counted for counted, _ in own) / held if held else 1.0


def _counted(rows: Mapping[datetime, Row]) -> Completeness:
    return Completeness(sum(row.minutes > 0 for row in rows.values()), len(rows))


def _minutes(rows: Mapping[datetime, Row]) -> Completeness:
    return Completeness(
        round(sum(row.minutes for row in rows.values())), round(sum(row.held for row in rows.values()))
    )


def unit_of(range_: TimeRange, timezone: ZoneInfo) -> Granularity:
    """In which unit a range and what it is compared with are held against each other: an hour at most."""
    usual = usual_granularity(range_, timezone)
    return usual if usual is Granularity.MINUTE else Granularity.HOUR
