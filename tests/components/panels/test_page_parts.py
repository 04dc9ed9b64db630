from __future__ import annotations

import ast
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Self

import httpx
import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from api_client import Unreachable
from api_client.answers import error_of
from components.panels.page_parts import (
    _LASTING_WAIT,
    _circumstances,
    _wait_before_retry,
    ask_again,
)
from components.panels.viewer import forget_site, of_site
from contract import SiteSummary
from tests.running_service import ROOT


def page_that_fails(error: Exception, other: Exception, runs_every: float | None = None) -> None:
    from datetime import timedelta  # noqa: PLC0415 - AppTest runs the body of this function alone

    import streamlit as st  # noqa: PLC0415 - as above

    from components.panels.page_parts import guarded  # noqa: PLC0415 - as above

    every = timedelta(seconds=runs_every) if runs_every else None
    with guarded("The first panel", "first", type(other), every=every):
        if not st.session_state.get("mended"):
            raise error
        st.text("first drawn")
    st.text("second drawn")


class LastingError(Exception):
    is_lasting = True
    request_id = "req-1"


class StartingError(Exception):
    code = "SERVICE_STARTING"
    retry_after = 2.0


class BusyError(Exception):
    code = "SERVICE_UNAVAILABLE"
    request_id = ""
    retry_after = 7.0


def run(error: Exception, catching: Exception, runs_every: float | None = None) -> AppTest:
    app = AppTest.from_function(page_that_fails, args=(error, catching, runs_every)).run()
    assert not app.exception
    return app


class SetBack(datetime):
    """A clock that is set back while the page waits."""

    later = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + cls.later


def test_the_page_asks_again_as_soon_however_far_the_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks: list[Callable[[], None]] = []
    reruns: list[bool] = []
    monkeypatch.setattr("components.panels.viewer.datetime", SetBack)

    def kept(tick: Callable[[], None]) -> Callable[[], None]:
        ticks.append(tick)
        return tick

    monkeypatch.setattr("streamlit.fragment", lambda **_: kept)
    monkeypatch.setattr("streamlit.rerun", lambda: reruns.append(True))
    passed = [0.0]
    monkeypatch.setattr("components.panels.page_parts.monotonic", lambda: passed[0])
    ask_again("panel", timedelta(seconds=0.2))
    monkeypatch.setattr(SetBack, "later", -timedelta(hours=1))
    ticks[0]()
    assert not reruns, "it is too early"
    passed[0] = 0.2
    ticks[0]()
    assert reruns


def words(app: AppTest) -> str:
    return " ".join(one.value for one in (*app.markdown, *app.caption, *app.text)).replace("\\", "")


def test_a_failing_panel_fails_alone_and_names_its_request() -> None:
    app = run(LastingError("The site is gone."), LastingError())
    assert "second drawn" in words(app)
    assert "The first panel cannot be shown" in words(app)
    assert "The site is gone." in words(app)
    assert "request id `req-1`" in words(app)
    assert "since" in words(app)


def test_what_somebody_has_to_mend_elsewhere_is_seldom_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key may be accepted again, or a proxy have answered 404 while the service was renewed."""
    asked: list[timedelta] = []
    monkeypatch.setattr("components.panels.page_parts.ask_again", lambda _key, wait: asked.append(wait))
    assert "tried again every 3 min" in words(run(LastingError("no"), LastingError()))
    assert asked == [timedelta(minutes=3)]


def page_of_some() -> None:
    from components.panels.page_parts import (  # noqa: PLC0415 - AppTest runs the body of this function alone
        outages_remembered,
        some_unread,
    )

    with outages_remembered():
        some_unread(2, "doors", "some")


def test_where_some_are_not_read_for_long_they_are_asked_for_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they are refused is not known there."""
    asked: list[timedelta] = []
    monkeypatch.setattr("components.panels.page_parts.ask_again", lambda _key, wait: asked.append(wait))
    app = AppTest.from_function(page_of_some).run()
    assert "2 of the doors could not be read" in words(app)
    assert "tried again every 10 s" in words(app)
    app.session_state["failing-since"]["some"] -= _LASTING_WAIT.total_seconds()
    assert "tried again every 3 min" in words(app.run())
    assert asked == [timedelta(seconds=10), timedelta(minutes=3)]


def test_a_busy_service_is_asked_again_when_it_says() -> None:
    said = words(run(BusyError("loading"), BusyError()))
    assert "tried again every 7 s" in said
    assert "the service asks for a pause until" in said


def test_within_what_runs_by_itself_no_other_fragment_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("components.panels.page_parts.ask_again", lambda key, _wait: asked.append(key))
    assert "tried again every 30 s" in words(run(BusyError("no"), BusyError(), runs_every=30.0))
    assert asked == []
    run(BusyError("no"), BusyError())
    assert asked == ["first"]


def functions() -> list[ast.FunctionDef]:
    """Of all pages and panels."""
    files = [file for folder in ("pages", "components") for file in sorted((ROOT / folder).rglob("*.py"))]
    nodes = [node for file in (ROOT / "app.py", *files) for node in ast.walk(ast.parse(file.read_text()))]
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]


def calls_within(function: ast.FunctionDef) -> list[ast.Call]:
    calls = [node for statement in function.body for node in ast.walk(statement)]
    return [node for node in calls if isinstance(node, ast.Call)]


