"""In which minutes people crossed, as far as a counter tells: by sums, totals and single crossings. Pure.

A counter tells a sum of a stretch of time; who of them crossed in which minute is not known. They are spread
evenly, and where the stretch is longer than a quarter of an hour the minutes are marked as spread. A counter
that tells nobody lives: its minutes are counted as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from contract.minutes import minute_number
from service.ingest.count_time import CLOCK_SKEW, LARGEST_COUNT
from service.sensors.told_count import ReportError, ToldCount
from service.store.sensor_protocol import LineClock, LineTotal

LONGEST_INTERVAL: Final = timedelta(hours=25)
"""A day on which the clocks go back."""
LONGEST_GROWTH: Final = timedelta(days=31)
"""A total that has grown for longer says too little of when."""
LATEST: Final = timedelta(days=30)
"""A count may come so late; what is older comes from a clock that is wrong."""
MOST_SURE: Final = timedelta(minutes=15)
"""A sum of a longer stretch is marked as spread: quarters of an hour are what counters tell."""


class Times(NamedTuple):
    """When something was told to be, UTC; `start` is None where it is a moment or a total."""

    start: datetime | None
    end: datetime


class Minutes(NamedTuple):
    """Who crossed in minutes one after another, since the epoch."""

    first: int
    forward: Sequence[int]
    backward: Sequence[int]
    is_spread: bool

    @property
    def end(self) -> int:
        return self.first + len(self.forward)


class Growth(NamedTuple):
    """What a running total has grown by."""

    forward: int
    backward: int
    is_anew: bool
    """Whether it has begun again at 0 meanwhile."""


def times_of(told: ToldCount, timezone: ZoneInfo, arrived: datetime) -> Times:
    """What was told, in UTC; local times are of `timezone`, and of two that are the same the last that had
    begun when it arrived. Raises ReportError.
    """
    if told.start is None:
        return Times(None, _latest([(one, one) for one in _instants(told.end, timezone)], arrived)[1])
    length = told.end - told.start
    begins = _instants(told.start, timezone)
    if length > timedelta(0):
        options = [(begin, begin + length) for begin in begins]
    else:  # a clock on the wall goes back by an hour
        ends = _instants(told.end, timezone)
        options = [(begin, end) for begin in begins for end in ends if end > begin]
    if not options or options[0][1] - options[0][0] > LONGEST_INTERVAL:
        raise ReportError(
            f"an interval from {_printed(told.start)} to {_printed(told.end)} is none:"
            f" it ends after it begins, at most {LONGEST_INTERVAL / timedelta(hours=1):g} hours later"
        )
    return Times(*_latest(options, arrived))


def _instants(told: datetime, timezone: ZoneInfo) -> list[datetime]:
    """What a time may mean, ascending, UTC: two where it has no offset and comes twice."""
    if told.tzinfo is not None:
        return [told.astimezone(UTC)]
    return sorted({told.replace(tzinfo=timezone, fold=fold).astimezone(UTC) for fold in (0, 1)})


def _latest(options: list[tuple[datetime, datetime]], arrived: datetime) -> tuple[datetime, datetime]:
    """The last that had ended when it arrived; else the first."""
    over = [option for option in options if option[1] <= arrived + CLOCK_SKEW]
    return over[-1] if over else options[0]


def clock_of(end: datetime, arrived: datetime) -> LineClock:
    """How the clock stood that told `end`; it is not trusted with a time to come, nor one too long ago."""
    ahead = end - arrived
    return LineClock(round(ahead.total_seconds()), is_trusted=-LATEST <= ahead <= CLOCK_SKEW)


def by_arrival(times: Times, arrived: datetime) -> Times:
    """The same stretch, as if it ended when it arrived."""
    moved = arrived - times.end
    return Times(None if times.start is None else times.start + moved, arrived)


def minutes_of(start: datetime, end: datetime, forward: int, backward: int, now: datetime) -> Minutes:
    """So many people of [start, end), evenly apart; none in a minute that has not begun by `now`."""
    seconds = max(1, int((end - start).total_seconds()))
    first, last = minute_number(start), minute_number(min(end - timedelta(microseconds=1), now))
    last = max(first, last)
    begin = int(start.timestamp()) - 60 * first
    length = last - first + 1
    both = [_by_minute(people, begin, seconds, length) for people in (forward, backward)]
    return Minutes(first, both[0], both[1], is_spread=end - start > MOST_SURE)


def minute_of(moment: datetime, forward: int, backward: int, now: datetime) -> Minutes:
    """People who crossed at one moment."""
    return Minutes(minute_number(min(moment, now)), [forward], [backward], is_spread=False)


def growth(before: LineTotal, told: ToldCount) -> Growth | None:
    """What a total has grown by since `before`; None where that is more than any line counts."""
    is_anew = told.forward < before.forward or told.backward < before.backward or told.since != before.since
    forward = told.forward if is_anew else told.forward - before.forward
    backward = told.backward if is_anew else told.backward - before.backward
    return Growth(forward, backward, is_anew) if max(forward, backward) <= LARGEST_COUNT else None


def _by_minute(people: int, begin: int, seconds: int, minutes: int) -> list[int]:
    """How many of `people` cross in each minute, where the stretch begins so many seconds after the first."""
    crossed = begin + (2 * np.arange(people, dtype=np.int64) + 1) * seconds // (2 * max(people, 1))
    found: list[int] = np.bincount(np.minimum(crossed // 60, minutes - 1), minlength=minutes).tolist()
    return found


def _printed(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
