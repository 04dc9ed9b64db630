"""A table as a file: CSV, Excel and Parquet, its name, and what it says about its numbers (decision 53).

The file has what the page shows, in the words and units it shows it in. Names of zones come from elsewhere
and may begin like a formula. In CSV such a name gets an apostrophe before it, which spreadsheets read as:
text. In Excel and Parquet cells are typed, so names stay as they are. Streamlit's own download of a table
guards nothing and is switched off (`client.disableDataExport`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, time, timedelta
from io import BytesIO
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from analysis.names import LONGEST_HINT, one_line
from analysis.time_range import TimeRange
from components.sentences.metric_words import number_words
from components.tables.completeness import COUNTED, UNTOLD
from components.tables.shown_table import ESTIMATED, NOTES, OPEN
from contract import METRICS, Granularity, Site, SiteSummary, format_local

_LONGEST_SLUG: Final = 48
"""Characters of a site's name; the whole stays far below what any system takes."""
_DAY: Final = timedelta(days=1)
ROW_RULES: Final = {
    Granularity.MINUTE: "A row is a minute; it is named by its start.",
    Granularity.HOUR: "A row is a local hour, named by its start; an hour that the clocks repeat is two.",
    Granularity.DAY: "A row is a local day of 23, 24 or 25 hours, named by its start.",
    Granularity.MONTH: "A row is a local month, named by its start.",
}
_FORMULA_START: Final = re.compile(r"""(^|[;|])([\s"']*)(?=[=+\-@＝＋－＠])""")
"""At the beginning of a cell, or of what a reader makes a cell of that splits at semicolons."""
_EXCEL_TEXT: Final = {"strings_to_formulas": False, "strings_to_urls": False}
_COLUMN_WIDTH: Final = 22
_DIGITS: Final = "%.10g"
"""Of a number in a CSV file: 959, not 959.0, and none of the digits in which a computer errs."""

About = Mapping[str, str]
"""What the numbers are: query, time zone, what a row is, request ids."""

OF: Final = "Of"
WHEN: Final = "When"
TIME_ZONE: Final = "Time zone"
ROWS: Final = "Rows"
UNITS: Final = "Units"
COMPLETENESS: Final = "Completeness"
IN_EVERY_ROW: Final = (OF, WHEN, TIME_ZONE, ROWS, UNITS, COMPLETENESS)
"""What of an `About` each row of a CSV file repeats, which has no other place for it."""


def guarded(text: str) -> str:
    """A text for a cell or a header of a CSV file, on one line, that no spreadsheet takes for a formula."""
    return _FORMULA_START.sub(r"\1\2'", one_line(text, LONGEST_HINT))


def to_csv(
    table: pd.DataFrame, texts: Collection[str] = (NOTES,), in_rows: About = MappingProxyType({})
) -> bytes:
    """UTF-8, comma separated; times as ISO 8601 with their offset; missing is empty.

    `texts` are the columns whose words are not ours. What `in_rows` says follows the numbers as columns, the
    same in each row.
    """
    flat = table.copy()
    for name in _times(table):
        flat[name] = [_or_empty(stamp, stamp.isoformat()) for stamp in table[name]]
    for name in flat.columns.intersection(list(texts)):
        flat[name] = [guarded(text) for text in flat[name]]
    flat.columns = pd.Index([guarded(name) for name in flat.columns])
    for name, said in in_rows.items():
        flat[name] = guarded(said)
    return flat.to_csv(lineterminator="\n", index=False, float_format=_DIGITS).encode()


def to_excel(table: pd.DataFrame, about: About) -> bytes:
    """A sheet "Data" with local times beside their offset (Excel has no time zones), a sheet "About"."""
    times = _times(table)
    columns: dict[str, object] = {}
    for name in table.columns:
        columns[name] = table[name].dt.tz_localize(None) if name in times else table[name]
        if name in times:
            columns[f"{name}, UTC offset"] = [
                _or_empty(stamp, stamp.isoformat()[-6:]) for stamp in table[name]
            ]
    flat = pd.DataFrame(columns)
    about_rows = pd.DataFrame(list(about.items()), columns=["What", "Value"])
    buffer = BytesIO()
    with pd.ExcelWriter(buffer, engine="xlsxwriter", engine_kwargs={"options": _EXCEL_TEXT}) as writer:
        for name, frame in (("Data", flat), ("About", about_rows)):
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
    """Names of the columns that hold aware moments."""
    return [str(name) for name, kind in table.dtypes.items() if isinstance(kind, pd.DatetimeTZDtype)]


def _or_empty(stamp: object, text: str) -> str:
    """`text`, or an empty one for a moment that is missing."""
    return "" if stamp is pd.NaT else text


