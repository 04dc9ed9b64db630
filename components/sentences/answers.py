"""What a chart shows, said in sentences before it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final

from analysis.bucket_table import Peak, peak_bucket, starts_of, total
from analysis.counted_minutes import average_inside
from analysis.drift import Drift
from analysis.history_data import HistoryData
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.untrusted import is_peak_untrusted, untrusted_part
from components.number_format import Formats
from components.sentences.change_words import against_words, average_against, other_average, stay_against
from components.sentences.coverage_words import average_words, portion
from components.sentences.drift_words import drift_reason, drift_time
from contract import CROSSINGS, Aggregation, Granularity, MetricKey
from contract.buckets import bucket_start, next_bucket_start
from gauge.levels import share_of

_INSTANT: Final = timedelta(microseconds=1)
_NEARLY_A_DAY: Final = timedelta(hours=23)
_NO_STAY: Final = (
    "How long people stayed is not told: too many are inside when it opens or closes, or where counts are"
    " missing, or left without being counted. All hours, under “More choices”, may tell it."
)
_ONE: Final = {unit: "an hour" if unit is Granularity.HOUR else f"a {unit}" for unit in Granularity}


def answers_of(
    subject: Subject,
    data: HistoryData,
    found: FoundPeak | None,
    formats: Formats,
    other: FoundPeak | None = None,
) -> list[str]:
    """What a person asks first: when it was fullest, how many came, how long they stayed.

    `other` is the peak of the period that `data` is compared with.
    """
    if is_without_people(subject, data, found):
        against = against_words(subject, data, found, other, formats)
        return [f"Nobody was counted {_in_all(data, formats)}{against}."]
    level = _average(subject, data, other, formats)
    stay = _stay(subject, data, other, formats)
    untold = "" if stay else _untold_stay(subject, data)
    is_spoilt = (found is not None and found.is_somewhere_spoilt) or bool(data.untrusted.get(subject.label))
    said = [
        _fullest(subject, data, found, other, formats) if found else None,
        _spoilt_beside(data, found.other, formats) if found and found.other else None,
        _spoilt_by_hours(subject, data, found, formats),
        _left_out(level, stay) if is_spoilt else level,
        *(_flow(subject, metric, data, formats) for metric in CROSSINGS),
        None if is_spoilt else stay or untold,
    ]
    return [sentence for sentence in said if sentence]


def is_taken_over_closed_hours(data: HistoryData) -> bool:
    """Whether a bucket's average holds the night too, and so is far below what was there by day."""
    return (
        data.granularity in {Granularity.DAY, Granularity.MONTH}
        and MetricKey.VISITORS_INSIDE in data.metrics
        and data.aggregation in {None, Aggregation.AVERAGE}
        and data.open_time is None
    )


def _fullest(
    subject: Subject, data: HistoryData, found: FoundPeak, other: FoundPeak | None, formats: Formats
) -> str:
    if is_peak_untrusted(found, subject.label, data):
        return _spoilt(data, found, formats)
    against = against_words(subject, data, found, other, formats)
    return f"{peak_words(subject, data, found, formats)}{against}."


def peak_words(subject: Subject, data: HistoryData, found: FoundPeak, formats: Formats) -> str:
    """`Fullest at 09:40 with 212 inside (84 %)`, without a stop; of a peak that no drift spoils."""
    if found.peak.value <= 0:
        return "Nobody was counted inside at the end of any minute"
    value = formats.number(found.peak.value)
    share = share_of(found.peak.value, subject.capacity)
    part = "" if share is None else f" ({formats.percent(share)})"
    when = _when(found.peak.start, found.granularity, data, formats)
    return f"Fullest {when} with {value} inside{part}"


def _spoilt(data: HistoryData, found: FoundPeak, formats: Formats) -> str:
    """In the place of a peak that entrances and exits contradict."""
    when = _when(found.peak.start, found.granularity, data, formats)
    number = formats.number(found.peak.value)
    day = found.peak.start.astimezone(data.timezone).date()
    reason = "who came in and who went out that day do not add up"
    if found.is_spoilt and found.drift:
        reason = drift_reason(found.drift, data.timezone, formats, day=day)
    return f"The highest number inside, {number} {when}, cannot be trusted: {reason}."


