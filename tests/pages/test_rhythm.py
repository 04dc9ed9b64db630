from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from runtime.site_knowledge import keep_opening_hours
from tests.pages.analysis import PATIENCE, Counted, configure, picture_words, text_of, with_a_note
from tests.running_service import ROOT, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import create_small_site, store_counts
from tests.written_days import written_day

ZURICH = ZoneInfo("Europe/Zurich")
WEEKS, SATURDAY = 4, 5
SILENT = (1, 7)
"""On the Tuesday of the last week nothing was counted."""


def counts_of_weeks() -> Iterator[tuple[datetime, str, int, int]]:
    """Each day from nine people come for an hour, stay one and leave for one; twice as many on Saturdays."""
    today = datetime.now(ZURICH).date()
    for ago in range(1, 7 * WEEKS + 1):
        day = today - timedelta(days=ago)
        if day.weekday() == SILENT[0] and ago <= SILENT[1]:
            continue
        nine = datetime.combine(day, time(9), ZURICH).astimezone(UTC)
        people = 4 if day.weekday() == SATURDAY else 2
        for minute in range(180):
            came, left = [(people, 0), (1, 1), (0, people)][minute // 60]
            yield nine + timedelta(minutes=minute), "entrance", came, left


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    data_dir: Path = tmp_path_factory.mktemp("weeks")
    site = create_small_site(data_dir)
    store_counts(data_dir, list(counts_of_weeks()))
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def weeks(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(counting, monkeypatch)
    return counting


def figures_of(test: AppTest) -> list[list[dict[str, Any]]]:
    return [json.loads(chart.proto.spec)["data"] for chart in test.get("plotly_chart")]


def test_a_week_says_when_it_is_busy_and_on_how_many_days_that_rests(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop")
    said = text_of(test)
    assert "Most on Saturdays from 10:00 to 11:00: 240 inside on average, of 4 days." in said
    assert "Fewest on Mondays from 11:00 to 12:00: 59 inside on average, of 4 days." in said
    assert "Zurich time" in said
    first = datetime.now(ZURICH).date() - timedelta(weeks=WEEKS)
    assert written_day(first) in said


def test_the_map_has_a_square_for_each_hour_with_counts(weeks: Counted) -> None:
    heat, dots = figures_of(weeks.as_it_opens("rhythm", site="corner-shop"))[0]
    (saturday, tuesday) = (heat["z"][SATURDAY], heat["z"][SILENT[0]])
    assert (saturday[9:12], tuesday[9:12]) == ([122, 240, 118], [61, 120, 59])
    assert "3 of 4 days" in heat["text"][SILENT[0]][10]
    assert set(zip(dots["x"], dots["y"], strict=True)) == {
        *((9.5, name) for name in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")),
        *((10.5, name) for name in ("Mon", "Tue", "Wed")),  # of equal hours the first
    }


def test_another_metric_of_a_zone_is_its_own_rhythm(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", zone="hall", metric="exits")
    assert "Most on Saturdays from 11:00 to 12:00: 240 went out on average, of 4 days." in text_of(test)


def test_a_usual_day_of_a_weekday_is_drawn_with_its_band(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", weekday="saturday", metric="entrances")
    said = text_of(test)
    assert (
        "Saturdays are highest from 09:00 to 10:00:"
        " median 240 came in, between 240 and 240 on all 4 days" in said
    )
    bars, medians = figures_of(test)[1][:2]
    shown = dict(zip(bars["x"], zip(bars["base"], bars["y"], strict=True), strict=True))
    assert shown[9.5] == (240, 0)
    assert dict(zip(medians["x"], medians["y"], strict=True))[10.5] == 60


def test_a_note_of_today_stands_on_the_usual_day_below_it_and_in_its_picture(weeks: Counted) -> None:
    """Kept of its first instant: nobody is counted today, and the day has always begun."""
    at = datetime.combine(datetime.now(ZURICH).date(), time(), ZURICH)
    test = with_a_note(weeks, "rhythm", at, earlier=timedelta(days=7))
    of_week, of_day = (json.loads(chart.proto.spec)["layout"] for chart in test.get("plotly_chart"))
    assert "1" in {one.get("text") for one in of_day["annotations"]}
    assert "1" not in {one.get("text") for one in of_week["annotations"]}
    assert re.search(r"1 · .+, 00:00: sale \*begins\*\.", picture_words(test, "usual-day"))
    assert "sale" not in picture_words(test, "rhythm-map")


def test_the_table_tells_what_the_map_shows(weeks: Counted) -> None:
    table = weeks.page("rhythm", site="corner-shop").dataframe[0].value
    row = table[(table["Weekday"] == "Tuesday") & (table["Hour"] == "10:00 to 11:00")].iloc[0]
    assert (row["People inside, mean"], row["Days used"], row["Days in all"]) == (120, 3, 4)


@pytest.fixture
def opened(weeks: Counted) -> Iterator[None]:
    """On Saturdays from ten, on other days from nine to eleven, on Sundays never."""
    spans = [spans_of_text("9-11")] * 5 + [spans_of_text("10-11:30"), ()]
    keep_opening_hours("corner-shop", OpeningHours(week=tuple(spans)))
    yield
    keep_opening_hours("corner-shop", None)


@pytest.mark.usefixtures("opened")
def test_closed_hours_have_no_part_where_open_hours_alone_are_asked_for(weeks: Counted) -> None:
    test = weeks.as_it_opens(
        "rhythm", site="corner-shop", metric="entrances", hours="open", weekday="saturday"
    )
    heat = figures_of(test)[0][0]
    saturday, sunday = heat["z"][SATURDAY], heat["z"][6]
    assert [hour for hour, value in enumerate(saturday) if value is not None] == [10, 11]
    assert set(sunday) == {None}
    assert heat["text"][6][10] == "Sunday 10:00 to 11:00: closed"
    assert f"{4 * (5 * 2 + 2) - 2} of {4 * (5 * 2 + 2)} hours are counted" in text_of(test)
    shapes = json.loads(test.get("plotly_chart")[1].proto.spec)["layout"]["shapes"]
    assert {shape["x0"] for shape in shapes} == set(range(24)) - {10, 11}


@pytest.mark.usefixtures("opened")
def test_all_hours_have_a_part_unless_open_ones_alone_are_asked_for(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", metric="entrances", weekday="saturday")
    heat, strokes = figures_of(test)[0][:2]
    assert heat["z"][SATURDAY][9] == 240
    assert heat["text"][SATURDAY][9].endswith("; closed in a usual week")
    marked = set(zip(strokes["x"], strokes["y"], strict=True))
    assert {(9.5, "Sat"), (10.5, "Sun"), (8.5, "Mon")} <= marked
    assert not {(9.5, "Mon"), (10.5, "Sat"), (11.5, "Sat")} & marked
    assert "Stroke: closed in a usual week." in text_of(test)
    assert "Stroke: closed in a usual week." in picture_words(test, "rhythm-map")


def test_hours_that_cannot_be_read_are_named_and_the_rhythm_is_told(
    weeks: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site-knowledge.sqlite").write_text("my notes, not yours\n" * 100)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    said = text_of(weeks.as_it_opens("rhythm", site="corner-shop"))
    assert "**The opening hours cannot be shown.** What is known of sites in " in said
    assert "Most on Saturdays" in said


@pytest.mark.usefixtures("opened")
def test_a_weekday_on_which_it_is_closed_is_said_to_be(weeks: Counted) -> None:
    said = text_of(weeks.as_it_opens("rhythm", site="corner-shop", hours="open", weekday="sunday"))
    assert "The site is closed on Sundays, by the opening hours that are kept for it." in said


def test_a_week_without_any_number_has_no_map(weeks: Counted) -> None:
    keep_opening_hours("corner-shop", OpeningHours(week=((),) * 7))
    test = weeks.as_it_opens("rhythm", site="corner-shop", hours="open")
    keep_opening_hours("corner-shop", None)
    assert figures_of(test) == []
    assert "No hour of the week has counts of enough days to say when it is busy." in text_of(test)


def test_a_weekday_without_anybody_is_said_and_has_no_scale(
    tmp_path: Path, lasting: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter that sends its zeros on Sundays, and one person a minute at nine on other days."""
    today = datetime.now(ZURICH).date()
    site = create_small_site(tmp_path)
    counts = []
    for ago in range(1, 15):
        day = today - timedelta(days=ago)
        midnight = datetime.combine(day, time(), ZURICH).astimezone(UTC)
        for minute in range(8 * 60, 12 * 60):
            busy = day.weekday() != SATURDAY + 1 and minute // 60 in (9, 10)
            both = (1, 0) if minute < 600 else (0, 1)
            counts.append((midnight + timedelta(minutes=minute), "entrance", *(both if busy else (0, 0))))
    store_counts(tmp_path, counts)
    service = start_service(tmp_path)
    lasting.add(service.process.pid)
    try:
        configure(told := Counted(site, service), monkeypatch)
        monday = told.as_it_opens("rhythm", site="corner-shop", weekday="monday")
        sunday = told.as_it_opens("rhythm", site="corner-shop", weekday="sunday")
    finally:
        service.kill()
    assert "Nobody is usually counted on Sundays." in text_of(sunday)
    assert (len(figures_of(monday)), len(figures_of(sunday))) == (2, 1)


def test_a_link_to_open_hours_that_nobody_knows_is_said(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", hours="open")
    (warning,) = [one.value.replace("\\", "") for one in test.warning]
    assert warning == (
        "The link asks for open hours alone, but when this site is open is not known here. You see all hours."
    )


def test_a_usual_day_says_that_it_is_closed_today(weeks: Counted) -> None:
    today = datetime.now(ZURICH).date()
    hours = OpeningHours(week=(spans_of_text("9-19"),) * 7, others=(OtherDay(day=today, name="Stocktaking"),))
    keep_opening_hours("corner-shop", hours)
    test = weeks.as_it_opens("rhythm", site="corner-shop")
    keep_opening_hours("corner-shop", None)
    said = text_of(test)
    assert "Closed today (Stocktaking), opens " in said
    assert re.search(rf"Open or closed as of \w+ {today.day} \w+, \d\d:\d\d\.", said)
    assert "Today as of" not in said, "nothing is drawn of today"


def test_weeks_before_the_first_count_lack_nothing(weeks: Counted) -> None:
    said = text_of(weeks.as_it_opens("rhythm", site="corner-shop", weeks="13"))
    assert "Most on Saturdays from 10:00 to 11:00: 240 inside on average, of 4 days." in said
    assert "Choose fewer weeks" not in said
    first = datetime.now(ZURICH).date() - timedelta(weeks=WEEKS)
    assert re.search(f"Counting began on {written_day(first)}, so these are not all weeks", said)


def test_a_weekday_stands_in_the_link_where_it_is_chosen(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop")
    assert "weekday" not in test.query_params
    test.selectbox(key="choose-weekday").set_value("saturday").run()
    assert test.query_params["weekday"] in ("saturday", ["saturday"])
    assert "Saturdays are highest" in text_of(test)
    test.selectbox(key="choose-weekday").set_value("").run()
    assert "weekday" not in test.query_params


SHOP = {"id": "shop", "name": "Shop", "timezone": "Asia/Kathmandu", "zones": [], "passages": []}


class OfUtcHours(ScriptedService):
    """Whose hours are UTC's, whatever time zone it is asked in."""

    def point(self, minutes_ago: int = 1) -> dict[str, Any]:
        hour = self.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=minutes_ago)
        return {"timestamp": hour.isoformat(), "metrics": self.metrics}


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def page_of(scripted: ScriptedService, name: str, unfolded: str = "") -> AppTest:
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
        test.session_state[unfolded] = True
        test.switch_page(f"pages/{name}.py").run()
        assert not test.exception
        return test

    return page_of


@pytest.mark.parametrize(
    ("name", "what"), [("rhythm", "no rhythm can be told"), ("ahead", "nothing can be told of today")]
)
def test_hours_of_another_zone_are_named(configured: Callable[..., AppTest], name: str, what: str) -> None:
    with scripted_service(OfUtcHours(sites=[SHOP], past=range(24 * 14, 0, -1))) as scripted:
        said = text_of(configured(scripted, name))
    assert f"The hours of this service begin 45 minutes past those of Kathmandu time, so {what}." in said


def test_a_capacity_that_cannot_be_read_is_not_said_to_be_none(configured: Callable[..., AppTest]) -> None:
    zurich = SHOP | {"timezone": "Europe/Zurich"}
    hours = OfUtcHours(sites=[zurich], past=range(24 * 14, 24, -1), now_failures={"shop": (503, {})})
    with scripted_service(hours) as scripted:
        test = configured(scripted, "rhythm", "folded-timer")
        said = text_of(test)
        assert "The capacity cannot be shown." in said
        assert "tried again every" in said
        assert "No capacity is reported" not in said
        assert "Close and open" not in said
        hours.now_failures.clear()
        assert "The capacity cannot" not in text_of(test.run())


def test_highest_minutes_that_cannot_be_read_are_asked_for_again_by_themselves(
    configured: Callable[..., AppTest],
) -> None:
    shop = SHOP | {"timezone": "Europe/Zurich", "zones": [{"id": "all", "name": "All", "capacity": 9}]}
    hours = OfUtcHours(sites=[shop], past=range(24 * 14, 24, -1), top_zone_ids=["all"])
    hours.refused = frozenset({"maximum"})
    unread = re.compile("The highest minutes .+ could not be read: since .+, tried again every 10 s")
    with scripted_service(hours) as scripted:
        test = configured(scripted, "rhythm", "folded-timer")
        assert unread.search(text_of(test))
        assert "Close and open" not in text_of(test)
        hours.refused = frozenset()
        assert not unread.search(text_of(test.run()))


def test_minutes_above_each_threshold_are_told_when_asked_for(weeks: Counted) -> None:
    """Of the shop's 100 places; on a Saturday 9:17 is the first minute with 70 inside, 11:41 the last."""
    test = weeks.as_it_opens("rhythm", ("folded-timer",), site="corner-shop")
    said = text_of(test)
    assert "70\u00a0% (70 inside) or more: longest on Saturdays, 2 h 25 min a day on average." in said
    table = test.dataframe[0].value
    assert table["Weekday"].tolist()[0] == "Monday"
    assert table["Days used"].tolist() == [4, 3, 4, 4, 4, 4, 4]


def test_a_place_without_counts_has_no_rhythm_and_that_is_said(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", zone="cafe")
    assert "Nothing is stored of any other time either" in text_of(test)
    assert figures_of(test) == []


def test_what_is_unknown_in_the_link_is_said(weeks: Counted) -> None:
    test = weeks.as_it_opens("rhythm", site="corner-shop", weeks="5", weekday="caturday")
    (warning,) = [one.value for one in test.warning]
    assert "weeks “5”" in warning
    assert "weekday “caturday”" in warning
    assert "Most on" in text_of(test)


def test_a_refused_key_is_named(weeks: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    assert "**The rhythm cannot be shown.**" in text_of(weeks.as_it_opens("rhythm"))
