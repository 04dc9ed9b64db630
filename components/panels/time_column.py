"""Times in a table as the page writes them everywhere else, and still sorted as times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from components.number_format import NO_VALUE
from components.panels.table_on_paper import table_on_paper

MOST_CELLS = 60_000
"""Above, a table costs half a second to style; its times are then written by Streamlit."""


def timed_table(
    table: pd.DataFrame,
    key: str,
    headings: Mapping[str, str],
    times: Sequence[str],
    write: Callable[[pd.Timestamp], str],
) -> None:
    """`table` on screen and on paper, its columns called as `headings` say; `key` is the table's own."""
    shown = with_times(table, times, write)
    st.dataframe(shown, hide_index=True, placeholder=NO_VALUE, column_config=dict(headings))
    table_on_paper(table, key, headings=headings, write=write)


def with_times(
    table: pd.DataFrame, columns: Sequence[str], write: Callable[[pd.Timestamp], str]
) -> pd.DataFrame | Styler:
    """`table` for `st.dataframe`, with the times in `columns` (aware, or missing) as `write` writes them."""
    if table.empty or table.size > MOST_CELLS:
        return table

    def written(moment: object) -> str:
        return write(moment) if isinstance(moment, pd.Timestamp) else NO_VALUE

    return table.style.format(written, subset=list(columns))
