"""How many should come to a site in a month, as somebody has said, and how far along that is.

How much of a month should have come by now follows from the hours of the last weeks: a month whose Saturdays
are still to come is not late because its Mondays were quiet. Hours in which the site is closed bring nobody.
What came is held against what should have come in the hours that are counted: a Saturday without counts is a
thirtieth of a month's minutes, and more of its people.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Annotated, Final, NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from pydantic import BaseModel, ConfigDict, Field

from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import is_nearly_all, row_minutes
from analysis.first_count import first_bucket
from analysis.history_request import HistoryRequest, RunQueries
from analysis.league_entry import Entry
from analysis.league_period import Days, LeagueRanges
from analysis.open_time import Opening, OpenTime
from analysis.opening_hours import OpeningHours
from analysis.rhythm import DAYS_A_WEEK, Hour, Rhythm
from analysis.rhythm_answer import (
    Bounds,
    RhythmAnswer,
    are_hours,
    counted_hours,
    rhythm_answer,
    rhythm_request,
)
from analysis.time_range import TimeRange, local_span, range_of_days
from contract import Granularity, MetricKey
from contract.buckets import bucket_starts, next_bucket_start
from contract.minutes import MINUTE

MOST_ENTRANCES: Final = 1_000_000_000
MONTHS_AROUND: Final = 12
"""Months before and after the present one for which a target can be kept."""
_WEEKS: Final = 4
_WEEK: Final = timedelta(days=DAYS_A_WEEK)
_LEAST_SHARE: Final = 0.05
"""Of a month; from less, nothing follows for the rest of it."""
_HARDLY: Final = 0.01
"""Of what should have come by now; so much may be missing without a word."""
_OF_MISSING: Final = 0.1
"""Of all that is missing; days on which less is are not named."""


class Target(BaseModel):
    """Of one site and month."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entrances: Annotated[int, Field(gt=0, le=MOST_ENTRANCES)]


class Share(NamedTuple):
    """Which parts of a month's people should have come by now, 0 to 1, as its hours usually bring them."""

    counted: float
    """In hours that are counted, since the site is."""
    missing: float = 0.0
    """In hours since then that are not."""
    days: tuple[date, ...] = ()
    """Local, on which most of that is missing; ascending."""


class TargetProgress(NamedTuple):
    target: int
    counted: float | None
    """Who came in so far; None: nothing is counted."""
    minutes: Completeness
    """Counted, of those in which there should be counts."""
    share: float | None
    """Which part of the month's people should have come by now, in hours that are counted, 0 to 1; None: past
    weeks do not tell.
    """
    is_begun: bool
    is_over: bool
    since: datetime | None = None
    """Start of the local day on which counting began, where that is within the month."""
    until: datetime | None = None
    """Up to when it is counted, local; None: the month is over, or has not begun."""
    missing: Share | None = None
    """What came by now, or in the month, and is not counted, where that is not hardly anything."""

    @property
    def is_nearly_all(self) -> bool:
        """Whether so much is counted that a number of people by now means something."""
        return is_nearly_all(self.minutes)

    @property
    def percent(self) -> float | None:
        return None if self.counted is None else 100 * self.counted / self.target

    @property
    def expected(self) -> float | None:
        """Who should have come by now."""
        return None if self.share is None else self.target * self.share

    @property
    def at_this_rate(self) -> float | None:
        """Who comes in a whole month, if it goes on so; None: too early to say, or too little counted."""
        if (
            not self.is_nearly_all
            or self.counted is None
            or self.share is None
            or self.share < _LEAST_SHARE
            or self.is_over
        ):
            return None
        return self.counted / self.share


def month_name(day: date) -> str:
    """`2026-11`: in links, and under which a target is kept."""
    return f"{day:%Y-%m}"


def months_around(today: date) -> list[date]:
    """First days, the newest first."""
    first = today.replace(day=1)
    return [first + relativedelta(months=count) for count in range(MONTHS_AROUND, -MONTHS_AROUND - 1, -1)]


def target_of(kept: Mapping[str, Target], days: Days) -> float | None:
    """Of the month in which the days begin; `kept` are the targets of a site by month."""
    target = kept.get(month_name(days.first))
    return float(target.entrances) if target else None


def days_of_month(first: date) -> Days:
    return Days(first, first + relativedelta(months=1, days=-1))


def target_progress(
    target: Target, entry: Entry, share: Share | None, *, is_over: bool, until: datetime | None = None
) -> TargetProgress:
    """`entry` is of the month as far as it has passed, `share` what `expected_share` gives of it."""
    known, is_missed = (share.counted, share.missing > _HARDLY * share.counted) if share else (None, False)
    return TargetProgress(
        target.entrances, entry.value if entry.minutes.present else None, entry.minutes,
        1.0 if is_over else known,
        is_begun=entry.is_begun, is_over=is_over, since=entry.began.at if entry.began else None,
        until=None if is_over else until, missing=share if is_missed else None,
    )  # fmt: skip


