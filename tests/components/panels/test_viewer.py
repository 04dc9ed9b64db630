from __future__ import annotations

import pytest
from streamlit.runtime.context import ContextProxy

from components.number_format import Formats
from components.panels.viewer import (
    dashboard_address,
    dashboard_root,
    viewer_formats,
    viewer_or_utc,
    viewer_zone,
)


@pytest.mark.parametrize(
    ("address", "root"),
    [
        ("http://host:8501/", "/"),
        ("http://host:8501", "/"),
        ("http://host:8501/live?site=a", "/"),
        ("http://host/shop", "/shop/"),
        ("http://host/shop/", "/shop/"),
        ("http://host/shop/live", "/shop/"),
        ("http://host/shop/north/site/?site=a", "/shop/north/"),
        ("http://host//foreign.example/live", "/foreign.example/"),
        (None, "/"),
        ("", "/"),
    ],
)
def test_the_path_of_the_dashboard_is_read_from_the_address(
    address: str | None, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContextProxy, "url", address)
    assert dashboard_root() == root


@pytest.mark.parametrize(
    ("address", "history"),
    [
        ("https://host:8501/live?site=a#top", "https://host:8501/history?site=b"),
        ("http://host/shop/history?site=a", "http://host/shop/history?site=b"),
        (None, "/history?site=b"),
    ],
)
def test_the_address_of_a_page_keeps_host_and_prefix(
    address: str | None, history: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ContextProxy, "url", address)
    assert dashboard_address("history?site=b") == history


@pytest.mark.parametrize("told", [None, "", "x" * 999, "C.UTF-8", "../../etc/passwd", "\x00", "*", "-"])
def test_a_locale_that_is_none_is_british_english(told: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextProxy, "locale", told)
    assert viewer_formats().number(1234.5, 1) == Formats().number(1234.5, 1) == "1,234.5"


@pytest.mark.parametrize("told", [None, "", "Mars/Olympus", "Europe", "../../etc/passwd", "\x00", "Factory"])
def test_a_time_zone_that_is_none_is_not_told(told: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextProxy, "timezone", told)
    assert viewer_zone() is None
    assert viewer_or_utc().key == "Etc/UTC"
