"""Three buttons that save a table as CSV, Excel and Parquet. A file is made when its button is pressed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

import pandas as pd
import streamlit as st

from analysis.names import LONGEST_HINT, one_line
from components.plain_text import plain
from components.tables.downloads import IN_EVERY_ROW, OF, About, to_csv, to_excel, to_parquet
from components.tables.shown_table import NOTES

_EXCEL: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class Files(NamedTuple):
    """A table as it is taken along, and what its files say of it."""

    table: Callable[[], pd.DataFrame]
    """Made when a button is pressed, so it asks Streamlit for nothing."""
    about: About
    stem: str
    """Name of the files, without an ending."""
    texts: Collection[str] = (NOTES,)
    """Columns whose words are not ours."""
    in_rows: Collection[str] = IN_EVERY_ROW
    """What of `about` each row of a CSV file repeats."""


def data_buttons(files: Files, key: str) -> None:
    """In a row, below what the table is of; `key` is that one's own on its page."""
    table, about, stem, texts, in_rows = files
    repeated = {name: about[name] for name in in_rows if name in about}
    kinds: dict[str, tuple[str, str, Callable[[], bytes]]] = {
        "CSV": ("csv", "text/csv", lambda: to_csv(table(), texts, repeated)),
        "Excel": ("xlsx", _EXCEL, lambda: to_excel(table(), about)),
        "Parquet": ("parquet", "application/vnd.apache.parquet", lambda: to_parquet(table(), about)),
    }
    of = one_line(about.get(OF, ""), LONGEST_HINT)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"data-of-{key}"):
        st.caption("Save data as", width="content")
        for name, (ending, kind, make) in kinds.items():
            st.download_button(
                plain(name), make, f"{stem}.{ending}", kind, key=f"data-{key}-{ending}", on_click="ignore",
                icon=":material/download:", help=plain(f"Save data as {name}: {of}"), type="tertiary",
            )  # fmt: skip
