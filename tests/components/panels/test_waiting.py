"""What a page says while it waits, and what a part that runs by itself says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Self

import pytest
from streamlit.testing.v1 import AppTest

from components.panels.waiting import _progress, awaited
from tests.written_days import written_day


class BusyError(Exception):
    """What the service answers after a while."""


def told(hour: int, minute: int = 0) -> str:
    """Such a moment of the first of June, when all of it happens here."""
    return f"{written_day(date(2026, 6, 1), 'UTC')}, {hour}:{minute:02}:00, UTC time."


class Said:
    """What a page says while it waits; the answer comes `then`."""

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        self.said: list[str] = []
        self.then = then

    @contextmanager
    def __call__(self, text: str) -> Iterator[None]:
        self.said.append(text)
        self.then()
        yield


def test_what_is_there_at_once_is_not_said_to_be_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome: Future[int] = Future()
    outcome.set_result(7)
    monkeypatch.setattr("streamlit.spinner", said := Said())
    assert (awaited(outcome, "how many people are inside"), said.said) == (7, [])


def test_a_page_says_what_it_waits_for_and_goes_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome: Future[int] = Future()
    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.01)
    monkeypatch.setattr("streamlit.spinner", said := Said(lambda: outcome.set_result(7)))
    assert awaited(outcome, "how many people are inside") == 7
    (words,) = said.said
    assert words.startswith(
        "The service has not said yet how many people are inside\\. Waiting for its answer since "
    )
    assert words.endswith(" UTC time\\."), "it is said whose clock it is"


def test_it_is_said_how_many_answers_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome: Future[int] = Future()
    outcome.asked, outcome.answered = 1042, 7  # type: ignore[attr-defined]
    assert _progress(outcome) == "7 of 1,042 answers are here."
    outcome.answered = 1042  # type: ignore[attr-defined]
    assert _progress(outcome) == "", "more is asked for next"
    outcome.asked, outcome.answered = 1, 0  # type: ignore[attr-defined]
    assert _progress(outcome) == ""
    assert _progress(Future()) == "", "one that cannot tell"


def test_what_fails_after_a_while_fails_where_it_was_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome: Future[int] = Future()
    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.01)
    monkeypatch.setattr("streamlit.spinner", Said(lambda: outcome.set_exception(BusyError("no"))))
    with pytest.raises(BusyError):
        awaited(outcome, "how many people are inside")


def test_whoever_leaves_while_a_page_waits_cancels_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class LeftError(Exception):
        pass

    def leave() -> None:
        raise LeftError

    outcome: Future[int] = Future()
    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.01)
    monkeypatch.setattr("components.panels.waiting._UNTIL_LEFT", 0.01)
    monkeypatch.setattr("components.panels.waiting._yield_to_streamlit", leave)
    monkeypatch.setattr("streamlit.spinner", Said(lambda: None))
    with pytest.raises(LeftError):
        awaited(outcome, "how many people are inside")
    assert outcome.cancelled()


def page_whose_service_fails_late() -> None:
    from concurrent.futures import Future  # noqa: PLC0415 - AppTest runs the body of this function alone

    import streamlit as st  # noqa: PLC0415 - as above

    from components.panels.page_parts import guarded, outages_remembered  # noqa: PLC0415 - as above
    from components.panels.waiting import awaited  # noqa: PLC0415 - as above

    outcome: Future[int] = Future()
    st.session_state["asked"] = outcome
    if st.session_state.get("answers at once"):
        outcome.set_result(7)
    if st.session_state.get("comes in part"):
        outcome.is_lacking = True  # type: ignore[attr-defined]
        outcome.set_result(7)
    if st.session_state.get("fails at once"):
        outcome.set_exception(ValueError("It failed."))
    with outages_remembered(), guarded("The number", "number", ValueError):
        st.text(f"{awaited(outcome, 'how many are inside')} inside")


def seconds_on() -> float:
    return Clock.later.total_seconds()


class Clock(datetime):
    later = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2026, 6, 1, 12, tzinfo=tz) + cls.later


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> tuple[AppTest, Said]:
    """A page whose service fails after a while, a minute later with each run."""
    app = AppTest.from_function(page_whose_service_fails_late)

    def fail() -> None:
        app.session_state["asked"].set_exception(ValueError("It failed."))
        Clock.later += timedelta(minutes=1)

    said = Said(fail)
    monkeypatch.setattr("components.panels.waiting._UNTIL_SAID", 0.01)
    monkeypatch.setattr("components.panels.viewer.datetime", Clock)
    monkeypatch.setattr(Clock, "later", timedelta())
    for module in ("waiting", "lasting"):
        monkeypatch.setattr(f"components.panels.{module}.monotonic", seconds_on)
    monkeypatch.setattr("streamlit.spinner", said)
    return app, said


def test_a_page_that_asks_again_says_since_when_it_has_waited_as_a_whole(
    late: tuple[AppTest, Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, said = late
    captions: list[str] = []
    monkeypatch.setattr("streamlit.caption", lambda text: captions.append(text.replace("\\", "")))
    for _ in range(3):
        app.run()
    assert len(said.said) == 3
    assert len(set(said.said)) == 1
    assert f"since {told(12)}" in said.said[0].replace("\\", "")
    assert [text.partition(" If ")[0] for text in captions if "If none comes" in text] == [
        "If none comes, this page says so, and asks again by itself.",
        f"Asked again at {told(12, 1)}",
        f"Asked again at {told(12, 2)}",
    ]


def test_what_came_meanwhile_is_waited_for_anew(late: tuple[AppTest, Said]) -> None:
    app, said = late
    app.run()
    app.session_state["answers at once"] = True
    app.run()
    app.session_state["answers at once"] = False
    app.run()
    assert len(set(said.said)) == 2


def test_since_when_is_said_by_the_clock_of_the_service(late: tuple[AppTest, Said]) -> None:
    app, said = late
    app.session_state["clock-of-the-page"] = lambda: datetime(2026, 6, 1, 14, tzinfo=UTC)
    app.run()
    assert f"since {told(14)}" in said.said[0].replace("\\", "")


@pytest.mark.parametrize("how", ["fails at once", "comes in part"])
def test_what_failed_at_once_or_came_in_part_counts_as_waited_for(
    late: tuple[AppTest, Said], how: str
) -> None:
    """A service that is just stopping refuses at once, and hangs afterwards; and where each zone is asked for
    by itself, none of them fails the page.
    """
    app, said = late
    app.session_state[how] = True
    app.run()
    assert said.said == []
    Clock.later += timedelta(minutes=1)
    app.session_state[how] = False
    app.run()
    assert f"since {told(12)}" in said.said[0].replace("\\", "")


def test_once_the_clock_of_the_service_is_known_all_moments_are_told_by_it(
    late: tuple[AppTest, Said],
) -> None:
    app, said = late
    app.run()
    app.session_state["clock-of-the-page"] = lambda: Clock.now(UTC) + timedelta(hours=2)
    app.run()
    since = [text.replace("\\", "").partition("since ")[2] for text in said.said]
    assert since == [told(12), told(14)]
