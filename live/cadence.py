"""Cadence: how often counts usually come at a time of day, and whether their absence means a silent counter.

Pure. Past minutes go in, a `Cadence` comes out; a cadence, the newest minute and the present tell whether the
counter is silent. The rule: on most comparable days, while the clock went from the time of the newest minute
to the present time, at least FEWEST_MISSED minutes had counts, and now none has. Against a service that
stores every minute that is a quarter of an hour; against one that stores only minutes with crossings, about
twelve usual gaps. A service that gives its counts by the clock, each quarter of an hour or more rarely, needs
no chance to be allowed for: FEWEST_BY_CLOCK of them are enough. A place that is closed at this time on its
other days is never silent.

Comparable are the same weekdays of the weeks before. A site too young for two of them is compared with the
day before, and only as long as it was counted today: its first Sunday may be one on which it is closed.

`Absence` judges the whole time since the newest minute, not the present alone: a counter that died at noon is
still dead at night and on Sunday, when none of its counts are expected. Once counts were missed, only a newer
minute ends it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from contract.minutes import MINUTE, minute_floor, minute_number

SILENT_AFTER: Final = timedelta(minutes=15)
"""A younger newest minute is never silence: data may be published late."""
FEWEST_MISSED: Final = 12
"""Minutes with counts that must usually have come meanwhile. Of counts that come at random, each one's
absence as likely as the next, twelve are missed by chance once in 160,000 times."""
FEWEST_BY_CLOCK: Final = 3
"""The same, of counts that come by the clock: one or two of them may have been lost on their way."""
_COARSE: Final = 15
"""Minutes between two counts from which on it matters whether they come by the clock: twelve are hours."""
_EVEN: Final = 0.1
"""How far, as a share of the usual gap, one may be from it to be as long."""
_FEWEST_GAPS: Final = 6
"""From fewer nothing can be said of how even they are."""
_BY_CLOCK: Final = 0.95
"""Share of the gaps that must be as long as the usual one: people, who come at random, make a tenth so."""
_WORTH_ASKING: Final = timedelta(minutes=8)
_BACK: Final = timedelta(hours=6)
"""How far before a time of day it is looked: time for twelve gaps of half an hour, or three of two hours."""
_AHEAD: Final = timedelta(hours=16)
"""How long a cadence holds: with the time before it less than a day, even on one of 25 hours."""
_WEEKS: Final = 3
_EVIDENCE: Final = 2
"""One day alone may have been an exception."""


class PastSpan(NamedTuple):
    """The stretch of a past day around a time of day, [start, end) in UTC, whole minutes."""

    days_back: int
    """By the local calendar."""
    start: datetime
    end: datetime


class PastDay(NamedTuple):
    days_back: int
    minutes: array[int]
    """Those of the span that have counts, in minutes since the epoch, ascending; an array, as hundreds of
    sites are remembered."""


@dataclass(frozen=True, slots=True)
class Cadence:
    """What was learned of a feed's past days for the hours from `begin` on, UTC."""

    timezone: ZoneInfo
    begin: datetime
    days: tuple[PastDay, ...]
    """The youngest first."""
    fewest_missed: int = FEWEST_MISSED
    """Minutes with counts that must usually have come meanwhile."""

    @property
    def end(self) -> datetime:
        return self.begin + _AHEAD

    def covers(self, moment: datetime) -> bool:
        return self.begin <= moment < self.end

    def silence(self, newest: datetime, now: datetime) -> timedelta | None:
        """The usual time between two minutes with counts, where at `now` none came for much longer."""
        if now - newest < SILENT_AFTER:
            return None
        gaps = {day.days_back: self._missed_gap(day, newest, now) for day in self.days}
        said = {back: gap for back, gap in gaps.items() if gap or self._was_there(back, newest, now)}
        same = [gap for back, gap in said.items() if back % 7 == 0]
        before = [gap for back, gap in said.items() if back % 7][:1]
        known = [gap for gap in same if gap is not None]
        if len(same) >= _EVIDENCE:
            is_expected = 3 * len(known) >= 2 * len(same)
        else:
            known += [gap for gap in before if gap is not None]
            evidence = len(known) + (self._date(newest) == self._date(now))
            is_expected = None not in same and bool(known) and evidence >= _EVIDENCE
        return MINUTE * round(median(known)) if is_expected else None

    def _missed_gap(self, day: PastDay, newest: datetime, now: datetime) -> float | None:
        """The usual minutes between two counts of that day, if much came while now nothing does."""
        begin, end = self._stretch(day.days_back, newest, now)
        missed = _between(day.minutes, begin, end)
        gaps = sorted(later - earlier for earlier, later in pairwise(_between(day.minutes, end - _BACK, end)))
        if len(missed) < self.fewest_missed or now - newest < 2 * gaps[-2] * MINUTE:
            return None  # the longest gap of all is left aside: it may be a lunch break, or an outage
        return median(gaps)

    def _stretch(self, days_back: int, newest: datetime, now: datetime) -> tuple[datetime, datetime]:
        """The time of that day, [begin, end), in which counts came if they come at the time judged."""
        end = same_clock(now, days_back, self.timezone)
        # By the clock and by elapsed time: where they differ, the clocks changed meanwhile.
        last = same_clock(newest, days_back, self.timezone) + MINUTE
        return max(last, end - (now - newest), end - _BACK), end

    def _was_there(self, days_back: int, newest: datetime, now: datetime) -> bool:
        """Whether a count is known from before that time of that day; else the site may be younger."""
        begin, _ = self._stretch(days_back, newest, now)
        return any(day.minutes[0] <= minute_number(begin) for day in self.days if day.minutes)

    def _date(self, moment: datetime) -> date:
        return moment.astimezone(self.timezone).date()