def month_range(days: Days, timezone: ZoneInfo) -> TimeRange:
    """All of the days, also those to come."""
    return range_of_days(days.first, days.last + timedelta(days=1), timezone)


def expected_share(
    week: Rhythm,
    month: TimeRange,
    until: datetime,
    timezone: ZoneInfo,
    open_time: OpenTime | None = None,
    *,
    since: datetime | None = None,
    counted: Mapping[datetime, float] | None = None,
) -> Share | None:
    """Which part of a month comes until then if each hour brings what it usually does; None: nobody came in
    the weeks of which `week` is. None come while it is closed; what came before `since` is not counted.

    `counted` tells of hours by their start which part of each is counted, 0 to 1: of one that it does not
    have none is. None: all are.
    """
    from_ = max(month.start, since or month.start)

    def all_or_open(start: datetime, end: datetime) -> float:
        """Minutes of [start, end) that count."""
        if start >= end:
            return 0.0
        return open_time.minutes(start, end) if open_time else (end - start) / MINUTE

    passed, whole = 0.0, 0.0
    missing: defaultdict[date, float] = defaultdict(float)
    for start in bucket_starts(*month, Granularity.HOUR, timezone):
        local = start.astimezone(timezone)
        usual = week.cells[Hour(local.weekday(), local.hour)].value
        end = next_bucket_start(start, Granularity.HOUR, timezone)
        held = all_or_open(start, end)
        if not usual or not held:
            continue
        whole += usual
        people = usual * all_or_open(max(start, from_), min(end, until)) / held
        part = 1.0 if counted is None else counted.get(start, 0.0)
        passed += people * part
        missing[local.date()] += people * (1 - part)
    if not whole:
        return None
    lost = sum(missing.values())
    days = tuple(day for day, people in sorted(missing.items()) if people > _OF_MISSING * lost)
    return Share(passed / whole, lost / whole, days)


def share_by_now(
    days: Days,
    request: HistoryRequest,
    ranges: LeagueRanges,
    opening: OpeningHours | None,
    run: RunQueries,
    *,
    since: datetime | None = None,
) -> Share | None:
    """`expected_share` of a month, by the four weeks before today, or where it is over by its own hours.

    None: they do not tell.
    """
    (subject,) = request.subjects
    zone, metric = request.timezone, MetricKey.ENTRANCES
    weeks = rhythm_request(request.site_id, subject, metric, _WEEKS, timezone=zone, now=request.asked_at)
    if ranges.is_over:
        weeks = replace(weeks, range=ranges.present)
    points = run(weeks.queries())
    first = first_bucket(points)
    # Counted for less than a week, some weekdays are as if nobody came on them.
    if first is None or local_span(TimeRange(first, weeks.range.end), zone) < _WEEK:
        return None
    bounds = Bounds(Opening(opening, zone)) if opening else None
    answer = rhythm_answer(weeks, points, metric, run=run, bounds=bounds)
    if answer is None or _lacks_a_weekday(answer.week):
        return None
    month = month_range(days, zone)
    open_time = bounds.opening.of(month) if bounds else None
    counted = counted_parts(replace(weeks, range=ranges.present), bounds, run, answer)
    until = ranges.present.end
    if since and counted:
        since = max(since, min(counted))  # that morning lacks nothing either
    return expected_share(answer.week, month, until, zone, open_time, since=since, counted=counted)


def counted_parts(
    request: HistoryRequest, bounds: Bounds | None, run: RunQueries, week: RhythmAnswer
) -> dict[datetime, float] | None:
    """Start of each hour of the range that has counts -> which part of its minutes, 0 to 1; None: that cannot
    be read.
    """
    (subject,) = request.subjects
    points = run(request.queries())
    if subject not in points or not are_hours(points, request.timezone):
        return None
    data = counted_hours(request, points, bounds, run, week)
    told = zip(starts_of(data.table), row_minutes(data, subject.label), strict=True)
    return {
        start: 1.0 if present is None or not held else present / held
        for start, (present, held) in told
        if present != 0
    }


def _lacks_a_weekday(week: Rhythm) -> bool:
    """Whether most hours of a weekday in which somebody is counted, or may be, are told on no day at all: the
    weeks are then as if nobody came on it.
    """
    for weekday in range(DAYS_A_WEEK):
        own = [cell for hour, cell in week.cells.items() if hour.weekday == weekday]
        unknown = sum(cell.value is None and cell.is_left_out for cell in own)
        if unknown > sum(bool(cell.value) for cell in own):
            return True
    return False