def test_no_fragment_is_made_that_has_no_container_of_its_own() -> None:
    decorated = [ast.unparse(one) for function in functions() for one in function.decorator_list]
    called = {call for function in functions() for call in calls_within(function)}
    assert "by_itself(EVERY)" in decorated
    assert [one for one in decorated if "fragment" in one] == []
    assert [ast.unparse(call.func) for call in called].count("st.fragment") == 1, "that of by_itself"


def test_what_runs_by_itself_draws_no_fragment() -> None:
    """Each part of it that may fail is told that it is asked again anyway."""
    runs = [
        function
        for function in functions()
        for decorator in map(ast.unparse, function.decorator_list)
        if decorator.startswith("by_itself(") and decorator != "by_itself(None)"
    ]
    calls = [call for function in runs for call in calls_within(function)]
    parts = [call for call in calls if ast.unparse(call.func) in {"guarded", "failure"}]
    assert len(runs) >= 4
    assert len(parts) >= 2
    assert [ast.unparse(part) for part in parts if "every" not in {one.arg for one in part.keywords}] == []
    drawing = {"folded", "ask_again", "some_unread", "unread_part", "rerun_on_news"}
    assert {ast.unparse(call.func) for call in calls} & drawing == set()


def test_a_service_that_is_starting_has_not_failed() -> None:
    app = run(StartingError("The service is starting."), StartingError())
    assert [one.value for one in app.info] == ["The service is starting\\. This page appears by itself."]
    assert not app.button
    assert "cannot" not in words(app)


def test_a_retry_draws_what_is_mended() -> None:
    app = run(LastingError("no"), LastingError())
    app.session_state["mended"] = True
    app.button(key="retry-first").click().run()
    assert "first drawn" in words(app)
    assert "cannot be shown" not in words(app)


def test_the_time_of_the_first_failure_stays_until_it_is_mended() -> None:
    app = run(LastingError("no"), LastingError())
    first = app.session_state["failing-since"]["first"]
    app.run()
    assert app.session_state["failing-since"]["first"] == first
    app.session_state["mended"] = True
    app.run()
    assert "first" not in app.session_state["failing-since"]


def runs_of_a_page() -> None:
    import streamlit as st  # noqa: PLC0415 - AppTest runs the body of this function alone

    from components.panels.page_parts import failure, outages_remembered  # noqa: PLC0415 - as above

    with outages_remembered():
        if st.session_state.get("cut short"):
            st.session_state["cut short"] = False
            st.rerun()
        for panel in st.session_state.get("failing", ()):
            failure(ConnectionError("down"), panel)


def since_after(app: AppTest, *failing: str, cut_short: bool = False) -> dict[str, float]:
    app.session_state["failing"] = failing
    app.session_state["cut short"] = cut_short
    app.run()
    assert not app.exception
    return dict(app.session_state["failing-since"])


def test_a_second_outage_has_a_time_of_its_own() -> None:
    """Also where the panel says nothing of its recovery: another page was open, or other zones failed."""
    app = AppTest.from_function(runs_of_a_page)
    first = since_after(app, "zones", "history")
    assert since_after(app, "zones")["zones"] == first["zones"]
    assert since_after(app) == {}
    second = since_after(app, "zones", "history")
    assert second["zones"] > first["zones"]
    assert second["history"] > first["history"]


def test_a_run_that_is_cut_short_ends_no_outage() -> None:
    app = AppTest.from_function(runs_of_a_page)
    first = since_after(app, "zones")
    assert since_after(app, "zones", cut_short=True) == first


@pytest.mark.parametrize(
    "told", [None, "", "Mars/Olympus", "../../etc/passwd", "Europe", "\x00", "x" * 5_000]
)
def test_a_time_zone_that_is_none_is_read_as_utc(told: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextProxy, "timezone", told)
    assert " UTC" in words(run(LastingError("no"), LastingError()))


def test_another_error_is_not_hidden() -> None:
    app = AppTest.from_function(page_that_fails, args=(ValueError("a bug"), LastingError())).run()
    assert app.exception


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 418])
def test_a_refusal_lasts(status: int) -> None:
    assert _wait_before_retry(error_of(answered(status))) == _LASTING_WAIT


@pytest.mark.parametrize("status", [408, 421, 425, 429, 500, 502, 503, 507])
def test_an_outage_passes(status: int) -> None:
    assert _wait_before_retry(error_of(answered(status))) < _LASTING_WAIT


def test_a_refusal_with_a_code_of_the_services_own_lasts() -> None:
    body = b'{"data": null, "meta": {"errors": [{"code": "OUT_OF_PLAN", "message": "No."}]}}'
    assert _wait_before_retry(error_of(answered(402, body))) == _LASTING_WAIT


@pytest.mark.parametrize("error", [Unreachable("down", code="CONNECTION_FAILED"), ConnectionError("down")])
def test_what_did_not_arrive_passes(error: Exception) -> None:
    assert _wait_before_retry(error) < _LASTING_WAIT


def answered(status: int, body: bytes = b"") -> httpx.Response:
    return httpx.Response(status, content=body, request=httpx.Request("GET", "https://api.example.com"))


def test_since_when_a_part_fails_is_told_by_the_clock_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr("streamlit.session_state", state)
    since = datetime(2026, 11, 26, 17, 5, tzinfo=UTC)

    def told() -> str:
        return _circumstances(BusyError("no"), since, timedelta(seconds=10))[0].replace("\\", "")

    assert told().endswith("17:05, UTC time"), "the browser has told no zone"
    of_site(SiteSummary(id="a", name="A", timezone="Europe/Zurich"))
    assert told().endswith("18:05, Zurich time")
    forget_site()
    assert told().endswith("UTC time")
