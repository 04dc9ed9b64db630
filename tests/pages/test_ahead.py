from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.forecast import BACK_WEEKS, WEEKS
from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from live.snapshot import FeedKey
from runtime.quieter_hours import read_known_on_wall
from runtime.site_knowledge import keep_opening_hours
from screens.day_curve import Day
from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.eventually import eventually
from tests.pages.analysis import (
    PATIENCE,
    Counted,
    configure,
    picture_words,
    text_of,
    with_a_note,
)
from tests.running_service import ROOT, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import ORGANIZATION, SITE, create_small_site, store_counts
from tests.written_days import ANY_DAY
from tests.zone_at_noon import zone_at_noon

EARLIEST = 7 * (WEEKS + BACK_WEEKS)
SPOILT = 7
"""So many days ago a hundred people left who had not been counted in."""
NEW = 10
"""Since so many days the way to the café is counted."""
EVENING = 75
"""Mean of the 60 minutes from 18:00 on, of which each second one adds a person to sixty."""


def counts_of(day: date, zone: ZoneInfo) -> Iterator[tuple[datetime, str, int, int]]:
    """Sixty people come from nine on, come and go until 18:00, thirty more come, and all leave by 20:00."""
    nine = datetime.combine(day, time(9), zone).astimezone(UTC)
    for minute in range(11 * 60):
        hour, odd = minute // 60, minute % 2
        came, left = (1, 0) if hour == 0 else (1, 1) if hour < 9 else (odd, 0) if hour == 9 else (0, 1 + odd)
        yield nine + timedelta(minutes=minute), "entrance", came, left


def counts_of_weeks(zone: ZoneInfo) -> Iterator[tuple[datetime, str, int, int]]:
    today = datetime.now(zone).date()
    for ago in range(EARLIEST + 1):
        day = today - timedelta(days=ago)
        yield from counts_of(day, zone)
        if ago < NEW:
            for hour in (9, 11):
                yield datetime.combine(day, time(hour), zone).astimezone(UTC), "archway", 5, 0
        if ago == SPOILT:
            yield datetime.combine(day, time(20), zone).astimezone(UTC), "entrance", 0, 100


