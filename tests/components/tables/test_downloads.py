from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from zoneinfo import ZoneInfo

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from dateutil.relativedelta import relativedelta

from analysis.bands import Band
from analysis.bucket_table import bucket_table, starts_of
from analysis.comparison import counterparts, laid_over
from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from analysis.open_time import OpenTime
from analysis.time_range import TimeRange
from components.tables.downloads import about, file_stem, guarded, to_csv, to_excel, to_parquet
from components.tables.shown_table import NOTES, file_table, shown_table
from contract import Granularity, MetricKey, MetricPoint
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
ABOUT = {"Time zone": "Europe/Zurich", "Site": "=cmd|'/C calc'!A0"}
METRICS = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT)
NIGHT = TimeRange(datetime(2025, 10, 25, 23, tzinfo=UTC), datetime(2025, 10, 26, 3, tzinfo=UTC))
"""The hours around the change of clocks: 01:00, 02:00, 02:00 again, 03:00."""
FLOW = ("Entrances", "Entrances, compared")
WEEK = relativedelta(weeks=1)


def point(start: datetime, inside: float, entrances: float, seconds: float) -> MetricPoint:
    values = dict(zip(METRICS, (inside, entrances, seconds), strict=True))
    return MetricPoint(timestamp=start, metrics={str(key): value for key, value in values.items()})


def points(first: datetime) -> list[MetricPoint]:
    """The third of four hours is missing."""
    hour = timedelta(hours=1)
    return [
        point(first, 12.3456, 100, 600),
        point(first + hour, 0, 0, 90),
        point(first + 3 * hour, 7.5, 2500, 5407),
    ]


def night(*labels: str) -> HistoryData:
    own = dict.fromkeys(labels or ("Hall",), points(NIGHT.start))
    table = bucket_table(own, METRICS, NIGHT, Granularity.HOUR, ZURICH)
    return HistoryData(table, [False] * 4, Granularity.HOUR, ZURICH, NIGHT)


def compared_night() -> HistoryData:
    """With the Saturday a week before, which had one 02:00 hour."""
    data = night()
    before = TimeRange(NIGHT.start - timedelta(weeks=1), NIGHT.end - timedelta(weeks=1))
    earlier = bucket_table({"Hall": points(before.start)}, METRICS, before, Granularity.HOUR, ZURICH)
    starts = starts_of(data.table)
    beside = counterparts(starts, starts_of(earlier), WEEK, Granularity.HOUR, ZURICH)
    laid = laid_over(earlier, starts, beside, ZURICH)
    return replace(data, earlier=laid, earlier_range=before, earlier_starts=beside)


def rows_of(file: bytes) -> list[list[str]]:
    return list(csv.reader(StringIO(file.decode())))


def test_csv_carries_what_the_page_shows_in_its_words_and_units() -> None:
    assert rows_of(to_csv(shown_table(night()))) == [
        ["From", "People inside", "Entrances", "Time inside, min"],
        ["2025-10-26T01:00:00+02:00", "12.3", "100", "10"],
        ["2025-10-26T02:00:00+02:00", "0", "0", "1.5"],
        ["2025-10-26T02:00:00+01:00", "", "", ""],
        ["2025-10-26T03:00:00+01:00", "7.5", "2500", "90.1"],
    ]


def test_the_compared_period_stands_beside_each_number_with_its_own_time() -> None:
    header, *rows = rows_of(to_csv(shown_table(compared_night())[["From", "Compared with", *FLOW]]))
    assert header == ["From", "Compared with", "Entrances", "Entrances, compared"]
    assert rows == [
        ["2025-10-26T01:00:00+02:00", "2025-10-19T01:00:00+02:00", "100", "100"],
        ["2025-10-26T02:00:00+02:00", "2025-10-19T02:00:00+02:00", "0", "0"],
        ["2025-10-26T02:00:00+01:00", "", "", ""],
        ["2025-10-26T03:00:00+01:00", "2025-10-19T03:00:00+02:00", "2500", ""],
    ]


def test_several_zones_are_named_before_their_numbers() -> None:
    header = rows_of(to_csv(shown_table(night("Hall", "Café"))))[0]
    assert header[1:4] == ["Hall: People inside", "Hall: Entrances", "Hall: Time inside, min"]
    assert header[4] == "Café: People inside"


def test_small_averages_keep_a_second_decimal() -> None:
    data = night()
    table = shown_table(replace(data, table=data.table / 100))
    assert table["People inside"].tolist()[0] == 0.12


def test_a_name_that_begins_like_a_formula_is_text_in_csv() -> None:
    header = to_csv(shown_table(night('=HYPERLINK("http://x")', "Hall"))).decode().splitlines()[0]
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
    header = to_csv(shown_table(night("x;=cmd|'/C calc'!A0", "Hall"))).decode().splitlines()[0]
    assert not [cell for cell in header.split(";") if cell.startswith("=")]


def test_a_name_with_commas_and_quotes_survives_csv() -> None:
    read = pd.read_csv(BytesIO(to_csv(shown_table(night('A, "B"', "Hall")))))
    assert read.columns[1] == 'A, "B": People inside'


