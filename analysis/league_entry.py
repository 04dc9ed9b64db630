"""What a league tells of one place: its number, that of the days before, and how far both can be relied on.

A place is a site or a zone. Its numbers are those of History: who came is a total, people inside are averaged
over the hours in which somebody was, and whether two periods may be compared is decided in
`analysis/compared_totals.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness, peak_point, starts_of, total
from analysis.compared_totals import ComparedTotals, Period, Verdict
from analysis.comparison import counterparts, is_as_long
from analysis.counted_minutes import Unseen, average_inside, unseen_together, with_minutes
from analysis.first_count import find_first_count
from analysis.granularity import answered_in, past_the_hour
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest, RunQueries
from analysis.league_period import LeagueRanges
from analysis.open_hours import METRICS_OF_HOURS, open_by_label
from analysis.open_time import Opening, OpenTime
from analysis.opening_hours import OpeningHours
from analysis.spoilt_days import SpoiltDays, spoilt_days
from analysis.stays import with_stays
from analysis.subject import SubjectKind
from analysis.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint, Unit
from contract.buckets import bucket_start, next_bucket_start

_HOUR: Final = timedelta(hours=1)
_MINUTES_AN_HOUR: Final = 60
_NONE: Final = Completeness(0, 0)


class Measure(Enum):
    """What places are compared by: its id in links, its label, and what its number is a number of."""

    ENTRANCES = ("entrances", "Entrances", "came in", Unit.PEOPLE)
    INSIDE = ("visitorsInside", "People inside, on average", "inside on average", Unit.PEOPLE)
    PEAK = ("peak", "People inside, at most", "inside in the fullest minute", Unit.PEOPLE)
    TIME = ("timeSpent", "Time inside", "inside per person", Unit.SECONDS)

    def __init__(self, id_: str, label: str, counted: str, unit: Unit) -> None:
        self.id = id_
        self.label = label
        self.counted = counted
        self.unit = unit

    @property
    def is_level(self) -> bool:
        """Whether it is people who are inside at once."""
        return self in {Measure.INSIDE, Measure.PEAK}

    @property
    def is_spoilt_by_drift(self) -> bool:
        """Whether it means nothing where the number inside does not (decision 19)."""
        return self is not Measure.ENTRANCES


class Trust(NamedTuple):
    """On how many days of a period the number inside means nothing."""

    days: int = 0
    is_known: bool = True


class Began(NamedTuple):
    """Counting began within a period."""

    at: datetime
    """Start of the day with the first count, local."""
    part: float
    """Of the period, what is left from then on; 0 to 1."""


class Entry(NamedTuple):
    value: float | None = None
    """In the unit of the measure, as it is; None: there is none."""
    earlier: float | None = None
    minutes: Completeness = _NONE
    """Counted, of those in which there should be counts."""
    minutes_earlier: Completeness = _NONE
    unseen: Unseen = Unseen(0, 0)
    """Minutes of both periods that may be missing though they look counted."""
    is_fair: bool = False
    """Whether a change in percent means something."""
    while_open: float | None = None
    """Who came in hours in which it is open, at least in part; None: nobody has said when it is."""
    while_open_earlier: float | None = None
    open_hours: float | None = None
    """Of the present period, hours in which it is open and counted; None: nobody has said."""
    open_hours_earlier: float | None = None
    trust: Trust = Trust()
    trust_earlier: Trust = Trust()
    has_hours: bool = True
    """Whether its service tells hours; else it is not known how much is counted."""
    minutes_past: int = 0
    """By how much its service's hours begin past those of the local clock; then it tells none of these."""
    has_refused: bool = False
    """Whether values are left out because they cannot be right."""
    is_begun: bool = True
    """Whether any of the period has passed there."""
    began: Began | None = None
    """Where counting began within the period; None: earlier, or nobody knows."""
    first: datetime | None = None
    """Of a place without counts in both periods, start of the day with the first count, local; None: none is
    known.
    """


