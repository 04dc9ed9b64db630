"""When within a range of History the number inside means nothing by the hours of its days, as on other pages.

The search for the fullest minute (`analysis/peak_search.py`) judges the counts around it alone, by minutes:
which these are, the range decides. So the days of the whole range are judged by their hours, too, and what
the minutes found stays. Days are judged in sight of the same weeks whichever range holds them: those that
Trust reads, or all of their months.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Final
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from analysis.other_period import Peaks
from analysis.spoilt_days import SpoiltDays, spoilt_of
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.trust_grid import ReadGrid
from analysis.trust_request import trust_request, whole_hours_until
from analysis.untrusted import SPOILT_METRICS
from contract.buckets import local_midnight

MOST_HOURS: Final = 40_000
"""Of all zones together that are read for one period, the newest: a year of four zones."""
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_MARGIN: Final = 2 * _DAY
"""Of the weeks that Trust reads, the first days may not be whole."""

Stretches = Mapping[str, Sequence[TimeRange]]


def with_hourly_verdict(
    data: HistoryData, request: HistoryRequest, peaks: Peaks, read_grid: ReadGrid
) -> HistoryData:
    """`data` with all stretches of both periods in which the number inside means nothing, and with those of
    its own of which nobody knows: neither by the hours that are read, nor by the minutes around `peaks`.
    """
    zones = [
        one for one in request.subjects
        if one.kind is not SubjectKind.PASSAGE and _rests_on_it(data, one.label)
    ]  # fmt: skip
    if not zones:
        return data
    found = _judged(zones, data.range, request, read_grid)
    other = _judged(zones, data.earlier_range, request, read_grid) if data.earlier_range else {}
    by_minutes = {zone.label: peak.checked for zone, peak in peaks.items() if peak.checked}
    return replace(
        data,
        untrusted=_with_hours(data.untrusted, found, data.range),
        earlier_untrusted=(
            _with_hours(data.earlier_untrusted, other, data.earlier_range)
            if data.earlier_range
            else data.earlier_untrusted
        ),
        unchecked={
            zone.label: rest
            for zone in zones
            if (rest := _unchecked(found.get(zone.label), by_minutes.get(zone.label), data.range))
        },
        begun={label: _within(days.begun, days, data.range) for label, days in found.items() if days.begun},
        checked_by_hours=frozenset(label for label, days in found.items() if days.judged),
    )


def _rests_on_it(data: HistoryData, label: str) -> bool:
    return any(own == label and metric in SPOILT_METRICS for own, metric in data.columns)


def _judged(
    zones: Sequence[Subject], range_: TimeRange, request: HistoryRequest, read_grid: ReadGrid
) -> dict[str, SpoiltDays]:
    """By label; without those whose hours cannot be read."""
    weeks = _in_sight_of(range_, request)
    newest = weeks.end - MOST_HOURS // len(zones) * _HOUR
    weeks = TimeRange(max(weeks.start, newest), weeks.end)
    if weeks.is_empty or range_.is_empty:
        return {}
    found = {}
    for zone in zones:
        asked = trust_request(request.site_id, [zone], timezone=request.timezone, now=request.asked_at)
        asked = replace(asked, range=weeks)
        found[zone.label] = spoilt_of(asked, read_grid(asked))
    return {label: days for label, days in found.items() if days}


def _in_sight_of(range_: TimeRange, request: HistoryRequest) -> TimeRange:
    """The weeks by which it is judged: the same for any range within them."""
    timezone, now = request.timezone, request.asked_at
    recent = trust_request(request.site_id, (), timezone=timezone, now=now).range
    if range_.start >= recent.start + _MARGIN:
        return recent
    first, last = _month_of(range_.start, timezone), _month_of(range_.end, timezone)
    after = local_midnight((last + relativedelta(months=1)).date(), timezone) + _DAY
    begin = local_midnight(first.date(), timezone) - _DAY
    return TimeRange(begin, min(after, whole_hours_until(now, timezone)))


def _month_of(moment: datetime, timezone: ZoneInfo) -> datetime:
    return moment.astimezone(timezone).replace(day=1)


def _with_hours(known: Stretches, found: Mapping[str, SpoiltDays], range_: TimeRange) -> Stretches:
    """The stretches, and those of the hours; of a day that runs on, until the end of the range."""
    return {
        label: merged
        for label in dict.fromkeys([*known, *found])
        if (merged := _merged([*known.get(label, ()), *_of_hours(found.get(label), range_)]))
    }


def _of_hours(days: SpoiltDays | None, range_: TimeRange) -> list[TimeRange]:
    return _within(days.hours, days, range_) if days else []


def _within(hours: Iterable[datetime], days: SpoiltDays, range_: TimeRange) -> list[TimeRange]:
    """The parts of the range that such hours hold, those that meet as one. Of the hour that runs is true what
    is of the one before.
    """
    last, runs = max(days.judged, default=None), list[tuple[datetime, datetime]]()
    for start in sorted(hours):
        end = range_.end if start == last else start + _HOUR
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(runs[-1][1], end)
        else:
            runs.append((start, end))
    parts = (TimeRange(max(start, range_.start), min(end, range_.end)) for start, end in runs)
    return [one for one in parts if not one.is_empty]


def _unchecked(days: SpoiltDays | None, by_minutes: TimeRange | None, range_: TimeRange) -> list[TimeRange]:
    """What of the range nobody has judged."""
    by_hours = _within(days.judged, days, range_) if days else []
    known = _merged([*by_hours, *([by_minutes] if by_minutes else [])])
    ends = [range_.start, *chain.from_iterable(known), range_.end]
    rest = [TimeRange(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return [one for one in rest if not one.is_empty]


def _merged(ranges: Iterable[TimeRange]) -> list[TimeRange]:
    found: list[TimeRange] = []
    for one in sorted(ranges):
        if found and one.start <= found[-1].end:
            found[-1] = TimeRange(found[-1].start, max(found[-1].end, one.end))
        else:
            found.append(one)
    return found