def is_worth_asking(newest: datetime, now: datetime) -> bool:
    """Whether the newest minute is old enough to look at past days."""
    return now - newest >= _WORTH_ASKING


def spans_to_ask(newest: datetime, begin: datetime, timezone: ZoneInfo) -> tuple[PastSpan, ...]:
    """The stretches of past days from which a cadence is learned for the hours from `begin` on, the
    youngest first.

    All end before the newest minute: what came after it belongs to the absence that is to be judged.
    """
    days = max((begin - newest).days, 1)
    first = _first_before(newest, begin, timezone, days, 1)
    week = _first_before(newest, begin, timezone, max(days // 7, 1) * 7, 7)
    # The day before the first of these weekdays tells whether the site was there then.
    backs = sorted({first, week + 1, *(week + 7 * more for more in range(_WEEKS))})
    return tuple(_span(back, begin, timezone) for back in backs)


def learn(
    spans: Sequence[PastSpan], counted: Iterable[Iterable[datetime]], begin: datetime, timezone: ZoneInfo
) -> Cadence:
    """`counted` has, for each of `spans`, the starts of the minutes that the service gave for it."""
    days = tuple(
        PastDay(span.days_back, _numbers(minute for minute in minutes if span.start <= minute < span.end))
        for span, minutes in zip(spans, counted, strict=True)
    )
    return Cadence(timezone, begin, days, FEWEST_BY_CLOCK if _is_by_clock(days) else FEWEST_MISSED)


def same_clock(instant: datetime, days_back: int, timezone: ZoneInfo) -> datetime:
    """So many local days earlier at the same time by the local clock, in UTC."""
    local = instant.astimezone(timezone).replace(tzinfo=None, fold=0) - timedelta(days=days_back)
    return local.replace(tzinfo=timezone).astimezone(UTC)


def _is_by_clock(days: Iterable[PastDay]) -> bool:
    """Whether counts come at even and long gaps; the longest of each day is its night, or an outage."""
    by_day = (sorted(later - earlier for earlier, later in pairwise(day.minutes)) for day in days)
    gaps = [gap for of_day in by_day for gap in of_day[:-1]]
    usual = median(gaps) if gaps else 0
    even = sum(abs(gap - usual) <= _EVEN * usual for gap in gaps)
    return len(gaps) >= _FEWEST_GAPS and usual >= _COARSE and even >= _BY_CLOCK * len(gaps)


def _first_before(newest: datetime, begin: datetime, timezone: ZoneInfo, back: int, step: int) -> int:
    """The first of `back`, `back + step`, ... whose span ends before the newest minute."""
    while _span(back, begin, timezone).end > newest:
        back += step
    return back


def _span(days_back: int, begin: datetime, timezone: ZoneInfo) -> PastSpan:
    start = same_clock(begin, days_back, timezone) - _BACK
    end = same_clock(begin + _AHEAD, days_back, timezone)
    return PastSpan(days_back, minute_floor(start), minute_floor(end))


def _between(minutes: Sequence[int], begin: datetime, end: datetime) -> Sequence[int]:
    """The minutes that begin in [begin, end) or hold `begin`."""
    return minutes[bisect_left(minutes, minute_number(begin)) : bisect_left(minutes, minute_number(end))]


def _numbers(moments: Iterable[datetime]) -> array[int]:
    return array("q", sorted({minute_number(moment) for moment in moments}))


_STEP: Final = timedelta(minutes=15)
"""Between two moments at which the past is judged; the end of it always is one."""
_TOLERATED: Final = timedelta(minutes=2)
"""Steps back of the service's clock that are none."""
_FOLLOWED: Final = timedelta(days=4)
"""Of an absence; beyond it, the present alone is judged. A place that is closed for longer each week is rare,
and each further day would cost queries."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Since `newest`, judged up to `until`; both UTC."""

    newest: datetime
    until: datetime
    gap: timedelta | None = None
    """The usual time between two minutes with counts, once counts were missed; else None."""

    @classmethod
    def since(cls, newest: datetime) -> Absence:
        return cls(newest, newest)

    def unjudged_from(self, now: datetime, cadence: Cadence | None) -> datetime | None:
        """The moment from which a cadence must be learned to judge on up to `now`; None: there is no need."""
        begin = self._begin(now)
        if self.gap is not None or now <= begin or (cadence and cadence.covers(begin)):
            return None
        return begin

    def judged(self, now: datetime, cadence: Cadence) -> Absence:
        """The absence, judged up to `now` as far as `cadence` reaches, or until counts are missed."""
        if self.newest < self.until and now < self.until - _TOLERATED:
            return Absence.since(self.newest).judged(now, cadence)  # a clock was wrong, and is set back
        moment, end, gap = self._begin(now), min(now, cadence.end), self.gap
        while gap is None and moment < end and cadence.covers(moment):
            moment = min(moment + _STEP, end)
            gap = cadence.silence(self.newest, moment)
        return replace(self, until=moment, gap=gap)

    def _begin(self, now: datetime) -> datetime:
        return self.until if self.until < self.newest + _FOLLOWED else max(self.until, now - _STEP)