def league_entry(
    request: HistoryRequest,
    ranges: LeagueRanges,
    measure: Measure,
    run: RunQueries,
    opening: OpeningHours | None = None,
) -> Entry:
    """Of the one place of `request`, whose range and metrics do not matter. `opening` as somebody has said.

    The first two queries must be answered; of what else `run` leaves out, nothing is known.
    """
    if ranges.present.is_empty:
        return Entry(is_begun=False)
    asked = replace(request, metrics=METRICS_OF_HOURS, aggregation=None)
    own = _told(asked, ranges.present, opening, run)
    other = _told(asked, ranges.earlier, opening, run)
    label = request.subjects[0].label
    began = _began(request, own.points, ranges.present, run) if own.points and not other.points else None
    own = own.since(began)
    totals = _totals(own, other, ranges)
    verdict = _verdict(totals, label)
    if verdict is None or not own.is_hourly:
        return Entry(value=_came(own), has_hours=False, minutes_past=own.minutes_past)
    entry = Entry(
        _value(own, measure, run), _value(other, measure, run), verdict.minutes, verdict.minutes_earlier,
        unseen=unseen_together(label, own.data, other.data),
        is_fair=other.is_hourly and _is_fair(totals, verdict, measure, label),
        while_open=_came_while_open(own, opening),
        while_open_earlier=_came_while_open(other, opening),
        open_hours=_open_hours(opening, own.data.range, request, verdict.minutes),
        open_hours_earlier=_open_hours(opening, ranges.earlier, request, verdict.minutes_earlier),
        began=began,
        first=None if own.points or other.points else _first_day(asked, run),
    )  # fmt: skip
    if not measure.is_spoilt_by_drift or entry.value is None:
        return entry
    spoilt = spoilt_days(
        asked.over(TimeRange(ranges.earlier.start, ranges.present.end), Granularity.HOUR), run
    )
    return entry._replace(
        trust=_trust(spoilt, ranges.present, request), trust_earlier=_trust(spoilt, ranges.earlier, request)
    )


class _Told(NamedTuple):
    """What is told of one period."""

    request: HistoryRequest
    points: Sequence[MetricPoint]
    data: HistoryData
    open_time: OpenTime | None
    """None: nobody has said when it is open, or it is closed throughout; its counts tell."""
    is_hourly: bool
    minutes_past: int

    def since(self, began: Began | None) -> _Told:
        """What was before a site was counted lacks nothing; of a zone it does: `analysis/first_count.py`."""
        (subject,) = self.request.subjects
        if began is None or self.open_time is None or subject.kind is not SubjectKind.SITE:
            return self
        range_ = TimeRange(began.at, self.data.range.end)
        return self._replace(
            open_time=OpenTime(tuple(self.open_time.within(*range_))), data=replace(self.data, range=range_)
        )

    @property
    def period(self) -> Period:
        data = self.data
        return Period(data.range, data.table, data.minutes, data.open_hours, self.open_time)


def _told(request: HistoryRequest, range_: TimeRange, opening: OpeningHours | None, run: RunQueries) -> _Told:
    asked = request.over(range_, Granularity.HOUR)
    (subject,) = asked.subjects
    answer = run(asked.queries())[subject]
    unit = answered_in(answer, Granularity.HOUR, asked.timezone) if answer else Granularity.HOUR
    points = _within(answer, range_, unit, asked.timezone)
    past = past_the_hour(answer, asked.timezone)
    is_hourly = unit is Granularity.HOUR and not past
    data = with_minutes(history_data(asked, {subject: points}, Granularity.HOUR), asked, run)
    data = replace(data, open_hours=open_by_label({subject: points}, range_))
    open_time = Opening(opening, asked.timezone).of(range_) if opening else None
    told = open_time if open_time and open_time.ranges else None
    return _Told(asked, points, data, told, is_hourly, past)


def _within(
    points: Sequence[MetricPoint], range_: TimeRange, unit: Granularity, timezone: ZoneInfo
) -> list[MetricPoint]:
    """Those of the buckets that the range holds at least in part: a service may answer more than is asked."""
    return [
        one
        for one in points
        if one.timestamp < range_.end and next_bucket_start(one.timestamp, unit, timezone) > range_.start
    ]


def _totals(own: _Told, other: _Told, ranges: LeagueRanges) -> ComparedTotals:
    zone = own.request.timezone
    pairs = counterparts(
        starts_of(own.data.table), starts_of(other.data.table), ranges.step, Granularity.HOUR, zone
    )
    is_over = is_as_long(ranges.earlier, ranges.present, ranges.step, zone)
    return ComparedTotals(Granularity.HOUR, zone, own.period, other.period, pairs, is_over)


def _verdict(totals: ComparedTotals, label: str) -> Verdict | None:
    found = totals.verdict((label, MetricKey.ENTRANCES))
    if found and found.minutes.present:
        return found
    # A place that tells people inside alone has no entrances, and its minutes are counted nevertheless.
    return totals.verdict((label, MetricKey.VISITORS_INSIDE)) or found