@pytest.fixture(scope="module")
def counted_weeks(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    data_dir: Path = tmp_path_factory.mktemp("ahead")
    site, zone = create_small_site(data_dir), zone_at_noon()
    record = SiteRecord(SITE.model_copy(update={"timezone": zone}), "shop")
    with closing(open_store(store_url(data_dir))) as store:
        store.catalogue.save(ORGANIZATION, [record])
    store_counts(data_dir, list(counts_of_weeks(ZoneInfo(zone))))
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def weeks(counted_weeks: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(counted_weeks, monkeypatch)
    return counted_weeks


def figure_of(test: AppTest) -> dict[str, Any]:
    (chart,) = test.get("plotly_chart")
    found: dict[str, Any] = json.loads(chart.proto.spec)
    return found


def test_the_rest_of_today_is_told_with_its_band_and_its_error(weeks: Counted) -> None:
    said = text_of(weeks.as_it_opens("ahead", site="corner-shop"))
    assert (
        "Until 20:00 it is busiest from 18:00 to 19:00: 75 expected inside on average, 75 to 75 on eight"
        " days of ten. Quieter from 19:00. It is not expected to be full"
        " (from 90 inside, on average over an hour)." in said
    )
    assert re.search(
        r"In the last four weeks, told at this time of day, this was off by 0 people on average; 100.% of the"
        r" hours lay inside the band \(\d+ hours of 27 days\)\.",
        said,
    )


@pytest.mark.parametrize("zone_ids", [(), ("shop",)])
async def test_a_wall_tells_the_same_hour_from_which_on_it_is_quieter(
    weeks: Counted, zone_ids: tuple[str, ...]
) -> None:
    zone = zone_at_noon()
    day = Day.at(datetime.now(UTC), FeedKey("corner-shop", zone_ids), zone)

    def told() -> datetime | None:
        quieter = read_known_on_wall(day).quieter
        return quieter and quieter.start

    await eventually(lambda: told() is not None)
    found = told()
    assert found
    assert "Quieter from 19:00." in text_of(
        weeks.as_it_opens("ahead", site="corner-shop", zone="".join(zone_ids))
    )
    assert f"{found.astimezone(ZoneInfo(zone)):%H:%M}" == "19:00"


def test_a_note_of_today_stands_on_the_chart_below_it_and_in_its_picture(weeks: Counted) -> None:
    zone = ZoneInfo(zone_at_noon())
    at = datetime.combine(datetime.now(zone).date(), time(10), zone)
    test = with_a_note(weeks, "ahead", at, earlier=timedelta(days=1))
    assert "1" in {one.get("text") for one in figure_of(test)["layout"]["annotations"]}
    assert re.search(r"1 · .+, 10:00: sale \*begins\*\.", picture_words(test, "ahead-chart"))


def test_how_full_it_will_be_at_the_present_pace_stands_beside(weeks: Counted) -> None:
    said = text_of(weeks.as_it_opens("ahead", site="corner-shop"))
    assert re.search(
        r"At \d\d:\d\d, 60 were inside; in the 15 minutes until then, as many came in as went out\. At"
        r" this pace it is not full within 3 hours\.",
        said,
    )


def test_what_is_left_out_is_told(weeks: Counted) -> None:
    said = text_of(weeks.as_it_opens("ahead", site="corner-shop"))
    assert f"It rests on {WEEKS - 1} " in said
    assert "1 day is left out because the number inside cannot be trusted." in said
    entrances = text_of(weeks.as_it_opens("ahead", site="corner-shop", metric="entrances"))
    assert f"It rests on {WEEKS} " in entrances
    assert "left out" not in entrances


def test_today_so_far_is_a_line_and_the_hours_to_come_are_bars(weeks: Counted) -> None:
    figure = figure_of(weeks.as_it_opens("ahead", site="corner-shop"))
    bars, middle, today = figure["data"]
    shown = dict(zip(middle["x"], middle["y"], strict=True))
    assert shown[18.5] == EVENING
    assert dict(zip(bars["x"], bars["base"], strict=True))[18.5] == EVENING
    assert max(bars["x"]) == 19.5  # nobody is expected later
    line = dict(zip(today["x"], today["y"], strict=True))
    assert line[8.5] is None  # no counts are not nobody
    assert (line[9.5], line[10.5]) == (30.5, 60)
    assert max(line) < min(bars["x"])
    named = [one["text"] for one in figure["layout"]["annotations"]]
    assert named == ["Filling from 70", "Full from 90", "Capacity 100"]


def test_closed_time_of_today_is_shaded_where_somebody_has_said_when_it_is_open(weeks: Counted) -> None:
    keep_opening_hours("corner-shop", OpeningHours(week=(spans_of_text("9-18"),) * 7))
    test = weeks.as_it_opens("ahead", site="corner-shop")
    keep_opening_hours("corner-shop", None)
    shapes = [one for one in figure_of(test)["layout"]["shapes"] if one["type"] == "rect"]
    assert [(one["x0"], one["x1"]) for one in shapes] == [(0, 9), (18, 24)]
    assert "Shaded: closed." in text_of(test)


def kept(weeks: Counted, hours: OpeningHours, **parameters: str) -> AppTest:
    keep_opening_hours("corner-shop", hours)
    try:
        return weeks.as_it_opens("ahead", site="corner-shop", **parameters)
    finally:
        keep_opening_hours("corner-shop", None)


def test_of_hours_after_closing_nothing_is_told(weeks: Counted) -> None:
    test = kept(weeks, OpeningHours(week=(spans_of_text("9-19"),) * 7))
    said = text_of(test)
    assert "Open until 19:00. Until 19:00 it is busiest from 18:00 to 19:00" in said
    assert max(figure_of(test)["data"][0]["x"]) == 18.5


def test_a_day_on_which_it_is_closed_is_told_first_and_nothing_is_expected_of_it(weeks: Counted) -> None:
    today = datetime.now(ZoneInfo(zone_at_noon())).date()
    hours = OpeningHours(week=(spans_of_text("9-19"),) * 7, others=(OtherDay(day=today, name="Stocktaking"),))
    test = kept(weeks, hours, ratio="20")
    said = text_of(test)
    assert "Closed today (Stocktaking), opens " in said
    for untold in ("expected", "Too few", "Staff", "off by"):
        assert untold not in said
    assert not test.dataframe
    assert figure_of(test)["data"][0]["x"] == []


def test_a_day_of_other_hours_is_named(weeks: Counted) -> None:
    today = datetime.now(ZoneInfo(zone_at_noon())).date()
    other = OtherDay(day=today, spans=spans_of_text("8-20"), name="Sale")
    hours = OpeningHours(week=(spans_of_text("9-19"),) * 7, others=(other,))
    said = text_of(kept(weeks, hours))
    assert re.search(rf"Other hours on {ANY_DAY} 08:00–20:00 \(Sale\)\.", said)
    assert "Other hours" not in text_of(kept(weeks, hours.model_copy(update={"others": ()})))


def test_a_day_that_is_over_says_so(weeks: Counted) -> None:
    said = text_of(kept(weeks, OpeningHours(week=(spans_of_text("9-11"),) * 7)))
    assert "Closed since 11:00, opens again " in said
    assert "60 were inside" in said
    for untold in ("Too few", "At this pace"):
        assert untold not in said


def test_staff_is_told_where_the_link_gives_a_ratio(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop", ratio="20")
    assert "Staff, one for each 20 inside: at most 4, from 18:00 to 19:00." in text_of(test)
    above = [one["text"] for one in figure_of(test)["layout"]["annotations"]]
    assert above[-3:] == ["3", "4", "3"]
    assert "Staff" not in text_of(weeks.as_it_opens("ahead", site="corner-shop"))


def test_a_ratio_that_is_typed_stands_in_the_link(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop")
    assert "ratio" not in test.query_params
    test.number_input(key="choose-ratio").set_value(30).run()
    assert not test.exception
    assert test.query_params["ratio"] in ("30", ["30"])
    assert "Staff, one for each 30 inside: at most 3," in text_of(test)


def test_a_ratio_beyond_its_bounds_becomes_the_nearest_within_them(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop")
    for typed, taken in ((5000, 1000), (-3, 1)):
        test.number_input(key="choose-ratio").set_value(typed).run()
        assert test.number_input(key="choose-ratio").value == taken
        assert test.query_params["ratio"] in (str(taken), [str(taken)])


def test_a_page_that_is_told_anew_leaves_what_is_being_typed(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop", ratio="20")
    assert test.number_input(key="choose-ratio").proto.set_value
    test.run()
    assert not test.number_input(key="choose-ratio").proto.set_value
    assert test.number_input(key="choose-ratio").value == 20


def test_when_it_was_told_stands_below(weeks: Counted) -> None:
    now = datetime.now(ZoneInfo(zone_at_noon()))
    assert re.search(rf"As of \w+ {now.day} \w+, \d\d:\d\d\. All times", text_of(weeks.as_it_opens("ahead")))


def test_entrances_of_a_zone_are_told_without_limits(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop", zone="hall", metric="entrances")
    said = text_of(test)
    assert re.search(
        r"Until 19:00 it is busiest from 1\d:00 to 1\d:00: 60 expected to come in, 60 to 60", said
    )
    assert "Quieter from 18:00." in said
    assert "expected to be full" not in said
    assert figure_of(test)["layout"].get("annotations", []) == []


def test_the_table_tells_what_the_chart_shows(weeks: Counted) -> None:
    table = weeks.page("ahead", site="corner-shop", ratio="20").dataframe[0].value
    row = table[table["Hour"] == "18:00 to 19:00"].iloc[0]
    assert row.drop("Hour").tolist() == [EVENING, EVENING, EVENING, 4, 4]


def test_what_is_unknown_in_the_link_is_said(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop", ratio="0", metric="timeSpent")
    (warning,) = [one.value for one in test.warning]
    assert "metric “timeSpent”" in warning
    assert "ratio “0”" in warning
    assert "Until 20:00 it is busiest" in text_of(test)


def test_a_line_that_begins_late_is_not_called_broken(weeks: Counted) -> None:
    assert "broken" not in text_of(weeks.as_it_opens("ahead", site="corner-shop"))


def test_a_refused_key_is_named(weeks: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    assert "**The rest of today cannot be shown.**" in text_of(weeks.as_it_opens("ahead"))


SHOP = {"id": "shop", "name": "Shop", "timezone": "Europe/Zurich", "zones": [], "passages": []}


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[ScriptedService], AppTest]:
    def page_of(scripted: ScriptedService) -> AppTest:
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
        test.switch_page("pages/ahead.py").run()
        assert not test.exception
        return test

    return page_of


def test_a_capacity_that_cannot_be_read_is_named(configured: Callable[[ScriptedService], AppTest]) -> None:
    at_noon = SHOP | {"timezone": zone_at_noon()}
    with scripted_service(ScriptedService(sites=[at_noon], now_failures={"shop": (503, {})})) as scripted:
        said = text_of(configured(scripted))
    assert "**The capacity cannot be shown.**" in said
    assert "were inside" in said


def test_what_a_slow_service_is_awaited_for_is_said(
    configured: Callable[[ScriptedService], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, held = [], Event()

    @contextmanager
    def spinner(text: str) -> Iterator[None]:
        said.append(text.replace("\\", ""))
        if "hours" in text:
            held.set()
        yield

    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.05)
    monkeypatch.setattr("streamlit.spinner", spinner)
    with scripted_service(
        ScriptedService(sites=[SHOP], now_waits={"shop": 0.3}, held={"shop": held})
    ) as scripted:
        configured(scripted)
    assert [one.partition(" yet ")[2].partition(".")[0] for one in said[:2]] == [
        "how many people are inside", "the hours of the past weeks",
    ]  # fmt: skip


def test_an_outage_is_named_once(configured: Callable[[ScriptedService], AppTest]) -> None:
    with scripted_service(ScriptedService(sites=[SHOP], past_failure=(503, {}))) as scripted:
        test = configured(scripted)
    assert text_of(test).count("cannot be shown") == 1
    assert "**The rest of today cannot be shown.**" in text_of(test)


def test_a_zone_that_is_counted_since_last_week_says_that_this_is_too_little(weeks: Counted) -> None:
    test = weeks.as_it_opens("ahead", site="corner-shop", zone="cafe", metric="entrances")
    said = text_of(test)
    assert re.search(r"Too few \w+days have counts that can be used to tell the rest of today\.", said)
    assert "In the last four weeks" not in said
    assert "Quieter" not in said