def test_excel_has_local_times_beside_their_offset_and_numbers_as_numbers() -> None:
    sheet = openpyxl.load_workbook(BytesIO(to_excel(shown_table(compared_night()), ABOUT)))["Data"]
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0][:4] == ("From", "From, UTC offset", "Compared with", "Compared with, UTC offset")
    assert rows[0][4:8] == ("People inside", "People inside, compared", "Entrances", "Entrances, compared")
    two, a_week_before = datetime(2025, 10, 26, 2), datetime(2025, 10, 19, 2)  # noqa: DTZ001 - Excel has no time zones
    assert rows[2][:8] == (two, "+02:00", a_week_before, "+02:00", 0, 0, 0, 0)
    assert rows[3][:8] == (two, "+01:00", None, None, None, None, None, None)
    assert isinstance(rows[1][6], int)


def test_excel_executes_nothing() -> None:
    book = openpyxl.load_workbook(BytesIO(to_excel(shown_table(night("=1+1", "Hall")), ABOUT)))
    assert book["Data"]["C1"].value == "=1+1: People inside"
    assert {cell.data_type for sheet in book for row in sheet for cell in row} <= {"s", "n", "d"}


def test_excel_says_what_its_numbers_are() -> None:
    sheet = openpyxl.load_workbook(BytesIO(to_excel(shown_table(night()), ABOUT)))["About"]
    assert dict(sheet.iter_rows(min_row=2, values_only=True)) == ABOUT


def test_parquet_keeps_time_zone_and_whole_numbers_and_says_what_it_is() -> None:
    read = pq.read_table(BytesIO(to_parquet(shown_table(compared_night()), ABOUT)))
    assert read.schema.field("From").type.tz == read.schema.field("Compared with").type.tz == "Europe/Zurich"
    assert json.loads(read.schema.metadata[b"headroom"]) == ABOUT
    assert read.column("Entrances").to_pylist() == [100, 0, None, 2500]
    assert read.column("Entrances, compared").to_pylist() == [100, 0, None, None]
    assert str(read.schema.field("Entrances").type) == "int64"
    assert read.column("Time inside, min").to_pylist()[3] == 90.1


def test_a_number_that_means_nothing_or_rests_on_few_minutes_has_a_note_beside_it() -> None:
    first, second, _, last = starts_of(night().table)
    noted = replace(
        night(), untrusted={"Hall": [TimeRange(second, last)]}, minutes={"Hall": {first: 3.0, second: 12.0}}
    )
    assert rows_of(to_csv(shown_table(noted)))[:3] == [
        [
            "From", "People inside", "People inside, note", "Entrances", "Time inside, min",
            "Time inside, min, note",
        ],
        ["2025-10-26T01:00:00+02:00", "12.3", "counted in 3 of 60 minutes", "100", "10", ""],
        [
            "2025-10-26T02:00:00+02:00", "0", "cannot be trusted; counted in 12 of 60 minutes", "0", "1.5",
            "cannot be trusted",
        ],
    ]  # fmt: skip


def test_each_row_of_a_file_says_when_it_ends_and_how_many_of_its_minutes_are_counted() -> None:
    first, second, *_ = starts_of(night().table)
    cut = replace(
        night(),
        range=TimeRange(NIGHT.start + timedelta(minutes=44), NIGHT.end),
        minutes={"Hall": {first: 13.0}},
    )
    rows = rows_of(to_csv(file_table(cut)[["From", "Until", "Minutes counted", "Minutes expected"]]))
    assert rows[1:] == [
        ["2025-10-26T01:00:00+02:00", "2025-10-26T02:00:00+02:00", "13", "16"],
        ["2025-10-26T02:00:00+02:00", "2025-10-26T02:00:00+01:00", "", "60"],
        ["2025-10-26T02:00:00+01:00", "2025-10-26T03:00:00+01:00", "0", "60"],
        ["2025-10-26T03:00:00+01:00", "2025-10-26T04:00:00+01:00", "", "60"],
    ]
    told = file_table(replace(night("Hall", "Café"), minutes={"Café": {second: 60.0}}))
    assert told["Café: Minutes counted"].astype("object").fillna(-1).tolist() == [-1, 60, 0, -1]
    assert told["Hall: Minutes expected"].tolist() == [60] * 4


def test_rows_of_the_other_period_alone_have_no_minutes_of_this_one() -> None:
    data = compared_night()
    assert data.earlier is not None
    alone = data.earlier.iloc[[0]].set_axis(pd.DatetimeIndex(data.table.index[:1]) - timedelta(days=300))
    table = file_table(replace(data, earlier_alone=alone))
    (row,) = table.index[table["From"].isna()]
    assert table.loc[row, ["Until", "Minutes expected"]].isna().all()
    assert table["Minutes expected"].dropna().tolist() == [60] * 4


def test_the_compared_number_has_a_note_of_its_own() -> None:
    data = compared_night()
    assert data.earlier_range is not None
    noted = shown_table(replace(data, earlier_untrusted={"Hall": [data.earlier_range]}))
    assert noted["People inside, compared, note"].tolist()[:3] == [
        "cannot be trusted",
        "cannot be trusted",
        "",
    ]
    assert "Entrances, compared, note" not in noted.columns


