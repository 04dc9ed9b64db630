"""The answer in one sentence: the first screen of a phone has room for it. What it rests on comes later."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.bucket_table import Change, total
from analysis.compared_totals import Verdict
from analysis.history_data import HistoryData
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.untrusted import is_peak_untrusted
from components.number_format import Formats
from components.sentences.answers import (
    answers_of,
    is_without_people,
    peak_words,
    rows_untrusted,
    spoilt_when,
    verb_of,
)
from components.sentences.change_words import difference
from contract import CROSSINGS, Aggregation, MetricKey

_UNLIKE: Final = ", counted too unlike the other period to compare"
_MOST: Final = 0.5
"""Hours that both periods have stand for them where more than this part of the people of each came then."""


class _Clause(NamedTuple):
    text: str
    difference: str = ""
    """From the other period; empty where there is none."""


def headline(
    subject: Subject,
    data: HistoryData,
    found: FoundPeak | None,
    formats: Formats,
    other: FoundPeak | None = None,
    *,
    beside: str = "in the other period",
) -> str:
    """When it was fullest and how many came, and how much more that is than in the other period, which is
    called `beside` (`the week before`).

    Why a number inside cannot be trusted, and all else, `answers_of` tells; empty where that tells nothing of
    counts that are there.
    """
    clauses = [] if is_without_people(subject, data, found) else [
        *([_level(subject, data, found, formats, other)] if found else []), *_flow(subject, data, formats)
    ]  # fmt: skip
    if not clauses:
        own = [column for column in data.table.columns if column[0] == subject.label]
        nothing = "No counts are stored of this time." if data.table[own].isna().all(axis=None) else ""
        return next(iter(answers_of(subject, data, found, formats, other)), nothing)
    last = max((index for index, one in enumerate(clauses) if one.difference), default=None)
    said = [
        f"{one.text}, {one.difference}{_than(one, beside) if index == last else ''}"
        if one.difference
        else one.text
        for index, one in enumerate(clauses)
    ]
    joined = "; ".join(said)
    return f"{joined[0].upper()}{joined[1:]}."


def _than(clause: _Clause, beside: str) -> str:
    return f" {'as' if clause.difference.endswith('many') else 'than'} {beside}"


def _level(
    subject: Subject, data: HistoryData, found: FoundPeak, formats: Formats, other: FoundPeak | None
) -> _Clause:
    if is_peak_untrusted(found, subject.label, data):
        return _Clause("The number inside cannot be trusted")
    text = peak_words(subject, data, found, formats)
    if found.other:
        when = spoilt_when(data, found.other, formats)
        return _Clause(f"{text}, though the number inside cannot be trusted {when}")
    if rows := rows_untrusted(data, subject.label, formats):
        return _Clause(f"{text}, though the number inside cannot be trusted in {rows}")
    verdict = _verdict(data, (subject.label, MetricKey.VISITORS_INSIDE))
    if other is None or is_peak_untrusted(other, subject.label, data, is_earlier=True):
        return _Clause(text)
    if found.peak.value <= 0 or not (verdict and verdict.are_peaks_fair):
        return _Clause(text)
    return _Clause(text, difference(Change(found.peak.value, other.peak.value), formats))


def _flow(subject: Subject, data: HistoryData, formats: Formats) -> list[_Clause]:
    """Who came in, or of a chart of exits alone, who went out."""
    if data.aggregation not in {None, Aggregation.SUM}:
        return []
    columns = ((subject.label, metric) for metric in CROSSINGS)
    column = next((one for one in columns if one in data.table.columns), None)
    if column is None or (whole := total(data.table[column])) is None:
        return []
    text = f"{formats.number(whole) if whole else 'nobody'} {verb_of(subject, column[1])}"
    is_compared = data.earlier is not None and column in data.earlier.columns
    verdict = _verdict(data, column) if is_compared else None
    if verdict is None or verdict.earlier is None or not verdict.is_over:
        return [_Clause(text)]
    if not verdict.is_fair:
        alike = _of_shared(verdict, data, formats)
        return [_Clause(text), alike] if alike else [_Clause(f"{text}{_UNLIKE}")]
    return [_Clause(text, difference(Change(whole, verdict.earlier), formats))]


def _of_shared(verdict: Verdict, data: HistoryData, formats: Formats) -> _Clause | None:
    """How the hours differ that both periods have; None where too few came then."""
    if verdict.shared is None or data.totals is None:
        return None
    both, whole = verdict.shared.change, Change(verdict.present or 0.0, verdict.earlier or 0.0)
    if min(both.present - _MOST * whole.present, both.earlier - _MOST * whole.earlier) <= 0:
        return None
    return _Clause(f"over the {data.totals.unit}s that both have", difference(both, formats))


def _verdict(data: HistoryData, column: tuple[str, MetricKey]) -> Verdict | None:
    return data.totals.verdict(column) if data.totals else None
