"""How a period differs from another one, in words."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from analysis.bucket_table import AverageInside, Change, Completeness
from analysis.compared_totals import ComparedTotals, Verdict
from analysis.counted_minutes import is_nearly_all
from analysis.history_data import HistoryData
from analysis.open_rows import are_alike
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.untrusted import is_peak_untrusted
from components.number_format import Formats
from components.sentences.coverage_words import few_words, people_words, portion
from contract import CROSSINGS, METRICS, Aggregation, Granularity, MetricKey

_NOTHING: Final = "the other period has no counts to compare with"
_MANY_TIMES: Final = 3
"""From so many times as many on, the number of times says more than a percentage."""
_WHOLE_TIMES: Final = 10
_SAME_HOURS: Final = 0.95
_HOUR: Final = timedelta(hours=1)
_ALL: Final = 100
"""Percent."""


def changes_of(subject: Subject, data: HistoryData, formats: Formats) -> list[str]:
    """How the totals of entrances and exits differ from the other period's."""
    if data.aggregation not in {None, Aggregation.SUM}:
        return []
    found = (_change(subject, metric, data, formats) for metric in CROSSINGS)
    return [sentence for sentence in found if sentence is not None]


def against_words(
    subject: Subject, data: HistoryData, found: FoundPeak | None, other: FoundPeak | None, formats: Formats
) -> str:
    """A clause on the other period's highest number inside.

    Empty where none is compared, or where that could not be read.
    """
    column = (subject.label, MetricKey.VISITORS_INSIDE)
    if found is None or data.earlier is None or column not in data.earlier.columns:
        return ""
    if other is None:
        return ", against no counts of people inside in the other period"
    if is_peak_untrusted(other, subject.label, data, is_earlier=True):
        return ", against a number that cannot be trusted in the other period"
    if other.peak.value <= 0:
        return ", against nobody in the other period"
    return f", against {_other_peak(column, data, found, other, formats)}"


def average_against(
    subject: Subject, data: HistoryData, average: AverageInside, other: FoundPeak | None, formats: Formats
) -> str:
    """A clause on the other period's average inside; empty where that is not known or means nothing."""
    earlier = other_average(subject, data, other)
    if earlier is None:
        return ""
    over = "" if earlier.hours.is_complete else f" over {portion(earlier.hours, Granularity.HOUR, formats)}"
    said = f", against {people_words(earlier, formats, average)}{over}"
    verdict = data.totals.verdict((subject.label, MetricKey.VISITORS_INSIDE)) if data.totals else None
    if verdict is None or not verdict.is_over:
        return f"{said}{few_words(earlier.minutes, formats)}{' so far' if verdict else ''}"
    is_fair = verdict.is_fair and are_alike(average.minutes, earlier.minutes)
    if is_fair and _are_as_long(average, earlier, data):
        return said + _percent(Change(average.people, earlier.people), formats)
    return said + few_words(earlier.minutes, formats)


def other_average(subject: Subject, data: HistoryData, other: FoundPeak | None) -> AverageInside | None:
    """The other period's average inside; None where that is not known or means nothing."""
    is_spoilt = (other and other.is_somewhere_spoilt) or data.earlier_untrusted.get(subject.label)
    return None if is_spoilt else data.earlier_averages.get(subject.label)


def _are_as_long(average: AverageInside, earlier: AverageInside, data: HistoryData) -> bool:
    """Whether somebody was inside in about as many hours of both: one with hardly anybody lowers an average,
    and says nothing of the others.
    """
    if data.earlier_range is None:
        return False
    ranges = ((average, data.range), (earlier, data.earlier_range))
    parts = [one.hours.present / ((end - start) / _HOUR) for one, (start, end) in ranges]
    return min(parts) >= _SAME_HOURS * max(parts)


def stay_against(
    subject: Subject, data: HistoryData, mean: float, other: FoundPeak | None, formats: Formats
) -> str:
    """A clause on how long people stayed in the other period; `mean` is of the present one, in seconds."""
    if data.totals is None:
        return ""
    if (other and other.is_somewhere_spoilt) or data.earlier_untrusted.get(subject.label):
        return ", which cannot be told of the other period"
    earlier = data.earlier_stays.get(subject.label)
    if earlier is None:
        return ", which is not known of the other period"
    is_as_long = formats.duration(mean) == formats.duration(earlier)
    return f", {'as' if is_as_long else 'against ' + formats.duration(earlier)} in the other period"


def _other_peak(
    column: tuple[str, MetricKey], data: HistoryData, found: FoundPeak, other: FoundPeak, formats: Formats
) -> str:
    local = other.peak.start.astimezone(data.timezone)
    clock = formats.time(local)
    when = {
        Granularity.MONTH: f"in {formats.month(local)}",
        Granularity.DAY: f"on {formats.day(local)}",
        Granularity.HOUR: f"on {formats.day(local)} in the hour from {clock}",
    }.get(other.granularity, f"on {formats.day(local)} at {clock}")
    said = f"{formats.number(other.peak.value)} {when}"
    verdict = data.totals.verdict(column) if data.totals else None
    if verdict is None or data.totals is None:
        return said
    if not verdict.is_over:
        return f"{said} so far"
    if not verdict.are_peaks_fair:
        return f"{said}, {_counted(verdict, _open_of(data.totals), formats)}"
    return said + _percent(Change(found.peak.value, other.peak.value), formats)