def test_where_nothing_is_compared_no_note_stands() -> None:
    data = compared_night()
    assert data.earlier is not None
    assert data.earlier_range is not None
    earlier = data.earlier.copy()
    earlier.iloc[0] = float("nan")
    noted = shown_table(replace(data, earlier=earlier, earlier_untrusted={"Hall": [data.earlier_range]}))
    assert noted["People inside, compared, note"].tolist()[:2] == ["", "cannot be trusted"]


def stem(first: str, last: str, name: str = "Corner shop", site_id: str = "corner-shop") -> str:
    range_ = TimeRange(*(datetime.fromisoformat(one).replace(tzinfo=ZURICH) for one in (first, last)))
    site = SITE.model_copy(update={"name": name, "id": site_id})
    return file_stem(site, range_, Granularity.HOUR, ZURICH)


@pytest.mark.parametrize(
    ("first", "last", "named"),
    [
        ("2026-11-14", "2026-11-21", "corner-shop_2026-11-14_to_2026-11-20_by-hour"),
        ("2026-10-25", "2026-10-26", "corner-shop_2026-10-25_by-hour"),
        ("2026-11-20T19:38", "2026-11-21T19:38", "corner-shop_2026-11-20-1938_to_2026-11-21-1938_by-hour"),
        ("2026-11-21", "2026-11-21T09:05", "corner-shop_2026-11-21-0000_to_2026-11-21-0905_by-hour"),
    ],
)
def test_a_file_is_named_by_site_range_and_bucket(first: str, last: str, named: str) -> None:
    assert stem(first, last) == named


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("Café Zürich & Straße", "cafe-zurich-strasse"),
        ("../../etc/passwd", "etc-passwd"),
        ("con.xlsx\x00\r\n=cmd|'/C calc'!A0", "con-xlsx-cmd-c-calc-a0"),
        ("\u202e东京", "corner-shop"),
        ("", "corner-shop"),
        ("N" * 10_000, "n" * 48),
    ],
)
def test_whatever_a_site_is_called_its_file_has_a_safe_name(name: str, begins: str) -> None:
    named = stem("2026-11-14", "2026-11-21", name)
    assert named == f"{begins}_2026-11-14_to_2026-11-20_by-hour"
    assert named.isascii()


def test_a_site_without_a_readable_name_or_id_still_has_one() -> None:
    assert stem("2026-11-14", "2026-11-21", "东京", "…").startswith("site_")


def test_a_file_says_that_it_is_of_open_hours_and_what_is_estimated() -> None:
    data = night()
    request = HistoryRequest("shop", (), METRICS, NIGHT, ZURICH, NIGHT.end)
    whole = about(SITE, request, data, [])
    assert not {"Hours", "Estimated"} & whole.keys()
    hour = TimeRange(NIGHT.start + timedelta(minutes=30), NIGHT.start + timedelta(hours=2))
    second = starts_of(data.table)[2]
    bounded = replace(
        data,
        open_time=OpenTime((hour,)),
        estimates={("Hall", MetricKey.ENTRANCES): {second: Band(30, 40, 50, 4)}},
    )
    said = about(SITE, request, bounded, [])
    assert said["Hours"].startswith("Open hours only")
    assert said["Estimated"].endswith("They are in no other number.")
    assert said["Units"].endswith("“estimated” in a name: no count, and in no other number")
    assert "estimated" not in whole["Units"]
    rows = rows_of(to_csv(shown_table(bounded)))
    assert rows[0] == [
        "From", "Open, min", "People inside", "Entrances", "Entrances, estimated", "Time inside, min",
    ]  # fmt: skip
    assert [row[1] for row in rows[1:]] == ["30", "60"]
    assert [row[4] for row in rows[1:]] == ["", ""], "what is closed is not estimated"


def test_a_file_has_the_ends_of_an_estimate_beside_it_in_columns_that_say_so() -> None:
    data = night()
    starts = starts_of(data.table)
    bands = {starts[0]: Band(30, 40, 50, 4), starts[2]: Band(1.25, 2, 3.04, 4)}
    table = file_table(replace(data, estimates={("Hall", MetricKey.ENTRANCES): bands}))
    names = list(table.columns)
    place = names.index("Entrances")
    own = ["Entrances, estimated", "Entrances, estimated, fewest", "Entrances, estimated, most"]
    assert names[place : place + 4] == ["Entrances", *own]
    assert [tuple(row) for row in table.loc[[0, 2], own].to_numpy().tolist()] == [(40, 30, 50), (2, 1.2, 3)]
    assert table.loc[1, own].isna().all()
    assert table.drop(columns=own).equals(file_table(data)), "no other number is touched"


def test_a_note_of_a_person_is_no_formula_in_csv() -> None:
    table = pd.DataFrame({NOTES: pd.Series(["=1+1", ""], dtype="string")})
    assert to_csv(table).decode().splitlines() == ["Notes", "'=1+1", '""']
