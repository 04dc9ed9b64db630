"""The history as rows and columns in the words and units of the page, for its table and for files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from math import nan
from typing import Final

import pandas as pd

from analysis.bucket_table import Completeness, starts_of
from analysis.counted_minutes import few_earlier_minutes, few_minutes, held_minutes, row_minutes
from analysis.history_data import HistoryData, earlier_rows_that_count, rows_that_count, with_all_earlier
from analysis.names import LONGEST_NAME, one_line
from analysis.notes import LONGEST_NOTE, Note, notes_by_bucket
from analysis.untrusted import SPOILT_METRICS, doubts, earlier_doubts
from components.number_format import Formats
from components.sentences.coverage_words import portion
from components.tables.completeness import COUNTED, EXPECTED
from contract import METRICS, Granularity, MetricKey, Unit
from contract.buckets import next_bucket_start

FROM: Final = "From"
"""Column: when the row's bucket begins, aware."""
UNTIL: Final = "Until"
"""Column of files: when it ends, aware; the moment itself is not of it."""
COMPARED_WITH: Final = "Compared with"
"""Column: when the bucket begins that it is held against, aware; missing where there is none."""
NOTE: Final = ", note"
"""At the end of a column's name: words beside the numbers of the column before."""
OPEN: Final = "Open, min"
"""Column: how many minutes of the row count, where open hours alone do."""
ESTIMATED: Final = ", estimated"
"""At the end of a column's name: what is estimated of minutes of a row that are missing."""
ENDS: Final = (f"{ESTIMATED}, fewest", f"{ESTIMATED}, most")
"""At the end of the names of two columns of files: of the days on which that rests."""
NOTES: Final = "Notes"
"""Column: what people have written on a time of the row, and what they set by hand in it."""
_SECONDS: Final = 60
_ENOUGH: Final = 10
"""From this value on, a second decimal says nothing about people or minutes."""


def shown_table(data: HistoryData) -> pd.DataFrame:
    """One row per bucket: when it begins, then each number, beside it that of the other period.

    Counts are whole numbers (`Int64`), averages are rounded, time inside is in minutes; missing is missing.
    A row of the other period alone, which lies beside none of this one, says when it is under
    `COMPARED_WITH`. Where open hours alone count, rows that are closed in both periods are left out, and each
    says how many of its minutes are open.
    """
    data = with_all_earlier(data)
    starts: dict[str, pd.Series] = {FROM: data.table.index.to_series()}
    if data.earlier is not None:
        starts[COMPARED_WITH] = _starts(data.earlier_starts, data)
    numbers: dict[str, pd.Series] = {}
    if data.open_time is not None:
        held = list(map(held_minutes(data.granularity, data), starts_of(data.table)))
        numbers[OPEN] = pd.Series(held).round().astype("Int64")
    for column in data.columns:
        heading = _heading(*column, alone=len(data.labels) == 1)
        numbers[heading] = _numbers(data.table[column], column[1])
        numbers |= _noted(heading, _notes(data, *column))
        numbers |= _estimated(heading, data, column)
        if data.earlier is not None and column in data.earlier.columns:
            numbers[f"{heading}, compared"] = _numbers(data.earlier[column], column[1])
            numbers |= _noted(f"{heading}, compared", _earlier_notes(data, *column))
    if any(texts := notes_by_bucket([*data.notes.values(), *_by_hand(data)], starts_of(data.table))):
        numbers[NOTES] = pd.Series(["; ".join(own) for own in texts], dtype="string")
    columns = {name: own.reset_index(drop=True) for name, own in (starts | numbers).items()}
    nothing_said = {name: "" for name, own in columns.items() if own.dtype == "string"}
    return pd.DataFrame(columns).fillna(nothing_said).iloc[_rows(data)].reset_index(drop=True)


def file_table(data: HistoryData) -> pd.DataFrame:
    """As `shown_table`, with when each row ends, how many of its minutes are counted (empty where it is not
    known: nobody came, or was inside), and how many should be: those within the range, and open.
    """
    table, rows = shown_table(data), _rows(with_all_earlier(data))
    ends = [next_bucket_start(one, data.granularity, data.timezone) for one in starts_of(data.table)]
    table.insert(1, UNTIL, _starts(ends, data).reindex(rows).array)
    for label in data.labels:
        counted = pd.DataFrame(row_minutes(data, label), columns=[COUNTED, EXPECTED], dtype="Int64")
        for name, own in counted.reindex(rows).items():
            of = "" if len(data.labels) == 1 else f"{one_line(label, LONGEST_NAME)}: "
            table[f"{of}{name}"] = own.array
    for column in data.columns:
        if column in data.estimates:
            _insert_ends(table, data, column, rows)
    return table


