from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from zoneinfo import ZoneInfo

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest

from components.tables.bucket_table import bucket_table
from components.tables.downloads import guarded, to_csv, to_excel, to_parquet
from components.tables.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
ABOUT = {"Time zone": "Europe/Zurich", "Site": "=cmd|'/C calc'!A0"}


def night(label: str = "Hall") -> pd.DataFrame:
    """The hours around the change of clocks on 2025-10-26: 01:00, 02:00, 02:00 again (missing), 03:00."""
    range_ = TimeRange(datetime(2025, 10, 25, 23, tzinfo=UTC), datetime(2025, 10, 26, 3, tzinfo=UTC))
    points = [
        MetricPoint(timestamp=datetime(2025, 10, 25, 23, tzinfo=UTC), metrics={"entrances": 4}),
        MetricPoint(timestamp=datetime(2025, 10, 26, 0, tzinfo=UTC), metrics={"entrances": 0}),
        MetricPoint(timestamp=datetime(2025, 10, 26, 2, tzinfo=UTC), metrics={"entrances": 2.5}),
    ]
    return bucket_table({label: points}, [MetricKey.ENTRANCES], range_, Granularity.HOUR, ZURICH)


def test_csv_carries_offsets_and_leaves_missing_empty() -> None:
    assert to_csv(night()).decode() == (
        "bucket start,Hall: entrances\n"
        "2025-10-26T01:00:00+02:00,4.0\n"
        "2025-10-26T02:00:00+02:00,0.0\n"
        "2025-10-26T02:00:00+01:00,\n"
        "2025-10-26T03:00:00+01:00,2.5\n"
    )


def test_a_name_that_begins_like_a_formula_is_text_in_csv() -> None:
    header = to_csv(night('=HYPERLINK("http://x")')).decode().splitlines()[0]
    assert header.split(",", 1)[1].startswith("\"'=HYPERLINK")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+41 Hall", "'+41 Hall"),
        ("-1 Hall", "'-1 Hall"),
        ("@Hall", "'@Hall"),
        ("  =1", "'=1"),
        ("\t=1", "'=1"),
        ("\r\n=1", "'=1"),
        ("\u200b=1", "'=1"),
        ('"=1', "\"'=1"),
        ("＝1", "'＝1"),
        ("x;=cmd|'/C calc'!A0", "x;'=cmd|'/C calc'!A0"),
        ("x; -1", "x; '-1"),
        ("Hall - west", "Hall - west"),
        ("Café", "Café"),
    ],
)
def test_no_cell_of_a_csv_file_begins_like_a_formula(name: str, cell: str) -> None:
    assert guarded(name) == cell


def test_a_reader_that_splits_at_semicolons_finds_no_formula_either() -> None:
    header = to_csv(night("x;=cmd|'/C calc'!A0")).decode().splitlines()[0]
    assert not [cell for cell in header.split(";") if cell.startswith("=")]


def test_a_name_with_commas_and_quotes_survives_csv() -> None:
    read = pd.read_csv(BytesIO(to_csv(night('A, "B"'))))
    assert list(read.columns) == ["bucket start", 'A, "B": entrances']


def test_excel_has_local_times_beside_their_offset() -> None:
    sheet = openpyxl.load_workbook(BytesIO(to_excel(night(), ABOUT)))["Data"]
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0] == ("bucket start (local)", "UTC offset", "Hall: entrances")
    assert [(row[0], row[1], row[2]) for row in rows[2:4]] == [
        (datetime(2025, 10, 26, 2), "+02:00", 0),  # noqa: DTZ001 - Excel has no time zones
        (datetime(2025, 10, 26, 2), "+01:00", None),  # noqa: DTZ001 - Excel has no time zones
    ]


def test_excel_executes_nothing() -> None:
    book = openpyxl.load_workbook(BytesIO(to_excel(night("=1+1"), ABOUT)))
    assert book["Data"]["C1"].value == "=1+1: entrances"
    assert {cell.data_type for sheet in book for row in sheet for cell in row} <= {"s", "n", "d"}


def test_excel_says_what_its_numbers_are() -> None:
    sheet = openpyxl.load_workbook(BytesIO(to_excel(night(), ABOUT)))["About"]
    assert dict(sheet.iter_rows(min_row=2, values_only=True)) == ABOUT


def test_parquet_keeps_the_time_zone_and_says_what_it_is() -> None:
    read = pq.read_table(BytesIO(to_parquet(night(), ABOUT)))
    assert read.schema.field("bucket start").type.tz == "Europe/Zurich"
    assert json.loads(read.schema.metadata[b"headroom"]) == ABOUT
    column = read.column("Hall: entrances").to_pylist()
    assert column[:2] == [4, 0]
    assert pd.isna(column[2])
