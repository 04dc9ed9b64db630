"""Whether what a line tells that is placed counts, and in which minutes: by identity, total and clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from contract.minutes import MINUTES_A_DAY, minute_number
from service.ingest.count_time import CLOCK_SKEW
from service.sensors.crossings import (
    LONGEST_GROWTH,
    Minutes,
    Times,
    by_arrival,
    clock_of,
    growth,
    minute_of,
    minutes_of,
    times_of,
)
from service.sensors.told_count import Kind, ToldCount
from service.sensors.told_time import identity_of
from service.store.sensor_protocol import (
    DAYS_REMEMBERED,
    KnownReport,
    LineClock,
    LineTotal,
    SensorLine,
    SensorRows,
)

_AT_ONCE: Final = timedelta(seconds=1)
"""Times are kept by the second."""


class Outcome(StrEnum):
    """What became of one count."""

    COUNTED = "counted"
    BEGUN = "begun"
    """A first running total: what it grows by from now on counts."""
    WAITING = "waiting"
    """Kept until its line is placed at a passage, and what came before it is counted."""
    DUPLICATE = "duplicate"
    """It came before."""
    CONFLICTING = "conflicting"
    """Other numbers came before for the same; these are kept. Or a total that grew by more than can be."""
    STALE = "stale"
    """A total of before the last one."""
    UNKEPT = "unkept"
    """Of a line that nobody has placed, while as many wait as may, of it or of all."""
    IGNORED = "ignored"
    """Of a line that somebody has said to ignore."""


class _Heard(NamedTuple):
    """A count of a line that is placed."""

    told: ToldCount
    own_end: datetime
    """By the counter's clock, UTC."""
    times: Times
    """By the counter's clock where that is trusted, else by the arrival."""
    clock: LineClock
    arrived: datetime


def count(
    rows: SensorRows, line: SensorLine, told: ToldCount, arrived: datetime
) -> tuple[SensorLine, Outcome]:
    """The line as it is then, which is yet to be noted, and what became of the count."""
    assert line.timezone is not None  # a line that is placed is in a site
    times = times_of(told, line.timezone, arrived)
    clock = clock_of(times.end, arrived)
    trusted = times if clock.is_trusted else by_arrival(times, arrived)
    heard = _Heard(told, times.end, trusted, clock, arrived)
    return (_count_total if told.kind is Kind.CUMULATIVE else _count_sum)(rows, line, heard)


def _count_sum(rows: SensorRows, line: SensorLine, heard: _Heard) -> tuple[SensorLine, Outcome]:
    told, own_end, times, clock, arrived = heard
    own = KnownReport(told.forward, told.backward)
    # It may have come when its time was not too long ago.
    known = rows.known(line, [_day(own_end)], told.identity)
    day, identity = _day(times.end), told.identity
    if known is None:
        # A clock that is not believed tells the same time again and again; one that is and goes on does not.
        if not clock.is_trusted or line.newest_end is None or own_end < line.newest_end + _AT_ONCE:
            known = _came_before(rows, line, heard)
        identity = told.identity if clock.is_trusted else _numbered(told)
    if known == own:
        return line, Outcome.DUPLICATE
    if known is not None:
        return replace(line, conflicts=line.conflicts + 1), Outcome.CONFLICTING
    rows.remember(line, day, identity, own)
    if told.counted != 0:  # else the counter says that it did not count
        if times.start is None:
            minutes = minute_of(times.end, told.forward, told.backward, arrived)
        else:
            minutes = minutes_of(times.start, times.end, told.forward, told.backward, arrived)
        _append(rows, line, minutes)
    return _moved(line, heard, clock), Outcome.COUNTED


