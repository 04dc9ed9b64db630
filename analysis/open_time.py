"""Open time as what counts: when a site is open by its own clock, and how much of any bucket that is."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.opening_hours import OpeningHours, closed_hours, open_within
from analysis.time_range import TimeRange
from contract import Granularity
from contract.buckets import next_bucket_start
from contract.minutes import MINUTE


@dataclass(frozen=True)
class OpenTime:
    """The open part of a range."""

    ranges: tuple[TimeRange, ...]
    """Ascending, none meets another; UTC."""

    @cached_property
    def _ends(self) -> list[datetime]:
        return [one.end for one in self.ranges]

    def within(self, start: datetime, end: datetime) -> list[TimeRange]:
        """What of [start, end) is open, ascending."""
        found = []
        for index in range(bisect_right(self._ends, start), len(self.ranges)):
            one = self.ranges[index]
            if one.start >= end:
                break
            found.append(TimeRange(max(one.start, start), min(one.end, end)))
        return found

    def minutes(self, start: datetime, end: datetime) -> float:
        """Open minutes of [start, end)."""
        return sum(((one.end - one.start) / MINUTE for one in self.within(start, end)), 0.0)

    def of_bucket(self, start: datetime, granularity: Granularity, timezone: ZoneInfo) -> float:
        """Open minutes of the bucket that begins at `start`; 0: it is closed."""
        return self.minutes(start, next_bucket_start(start, granularity, timezone))

    def has(self, moment: datetime) -> bool:
        return bool(self.within(moment, moment + MINUTE))


class Opening(NamedTuple):
    """When a site is open, by the clock of its own time zone, whichever zone one looks at it in."""

    hours: OpeningHours
    timezone: ZoneInfo

    def of(self, range_: TimeRange) -> OpenTime:
        return _open_time(self, range_)

    def or_closed_hours(self, range_: TimeRange, timezone: ZoneInfo) -> OpenTime:
        """Open time, and the hours of `timezone` in no minute of which it is open: what an hour is to hold
        where closed hours count, too.
        """
        closed = (
            TimeRange(max(start, range_.start), min(after, range_.end))
            for start in closed_hours(self.hours, range_, timezone)
            for after in [next_bucket_start(start, Granularity.HOUR, timezone)]
        )
        return OpenTime(tuple(sorted([*self.of(range_).ranges, *closed])))


@lru_cache(maxsize=32)  # a page asks for that of its two ranges again and again
def _open_time(opening: Opening, range_: TimeRange) -> OpenTime:
    if range_.is_empty:
        return OpenTime(())
    return OpenTime(tuple(open_within(opening.hours, range_, opening.timezone)))
