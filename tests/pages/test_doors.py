"""The page Doors: what a phone handed over is compared with a real service, kept, listed and deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from analysis.door_check import HandMinutes
from components.panels.door_tapping import Handed
from runtime.site_knowledge import (
    damaged_door_checks,
    forget_door_check,
    knowledge_store,
    read_door_checks,
)
from runtime.upstream import service_digest
from tests.pages.analysis import PATIENCE, SILENT, Counted, text_of, this_hour
from tests.running_service import ROOT
from tests.shown_gauges import component_data

SITE = "corner-shop"
HANDED = "door-check-handed"


@pytest.fixture(autouse=True)
def _emptied(counted: Counted) -> Iterator[None]:
    yield
    for name in (*read_door_checks(SITE), *damaged_door_checks(SITE)):
        forget_door_check(SITE, name)


def handed(ago: timedelta, people: list[tuple[int, int]], *, door: str = "entrance") -> Handed:
    """Counted by hand from so long before the present hour on."""
    stood = timedelta(minutes=len(people) + 1)
    minutes = HandMinutes(this_hour() - ago, tuple(people), stood, 0, timedelta())
    return Handed("abcd-1234", SITE, door, minutes)


def compared(count: Handed) -> AppTest:
    """The page as it is after a phone has handed that over."""
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    test.session_state[HANDED] = count
    test.query_params["site"], test.query_params["door"] = SITE, count.door
    test.switch_page("pages/doors.py").run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    return text_of(test).replace("\N{NO-BREAK SPACE}", " ")


def test_the_first_door_to_the_outside_is_offered_and_says_which_way_is_in(counted: Counted) -> None:
    test = counted.page("doors", site=SITE)
    data = component_data(test, "headroom_door_taps")
    assert (data["door"], data["into"], data["other"], data["kept"]) == (
        "entrance",
        "Hall",
        "the outside",
        [],
    )
    assert "Nobody has checked this door yet." in said(test)
    offered = test.selectbox(key="choose-door").options
    assert offered[0].startswith("Entrance (outside")
    assert offered[-1].startswith("Archway (Hall")


def test_a_check_is_compared_with_the_counter_and_kept(counted: Counted) -> None:
    """Three come in a minute, of whom the hand saw one more in the first."""
    test = compared(handed(timedelta(hours=1), [(4, 0)] + [(3, 0)] * 9))
    assert "The counter counted 30 of 31 in (97 %); plausible range 84 % to 99 %." in said(test)
    assert "Nobody went out." in said(test)
    assert "10 whole minutes of your 11" in said(test)
    assert HANDED not in test.session_state
    assert component_data(test, "headroom_door_taps")["kept"] == ["abcd-1234"]
    assert test.dataframe[0].value["In by hand"].tolist() == [31]
    (kept,) = read_door_checks(SITE).values()
    assert kept.passage_id == "entrance"


def test_ways_between_zones_are_told_from_the_zone_that_the_page_names(counted: Counted) -> None:
    test = compared(handed(timedelta(hours=1), [(2, 0)] * 10, door="archway"))
    into = component_data(test, "headroom_door_taps")["into"]
    assert into == "Café"
    assert "The counter counted 20 of 20 in (100 %)" in said(test)


def test_a_hand_that_saw_them_go_the_other_way_says_that_the_counter_is_turned_round(
    counted: Counted,
) -> None:
    test = compared(handed(timedelta(hours=1), [(0, 3)] * 10))
    assert "In and out are probably exchanged: the counter is mounted the wrong way round." in said(test)
    trust = counted.as_it_opens("trust", ["folded-door_front"], site=SITE)
    (column,) = [
        one.value["Checked by hand"].tolist() for one in trust.dataframe if "Checked by hand" in one.value
    ]
    assert [text.partition(": ")[2] for text in column if text != "never"] == ["in and out exchanged"]


def test_minutes_that_were_never_counted_are_no_zeros(counted: Counted) -> None:
    test = compared(handed(SILENT[0] - timedelta(minutes=10), [(3, 0)] * 5))
    assert "The counter told nothing of these minutes: you counted 15 in and 0 out." in said(test)


def test_minutes_that_are_not_told_yet_are_waited_for(counted: Counted) -> None:
    """The second one runs: at the beginning of an hour all before it are counted."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    minutes = HandMinutes(now - timedelta(minutes=1), ((1, 1), (1, 1)), timedelta(minutes=3), 0, timedelta())
    test = compared(Handed("abcd-1234", SITE, "terrace", minutes))
    assert "not told yet: look again at" in said(test)
    assert component_data(test, "headroom_door_taps")["heard"] == "abcd-1234"
    assert read_door_checks(SITE) == {}


def test_a_check_can_be_deleted(counted: Counted) -> None:
    test = compared(handed(timedelta(hours=1), [(3, 0)] * 10))
    test.session_state["folded-delete"] = True
    test.run()
    test.button(key="delete-check").click().run()
    assert not test.exception
    assert "Nobody has checked this door yet." in said(test)
    assert read_door_checks(SITE) == {}


@pytest.mark.parametrize(
    "damage",
    [
        {"counted": [[1e308, 1]] * 10},
        {"hand": [[-5, 1]] * 10},
        {"hand": [[10**300, 1]] * 10},
        {"start": "9999-12-31T23:59:00Z"},
        {"left_out": 10**400},
    ],
    ids=lambda damage: next(iter(damage)),
)
def test_a_damaged_check_hides_no_other_and_can_be_deleted(
    counted: Counted, damage: dict[str, object]
) -> None:
    compared(handed(timedelta(hours=1), [(3, 0)] * 10))
    (sound,) = read_door_checks(SITE).values()
    body = json.dumps(sound.model_dump(mode="json") | damage)
    knowledge_store().keep(service_digest(), SITE, "door check", "damaged1", body)
    test = counted.as_it_opens("doors", ["folded-delete_forever"], site=SITE, door="entrance")
    assert "1 check of a door of this site is damaged and left out" in said(test)
    assert test.dataframe[0].value["In by hand"].tolist() == [30]
    assert len(test.get("download_button")) == 3
    test.button(key="delete-damaged-checks").click().run()
    assert not test.exception
    assert "damaged" not in said(test)
    assert list(read_door_checks(SITE).values()) == [sound]
    assert damaged_door_checks(SITE) == []


def test_where_all_checks_are_damaged_it_is_not_said_that_nobody_checked(counted: Counted) -> None:
    knowledge_store().keep(service_digest(), SITE, "door check", "damaged1", "{")
    test = counted.as_it_opens("doors", site=SITE, door="entrance")
    assert "No check of this door can be read." in said(test)
    assert "Nobody has checked" not in said(test)


def test_a_link_to_a_door_that_is_not_there_says_so(counted: Counted) -> None:
    test = counted.page("doors", site=SITE, door="gone")
    assert "The link names the door “gone”" in said(test)
    with pytest.raises(LookupError):
        component_data(test, "headroom_door_taps")