def _is_fair(totals: ComparedTotals, verdict: Verdict, measure: Measure, label: str) -> bool:
    """Of people inside it is decided by them: an hour in which hardly anybody comes may be the fullest."""
    inside = totals.verdict((label, MetricKey.VISITORS_INSIDE)) if measure.is_level else None
    own = inside or verdict
    return own.are_peaks_fair if measure is Measure.PEAK else own.is_fair


def _value(told: _Told, measure: Measure, run: RunQueries) -> float | None:
    match measure:
        case Measure.ENTRANCES:
            return _came(told)
        case Measure.INSIDE:
            return _mean(told)
        case Measure.PEAK:
            return _peak(told, run)
        case Measure.TIME:
            return _stay(told, run)


def _came(told: _Told) -> float | None:
    """Who came in; None where its service tells no entrances, whatever it tells of people inside."""
    (subject,) = told.request.subjects
    return total(told.data.table[subject.label, MetricKey.ENTRANCES])


def _came_while_open(told: _Told, opening: OpeningHours | None) -> float | None:
    """An hour in which it opens or closes counts whole: to ask for its open minutes alone would take a query
    for each.
    """
    if opening is None:
        return None
    (subject,) = told.request.subjects
    zone = told.request.timezone
    open_time = Opening(opening, zone).of(told.data.range)
    is_open = [open_time.of_bucket(start, Granularity.HOUR, zone) > 0 for start in starts_of(told.data.table)]
    return total(told.data.table[subject.label, MetricKey.ENTRANCES][is_open])


def _mean(told: _Told) -> float | None:
    (subject,) = told.request.subjects
    average = average_inside(told.data, subject.label)
    if average is not None:
        return average.people
    column = told.data.table[subject.label, MetricKey.VISITORS_INSIDE]
    return 0.0 if column.max() == 0 else None


def _peak(told: _Told, run: RunQueries) -> float | None:
    (subject,) = told.request.subjects
    query = told.request.peak(subject, told.request.range, Granularity.DAY)
    answer = run({subject: query}).get(subject, ())
    points = _within(answer, told.request.range, Granularity.DAY, told.request.timezone)
    peak = peak_point(points, MetricKey.VISITORS_INSIDE)
    return peak.value if peak else None


def _stay(told: _Told, run: RunQueries) -> float | None:
    (subject,) = told.request.subjects
    hours = {subject: told.points} if told.is_hourly else {}
    return with_stays(told.data, told.request, hours, run).stays.get(subject.label)


def _began(
    request: HistoryRequest, points: Sequence[MetricPoint], range_: TimeRange, run: RunQueries
) -> Began | None:
    """Of a place without counts in the time before: its counter was silent, or not there yet. Where that
    cannot be read, it was not: days without counts must not be taken for days on which nobody came.
    """
    found = find_first_count(replace(request, metrics=METRICS_OF_HOURS), run)
    day = found.start if found else bucket_start(points[0].timestamp, Granularity.DAY, request.timezone)
    if day is None or not range_.start < day < range_.end:
        return None
    return Began(day.astimezone(request.timezone), (range_.end - day) / (range_.end - range_.start))


def _first_day(request: HistoryRequest, run: RunQueries) -> datetime | None:
    found = find_first_count(request, run)
    return found.start.astimezone(request.timezone) if found and found.start else None


def _open_hours(
    opening: OpeningHours | None, range_: TimeRange, request: HistoryRequest, minutes: Completeness
) -> float | None:
    """The counted part of them: who came in the others is in no number. `minutes` are of the open hours."""
    if opening is None:
        return None
    part = minutes.present / minutes.expected if minutes.expected else 0.0
    return Opening(opening, request.timezone).of(range_).minutes(*range_) / _MINUTES_AN_HOUR * part


def _trust(spoilt: SpoiltDays | None, range_: TimeRange, request: HistoryRequest) -> Trust:
    if spoilt is None:
        return Trust(is_known=False)
    hours = [start for start in spoilt.hours if start < range_.end and start + _HOUR > range_.start]
    first, last = (moment.astimezone(request.timezone).date() for moment in range_)
    dates = [day for day in spoilt.dates if first <= day <= last]
    return Trust(max(1, len(dates)) if hours else 0)
