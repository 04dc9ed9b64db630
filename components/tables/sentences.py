"""What a chart shows, said in sentences before it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import pandas as pd

from components.number_format import Formats
from components.tables.history_data import HistoryData
from components.tables.metric_words import LABELS
from components.tables.peak_search import FoundPeak
from components.tables.subject import FLOWS, Subject
from components.tables.summary import Completeness, change, completeness, peak_bucket, total
from components.theme import share_of
from contract import Aggregation, Granularity, MetricKey

_DAY: Final = timedelta(days=1)
_VERBS: Final = {MetricKey.ENTRANCES: "came in", MetricKey.EXITS: "went out"}


def answers_of(subject: Subject, data: HistoryData, found: FoundPeak | None, formats: Formats) -> list[str]:
    """What a person asks first: when it was fullest, how many came, how long they stayed."""
    said = [
        _fullest(subject, data, found, formats) if found else None,
        *(_flow(subject, metric, data, formats) for metric in FLOWS),
        _stay(subject, data, formats),
    ]
    return [sentence for sentence in said if sentence]


def changes_of(subject: Subject, data: HistoryData, formats: Formats) -> list[str]:
    """How the totals differ from the earlier period, over the buckets that both have."""
    return [sentence for metric in FLOWS if (sentence := _change(subject, metric, data, formats)) is not None]


def present_buckets(data: HistoryData, formats: Formats) -> str:
    """How many buckets have a count: `57 of 60 hours present.`."""
    there = completeness(pd.Series([None if empty else 1 for empty in data.table.isna().all(axis="columns")]))
    return f"{_portion(there, data.granularity, formats)} present."


def _portion(there: Completeness, granularity: Granularity, formats: Formats) -> str:
    unit = granularity if there.expected == 1 else f"{granularity}s"
    if there.is_complete:
        return f"All {formats.number(there.expected)} {unit}"
    return f"{formats.number(there.present)} of {formats.number(there.expected)} {unit}"


def _fullest(subject: Subject, data: HistoryData, found: FoundPeak, formats: Formats) -> str:
    value = formats.number(found.peak.value)
    share = share_of(found.peak.value, subject.capacity)
    part = "" if share is None else f" ({formats.percent(share)})"
    return f"Fullest {_when(found.peak.start, found.granularity, data, formats)} with {value} inside{part}."


def _when(start: datetime, granularity: Granularity, data: HistoryData, formats: Formats) -> str:
    local = start.astimezone(data.timezone)
    if granularity is Granularity.MONTH:
        return f"in {formats.month(local)}"
    date = formats.day(local) if _within_a_year(data) else formats.date(local)
    if granularity is Granularity.DAY:
        return f"on {date}"
    day = "" if _within_a_day(data) else f"on {date}"
    clock = f"at {_clock(local, formats)}" if granularity is Granularity.MINUTE else (
        f"in the hour from {_clock(local, formats)}"
    )  # fmt: skip
    return f"{day} {clock}".strip()


def _clock(local: datetime, formats: Formats) -> str:
    """A time that occurs twice that day says which of the two it is."""
    twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    return f"{formats.time(local)} {local:%Z}" if twice else formats.time(local)


def _within_a_day(data: HistoryData) -> bool:
    first, last = data.table.index[0], data.table.index[-1]
    return bool(first.date() == last.date())


def _within_a_year(data: HistoryData) -> bool:
    """Whether all of it lies in one year, so that a date needs none."""
    return bool(data.table.index[0].year == data.table.index[-1].year)


def _flow(subject: Subject, metric: MetricKey, data: HistoryData, formats: Formats) -> str | None:
    column = (subject.label, metric)
    if column not in data.table.columns or data.aggregation not in {None, Aggregation.SUM}:
        return None
    whole = total(data.table[column])
    peak = peak_bucket(data.table, column)
    if whole is None or peak is None:
        return None
    said = f"{formats.number(whole)} {_VERBS[metric]}"
    if len(data.table) == 1 or not peak.value:
        return f"{said}."
    busiest = _when(peak.start, data.granularity, data, formats)
    return f"{said}, most {busiest} ({formats.number(peak.value)})."


def _stay(subject: Subject, data: HistoryData, formats: Formats) -> str | None:
    column = (subject.label, MetricKey.TIME_SPENT)
    if column not in data.table.columns or data.table[column].isna().all():
        return None
    shortest, longest = float(data.table[column].min()), float(data.table[column].max())
    return (
        f"Mean time inside per {data.granularity} between {formats.duration(shortest)} "
        f"and {formats.duration(longest)}."
    )


def _change(subject: Subject, metric: MetricKey, data: HistoryData, formats: Formats) -> str | None:
    column = (subject.label, metric)
    earlier = data.earlier
    if earlier is None or column not in earlier.columns or column not in data.table.columns:
        return None
    if data.aggregation not in {None, Aggregation.SUM}:
        return None
    found = change(data.table[column], earlier[column])
    if found is None:
        return f"{LABELS[metric]}: the earlier period has no counts to compare with."
    told = f"{formats.number(found.present)} against {formats.number(found.earlier)} before"
    buckets = f"{formats.number(found.buckets)} {data.granularity}{'' if found.buckets == 1 else 's'}"
    return f"{LABELS[metric]}: {told}{_percent(found.percent, formats)}, over {buckets} that both have."


def _percent(percent: float | None, formats: Formats) -> str:
    if percent is None:
        return ""
    if round(percent) == 0:
        return " (as many)"
    return f" ({formats.percent(abs(percent))} {'more' if percent > 0 else 'fewer'})"
