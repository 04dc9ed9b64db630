"""The page Trust on a small site whose entrance is mounted the wrong way round, and whose terrace stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.notes import Note
from runtime.site_knowledge import (
    forget_door_check,
    forget_note,
    keep_note,
    knowledge_store,
    read_notes,
)
from runtime.upstream import service_digest
from tests.pages.analysis import PATIENCE, Counted, configure, picture_words, text_of
from tests.running_service import ROOT, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import create_small_site, store_counts
from tests.wide_site import wide_site
from tests.written_days import written_day

ZURICH = ZoneInfo("Europe/Zurich")
DAYS = 30
STOPPED, SILENT = 3, 5
"""So many days ago the terrace stopped from 13:00 to 15:00, and nothing was counted from 10:00 to 11:00."""
PARTS = (
    "folded-straighten",
    "folded-door_front",
    "folded-calendar_month",
    "folded-schedule",
    "folded-balance",
    "folded-help",
)

SURE = "By the end of a usual day with 120 entrances the number inside is up to 4 too low"

Count = tuple[datetime, str, int, int]


def counts_of(day: date, ago: int) -> Iterator[Count]:
    """From nine to ten two come each minute, and some of them go on into the café; from one to three they go,
    by the terrace and by the entrance. How many go which way is another number each day.
    """

    def at(hour: int, minute: int) -> datetime:
        return datetime.combine(day, time(hour, minute), ZURICH).astimezone(UTC)

    to_cafe = 40 + 3 * (day.toordinal() % 5)
    for minute in range(60):
        yield at(9, minute), "entrance", 2, 0
        yield at(9, minute), "archway", int(minute < to_cafe), 0
        if ago != SILENT:
            for door in ("entrance", "archway", "terrace"):
                yield at(10, minute), door, 0, 0
    for minute in range(120):
        hour, past = 13 + minute // 60, minute % 60
        # A minute in three each: half of what is to go, an hour.
        is_open = ago != STOPPED
        yield at(hour, past), "terrace", int(is_open and past < to_cafe / 2), 0
        yield at(hour, past), "entrance", 0, int(past < (120 - to_cafe) / 2) + int(past < to_cafe % 2)


def small_counts(*, turned: bool) -> list[Count]:
    today = datetime.now(ZURICH).date()
    found = [count for ago in range(1, DAYS + 1) for count in counts_of(today - timedelta(days=ago), ago)]
    if not turned:
        return found
    return [
        (start, door, backward, forward) if door == "entrance" else (start, door, forward, backward)
        for start, door, forward, backward in found
    ]


def counting(data_dir: Path, lasting: set[int], *, turned: bool) -> Iterator[Counted]:
    site = create_small_site(data_dir)
    store_counts(data_dir, small_counts(turned=turned))
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture(scope="module")
def wrong_way_round(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    yield from counting(tmp_path_factory.mktemp("turned"), lasting, turned=True)


@pytest.fixture(scope="module")
def right_way_round(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    yield from counting(tmp_path_factory.mktemp("right"), lasting, turned=False)


@pytest.fixture
def wrong(wrong_way_round: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(wrong_way_round, monkeypatch)
    return wrong_way_round


@pytest.fixture
def right(right_way_round: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(right_way_round, monkeypatch)
    return right_way_round


def figures_of(test: AppTest) -> list[list[dict[str, Any]]]:
    return [json.loads(chart.proto.spec)["data"] for chart in test.get("plotly_chart")]


def test_a_door_mounted_the_wrong_way_round_is_named_first(wrong: Counted) -> None:
    said = text_of(wrong.page("trust", site="corner-shop"))
    assert "The number inside cannot be trusted on any of 27 days that are counted whole" in said
    assert "Entrance is probably mounted the wrong way round" in said
    assert "Archway is" not in said
    assert "Terrace door is" not in said


def test_a_door_that_stopped_is_named_with_its_hours(right: Counted) -> None:
    said = text_of(right.page("trust", site="corner-shop"))
    (sentence,) = [line for line in said.splitlines() if "counted nobody" in line]
    day = datetime.now(ZURICH).date() - timedelta(days=STOPPED)
    assert f"Terrace door counted nobody on {written_day(day)} from 13:00 to 15:00" in sentence


def test_a_site_whose_doors_are_right_blames_none(right: Counted) -> None:
    """But for the day on which one stopped; in four weeks that is less than any counter errs by."""
    said = text_of(right.page("trust", site="corner-shop"))
    assert "No door is to blame" in said
    assert "The number inside cannot be trusted on 1 of 27 days" in said


def test_an_hour_without_counts_is_named_and_no_zero(right: Counted) -> None:
    test = right.page("trust", site="corner-shop", days="7")
    assert "6 of 7" not in text_of(test)
    bars, crosses = figures_of(test)[0]
    silent = datetime.now(ZURICH).date() - timedelta(days=SILENT)
    assert crosses["x"] == [silent.isoformat()]
    assert bars["y"][bars["x"].index(silent.isoformat())] is None
    rows = figures_of(test)[1][0]
    assert len(rows["z"]) == 3
    assert min(rows["z"][0]) < 100
    assert "of 1,680 minutes" in text_of(test)


def test_days_are_drawn_about_zero(wrong: Counted) -> None:
    """The shop counts 120 out in the morning and as many in again, but for who goes by the terrace."""
    bars = figures_of(wrong.page("trust", site="corner-shop", days="7"))[0][0]
    known = {day: value for day, value in zip(bars["x"], bars["y"], strict=True) if value is not None}
    today = datetime.now(ZURICH).date()
    for day, value in known.items():
        moment = date.fromisoformat(day)
        if (today - moment).days != STOPPED:
            came = sum(count[2] - count[3] for count in counts_of(moment, 1) if count[1] == "entrance")
            left = sum(count[2] for count in counts_of(moment, 1) if count[1] == "terrace")
            assert value == -came - left


def test_a_note_stands_on_its_day_below_the_chart_and_in_its_picture(wrong: Counted) -> None:
    noon = datetime.combine(datetime.now(ZURICH).date() - timedelta(days=4), time(12), ZURICH)
    keep_note("corner-shop", Note(at=noon, text="sensor *moved*"))
    keep_note("corner-shop", Note(at=noon - timedelta(days=300), text="long ago"))
    test = wrong.page("trust", site="corner-shop")
    for name in list(read_notes("corner-shop")):
        forget_note("corner-shop", name)
    said = text_of(test)
    assert "Notes, as numbered on the chart:" in said
    assert "sensor *moved*" in said
    assert "long ago" not in said
    layout = json.loads(test.get("plotly_chart")[0].proto.spec)["layout"]
    assert "1" in {one.get("text") for one in layout["annotations"]}
    assert re.search(r"1 · .+, 12:00: sensor \*moved\*\.", picture_words(test, "residue"))
    assert "Notes" not in text_of(wrong.page("trust", site="corner-shop"))


def test_what_is_folded_tells_doors_days_hours_and_agreement(wrong: Counted) -> None:
    test = wrong.as_it_opens("trust", PARTS, site="corner-shop", days="7")
    doors, days, hours, agreement = (frame.value for frame in test.dataframe)
    assert doors["Door"].tolist()[0] == "Entrance"
    assert doors["From – into"].tolist()[0] == "outside – Hall"
    assert doors["Explained if exchanged, %"][0] == pytest.approx(100, abs=5)
    assert len(days) == 3 * 7
    assert set(days["Number inside"]) >= {"cannot be trusted", "not counted whole"}
    assert hours["Not explained"].abs().max() > 0
    assert set(agreement["Zone"]) <= {"Corner shop", "Hall", "Café"}
    assert "cannot be told: on most past days it cannot be trusted at all." in text_of(test)
    assert "What adds up is not proved right" in text_of(test)


def test_what_the_service_hid_stands_beside_what_the_hours_leave(wrong: Counted) -> None:
    """The 120 who come in the morning are counted out."""
    test = wrong.as_it_opens("trust", ["folded-calendar_month"], site="corner-shop", days="7")
    (days,) = (frame.value for frame in test.dataframe)
    site = days[days["Zone"] == "Corner shop"]
    assert site["Went out with 0 inside"].ge(120).all()
    whole = site["Came minus went"].notna()
    assert whole.sum() >= 5
    told = site["Still inside at the reset"] - site["Went out with 0 inside"]
    assert (told[whole] == site["Came minus went"][whole]).all()
    assert (site["Differs from came minus went"][whole] == 0).all()
    said = text_of(test)
    assert "The service’s own count leaves the same as the hours here on all " in said
    assert "does not leave the same" not in said


def test_a_number_that_adds_up_is_told_with_how_sure_it_is_today(right: Counted) -> None:
    test = right.as_it_opens("trust", ["folded-straighten"], site="corner-shop")
    assert SURE in text_of(test)


def test_what_is_unknown_in_the_link_is_said(right: Counted) -> None:
    test = right.page("trust", site="corner-shop", days="9")
    (warning,) = [one.value for one in test.warning]
    assert "days “9”" in warning
    assert "No door is to blame" in text_of(test)


def test_a_refused_key_is_named(right: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    assert "**Whether the number can be trusted cannot be shown.**" in text_of(right.page("trust"))


@pytest.fixture
def of_sixty_zones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    wide = wide_site(60, 100).model_dump(mode="json", by_alias=True)
    with scripted_service(ScriptedService(sites=[wide], is_past_of_range=True)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield service


def of_wide(**parameters: str | list[str]) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    for parameter, value in ({"site": "wide"} | parameters).items():
        test.query_params[parameter] = value
    test.switch_page("pages/trust.py").run()
    assert not test.exception
    return test


def test_a_site_of_sixty_zones_and_a_hundred_doors_says_what_is_left_out(
    of_sixty_zones: ScriptedService,
) -> None:
    said = text_of(of_wide())
    assert "10 of 60 zones are looked at: choose others above." in said
    assert "doors are not looked at, or could not be read." in said
    assert "No day of these has all its counts" in said
    assert 12 <= len(of_sixty_zones.asked) <= 42


def test_the_reader_chooses_which_zones_are_looked_at_and_the_link_keeps_them(
    of_sixty_zones: ScriptedService,
) -> None:
    test = of_wide(zone=["zone-44", "zone-3"])
    assert "2 of 60 zones are looked at" in text_of(test)
    filters = [query.get("filter", {}) for query in of_sixty_zones.asked]
    asked = {zone for one in filters if "passageIds" not in one for zone in one.get("zoneIds", [])}
    assert asked == {"zone-44", "zone-3"}
    (zones,) = [one for one in test.multiselect if one.label == "Zones"]
    zones.set_value(["zone-44", "zone-3", "zone-7"])
    test.run()
    assert test.query_params["zone"] == ["zone-44", "zone-3", "zone-7"]
    assert "3 of 60 zones are looked at" in text_of(test)


HOSTILE: list[Any] = [
    [{"code": "PEOPLE_HIDDEN", "message": "x", "details": {"2026-01-01T04:00+01:00": "1 left over"}}]
    * 10_000,
    ["**1 left over**", {"code": "PEOPLE_HIDDEN", "message": "<b>", "details": {"<b>": "$x$"}}, None, [[]]],
]


@pytest.mark.parametrize("warnings", HOSTILE)
def test_warnings_that_tell_nothing_of_these_days_have_no_columns_and_no_sentence(
    of_sixty_zones: ScriptedService, warnings: list[Any]
) -> None:
    of_sixty_zones.warnings = warnings
    test = of_wide()
    said = text_of(test)
    assert "No day of these has all its counts" in said
    assert "service’s own count" not in said
    assert "left over" not in said


@pytest.mark.usefixtures("of_sixty_zones")
def test_a_zone_of_the_link_that_is_not_there_is_said() -> None:
    test = of_wide(zone=["zone-3", "gone"])
    (warning,) = [one.value for one in test.warning]
    assert "zone “gone”" in warning
    assert "1 of 60 zones is looked at" in text_of(test)


def test_the_page_says_what_a_slow_service_has_not_answered_yet(
    of_sixty_zones: ScriptedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, said = Event(), list[str]()

    @contextmanager
    def spinner(text: str) -> Iterator[None]:
        said.append(text)
        held.set()
        yield

    of_sixty_zones.held["wide"] = held
    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.05)
    monkeypatch.setattr("streamlit.spinner", spinner)
    assert "10 of 60 zones are looked at" in text_of(of_wide())
    assert "has not said yet what was counted in these weeks" in said[0]


def test_history_says_how_sure_the_number_of_a_site_is(right: Counted) -> None:
    said = text_of(right.as_it_opens("history", site="corner-shop", range="7d"))
    assert SURE in said
    only_hall = text_of(right.as_it_opens("history", site="corner-shop", range="7d", zone="hall"))
    assert SURE not in only_hall


def test_history_of_a_number_that_means_nothing_has_no_band(wrong: Counted) -> None:
    said = text_of(wrong.as_it_opens("history", site="corner-shop", range="7d"))
    assert SURE not in said


def test_a_damaged_check_is_said_beside_the_doors(right: Counted) -> None:
    knowledge_store().keep(service_digest(), "corner-shop", "door check", "damaged1", "{")
    said = text_of(right.as_it_opens("trust", ["folded-door_front"], site="corner-shop"))
    forget_door_check("corner-shop", "damaged1")
    assert "1 check of a door of this site is damaged and left out" in said
    mended = text_of(right.as_it_opens("trust", ["folded-door_front"], site="corner-shop"))
    assert "damaged" not in mended


def test_the_door_that_is_to_blame_is_offered_for_a_check_by_hand(wrong: Counted) -> None:
    offered = wrong.page("trust", site="corner-shop").get("page_link")
    (link,) = [proto for one in offered if "by hand" in (proto := one.proto).label]
    assert link.label.replace("\\", "") == "Check by hand: Entrance"
    assert link.query_string == "site=corner-shop&door=entrance"
