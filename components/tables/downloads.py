"""A table as a file: CSV, Excel and Parquet.

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

from components.plain_text import LONGEST_HINT, one_line
from components.tables.bucket_table import BUCKET_START

_FORMULA_START: Final = re.compile(r"""(^|[;|])([\s"']*)(?=[=+\-@＝＋－＠])""")
"""At the beginning of a cell, or of what a reader makes a cell of that splits at semicolons."""
_EXCEL_TEXT: Final = {"strings_to_formulas": False, "strings_to_urls": False}
_COLUMN_WIDTH: Final = 22

About = Mapping[str, str]
"""What the numbers are: query, time zone, bucket rule, request ids."""


def guarded(text: str) -> str:
    """A text for a cell or a header of a CSV file, on one line, that no spreadsheet takes for a formula."""
    return _FORMULA_START.sub(r"\1\2'", one_line(text, LONGEST_HINT))


def to_csv(table: pd.DataFrame) -> bytes:
    """UTF-8, comma separated; bucket starts as ISO 8601 with their offset; missing is empty."""
    flat = _flat(table)
    flat.columns = pd.Index([guarded(name) for name in flat.columns])
    flat.index = pd.Index([stamp.isoformat() for stamp in table.index], name=BUCKET_START)
    return flat.to_csv(lineterminator="\n").encode()


def to_excel(table: pd.DataFrame, about: About) -> bytes:
    """A sheet "Data" with local times beside their offset (Excel has no time zones), a sheet "About"."""
    flat = _flat(table).reset_index(drop=True)
    flat.insert(0, f"{BUCKET_START} (local)", [stamp.replace(tzinfo=None) for stamp in table.index])
    flat.insert(1, "UTC offset", [stamp.isoformat()[-6:] for stamp in table.index])
    told = pd.DataFrame(list(about.items()), columns=["What", "Value"])
    buffer = BytesIO()
    with pd.ExcelWriter(buffer, engine="xlsxwriter", engine_kwargs={"options": _EXCEL_TEXT}) as writer:
        for name, frame in (("Data", flat), ("About", told)):
            frame.to_excel(writer, sheet_name=name, index=False, freeze_panes=(1, 0))
            writer.sheets[name].set_column(0, len(frame.columns) - 1, _COLUMN_WIDTH)
    return buffer.getvalue()


def to_parquet(table: pd.DataFrame, about: About) -> bytes:
    """Times with their zone; what `about` says is in the file's metadata under `headroom`."""
    arrow = pa.Table.from_pandas(_flat(table).reset_index(), preserve_index=False)
    metadata = {**(arrow.schema.metadata or {}), b"headroom": json.dumps(dict(about)).encode()}
    buffer = BytesIO()
    pq.write_table(arrow.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """One level of column names: `Hall: entrances`."""
    flat = table.copy()
    flat.columns = pd.Index([": ".join(map(str, pair)) for pair in table.columns])
    return flat
