"""How many should come to a site in a month, as somebody has said, and how far along that is.

How much of a month should have come by now follows from the hours of the last weeks: a month whose Saturdays
are still to come is not late because its Mondays were quiet. Hours in which the site is closed bring nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Final, NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from pydantic import BaseModel, ConfigDict, Field

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all
from analysis.history_request import HistoryRequest, RunQueries
from analysis.league_entry import Entry
from analysis.league_period import Days, LeagueRanges
from analysis.open_time import Opening, OpenTime
from analysis.opening_hours import OpeningHours
from analysis.rhythm import Hour, Rhythm
from analysis.rhythm_answer import Bounds, rhythm_answer, rhythm_request
from analysis.time_range import TimeRange, range_of_days
from contract import Granularity, MetricKey
from contract.buckets import bucket_starts, next_bucket_start
from contract.minutes import MINUTE

MOST_ENTRANCES: Final = 1_000_000_000
MONTHS_AROUND: Final = 12
"""Months before and after the present one for which a target can be kept."""
_WEEKS: Final = 4
_LEAST_SHARE: Final = 0.05
"""Of a month; from less, nothing follows for the rest of it."""


class Target(BaseModel):
    """Of one site and month."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entrances: Annotated[int, Field(gt=0, le=MOST_ENTRANCES)]


class TargetProgress(NamedTuple):
    target: int
    counted: float | None
    """Who came in so far; None: nothing is counted."""
    minutes: Completeness
    """Counted, of those in which there should be counts."""
    share: float | None
    """Which part of the month's people should have come by now, since it counts, 0 to 1; None: past weeks do
    not tell.
    """
    is_begun: bool
    is_over: bool
    since: datetime | None = None
    """Start of the local day on which counting began, where that is within the month."""

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


def target_progress(target: Target, entry: Entry, share: float | None, *, is_over: bool) -> TargetProgress:
    """`entry` is of the month as far as it has passed, `share` what `expected_share` gives of it."""
    known = 1.0 if is_over else share
    return TargetProgress(
        target.entrances, entry.value if entry.minutes.present else None, entry.minutes, known,
        is_begun=entry.is_begun, is_over=is_over, since=entry.began.at if entry.began else None,
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
) -> float | None:
    """Which part of a month comes until then if each hour brings what it usually does; None: nobody came in
    the weeks of which `week` is. None come while it is closed; what came before `since` is not counted.
    """
    from_ = max(month.start, since or month.start)

    def all_or_open(start: datetime, end: datetime) -> float:
        """Minutes of [start, end) that count."""
        if start >= end:
            return 0.0
        return open_time.minutes(start, end) if open_time else (end - start) / MINUTE

    passed, whole = 0.0, 0.0
    for start in bucket_starts(*month, Granularity.HOUR, timezone):
        local = start.astimezone(timezone)
        usual = week.cells[Hour(local.weekday(), local.hour)].value
        end = next_bucket_start(start, Granularity.HOUR, timezone)
        held = all_or_open(start, end)
        if not usual or not held:
            continue
        whole += usual
        passed += usual * all_or_open(max(start, from_), min(end, until)) / held
    return passed / whole if whole else None


def share_by_now(
    days: Days,
    request: HistoryRequest,
    ranges: LeagueRanges,
    opening: OpeningHours | None,
    run: RunQueries,
    *,
    since: datetime | None = None,
) -> float | None:
    """`expected_share` of a month that runs, by the four weeks before today; None: they do not tell."""
    (subject,) = request.subjects
    zone, metric = request.timezone, MetricKey.ENTRANCES
    weeks = rhythm_request(request.site_id, subject, metric, _WEEKS, timezone=zone, now=request.asked_at)
    points = run(weeks.queries())
    bounds = Bounds(Opening(opening, zone)) if opening else None
    answer = rhythm_answer(weeks, points, metric, run=run, bounds=bounds) if subject in points else None
    if answer is None:
        return None
    month = month_range(days, zone)
    open_time = bounds.opening.of(month) if bounds else None
    return expected_share(answer.week, month, ranges.present.end, zone, open_time, since=since)
