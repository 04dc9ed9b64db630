"""Pages that administer, while the service answers what they change with faults, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from tests.administered import Administered
from tests.eventually import PATIENCE
from tests.faulty_administration import Fault, FaultyService, faulty
from tests.pages.administration import opened_page, said


@pytest.fixture
def faulted(managed: Administered, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyService]:
    """What the dashboard administers: the real service, behind what may fail."""
    with faulty(managed.service.base_url) as service:
        for name, value in managed.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        yield service


def envelope(data: Any, *, code: str = "", message: str = "") -> bytes:
    errors = [{"code": code, "message": message}] if code else []
    meta = {"requestId": "r-of-fault", "serverTag": "x", "warnings": [], "errors": errors}
    return json.dumps({"data": data, "meta": meta}).encode()


def error_in(test: AppTest) -> str:
    assert not test.exception
    (error,) = [one.value.replace("\\", "") for one in test.error]
    return error


UNDECIDED = {
    "failed": Fault(500, envelope(None, code="INTERNAL_ERROR", message="It failed.")),
    "failed in a proxy": Fault(502, b"<html>Bad gateway</html>", {"x-request-id": "r-of-fault"}),
    "unavailable in a proxy": Fault(503, b"<html>Unavailable</html>", {"x-request-id": "r-of-fault"}),
    "a page": Fault(200, b"<html>Log in</html>", {"x-request-id": "r-of-fault"}),
    "empty": Fault(200, b"", {"x-request-id": "r-of-fault"}),
    "cut off": Fault(200, b'{"data": {"id', is_cut=True),
    "lost": Fault(is_cut=True),
    "foreign": Fault(200, envelope({"something": "else"})),
    "no data": Fault(201, envelope([1, 2, 3])),
}
DECIDED = {
    "contradicts": (
        Fault(409, envelope(None, code="CONFLICT", message="It is so already.")),
        "It is so already.",
    ),
    "contradicts in a proxy": (Fault(409, b""), "contradicts what the service has"),
    "too large": (Fault(413, b"<html>Too large</html>"), "larger than the service, or a proxy before it"),
    "too often": (Fault(429, b"", {"retry-after": "17"}), "Press again in 17 s."),
    "starting": (
        Fault(503, envelope(None, code="SERVICE_STARTING", message="It starts."), {"retry-after": "300"}),
        "Press again in 5 min.",
    ),
    "full": (
        Fault(507, envelope(None, code="STORAGE_FULL", message="The disk is full.")),
        "The disk is full.",
    ),
}


@pytest.mark.parametrize("fault", UNDECIDED.values(), ids=list(UNDECIDED))
def test_where_nobody_knows_whether_it_was_done_the_page_says_so_and_reads_anew(
    faulted: FaultyService, fault: Fault
) -> None:
    faulted.fault = fault
    test = opened_page("setup")
    test.text_input(key="organization-corner").set_value("Corner & sons").run()
    test.button(key="name-organization").click().run()
    error = error_in(test)
    assert "Not known whether it was done." in error
    assert "Not done." not in error
    assert "before you press again" in error
    assert ("r-of-fault" in error) is (not fault.is_cut)
    assert test.text_input(key="organization-corner").value == "Corner & sons"
    assert len(faulted.changes) == 1


@pytest.mark.parametrize(("fault", "reason"), DECIDED.values(), ids=list(DECIDED))
def test_where_the_service_says_that_it_did_not_the_page_says_so_and_when_to_press_again(
    faulted: FaultyService, fault: Fault, reason: str
) -> None:
    faulted.fault = fault
    test = opened_page("setup")
    test.text_input(key="organization-corner").set_value("Corner & sons").run()
    test.button(key="name-organization").click().run()
    error = error_in(test)
    assert "Not done." in error
    assert reason in error
    assert test.text_input(key="organization-corner").value == "Corner & sons"


def named(managed: Administered, name: str) -> list[dict[str, Any]]:
    return [key for key in managed.listed_keys() if key["name"] == name]


def make_key(test: AppTest, name: str) -> None:
    test.text_input(key="key-name-0").set_value(name)
    test.button(key="make-key-0").click().run()
    assert not test.exception


def test_a_key_whose_secret_was_lost_is_told_not_made_twice_and_rotated(
    faulted: FaultyService, managed: Administered
) -> None:
    """Whatever is lost: the answer to the first press, that to the rotation."""
    test = opened_page("keys")
    faulted.fault = Fault(is_cut=True, comes_through=True)
    make_key(test, "Lost till")
    assert "Not known whether it was done." in error_in(test)
    (first,) = named(managed, "Lost till")
    unseen = f"The key Lost till ({first['id']}) was made, but the answer with its secret did not come"
    assert unseen in said(test)
    assert test.selectbox(key="one-key").value == first["id"]
    faulted.fault = None
    test.button(key="make-key-0").click().run()
    assert named(managed, "Lost till") == [first]
    assert "Not done. One of this name is there, whose secret nobody knows" in error_in(test).replace(
        "**", ""
    )
    assert unseen in said(test)
    assert not test.code
    test.radio(key=f"overlap-{first['id']}").set_value(0).run()
    faulted.fault = Fault(is_cut=True, comes_through=True)
    test.button(key=f"rotate-now-{first['id']}").click().run()
    (second,) = [one for one in named(managed, "Lost till") if one["id"] != first["id"]]
    assert unseen not in said(test)
    assert f"The key Lost till ({second['id']}) was made" in said(test)
    faulted.fault = None
    test.button(key=f"rotate-now-{second['id']}").click().run()
    assert test.code
    assert "nobody knows it" not in said(test)


def test_a_key_that_was_not_made_when_it_was_asked_for_is_made_once_when_it_is_asked_again(
    faulted: FaultyService, managed: Administered
) -> None:
    test = opened_page("keys")
    faulted.fault = Fault(is_cut=True)
    make_key(test, "Second till")
    assert "nobody knows it" not in said(test)
    faulted.fault = None
    make_key(test, "Second till")
    assert len(named(managed, "Second till")) == 1
    assert test.code


LOST = Fault(is_cut=True, comes_through=True)


def key(test: AppTest, field: str) -> str:
    return f"site-{test.session_state['site-drafts-filled']}-{field}"


def set_up(managed: Administered, site_id: str) -> list[dict[str, Any]]:
    """The sites of that name's beginning, as the service lists them."""
    answer = httpx.get(
        f"{managed.service.base_url}/admin/sites", headers={"x-api-key": managed.admin_key}, timeout=PATIENCE
    )
    return [one for one in answer.raise_for_status().json()["data"] if one["id"].startswith(site_id)]