def _spoilt_beside(data: HistoryData, drift: Drift, formats: Formats) -> str:
    """Of a count that does not hold the peak, but reaches into the range."""
    when = spoilt_when(data, drift, formats)
    moment = drift.since if drift.since >= data.range.start or not drift.busy_until else drift.busy_until
    reason = drift_reason(drift, data.timezone, formats, day=moment.astimezone(data.timezone).date())
    return f"The number inside cannot be trusted {when}: {reason}."


def _spoilt_by_hours(
    subject: Subject, data: HistoryData, found: FoundPeak | None, formats: Formats
) -> str | None:
    """On how much of the range, where what was found around its fullest minute does not say it."""
    rows = rows_untrusted(data, subject.label, formats)
    if not rows or (found and found.is_somewhere_spoilt and _within_a_day(data)):
        return None
    return f"The number inside cannot be trusted in {rows}: who came in and who went out do not add up then."


def rows_untrusted(data: HistoryData, label: str, formats: Formats) -> str:
    """`48 of 168 hours`, by the hours of their days; empty: none."""
    part = untrusted_part(data, label)
    if label not in data.checked_by_hours or not part.present:
        return ""
    in_part = ", at least in part" if data.granularity in {Granularity.DAY, Granularity.MONTH} else ""
    return portion(part, data.granularity, formats) + in_part


def spoilt_when(data: HistoryData, drift: Drift, formats: Formats) -> str:
    """`until 04:00`; times of a range within a day have no date."""
    return drift_time(drift, data.range.start, data.timezone, formats, day=_only_day(data))


def _left_out(level: str | None, stay: str | None) -> str | None:
    """Which means rest on a number that means nothing."""
    what = [*(["the average inside"] if level else []), *(["the time inside"] if stay else [])]
    if not what:
        return None
    joined = " and ".join(what)
    return f"{joined[0].upper()}{joined[1:]} {'are' if len(what) > 1 else 'is'} left out."


def _only_day(data: HistoryData) -> date | None:
    return data.range.start.astimezone(data.timezone).date() if _within_a_day(data) else None


def is_without_people(subject: Subject, data: HistoryData, found: FoundPeak | None) -> bool:
    """Whether entrances and exits are both there, and nobody is in either, nor inside.

    Their lowest minute is mostly 0, however many come.
    """
    if found and (found.peak.value or found.is_spoilt):
        return False
    if data.aggregation not in {None, Aggregation.SUM, Aggregation.MAXIMUM}:
        return False
    flows = [(subject.label, metric) for metric in CROSSINGS]
    there = [flow for flow in flows if flow in data.table.columns and data.table[flow].notna().any()]
    return len(there) == len(flows) and not data.table[flows].sum().any()


def _in_all(data: HistoryData, formats: Formats) -> str:
    """`on Sun 22 Nov` of one whole day, else `in this time`."""
    first = data.table.index[0].to_pydatetime()
    last = starts_of(data.table)[-1]
    after = next_bucket_start(last, data.granularity, data.timezone)
    day = bucket_start(first, Granularity.DAY, data.timezone)
    is_a_day = first == day and after == next_bucket_start(day, Granularity.DAY, data.timezone)
    if not is_a_day or any(data.cut):
        return "in this time"
    return f"on {formats.day(first)}"


def _average(subject: Subject, data: HistoryData, other: FoundPeak | None, formats: Formats) -> str | None:
    """Of the hours in which somebody was inside: closed ones would halve it."""
    column = (subject.label, MetricKey.VISITORS_INSIDE)
    if column not in data.table.columns or data.aggregation not in {None, Aggregation.AVERAGE}:
        return None
    if data.granularity in {Granularity.DAY, Granularity.MONTH}:
        return None
    if (average := average_inside(data, subject.label)) is None:
        return None
    against = average_against(subject, data, average, other, formats)
    beside = other_average(subject, data, other)
    return f"On average {average_words(average, formats, beside=beside)}{against}."


