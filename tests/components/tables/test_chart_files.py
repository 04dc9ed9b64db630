"""Tables that are handed in with charts: numbers as numbers, times as times, and how complete each row is."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from zoneinfo import ZoneInfo

import openpyxl
import pandas as pd

from analysis.ahead_answer import Ahead, HourAhead
from analysis.bands import Band
from analysis.bucket_table import Completeness
from analysis.door_blame import Turned
from analysis.door_hours import DoorHours
from analysis.entrances import Place
from analysis.forecast import Expected, Forecast
from analysis.inside_band import SureHour
from analysis.league import Candidate, Per, Terms, league
from analysis.league import Place as LeaguePlace
from analysis.league_entry import Entry, Measure
from analysis.reconciliation import ReconciledHour
from analysis.rhythm import Cell, Hour, Rhythm
from analysis.rhythm_answer import HourOfDay
from analysis.subject import Subject, SubjectKind
from analysis.threshold_minutes import ThresholdMinutes, WeekdayMinutes
from analysis.usable_hours import HourSoFar
from analysis.zone_ways import Stream
from components.number_format import formats_of
from components.tables.ahead_table import ahead_file
from components.tables.door_table import door_file, stream_table
from components.tables.downloads import to_csv, to_excel, to_parquet
from components.tables.league_table import league_file
from components.tables.rhythm_table import threshold_file, usual_file, week_file
from components.tables.trust_table import day_file, hour_file, sure_file
from components.tables.trust_table import door_file as suspect_file
from contract import MetricKey
from tests.components.trusted import ARCH, FRONT, day, trusted, zone

AMERICAN = formats_of("en-US", datetime(2026, 11, 23, 12, tzinfo=UTC))
"""A clock of twelve hours on the page."""
ZURICH = ZoneInfo("Europe/Zurich")
CHANGE = datetime(2026, 10, 25, 0, tzinfo=UTC)
"""02:00 summer time in Zürich, which comes twice that night."""
HOUR = timedelta(hours=1)
COUNTED = ["Minutes counted", "Minutes expected"]
SECONDS = MetricKey.TIME_SPENT


def test_the_week_has_hours_of_one_clock_and_times_in_minutes() -> None:
    known, few = Hour(0, 9), Hour(0, 14)
    cells = {known: Cell(600.0, Completeness(4, 4)), few: Cell(None, Completeness(0, 4))}
    table = week_file(Rhythm(cells, {known: Band(300, 600, 900, 4)}), SECONDS, AMERICAN)
    assert table["Hour"].tolist() == ["09:00"]
    assert table[["Time inside, mean", "Median"]].iloc[0].tolist() == [10, 10]
    assert table[["Days used", "Days in all"]].iloc[0].tolist() == [4, 4]


def test_a_usual_day_has_today_beside_it_and_an_hour_that_comes_twice_twice() -> None:
    bands, day_ = {2: Band(0, 3, 5, 4)}, [HourOfDay(2, 4.0), HourOfDay(2, None)]
    table = usual_file(bands, day_, MetricKey.ENTRANCES, {3})
    assert table["Hour"].tolist() == ["02:00", "02:00", "03:00"]
    assert table["Today"].isna().tolist() == [False, True, True]
    assert table["Closed"].tolist() == ["no", "no", "yes"]
    assert table["Days used"].isna().tolist() == [False, False, True]
    assert "Today" not in usual_file(bands, [], MetricKey.ENTRANCES, ())
    assert "Closed" not in usual_file(bands, day_, MetricKey.ENTRANCES, None), "nobody has said"


def test_minutes_above_thresholds_are_numbers_of_a_day() -> None:
    found = ThresholdMinutes({5: WeekdayMinutes(4, (90, 6, 0))}, 0, 0)
    table = threshold_file(found, (70, 90, 100))
    assert table.iloc[0].tolist() == ["Saturday", 22.5, 1.5, 0, 4]


def test_today_has_what_was_counted_and_what_is_expected_in_hours_of_the_site() -> None:
    so_far = (HourSoFar(CHANGE, 3.0), HourSoFar(CHANGE + HOUR, None))
    to_come = (HourAhead(CHANGE + 2 * HOUR, Expected(1, 20, 45)), HourAhead(CHANGE + 3 * HOUR, None, True))
    told = Ahead(so_far, to_come, Forecast({}, 4), None)
    table = ahead_file(told, MetricKey.ENTRANCES, ZURICH, 20, is_opening_known=True)
    assert [moment.isoformat() for moment in table["From"][:2]] == [
        "2026-10-25T02:00:00+02:00",
        "2026-10-25T02:00:00+01:00",
    ]
    assert table["Entrances, so far"].isna().tolist() == [False, True, True, True]
    assert table[["Expected", "High", "Staff", "Staff for the high end"]].iloc[2].tolist() == [20, 45, 1, 3]
    assert table["Closed"].tolist() == ["", "", "no", "yes"]
    unsaid = ahead_file(told, MetricKey.ENTRANCES, ZURICH, 20, is_opening_known=False)
    assert "Closed" not in unsaid, "nobody has said"


def test_days_are_dates_and_their_minutes_numbers() -> None:
    days = [day(1000, 900), day(500, 480, counted=Completeness(700, 1440))]
    table = day_file(trusted(zone("Shop", days)), AMERICAN)
    assert table["Day"].tolist() == [date(2026, 11, 16), date(2026, 11, 17)]
    assert table[COUNTED].to_numpy().tolist() == [[1440, 1440], [700, 1440]]
    assert pd.read_parquet(BytesIO(to_parquet(table, {})))["Day"].tolist() == table["Day"].tolist()


def test_suspect_doors_say_in_how_many_hours_they_are_counted() -> None:
    ranked = [Turned(FRONT, 500, 530, 400, 100, 200), Turned(ARCH, 0, 0, 0, 0, 0)]
    passages = {FRONT: Completeness(160, 168), ARCH: Completeness(0, 168)}
    table = suspect_file(trusted(ranked=ranked, passages=passages), AMERICAN, {})
    assert table["Hours counted both ways"].tolist() == [160, 0]
    assert table["Hours expected"].tolist() == [168, 168]


def test_hours_of_trust_and_of_sureness_are_moments_of_the_site() -> None:
    shop = Subject(SubjectKind.SITE, "shop", "Shop")
    one = ReconciledHour(CHANGE, 10, 8, 4, 2, 0, Completeness(59, 60))
    hours = hour_file({shop: [one]}, AMERICAN, ZURICH)
    assert hours["Hour"][0].isoformat() == "2026-10-25T02:00:00+02:00"
    assert hours[["Minutes compared", "Minutes expected"]].iloc[0].tolist() == [59, 60]
    sure = sure_file([SureHour(CHANGE + HOUR, 12.34, 10.0, 14.0)], ZURICH)
    assert sure["Hour"][0].isoformat() == "2026-10-25T02:00:00+01:00"
    assert sure.loc[0, "Number inside"] == 12.3


def test_doors_by_hour_have_a_row_for_each_and_no_share_where_nobody_came() -> None:
    north, south = Place("North", "hall", "n"), Place("=South", "hall", "s")
    came = {(north, 9): 30, (south, 9): 10, (north, 10): 0, (south, 10): 0}
    table = door_file(DoorHours((north, south), came, Completeness(2, 2)))
    assert table["Hour"].tolist() == ["09:00", "09:00", "10:00", "10:00"]
    share = table[table["Hour"] == "09:00"].set_index("Door").iloc[:, -1]
    assert share.to_dict() == {"North": 75, "=South": 25}
    assert table.iloc[2:, -1].isna().all()
    assert b"=South" not in to_csv(table, ["Door"]).replace(b"'=South", b"")


def test_streams_name_both_ends() -> None:
    table = stream_table([Stream(FRONT, None, "hall", 12)], {"hall": "Hall"})
    assert table.iloc[0].tolist() == ["Front door", "Outside", "Hall", 12]


def test_a_league_has_minutes_of_whom_they_are_told() -> None:
    terms = Terms(Measure.ENTRANCES, Per.ITSELF, 90, "site", 1)
    entry = Entry(value=40, minutes=Completeness(570, 600))
    unread = Candidate(LeaguePlace("b", "Beta"), None, "it is away")
    found = league([Candidate(LeaguePlace("a", "Alpha"), entry), unread], terms)
    table = league_file(found, terms, AMERICAN)
    assert table["Minutes counted"].astype("object").fillna(0).tolist() == [570, 0]
    assert "Counted" not in table


def test_a_csv_file_says_in_each_row_what_it_is_and_begins_no_formula() -> None:
    table = pd.DataFrame({"People": [1, 2]})
    told = {"Of": "=1+1: Rhythm", "Time zone": "Europe/Zurich"}
    read = pd.read_csv(BytesIO(to_csv(table, (), told)))
    assert read["Of"].tolist() == ["'=1+1: Rhythm"] * 2
    assert read["Time zone"].tolist() == ["Europe/Zurich"] * 2
    assert read["People"].tolist() == [1, 2]
    book = openpyxl.load_workbook(BytesIO(to_excel(table, told)))
    assert dict(book["About"].iter_rows(min_row=2, values_only=True)) == told