def _change(subject: Subject, metric: MetricKey, data: HistoryData, formats: Formats) -> str | None:
    column = (subject.label, metric)
    if data.earlier is None or not {column} <= {*data.earlier.columns} & {*data.table.columns}:
        return None
    verdict = data.totals.verdict(column) if data.totals else None
    if data.totals and data.totals.earlier.open_time and not data.totals.earlier.open_time.ranges:
        return f"{METRICS[metric].label}: the other period is closed throughout."
    if verdict is None or data.totals is None:
        is_empty = data.earlier[column].isna().all()
        why = _NOTHING if is_empty else "the totals of both periods could not be read"
        return f"{METRICS[metric].label}: {why}."
    return f"{METRICS[metric].label}: {_totals(verdict, _open_of(data.totals), formats)}."


class _Open(NamedTuple):
    """Of what totals are compared: of open time where the numbers are of that alone, else of hours in which
    somebody was there in either period.
    """

    unit: Granularity
    is_said: bool
    """Whether somebody has said when it is open."""
    is_of_week: bool
    """Whether an hour stands for all of its weekday and hour."""

    def units(self, count: int) -> str:
        """`open hours`, `hours in which somebody was there`."""
        if self.is_said:
            return self.again(count)
        of = " of hours" if self.unit is Granularity.MINUTE else ""
        week = " of the week" if self.is_of_week else ""
        return f"{self._plain(count)}{of}{week} in which somebody was there"

    def again(self, count: int) -> str:
        """Likewise, after these."""
        return f"{'open' if self.is_said else 'such'} {self._plain(count)}"

    def _plain(self, count: int) -> str:
        return f"{self.unit}{'' if count == 1 else 's'}"


def _open_of(totals: ComparedTotals) -> _Open:
    return _Open(totals.unit, totals.present.open_time is not None, totals.is_of_week)


def _totals(verdict: Verdict, open_: _Open, formats: Formats) -> str:
    if verdict.earlier is None:
        return _NOTHING
    if verdict.present is None:
        return f"no counts, against {formats.number(verdict.earlier)}"
    text = f"{formats.number(verdict.present)} against {formats.number(verdict.earlier)}"
    if not verdict.is_over:
        return f"{text} so far, since the other period is not as long yet"
    counted = _counted(verdict, open_, formats)
    if not verdict.is_fair:
        return f"{text}, {counted}: too unlike for a percentage{_shared(verdict, open_, formats)}"
    return f"{text}{_percent(Change(verdict.present, verdict.earlier), formats)}, {counted}"


def _shared(verdict: Verdict, open_: _Open, formats: Formats) -> str:
    """`; over the 18 open hours that both have: 253 against 233 (9 % more)`; empty where both have none.

    Where an hour stands for all of its weekday and hour, those of each weekday and hour are as many of both.
    """
    if verdict.shared is None:
        return ""
    change, buckets = verdict.shared
    units = f"{'' if buckets == 1 else formats.number(buckets) + ' '}{open_.again(buckets)}"
    text = f"{formats.number(change.present)} against {formats.number(change.earlier)}"
    alike = ", as many of each weekday" if open_.is_of_week else ""
    return f"; over the {units} that both have{alike}: {text}{_percent(change, formats)}"


def _counted(verdict: Verdict, open_: _Open, formats: Formats) -> str:
    """`counted in 9 of 12 open hours against 12 of 12`, `counted in all open hours of both`.

    Without their number where all are; in minutes where the hours are there and hold too few in one of both,
    where all of one of both are there and do not hold nearly all, or where all of both are there and what
    they lack is too much for a percentage.
    """
    first, other = verdict.counted, verdict.counted_earlier
    minutes = (verdict.minutes, verdict.minutes_earlier)
    lacks_minutes = any(
        hours.is_complete and not is_nearly_all(own)
        for hours, own in zip((first, other), minutes, strict=True)
    ) or (first.is_complete and other.is_complete and not verdict.is_fair)
    if are_alike(first, other) and (lacks_minutes or not are_alike(*minutes)):
        (first, other), open_ = minutes, open_._replace(unit=Granularity.MINUTE)
    if first.is_complete and other.is_complete:
        sizes = "" if first.expected == other.expected else f", {_sizes(first, other, open_, formats)}"
        return f"counted in all {open_.units(2)}{' of' if open_.is_said else ', in'} both{sizes}"
    units, against = open_.units(first.expected), "" if open_.is_said else ","
    return f"counted in {_of(first, formats)} {units}{against} against {_of(other, formats)}"


def _sizes(first: Completeness, other: Completeness, open_: _Open, formats: Formats) -> str:
    """`13 open hours against 26`."""
    units = open_.again(first.expected)
    return f"{formats.number(first.expected)} {units} against {formats.number(other.expected)}"


def _of(counted: Completeness, formats: Formats) -> str:
    return f"{formats.number(counted.present)} of {formats.number(counted.expected)}"


def _percent(change: Change, formats: Formats) -> str:
    """` (12 % more)`; empty where the earlier number is 0."""
    text = difference(change, formats)
    return f" ({text})" if text else ""


def difference(change: Change, formats: Formats) -> str:
    """`12 % more`, `300 times as many`, `as many`; empty where the earlier number is 0.

    Rounding makes of a difference no equality, and of somebody nobody.
    """
    percent = change.percent
    if percent is None:
        return ""
    if percent == 0:
        return "as many"
    times = change.present / change.earlier
    if times >= _MANY_TIMES:
        return f"{formats.number(times, 0 if times >= _WHOLE_TIMES else 1)} times as many"
    whole = round(abs(percent))
    size = formats.percent(whole)
    if abs(percent) < 1:
        size = f"under {formats.percent(1)}"
    elif percent < 0 < change.present and whole == _ALL:
        size = f"over {formats.percent(_ALL - 1)}"
    return f"{size} {'more' if percent > 0 else 'fewer'}"
