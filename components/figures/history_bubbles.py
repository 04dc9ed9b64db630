"""What a point of the history chart says when one points at it."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.bucket_table import Completeness
from analysis.counted_minutes import few_earlier_minutes, few_minutes
from analysis.history_data import HistoryData, cut_stay_rows
from analysis.untrusted import SPOILT_METRICS, doubts, earlier_doubts
from components.figures.template import plotly_text
from components.number_format import Formats
from components.sentences.metric_words import quantity
from contract import MetricKey

NO_VISITS = "not the time of a visit"
_WHOLE_FROM = 10
"""Values from which on decimals are left out."""


def bubbles(
    data: HistoryData,
    column: tuple[str, MetricKey],
    values: Sequence[float | None],
    texts: Sequence[str],
    formats: Formats,
    *,
    are_earlier: bool = False,
) -> list[str]:
    """When, of several lines which, how many, on how few minutes that rests and whether it means anything.

    Nothing where a value is None. `texts` say when each bucket is; `are_earlier`: all is of the other period.
    """
    label, metric = column
    if are_earlier:
        few, trust = few_earlier_minutes(data, label), earlier_doubts(data, label)
    else:
        few, trust = few_minutes(data, label), doubts(data, label)
    if metric is MetricKey.TIME_SPENT and not are_earlier:
        cut = cut_stay_rows(data, label)
        trust = [doubt or (NO_VISITS if is_cut else "") for doubt, is_cut in zip(trust, cut, strict=True)]
    notes = _notes(few, trust, metric, formats) or [""] * len(texts)
    of = f"{plotly_text(label)}: " if len(data.labels) > 1 else ""
    what = quantity(metric, data.aggregation, data.granularity)
    return [
        "" if value is None else f"{text}<br>{of}<b>{_number(value, formats)}</b> {what}{note}"
        for value, text, note in zip(values, texts, notes, strict=True)
    ]


def _notes(
    few: Sequence[Completeness | None], trust: Sequence[str], metric: MetricKey, formats: Formats
) -> list[str]:
    """On how few minutes each number rests, and that it means nothing, or was not checked."""
    return [
        f"{_counted(one, formats)}{f'<br>{doubt}' if doubt and metric in SPOILT_METRICS else ''}"
        for one, doubt in zip(few, trust, strict=True)
    ]


def _counted(few: Completeness | None, formats: Formats) -> str:
    if few is None:
        return ""
    return f"<br>counted in only {formats.number(few.present)} of {formats.number(few.expected)} minutes"


def _number(value: float, formats: Formats) -> str:
    """Of large numbers a decimal says nothing: an average of 152.3 people is one of 152."""
    return formats.number(value, 0 if abs(value) >= _WHOLE_FROM else 1)
