from __future__ import annotations

import pytest

from screens import ViewerRegistry
from screens.viewers import shortened_address, shortened_agent

TELEVISION = (
    "Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) "
    "76.0.3809.146/6.0 TV Safari/537.36"
)
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.0.0 Edg/120.0.0.0"


def test_viewers_are_counted_while_they_look() -> None:
    viewers = ViewerRegistry()
    with viewers.looking("door", "10.0.0.7", ""):
        with viewers.looking("door", "10.0.0.7", ""), viewers.looking("other", "10.0.0.8", ""):
            assert [viewer.address for viewer in viewers.of("door")] == ["10.0.0.*", "10.0.0.*"]
        assert len(viewers.of("door")) == 1
        assert viewers.of("other") == ()


def test_the_last_one_that_left_is_remembered() -> None:
    viewers = ViewerRegistry()
    with viewers.looking("door", "10.0.0.7", ""):
        assert viewers.last_seen("door") is None
    left = viewers.last_seen("door")
    assert left is not None
    assert left.tzinfo is not None
    assert viewers.last_seen("other") is None


def test_no_more_screens_are_remembered_than_a_bound_and_those_left_last_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("screens.viewers._MOST_LEFT", 2)
    viewers = ViewerRegistry()
    for screen_id in ("first", "second", "first", "third"):
        with viewers.looking(screen_id, "10.0.0.7", ""):
            pass
    remembered = [one for one in ("first", "second", "third") if viewers.last_seen(one)]
    assert remembered == ["first", "third"]


@pytest.mark.parametrize(
    ("address", "short"),
    [
        ("192.168.1.23", "192.168.1.*"),
        ("2001:db8:1:2::3", "2001:db8:1::*"),
        ("::1", "0:0:0::*"),
        ("", "unknown"),
        ("testclient", "unknown"),
    ],
)
def test_an_address_is_shortened_to_its_network(address: str, short: str) -> None:
    assert shortened_address(address) == short


@pytest.mark.parametrize(
    ("agent", "short"),
    [
        (
            "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 Chrome/85.0.1 Safari/537.36",
            "Chrome 85 on X11; Linux armv7l",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "Firefox 128 on X11; Linux x86_64",
        ),
        (EDGE, "Edge 120 on Windows NT 10.0; Win64"),
        (TELEVISION, "SMART-TV; LINUX"),
        ("curl/8.5", "curl/8.5"),
        ("", "unknown"),
        ("x" * 500, "x" * 48),
    ],
)
def test_a_browser_is_named_by_its_kind_and_its_system(agent: str, short: str) -> None:
    assert shortened_agent(agent) == short