def _insert_ends(
    table: pd.DataFrame, data: HistoryData, column: tuple[str, MetricKey], rows: list[int]
) -> None:
    """Between which ends an estimate lies, beside it."""
    heading, bands = _heading(*column, alone=len(data.labels) == 1), data.estimates[column]
    own = [bands.get(start) for start in starts_of(data.table)]
    lows, highs = zip(*((one.low, one.high) if one else (nan, nan) for one in own), strict=True)
    place = list(table.columns).index(f"{heading}{ESTIMATED}")
    for after, (name, ends) in enumerate(zip(ENDS, (lows, highs), strict=True), start=1):
        table.insert(place + after, f"{heading}{name}", pd.Series(ends).round(1).reindex(rows).to_numpy())


def _rows(data: HistoryData) -> list[int]:
    """Those that count in either period, in order of time, whichever of both they are of."""
    if data.earlier is None:
        return [row for row, counts in enumerate(rows_that_count(data)) if counts]
    both = zip_longest(rows_that_count(data), earlier_rows_that_count(data), fillvalue=False)
    places = [datetime.min.replace(tzinfo=UTC)]
    for start in data.earlier_starts:
        places.append(start or places[-1])
    return sorted((row for row, counts in enumerate(both) if any(counts)), key=places[1:].__getitem__)


def _starts(starts: Sequence[datetime | None], data: HistoryData) -> pd.Series:
    instants = pd.Series(list(starts), dtype="datetime64[us, UTC]")
    return instants.dt.tz_convert(data.timezone)  # type: ignore[no-any-return]


def _estimated(heading: str, data: HistoryData, column: tuple[str, MetricKey]) -> dict[str, pd.Series]:
    """What is estimated of the missing minutes of each row, beside its number and never in it."""
    bands = data.estimates.get(column, {})
    values = [bands[start].median if start in bands else float("nan") for start in starts_of(data.table)]
    return {f"{heading}{ESTIMATED}": pd.Series(values).round(1)} if bands else {}


def _by_hand(data: HistoryData) -> list[Note]:
    """What was set by hand, as notes on it; of several zones each is named."""
    notes = []
    for label, levels in data.levels.items():
        zone = "" if len(data.labels) == 1 else f"{one_line(label, LONGEST_NAME)} "
        for level in levels:
            text = f"{zone}set to {level.inside} by hand: {level.reason}"
            notes.append(Note(at=level.at, text=one_line(text, LONGEST_NOTE)))
    return notes


def _noted(heading: str, notes: Sequence[str]) -> dict[str, pd.Series]:
    """A column of words beside the numbers; none where there is nothing to say."""
    return {f"{heading}{NOTE}": pd.Series(notes, dtype="string")} if any(notes) else {}


def _notes(data: HistoryData, label: str, metric: MetricKey) -> list[str]:
    """What is to be known of each row's number: that it means nothing, or on how few minutes it rests."""
    trust = _trust(doubts(data, label), data.table[label, metric], metric)
    few = few_minutes(data, label) if _is_first(data, label, metric) else [None] * len(trust)
    return _joined(trust, few)


def _earlier_notes(data: HistoryData, label: str, metric: MetricKey) -> list[str]:
    """Likewise of the other period's."""
    if data.earlier is None:
        return []
    trust = _trust(earlier_doubts(data, label), data.earlier[label, metric], metric)
    few = few_earlier_minutes(data, label) if _is_first(data, label, metric) else [None] * len(trust)
    return _joined(trust, few)


def _is_first(data: HistoryData, label: str, metric: MetricKey) -> bool:
    """Whether it is the number beside which a row's minutes stand, which its others share."""
    return metric is next(one for own, one in data.columns if own == label)


def _joined(trust: Sequence[str], few: Sequence[Completeness | None]) -> list[str]:
    # Files have no reader whose numbers these could be.
    counted = [f"counted in {portion(one, Granularity.MINUTE, Formats())}" if one else "" for one in few]
    return ["; ".join(filter(None, both)) for both in zip(trust, counted, strict=True)]


def _trust(rows: Sequence[str], values: pd.Series, metric: MetricKey) -> list[str]:
    """Beside numbers that are there."""
    is_meant = metric in SPOILT_METRICS
    return [
        doubt if is_meant and is_there else "" for doubt, is_there in zip(rows, values.notna(), strict=True)
    ]


def _heading(label: str, metric: MetricKey, *, alone: bool) -> str:
    words = f"{METRICS[metric].label}, min" if METRICS[metric].unit is Unit.SECONDS else METRICS[metric].label
    return words if alone else f"{one_line(label, LONGEST_NAME)}: {words}"


def _numbers(values: pd.Series, metric: MetricKey) -> pd.Series:
    scaled = values / _SECONDS if METRICS[metric].unit is Unit.SECONDS else values
    there = scaled.dropna()
    if not there.empty and (there == there.round()).all():
        return scaled.astype("Int64")
    return scaled.round(1 if there.empty or there.abs().max() >= _ENOUGH else 2)
