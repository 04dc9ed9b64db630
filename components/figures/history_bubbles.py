"""What a point of the history chart says when one points at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis.bucket_table import Completeness
from analysis.counted_minutes import few_earlier_minutes, few_minutes
from analysis.history_data import HistoryData
from analysis.untrusted import (
    SPOILT_METRICS,
    UNTRUSTED,
    untrusted_earlier_rows,
    untrusted_rows,
)
from components.figures.template import plotly_text
from components.number_format import Formats
from components.sentences.metric_words import quantity
from contract import MetricKey

_WHOLE_FROM = 10
"""Values from which on decimals are left out."""


def present_bubbles(
    data: HistoryData,
    column: tuple[str, MetricKey],
    values: Sequence[float | None],
    texts: Sequence[str],
    formats: Formats,
) -> list[str]:
    """When, of several lines which, how many, on how few minutes that rests and whether it means anything.

    Nothing where a value is None. `texts` say when each bucket is.
    """
    label, metric = column
    notes = _notes(few_minutes(data, label), untrusted_rows(data, label), metric, formats)
    return _bubbles(data, column, values, zip(texts, notes, strict=True), formats)


def earlier_bubbles(
    data: HistoryData,
    column: tuple[str, MetricKey],
    values: Sequence[float | None],
    texts: Sequence[str],
    formats: Formats,
) -> list[str]:
    """Likewise of the other period."""
    label, metric = column
    notes = _notes(few_earlier_minutes(data, label), untrusted_earlier_rows(data, label), metric, formats)
    return _bubbles(data, column, values, zip(texts, notes or [""] * len(texts), strict=True), formats)


def _bubbles(
    data: HistoryData,
    column: tuple[str, MetricKey],
    values: Sequence[float | None],
    texts: Iterable[tuple[str, str]],
    formats: Formats,
) -> list[str]:
    """`texts` are when each bucket is, and a note."""
    of = f"{plotly_text(column[0])}: " if len(data.labels) > 1 else ""
    what = quantity(column[1], data.aggregation, data.granularity)
    return [
        "" if value is None else f"{text}<br>{of}<b>{_number(value, formats)}</b> {what}{note}"
        for value, (text, note) in zip(values, texts, strict=True)
    ]


def _notes(
    few: Sequence[Completeness | None], spoilt: Sequence[bool], metric: MetricKey, formats: Formats
) -> list[str]:
    """On how few minutes each number rests, and that it means nothing."""
    return [
        f"{_counted(one, formats)}{f'<br>{UNTRUSTED}' if is_spoilt and metric in SPOILT_METRICS else ''}"
        for one, is_spoilt in zip(few, spoilt, strict=True)
    ]


def _counted(few: Completeness | None, formats: Formats) -> str:
    if few is None:
        return ""
    return f"<br>counted in only {formats.number(few.present)} of {formats.number(few.expected)} minutes"


def _number(value: float, formats: Formats) -> str:
    """Of large numbers a decimal says nothing: an average of 152.3 people is one of 152."""
    return formats.number(value, 0 if abs(value) >= _WHOLE_FROM else 1)
