"""Pages that administer, while the service answers what they change with faults, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.administered import Administered
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