def new_site(name: str) -> AppTest:
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("new").run()
    test.text_input(key="new-site-name").set_value(name).run()
    test.button(key="begin-site").click().run()
    test.text_input(key=key(test, "new-passage")).set_value("Front door")
    test.button(key=key(test, "add-passage")).click().run()
    return test


def test_a_site_whose_answer_was_lost_is_found_stored_and_not_stored_twice(
    faulted: FaultyService, managed: Administered
) -> None:
    test = new_site("Lost street")
    faulted.fault = LOST
    test.button(key=key(test, "store")).click().run()
    assert "Lost street is stored as it was sent, though the answer that says so did not come." in said(test)
    assert not test.error
    assert "Not stored yet" not in said(test)
    assert len(set_up(managed, "lost-street")) == 1
    test.text_input(key=key(test, "name")).set_value("Lost road").run()
    test.button(key=key(test, "store")).click().run()
    assert "Lost road is stored as it was sent" in said(test)


def test_a_site_that_did_not_come_is_said_not_to_be_stored_and_is_stored_with_the_next_press(
    faulted: FaultyService, managed: Administered
) -> None:
    test = new_site("Slow street")
    faulted.fault = Fault(is_cut=True)
    test.button(key=key(test, "store")).click().run()
    assert "Not known whether it was done." in error_in(test)
    assert "Not stored yet" in said(test)
    assert set_up(managed, "slow-street") == []
    faulted.fault = None
    test.button(key=key(test, "store")).click().run()
    assert "Slow street is stored:" in said(test)


def test_while_the_service_is_down_the_page_does_not_say_whether_the_site_is_stored(
    faulted: FaultyService, managed: Administered
) -> None:
    test = new_site("Dark street")
    faulted.fault, faulted.is_down = LOST, True
    test.button(key=key(test, "store")).click().run()
    assert "Not stored yet" not in said(test)
    assert "no answer told whether it is stored" in said(test)
    faulted.fault, faulted.is_down = None, False
    test.run()
    assert "Dark street is stored as it was sent" in said(test)
    assert len(set_up(managed, "dark-street")) == 1


def test_what_is_written_after_an_answer_was_lost_stays_and_is_stored_over_it(
    faulted: FaultyService, managed: Administered
) -> None:
    test = new_site("Long street")
    faulted.fault, faulted.is_down = LOST, True
    test.button(key=key(test, "store")).click().run()
    faulted.fault, faulted.is_down = None, False
    test.text_input(key=key(test, "country")).set_value("CH").run()
    assert test.text_input(key=key(test, "country")).value == "CH"
    assert "Not stored yet" in said(test)
    test.button(key=key(test, "store")).click().run()
    assert "Long street is stored:" in said(test)
    assert len(set_up(managed, "long-street")) == 1


@pytest.mark.parametrize(
    ("page", "path", "changed"),
    [
        ("keys", "/admin/keys", {"createdAt": "9999-12-31T23:59:59Z"}),
        ("keys", "/admin/keys", None),
        ("counters", "/admin/sensors", {"waiting": 10**30}),
        ("counters", "/admin/sensors", {"lastHeardAt": "0001-01-01T00:00:00Z"}),
        ("audit", "/admin/audit", {"at": "9999-12-31T23:59:59Z"}),
    ],
)
def test_an_absurd_list_is_said_to_make_no_sense_and_ends_no_page(
    faulted: FaultyService, managed: Administered, page: str, path: str, changed: dict[str, Any] | None
) -> None:
    managed.report("ACCC8E0000AB", 1, 1)
    asked = httpx.get(
        f"{managed.service.base_url}{path}", headers={"x-api-key": managed.admin_key}, timeout=PATIENCE
    )
    first, *_ = asked.json()["data"]
    faulted.reads[path] = Fault(200, envelope([] if changed is None else [first | changed]))
    test = opened_page(page)
    if changed is None:
        assert "0 keys open." in said(test)
    else:
        assert "What answers in the place of the service makes no sense." in said(test)
