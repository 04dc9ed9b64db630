"""The page Counters before a real service to which counters report."""

from __future__ import annotations

from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from components.panels.counter_watch_panel import WATCHED, Watched
from tests.administered import LATELY, QUARTER, Administered
from tests.pages.administration import opened_page, said

pytestmark = pytest.mark.usefixtures("administering")


def opened() -> AppTest:
    return opened_page("counters")


def choose(test: AppTest, serial: str, label: str) -> None:
    (box,) = [one for one in test.selectbox if one.label == label]
    (found,) = [option for option in box.options if serial in option]
    box.select(found).run()


def number_of(managed: Administered, serial: str) -> int:
    (found,) = [one["number"] for one in managed.sensors() if one["serial"] == serial]
    return int(found)


def cell(test: AppTest, serial: str, column: str) -> object:
    table = test.dataframe[0].value
    (found,) = table[table["Serial"] == serial][column]
    return found


def test_before_any_counter_has_reported_it_is_said_where_they_post(managed: Administered) -> None:
    assert f"{managed.service.base_url}/ingest/MAKER" in said(opened())


def test_an_unplaced_counter_is_named_placed_watched_and_taken_down(managed: Administered) -> None:
    serial = "ACCC8E00000A"
    for quarters in range(3):
        managed.report(serial, 15, 1, start=LATELY + (quarters - 1) * QUARTER)
    test = opened()
    waits = f"A counter that nobody has placed: axis-3d {serial}. 3 reports wait, the last came at"
    assert waits in said(test)
    number = number_of(managed, serial)
    ways = test.radio(key=f"place-swapped-{number}")
    assert ways.options == ["In leads from outside to Hall", "In leads from Hall to outside"]
    test.button(key=f"place-{number}").click().run()
    assert f"axis-3d {serial} counts at Entrance of Corner shop now." in said(test)
    assert "Of the reports that had waited, 3 counted." in said(test)
    assert (cell(test, serial, "Placed at"), cell(test, serial, "Waiting")) == ("Corner shop · Entrance", 0)
    assert "nobody has placed" not in said(test)

    assert test.selectbox(key="placed-counter").value == number

    test.session_state[WATCHED] = Watched(number, LATELY - QUARTER)
    test.run()
    assert "45 in, 3 out since" in said(test)
    test.button(key="stop-watching").click().run()
    test.button(key=f"watch-{number}").click().run()
    assert "Nothing told since" in said(test)

    test.radio(key=f"place-swapped-{number}").set_value(True).run()
    test.button(key=f"place-{number}").click().run()
    assert cell(test, serial, "Direction") == "In leads from Hall to outside"
    assert managed.sensors()[0]["placement"] == {"passageId": "entrance", "isSwapped": True}
    test.button(key=f"take-down-now-{number}").click().run()
    assert "its reports wait from now on" in said(test)
    assert cell(test, serial, "Placed at") == "nowhere yet"


def test_a_counter_with_a_wrong_clock_and_one_that_contradicts_itself_are_named(
    managed: Administered,
) -> None:
    managed.report("ACCC8E00000B", 1, 1, start=LATELY + timedelta(days=3))
    managed.report("ACCC8E00000C", 1, 1)
    for serial in ("ACCC8E00000B", "ACCC8E00000C"):
        managed.place(serial, "terrace")
    managed.report("ACCC8E00000C", 5, 5)
    test = opened()
    assert "1 has a clock that is not believed" in said(test)
    assert "1 told numbers that conflict" in said(test)
    assert str(cell(test, "ACCC8E00000B", "Clock")).endswith("ahead; not believed")
    assert cell(test, "ACCC8E00000C", "Conflicts") == 1


