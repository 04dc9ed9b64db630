"""A table as a file: CSV, Excel and Parquet, with what the page shows in the words and units it shows it in.

Names of zones come from elsewhere and may begin like a formula. In CSV such a name gets an apostrophe before
it, which spreadsheets read as: text. In Excel and Parquet cells are typed, so names stay as they are.
Streamlit's own download of a table guards nothing and is switched off (`client.disableDataExport`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.names import LONGEST_HINT, one_line

_FORMULA_START: Final = re.compile(r"""(^|[;|])([\s"']*)(?=[=+\-@＝＋－＠])""")
"""At the beginning of a cell, or of what a reader makes a cell of that splits at semicolons."""
_EXCEL_TEXT: Final = {"strings_to_formulas": False, "strings_to_urls": False}
_COLUMN_WIDTH: Final = 22

About = Mapping[str, str]
"""What the numbers are: query, time zone, what a row is, request ids."""


def guarded(text: str) -> str:
    """A text for a cell or a header of a CSV file, on one line, that no spreadsheet takes for a formula."""
    return _FORMULA_START.sub(r"\1\2'", one_line(text, LONGEST_HINT))


def to_csv(table: pd.DataFrame) -> bytes:
    """UTF-8, comma separated; times as ISO 8601 with their offset; missing is empty."""
    flat = table.copy()
    for name in _times(table):
        flat[name] = [_told(stamp, stamp.isoformat()) for stamp in table[name]]
    flat.columns = pd.Index([guarded(name) for name in flat.columns])
    return flat.to_csv(lineterminator="\n", index=False).encode()


def to_excel(table: pd.DataFrame, about: About) -> bytes:
    """A sheet "Data" with local times beside their offset (Excel has no time zones), a sheet "About"."""
    times = _times(table)
    columns: dict[str, object] = {}
    for name in table.columns:
        columns[name] = table[name].dt.tz_localize(None) if name in times else table[name]
        if name in times:
            columns[f"{name}, UTC offset"] = [_told(stamp, stamp.isoformat()[-6:]) for stamp in table[name]]
    flat = pd.DataFrame(columns)
    told = pd.DataFrame(list(about.items()), columns=["What", "Value"])
    buffer = BytesIO()
    with pd.ExcelWriter(buffer, engine="xlsxwriter", engine_kwargs={"options": _EXCEL_TEXT}) as writer:
        for name, frame in (("Data", flat), ("About", told)):
            frame.to_excel(writer, sheet_name=name, index=False, freeze_panes=(1, 0))
            writer.sheets[name].set_column(0, len(frame.columns) - 1, _COLUMN_WIDTH)
    return buffer.getvalue()


def to_parquet(table: pd.DataFrame, about: About) -> bytes:
    """Times with their zone; what `about` says is in the file's metadata under `headroom`."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    metadata = {**(arrow.schema.metadata or {}), b"headroom": json.dumps(dict(about)).encode()}
    buffer = BytesIO()
    pq.write_table(arrow.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def _times(table: pd.DataFrame) -> list[str]:
    """Columns of aware moments."""
    return [str(name) for name, kind in table.dtypes.items() if isinstance(kind, pd.DatetimeTZDtype)]


def _told(stamp: object, text: str) -> str:
    """Nothing for a moment that is missing."""
    return "" if stamp is pd.NaT else text