def _count_total(rows: SensorRows, line: SensorLine, heard: _Heard) -> tuple[SensorLine, Outcome]:
    told, own_end, times, clock, arrived = heard
    before, own = line.total, LineTotal(times.end, told.forward, told.backward, told.since)
    if before is None:
        _remember_total(rows, line, heard)
        return _moved(replace(line, total=own), heard, clock), Outcome.BEGUN
    grown = growth(before, told)
    is_lower = grown is None or grown.is_anew
    is_by_our_clock = not clock.is_trusted or before.at > arrived + CLOCK_SKEW  # which has gone back since
    if own.at <= before.at and is_by_our_clock and (not is_lower or _is_in_order(line, heard)):
        before = before._replace(at=own.at - _AT_ONCE)
    is_same = own._replace(at=before.at) == before
    # A clock that stands still tells no report from another; numbers of a log do.
    stands_still = not clock.is_trusted and _is_time_of_last(line, own_end) and _is_by_time(told)
    days = 2 if clock.is_trusted else DAYS_REMEMBERED
    if not is_same and not stands_still and _came_before(rows, line, heard, days):
        return line, Outcome.DUPLICATE  # no restart, nor has it grown
    # Also of one that does not count: sent again after a restart, it would be growth.
    _remember_total(rows, line, heard)
    if own.at <= before.at:
        if is_same:
            return line, Outcome.DUPLICATE
        if (is_lower and not _goes_on_by_arrival(line, own_end)) or arrived < before.at:
            return line, Outcome.STALE
        # A total does not grow towards the past: its clock stands still, or has gone back.
        own, clock = own._replace(at=arrived), clock._replace(is_trusted=False)
    moved = _moved(replace(line, total=own), heard, clock)
    if grown is None or own.at - before.at > LONGEST_GROWTH:
        return replace(moved, conflicts=line.conflicts + 1), Outcome.CONFLICTING
    _append(rows, line, minutes_of(before.at, own.at, grown.forward, grown.backward, arrived))
    return moved, Outcome.COUNTED


def _remember_total(rows: SensorRows, line: SensorLine, heard: _Heard) -> None:
    told = heard.told
    rows.remember(line, _day(heard.times.end), _numbered(told), KnownReport(told.forward, told.backward))


def _came_before(rows: SensorRows, line: SensorLine, heard: _Heard, days: int = 2) -> KnownReport | None:
    """By its numbers, within so many days. It may have come when its clock was not believed yet: what that is
    ahead has passed since.
    """
    moments = heard.own_end, heard.arrived
    return rows.known(
        line, sorted({_day(one) - back for one in moments for back in range(days)}), _numbered(heard.told)
    )


def _is_in_order(line: SensorLine, heard: _Heard) -> bool:
    """By the counter's clock. One that stands still does not say; then the order is that of arrival."""
    newest = line.newest_end or heard.own_end
    return heard.own_end > newest or (heard.own_end == newest and not heard.clock.is_trusted)


def _is_time_of_last(line: SensorLine, own_end: datetime) -> bool:
    """Whether the last total was told by this time of the counter's clock, and none by a later one."""
    last = _last_told(line)
    return own_end == line.newest_end and last is not None and abs(last - own_end) <= _AT_ONCE


def _goes_on_by_arrival(line: SensorLine, own_end: datetime) -> bool:
    """Whether the last total is of when it arrived, and this one is later by the counter's own clock."""
    last = _last_told(line)
    is_by_arrival = line.clock is not None and not line.clock.is_trusted
    return is_by_arrival and last is not None and own_end - last > _AT_ONCE


def _last_told(line: SensorLine) -> datetime | None:
    """When the last total was, by the counter's own clock, give or take a second."""
    if line.total is None or line.clock is None:
        return None
    return line.total.at + timedelta(seconds=0 if line.clock.is_trusted else line.clock.ahead_seconds)


def _is_by_time(told: ToldCount) -> bool:
    return told.identity.startswith(identity_of(told.end))


def _numbered(told: ToldCount) -> str:
    """Identity of a count whose time does not tell it from others."""
    return f"{told.identity} {told.forward} {told.backward}"


def _append(rows: SensorRows, line: SensorLine, minutes: Minutes) -> None:
    assert line.placement is not None
    passage_id, is_swapped = line.placement
    both = (minutes.backward, minutes.forward) if is_swapped else (minutes.forward, minutes.backward)
    rows.append(passage_id, minutes.first, *both)
    if minutes.is_spread:
        rows.mark_spread(passage_id, minutes.first, minutes.end)


def _moved(line: SensorLine, heard: _Heard, clock: LineClock) -> SensorLine:
    end, arrived = heard.own_end, heard.arrived
    newest = line.newest_end or end
    if clock.is_trusted and newest > arrived + CLOCK_SKEW:
        newest = end  # the clock was ahead and has been set since
    return replace(line, newest_end=max(end, newest), clock=clock)


def _day(moment: datetime) -> int:
    return minute_number(moment) // MINUTES_A_DAY