def test_counters_that_are_nobodys_are_dismissed_ignored_and_heeded_again(managed: Administered) -> None:
    strangers = [f"ACCC8E0000E{letter}" for letter in "ABC"]
    for serial in strangers:
        managed.report(serial, 1, 1)
    test = opened()
    first, second, _ = (number_of(managed, serial) for serial in strangers)
    test.multiselect(key="dismissed").set_value([first]).run()
    test.button(key="dismiss-now").click().run()
    assert "1 counter dismissed. It is back here when it reports again." in said(test)
    assert strangers[0] not in said(test)
    managed.report(strangers[0], 2, 2)
    test.run()
    assert f"nobody has placed: axis-3d {strangers[0]}" in said(test)

    test.multiselect(key="dismissed").set_value([second])
    test.radio(key="dismissed-for-ever").set_value(True).run()
    test.button(key="dismiss-now").click().run()
    assert "1 counter is ignored from now on" in said(test)
    managed.report(strangers[1], 2, 2)
    test.run()
    assert cell(test, strangers[1], "Placed at") == "ignored"
    assert cell(test, strangers[1], "Waiting") == 0
    assert "1 is ignored" in said(test)
    test.button(key="heed-again").click().run()
    assert "1 counter is heeded again: it is back here with the next report." in said(test)
    assert strangers[1] not in {one["serial"] for one in managed.sensors()}

    test.checkbox(key="dismiss-all").check().run()
    test.button(key="dismiss-now").click().run()
    left = {one["serial"] for one in managed.sensors() if not one["placement"] and not one["isIgnored"]}
    assert not left


def test_what_the_service_does_not_take_is_said_in_its_words(managed: Administered) -> None:
    managed.report("ACCC8E00000D", 1, 1)
    test = opened()
    number = number_of(managed, "ACCC8E00000D")
    choose(test, "ACCC8E00000D", "Counter to place")
    with managed.without_passage("entrance"):
        test.button(key=f"place-{number}").click().run()
        assert not test.exception
        (error,) = [one.value for one in test.error]
    assert "Not done" in error
    assert "the organization has no passage" in error
    assert "Request id" in error
    assert cell(test, "ACCC8E00000D", "Waiting") == 1


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("HEADROOM_ADMIN_KEY", "", "HEADROOM_ADMIN_KEY is not set"),
        ("HEADROOM_ADMIN_KEY", "hr_wrong_key", "The service does not accept"),
    ],
)
def test_without_a_key_that_may_administer_it_is_said_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(name, value)
    test = opened()
    assert reason in said(test)
    assert not test.dataframe


def test_a_dashboard_that_others_reach_administers_only_where_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.administration.is_on_this_machine", lambda *_: False)
    test = opened()
    assert "has no login" in said(test)
    assert "HEADROOM_ADMINISTRATION=open" in said(test)
    assert not test.dataframe
    monkeypatch.setenv("HEADROOM_ADMINISTRATION", "open")
    assert "no login" not in said(opened())


def test_once_a_counter_is_placed_the_next_one_is_chosen_before_it_can_be(managed: Administered) -> None:
    """Whoever presses again a second later places nothing else at the same door."""
    for serial in ("ACCC8E0000F1", "ACCC8E0000F2", "ACCC8E0000F3"):
        managed.report(serial, 1, 1)
    test = opened()
    choose(test, "ACCC8E0000F1", "Counter to place")
    test.button(key=f"place-{number_of(managed, 'ACCC8E0000F1')}").click().run()
    assert test.selectbox(key="unplaced-counter").value is None
    second = number_of(managed, "ACCC8E0000F2")
    assert f"place-{second}" not in {button.key for button in test.button}
    choose(test, "ACCC8E0000F2", "Counter to place")
    managed.place("ACCC8E0000F2", "terrace")  # somebody else does, meanwhile
    test.run()
    assert test.selectbox(key="unplaced-counter").value is None
    choose(test, "ACCC8E0000F3", "Counter to place")
    test.switch_page("pages/keys.py").run()
    test.switch_page("pages/counters.py").run()
    assert test.selectbox(key="unplaced-counter").value == number_of(managed, "ACCC8E0000F3")