def file_stem(site: Site, range_: TimeRange, granularity: Granularity, timezone: ZoneInfo) -> str:
    """`linden-department-store_2026-11-14_to_2026-11-20_by-hour`: ASCII, without an ending."""
    return f"{site_slug(site)}_{_span(range_, timezone)}_by-{granularity}"


def picture_stem(what: Sequence[str], range_: TimeRange, timezone: ZoneInfo) -> str:
    """`linden-department-store_people-inside_2026-11-14_to_2026-11-20`, of what it is of; likewise."""
    return "_".join(filter(None, (slug_of(what), _span(range_, timezone))))


def slug_of(what: Sequence[str]) -> str:
    """Likewise without a time."""
    return "_".join(filter(None, map(_slug, what)))


def site_slug(site: SiteSummary) -> str:
    """A site's name as files have it."""
    return _slug(site.name) or _slug(site.id) or "site"


def _slug(text: str) -> str:
    spelled = unicodedata.normalize("NFKD", text[: 4 * _LONGEST_SLUG].replace("ß", "ss")).encode(
        "ascii", "ignore"
    )
    return re.sub("[^a-z0-9]+", "-", spelled.decode().lower()).strip("-")[:_LONGEST_SLUG].rstrip("-")


def _span(range_: TimeRange, timezone: ZoneInfo) -> str:
    """Local: the first and the last day of whole days, else from which minute to which."""
    first, end = (moment.astimezone(timezone) for moment in range_)
    if first.time() == end.time() == time():
        last = end.date() - _DAY
        return _joined(f"{first.date()}", f"{max(last, first.date())}")
    return _joined(_minute(first), _minute(end))


def _minute(local: datetime) -> str:
    return f"{local:%Y-%m-%d-%H%M}"


def _joined(first: str, last: str) -> str:
    return first if first == last else f"{first}_to_{last}"


def about(
    site: Site, request: HistoryRequest, data: HistoryData, request_ids: Sequence[str]
) -> dict[str, str]:
    """Query, time zone, what a row is and request ids, in words."""
    first, last = (format_local(moment, request.timezone) for moment in request.range)
    cut = [start.isoformat() for start, is_cut in zip(data.table.index, data.cut, strict=True) if is_cut]
    return {
        "Site": f"{site.name} ({site.id})",
        "From": first,
        "To": f"{last} (not included)",
        **_compared(data),
        TIME_ZONE: request.timezone.key,
        **_hours(data),
        ROWS: ROW_RULES[data.granularity],
        "Rows that are only partly in the range": ", ".join(cut) or "none",
        UNITS: "; ".join(
            [
                f"{METRICS[metric].label}: {number_words(metric, data.aggregation, data.granularity)}"
                for metric in data.metrics
            ]
            + [f"{COUNTED}: empty where nobody came, as a 0 does not tell its minutes"]
            + [f"“{ESTIMATED.strip(', ')}” in a name: no count, and in no other number"]
            * bool(data.estimates)
        ),
        **_untrusted(data),
        **_estimated(data),
        "Missing": f"An empty number means that no counts are stored; it is never 0. {UNTOLD}",
        "Request ids": ", ".join(request_ids),
    }


def _hours(data: HistoryData) -> dict[str, str]:
    if data.open_time is None:
        return {}
    closed = "Closed rows" if data.earlier is None else "Rows that are closed in both periods"
    return {
        "Hours": f"Open hours only, as kept for this site. {closed} are left out; “{OPEN}” says how many"
        " minutes of a row are open, and its numbers are of these alone."
    }


def _estimated(data: HistoryData) -> dict[str, str]:
    if not data.estimates:
        return {}
    return {
        "Estimated": "A column whose name ends so says what probably was in the minutes of a row that are not"
        " counted: the median of the same hours of such weekdays in the 8 weeks before; the two after it say"
        " the fewest and the most of these days. They are in no other number."
    }


def _untrusted(data: HistoryData) -> dict[str, str]:
    """From when to when the number inside means nothing, of each zone."""
    spans = [
        f"{label}: {' to '.join(moment.astimezone(data.timezone).isoformat() for moment in one)}"
        for label, stretches in data.untrusted.items()
        for one in stretches
    ]
    return {"People inside cannot be trusted": "; ".join(spans)} if spans else {}


def _compared(data: HistoryData) -> dict[str, str]:
    if data.earlier_range is None:
        return {}
    first, last = (format_local(moment, data.timezone) for moment in data.earlier_range)
    said = {"Compared with": f"{first} to {last} (not included)"}
    if data.earlier_alone is not None and not data.earlier_alone.empty:
        said["Rows without From"] = f"Of the other period alone: this one has no such {data.granularity}."
    return said