def _when(start: datetime, granularity: Granularity, data: HistoryData, formats: Formats) -> str:
    local = start.astimezone(data.timezone)
    if granularity is Granularity.MONTH:
        return f"in {formats.month(local)}"
    date = formats.day(local)
    if granularity is Granularity.DAY:
        return f"on {date}"
    day = "" if _within_a_day(data) else f"on {date}"
    clock = f"at {formats.time(local)}" if granularity is Granularity.MINUTE else (
        f"in the hour from {formats.time(local)}"
    )  # fmt: skip
    return f"{day} {clock}".strip()


def _within_a_day(data: HistoryData) -> bool:
    first, last = (moment.astimezone(data.timezone) for moment in data.range)
    return first.date() == (last - _INSTANT).date()


def _flow(subject: Subject, metric: MetricKey, data: HistoryData, formats: Formats) -> str | None:
    column = (subject.label, metric)
    if column not in data.table.columns or (peak := peak_bucket(data.table, column)) is None:
        return None
    is_total, verb = data.aggregation in {None, Aggregation.SUM}, verb_of(subject, metric)
    if not peak.value and (is_total or data.aggregation is Aggregation.MAXIMUM):
        return f"Nobody {verb}."
    if is_total:
        return _total(column, verb, peak, data, formats)
    if data.aggregation is Aggregation.MAXIMUM:
        return _highest_minute(column, verb, peak, data, formats)
    return None


def verb_of(subject: Subject, metric: MetricKey) -> str:
    """What people did; nobody comes in or goes out between two zones."""
    is_entrance = metric is MetricKey.ENTRANCES
    if subject.between is None:
        return "came in" if is_entrance else "went out"
    first, last = subject.between if is_entrance else reversed(subject.between)
    return f"went from {first} to {last}"


def _highest_minute(
    column: tuple[str, MetricKey], verb: str, peak: Peak, data: HistoryData, formats: Formats
) -> str:
    is_first = "for the first time " if (data.table[column] == peak.value).sum() > 1 else ""
    when = _when(peak.start, data.granularity, data, formats)
    return f"At most {formats.number(peak.value)} {verb} within a minute, {is_first}{when}."


def _total(column: tuple[str, MetricKey], verb: str, peak: Peak, data: HistoryData, formats: Formats) -> str:
    whole = total(data.table[column]) or 0
    said = f"{formats.number(whole)} {verb}"
    if len(data.table) == 1:
        return f"{said}."
    busiest = _when(peak.start, data.granularity, data, formats)
    if peak.value == whole:
        return f"{said}, all {busiest}."
    if (data.table[column] == peak.value).sum() > 1:
        most = f"{formats.number(peak.value)} in {_ONE[data.granularity]}"
        return f"{said}, at most {most}, for the first time {busiest}."
    return f"{said}, most {busiest} ({formats.number(peak.value)})."


def _untold_stay(subject: Subject, data: HistoryData) -> str:
    """Why open hours do not tell how long people stayed; empty where that is no matter of these.

    A range of less than a day hardly ever tells it, nor do hours in which nobody was there.
    """
    start, end = data.range
    is_of_these = data.open_time is not None and end - start >= _NEARLY_A_DAY
    is_untold = subject.label in data.untold_stays and bool(data.open_hours.get(subject.label))
    return _NO_STAY if is_of_these and is_untold else ""


def _stay(subject: Subject, data: HistoryData, other: FoundPeak | None, formats: Formats) -> str | None:
    """How long people stayed, and where it is charted by day or longer, how that changed.

    Of a minute or an hour, it is mostly the time of those who had come in before; and of days of which it
    is not known as a whole, visits are cut or minutes are missing.
    """
    mean, column = data.stays.get(subject.label), (subject.label, MetricKey.TIME_SPENT)
    if mean is None:
        return None
    against = stay_against(subject, data, mean, other, formats)
    said = f"People stayed {formats.duration(mean)} on average{against}."
    if column not in data.table.columns or data.granularity not in {Granularity.DAY, Granularity.MONTH}:
        return said
    whole = data.table[column][[not is_cut for is_cut in data.cut]].dropna()
    if whole.empty:
        return said
    shortest, longest = (formats.duration(float(seconds)) for seconds in (whole.min(), whole.max()))
    if shortest == longest:
        return said
    return f"{said} Mean time inside per {data.granularity} between {shortest} and {longest}."
