"""How many are inside, set by hand on the page Live before a real service."""

from __future__ import annotations

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from runtime import administration, by_hand, person_of_page
from runtime.access import NOBODY, Role
from runtime.resources import get_administrator_client
from tests.administered import Administered
from tests.eventually import PATIENCE
from tests.pages.administration import opened_page, said
from tests.shown_gauges import order_of

pytestmark = pytest.mark.usefixtures("administering")


def opened(zone: str = "hall") -> AppTest:
    test = opened_page("live")
    test.query_params["zone"] = zone
    test.session_state["folded-edit_note"] = True
    test.run()
    assert not test.exception
    return test


def number_of(test: AppTest) -> int:
    return int(test.session_state["by-hand-times"]) if "by-hand-times" in test.session_state else 0


def write(test: AppTest, inside: int | None, reason: str = "we counted") -> None:
    own = f"corner-shop-{number_of(test)}"
    test.number_input(key=f"by-hand-people-{own}").set_value(inside)
    test.text_input(key=f"by-hand-reason-{own}").set_value(reason)
    test.button(key="set-by-hand").click().run()
    assert not test.exception


def asked(managed: Administered, method: str, path: str, **options: object) -> httpx.Response:
    headers = {"x-api-key": managed.admin_key}
    address = f"{managed.service.base_url}/admin/sites/corner-shop{path}"
    return httpx.request(method, address, headers=headers, timeout=PATIENCE, **options)  # type: ignore[arg-type]


def records(managed: Administered) -> list[dict[str, object]]:
    found: list[dict[str, object]] = asked(managed, "GET", "/corrections").json()["data"]
    return found


def errors(test: AppTest) -> str:
    return " ".join(one.value for one in [*test.error, *test.warning]).replace("\\", "")


def test_a_number_is_set_listed_and_taken_back(managed: Administered) -> None:
    test = opened()
    assert "Nothing was set by hand today." in said(test)
    write(test, None)
    assert "Say how many are inside" in errors(test)
    write(test, 12, "")
    assert "Say why in a few words" in errors(test)
    assert records(managed) == []
    write(test, 12)
    assert "Hall is set to 12 from" in " ".join(one.value for one in test.success).replace("\\", "")
    assert "Hall set to 12, nothing was counted before: we counted. By the key administrates." in said(test)
    (made,) = records(managed)
    assert (made["visitorsInside"], made["zoneId"], made["visitorsInsideBefore"]) == (12, "hall", None)
    write(test, 14, "again")
    assert "Hall set to 14, before it was 12: again." in said(test)
    test.button(key=f"take-back-{records(managed)[-1]['number']}").click().run()
    assert "Taken back at" in said(test)
    assert records(managed)[-1]["withdrawn"] is not None


def test_more_than_the_zone_holds_is_asked_about_once(managed: Administered) -> None:
    before, test = len(records(managed)), opened()
    write(test, 61)
    assert "61 are more than Hall holds by its capacity, 60." in errors(test)
    assert len(records(managed)) == before
    test.button(key="set-by-hand").click().run()
    assert records(managed)[-1]["visitorsInside"] == 61


def test_of_two_people_the_later_is_told_and_loses_nothing(managed: Administered) -> None:
    test = opened()
    body = {"zoneId": "hall", "visitorsInside": 20, "reason": "Ben counted"}
    asked(managed, "POST", "/corrections", json=body).raise_for_status()
    before = len(records(managed))
    write(test, 21)
    assert "Somebody was first:" in errors(test)
    assert "Ben counted" in errors(test)
    assert len(records(managed)) == before
    test.button(key="set-by-hand").click().run()
    assert records(managed)[-1]["visitorsInside"] == 21


def test_what_the_service_cannot_do_is_said_and_what_was_written_stays(
    managed: Administered, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = opened()
    before = len(records(managed))
    monkeypatch.setattr(by_hand, "administrator", lambda: get_administrator_client("hr_no_key"))
    write(test, 30, "counted")
    assert len(records(managed)) == before
    assert "Not done" in errors(test)
    own = f"corner-shop-{number_of(test)}"
    assert test.number_input(key=f"by-hand-people-{own}").value == 30


@pytest.mark.parametrize(
    ("role", "site_ids", "may"),
    [
        (Role.VIEWER, None, False),
        (Role.MANAGER, None, True),
        (Role.MANAGER, frozenset({"corner-shop"}), True),
        (Role.ADMINISTRATOR, frozenset({"corner-shop"}), True),
    ],
)
def test_managers_and_administrators_see_the_control_and_viewers_do_not(
    role: Role, site_ids: frozenset[str] | None, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = NOBODY._replace(name="Ana", role=role, site_ids=site_ids)
    for module in (administration, person_of_page):
        monkeypatch.setattr(module, "current_person", lambda: person)
    labels = [one.label for one in opened().expander]
    assert ("Set by hand" in labels) is may


def test_the_control_stands_below_both_rankings() -> None:
    order = order_of(opened())
    gauge, doors = order.index("headroom_live_gauge"), order.index("headroom_door_ranking")
    assert gauge < doors < order.index("Set by hand")


def test_who_may_not_is_refused_where_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    person = NOBODY._replace(name="Vera", site_ids=None)
    monkeypatch.setattr(administration, "current_person", lambda: person)
    with pytest.raises(by_hand.MayNotSetByHandError, match="ask a manager"):
        by_hand.set_by_hand("corner-shop", "hall", 1, "we counted")
    with pytest.raises(by_hand.MayNotSetByHandError):
        by_hand.take_back("corner-shop", 1)


@pytest.mark.parametrize("inside", [-5, 1_000_001])
def test_a_number_that_nobody_can_be_is_not_taken_for_the_one_before(
    managed: Administered, inside: int
) -> None:
    test, before = opened(), len(records(managed))
    write(test, inside)
    assert "Write 0 to 1,000,000." in errors(test)
    assert len(records(managed)) == before
