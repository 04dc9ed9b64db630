"""A table on screen and its twin on paper, times in both as the page writes them everywhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, Final

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from components.number_format import NO_VALUE, Formats
from components.page_frame import paper_table
from components.panels.viewer import viewer_formats

MOST_CELLS = 60_000
"""Above, a table costs half a second to style; its times are then written by Streamlit."""

MOST_ROWS: Final = 500
"""More are for a file; they would be a dozen pages."""

_LETTER: Final = 6
"""Pixels of a letter in a cell, on average."""
_MARGIN: Final = 20
_NARROWEST: Final = 90
_WIDEST: Final = 480

WriteTime = Callable[[pd.Timestamp], str]


def timed_table(
    table: pd.DataFrame,
    key: str,
    headings: Mapping[str, str],
    times: Sequence[str],
    write: WriteTime,
    *,
    whole: Sequence[str] = (),
) -> None:
    """`table` on screen and on paper, its columns called as `headings` say, its numbers grouped; `key` is the
    table's own. Of the columns of text that are to be seen `whole`, the longest is not cut off.
    """
    shown = with_times(table, times, write)
    if isinstance(shown, Styler):
        shown = shown.format(_number, subset=list(table.select_dtypes("number").columns))
    widths = {
        name: st.column_config.TextColumn(headings.get(name), width=_width(table[name])) for name in whole
    }
    st.dataframe(shown, hide_index=True, placeholder=NO_VALUE, column_config=dict(headings) | widths)
    table_on_paper(table, key, headings=headings, write=write)


def _width(texts: pd.Series) -> int:
    """Pixels in which each fits: Streamlit goes by the first rows, and shares the page out among columns."""
    longest = max(map(len, texts.astype(str)), default=0)
    return min(max(longest * _LETTER + _MARGIN, _NARROWEST), _WIDEST)


def _number(value: object) -> str:
    return _cell(value, viewer_formats(), str)


def number_table(table: pd.DataFrame, key: str) -> None:
    """`table` on screen and on paper, its numbers to one decimal; `key` is the table's own."""
    shown = table.round(1)
    columns = shown.select_dtypes("number").columns
    shown[columns] += 0  # makes 0 of what was rounded to -0
    numbers = dict.fromkeys(columns, st.column_config.NumberColumn(format="localized"))
    st.dataframe(shown, hide_index=True, placeholder=NO_VALUE, column_config=numbers)
    table_on_paper(shown, key)


def with_times(table: pd.DataFrame, columns: Sequence[str], write: WriteTime) -> pd.DataFrame | Styler:
    """`table` for `st.dataframe`, with the times in `columns` (aware, or missing) as `write` writes them."""
    if table.empty or table.size > MOST_CELLS:
        return table

    def written(moment: object) -> str:
        return write(moment) if isinstance(moment, pd.Timestamp) else NO_VALUE

    return table.style.format(written, subset=list(columns))


def table_on_paper(
    table: pd.DataFrame,
    key: str,
    *,
    headings: Mapping[str, str] | None = None,
    write: WriteTime = str,
) -> None:
    """Beside each `st.dataframe(table)`. `key` is one table's on its page.

    `headings` are what its columns are called where that is not their name; `write` is how it writes times.
    """
    formats = viewer_formats()
    called = headings or {}
    rows = [
        [_cell(value, formats, write) for value in row]
        for row in table.head(MOST_ROWS).itertuples(index=False)
    ]
    more = len(table) - len(rows)
    note = f"And {formats.number(more)} more rows." if more else ""
    paper_table([called.get(name, name) for name in map(str, table.columns)], rows, note=note, key=key)


def _cell(value: Any, formats: Formats, write: WriteTime) -> str:
    if pd.isna(value):
        return NO_VALUE
    if isinstance(value, pd.Timestamp):
        return write(value)
    if isinstance(value, Real):
        return formats.number(float(value), decimals=2)
    return str(value)
