"""Sessions under the administrator's password: how they end, and what ends none."""

from __future__ import annotations

import time
from pathlib import Path
from string import ascii_letters, digits

import pytest
from structlog.testing import capture_logs

from runtime.access import Person, Refusal
from runtime.login import SESSION_COOKIE, Login
from runtime.password import keep_password

_BASE64 = ascii_letters[26:] + ascii_letters[:26] + digits + "-_"


@pytest.fixture
def login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Login:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HEADROOM_SECRET", "a secret that signs what browsers open")
    keep_password(tmp_path, "a quiet word for the door")
    return Login(tmp_path, (), by_password=True)


def respelled(session: str) -> list[str]:
    """The same session with other last bits of its signature, which base64 passes over, and with padding."""
    place = _BASE64.index(session[-1])
    others = [_BASE64[place ^ bits] for bits in (1, 2, 3)]
    return [*(session[:-1] + other for other in others), f"{session}="]


def test_a_session_that_is_over_stays_so_however_its_cookie_is_written(login: Login) -> None:
    session = login.session()
    spellings = [one for one in respelled(session) if isinstance(login.person({SESSION_COOKIE: one}), Person)]
    assert spellings, "there is more than one way to write a signature"
    login.end({SESSION_COOKIE: spellings[0]})
    for one in (session, *spellings):
        assert login.person({SESSION_COOKIE: one}) is Refusal.OVER
    assert isinstance(login.person({SESSION_COOKIE: login.session()}), Person), "another one goes on"


def test_a_login_from_the_future_says_that_a_clock_is_wrong_and_the_log_by_how_much(
    login: Login, tmp_path: Path
) -> None:
    session = login.session()
    behind = Login(tmp_path, (), by_password=True, clock=lambda: time.time() - 600)
    with capture_logs() as log:
        for _ in range(3):
            assert behind.person({SESSION_COOKIE: session}) is Refusal.AHEAD
    (said,) = log
    assert "dated in the future" in said["event"]
    assert abs(said["seconds"] + 600) < 60
    assert "more than two minutes" in Refusal.AHEAD


def test_nothing_is_kept_of_a_log_out_that_ends_no_session(login: Login) -> None:
    for number in range(50):
        login.end({f"_streamlit_user_{part}": f"{number}.{part}" for part in range(100)})
        login.end({SESSION_COOKIE: f"{number}.x.y"})
    assert login.ended == 0
    login.end({SESSION_COOKIE: login.session()})
    assert login.ended == 1


def test_cookies_beyond_what_a_login_sets_are_nobodys(login: Login) -> None:
    session = login.session()
    assert login.person({SESSION_COOKIE: session, "_streamlit_user_1": "x" * 9_000}) is None
