"""A session that was logged out at one dashboard is over at the others, also after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from keeping import Place
from runtime.access import CLOCKS_APART, LONGEST_SESSION, Person, Refusal
from runtime.ended_sessions import EndedSessions
from runtime.login import SESSION_COOKIE, Login
from runtime.password import keep_password


class Clock:
    def __init__(self) -> None:
        self.now = 1_764_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def dashboards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Login]:
    """Three that have the same secret and the same password."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("HEADROOM_SECRET", "a secret that all dashboards have alike")
    keep_password(tmp_path / "own", "correct horse battery")
    return [Login(tmp_path / "own", (), by_password=True) for _ in range(3)]


def test_a_copy_of_its_cookies_opens_nothing_at_any_of_them(place: Place, dashboards: list[Login]) -> None:
    first, second, late = dashboards
    sessions = EndedSessions(place)
    cookies, others = {SESSION_COOKIE: first.session()}, {SESSION_COOKIE: first.session()}
    assert isinstance(second.person(cookies), Person)
    first.end(cookies)
    first.exchange(sessions)
    for one in (second, late):
        one.exchange(EndedSessions(place))
        assert one.person(cookies) is Refusal.OVER
        assert isinstance(one.person(others), Person)
    second.exchange(sessions)  # it tells nothing twice
    assert len(sessions.all()) == 1


def test_what_would_be_over_by_itself_is_forgotten(place: Place) -> None:
    sessions = EndedSessions(place)
    sessions.tell({"long ago": 1.0, "lasting": 4e9})
    assert sessions.all() == {"lasting": 4e9}


def test_a_session_of_a_dashboard_whose_clock_is_ahead_holds(dashboards: list[Login], tmp_path: Path) -> None:
    clock = Clock()
    here = Login(tmp_path / "own", (), by_password=True, clock=clock)
    cookies = {SESSION_COOKIE: dashboards[0].session()}
    given = here._known(tuple(cookies.items()), here._hashed()).by_password_at
    assert given
    for ahead, holds in ((0.0, True), (CLOCKS_APART - 1, True), (CLOCKS_APART + 1, False)):
        clock.now = given - ahead
        assert isinstance(here.person(cookies), Person) is holds
    clock.now = given + LONGEST_SESSION
    assert here.person(cookies) is Refusal.OVER
