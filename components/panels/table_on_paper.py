"""A table's twin on paper: `st.dataframe` draws what is scrolled into sight, and printing cuts the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Final

import pandas as pd

from components.number_format import NO_VALUE, Formats
from components.page_frame import paper_table
from components.panels.viewer import viewer_formats

MOST_ROWS: Final = 500
"""More are for a file; they would be a dozen pages."""

WriteTime = Callable[[pd.Timestamp], str]


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
