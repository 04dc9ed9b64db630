"""The demo composes one wall screen, and tells of the tour once the service answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract import Site, SiteSummary
from runtime import demo
from runtime.demo import DEMO_SCREEN, begin_demo, compose_wall, demo_screen_id, has_demo_data
from runtime.resources import close_screens, get_screens
from screens import Screen, ViewKind
from tests.eventually import eventually
from tests.small_site import SITE


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    yield
    close_screens()


def test_a_wall_screen_is_composed_once() -> None:
    sites: list[SiteSummary] = [SITE]
    assert demo_screen_id() == ""
    for _ in range(2):
        compose_wall(sites)
    (screen,) = get_screens().screens()
    assert isinstance(screen, Screen)
    assert (screen.name, screen.id) == (DEMO_SCREEN, demo_screen_id())
    assert screen.views[0].kind is ViewKind.CURVE
    assert {view.site_id for view in screen.views} == {SITE.id, None}


def test_without_sites_nothing_is_composed() -> None:
    compose_wall([])
    assert get_screens().screens() == ()


def sites_of_service() -> list[Site]:
    return [SITE]


@pytest.mark.parametrize("is_asked_for", [True, False])
def test_the_tour_is_told_of_where_the_settings_ask_for_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, is_asked_for: bool
) -> None:
    monkeypatch.setattr(demo, "read_sites", sites_of_service)
    monkeypatch.setattr(demo, "_has_browser", bool)
    if is_asked_for:
        monkeypatch.setenv("HEADROOM_DEMO", "1")
    begin_demo(threading.Event())
    if is_asked_for:
        asyncio.run(eventually(lambda: "/replay?tour=1" in capfd.readouterr().out))
        assert demo_screen_id()
    else:
        asyncio.run(eventually(lambda: not [one for one in threading.enumerate() if one.name == "demo"]))
        assert "tour" not in capfd.readouterr().out
        assert demo_screen_id() == ""


def test_without_the_demo_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_DEMO", "off")
    begin_demo(threading.Event())
    assert [one for one in threading.enumerate() if one.name == "demo"] == []


@pytest.mark.parametrize("is_demo", [True, False])
def test_hours_of_the_shop_are_kept_with_or_without_a_tour_and_of_no_configured_service(
    monkeypatch: pytest.MonkeyPatch, *, is_demo: bool
) -> None:
    kept: list[list[SiteSummary]] = []
    monkeypatch.setattr(demo, "read_sites", sites_of_service)
    monkeypatch.setattr(demo, "_has_browser", bool)
    monkeypatch.setattr(demo, "keep_demo_hours", kept.append)
    if is_demo:
        monkeypatch.setenv("HEADROOM_DEMO", "1")
    begin_demo(threading.Event())
    asyncio.run(eventually(lambda: kept == [[SITE]]))
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:9")
    begin_demo(threading.Event())
    asyncio.run(eventually(lambda: not [one for one in threading.enumerate() if one.name == "demo"]))
    assert len(kept) == 1


def test_the_screens_of_a_configured_service_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "read_sites", sites_of_service)
    monkeypatch.setattr(demo, "_has_browser", bool)
    monkeypatch.setenv("HEADROOM_DEMO", "1")
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:9")
    begin_demo(threading.Event())
    asyncio.run(eventually(lambda: "/replay?tour=1" in capfd.readouterr().out))
    assert demo_screen_id() == ""


@pytest.mark.parametrize(
    ("name", "value", "is_there"),
    [
        ("HEADROOM_DEMO", "", True),
        ("HEADROOM_DEMO", "off", False),
        ("HEADROOM_BASE_URL", "http://127.0.0.1:1", False),
    ],
)
def test_sites_are_those_of_the_demo_unless_it_is_off_or_the_service_is_another(
    name: str, value: str, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert has_demo_data() is is_there
