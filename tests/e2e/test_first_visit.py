"""What a browser with an empty cache loads for each page, and what it loads again."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from page_list import PAGES
from tests.e2e.conftest import PATIENCE, Stage
from tests.small_site import store_counts

MEGABYTE = 1_000_000
USUAL = (1.8, "h1")
ON_THE_WIRE = {
    "overview": (1.4, ".card .number"),
    "live": (1.4, ".hero .number"),
    **dict.fromkeys(("history", "rhythm", "compare"), (2.9, ".js-plotly-plot")),
    # Of a site of which every day leaves 0 there is a sentence, and no chart.
    "trust": (2.9, "h2"),
    "ahead": (2.9, "[data-testid=stCaptionContainer]"),  # in the first hour of a day there is no chart
    "site": (1.8, "[data-testid=stDataFrame]"),
    "replay": (1.6, ".replay-clock"),
    "doors": (1.4, ".door-taps .main"),
    "screens": (1.4, "[data-testid=stButton]"),
    "connection": (1.7, "[data-testid=stPageLink]"),
}
"""Page -> megabytes of a first visit, about a tenth above what it is; what shows that the page is drawn."""
OF_A_SITE = ("live", "site", "history", "replay", "rhythm", "ahead", "trust", "doors")
CHART = "PlotlyChart"
"""In the name of the largest script, which draws charts."""
HINT = re.compile(r'modulepreload" crossorigin fetchpriority="low" href="\.(/static/js/[^"]+)"')


@dataclass
class Loaded:
    """What came over the network, and not from the browser's cache."""

    bytes: int = 0
    paths: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    """Scripts that another script asked for, once it was told what to draw."""
    awaited: list[str] = field(default_factory=list)
    """What was answered below `_stcore` before the WebSocket was opened."""
    socket: bool = False
    cached: set[str] = field(default_factory=set)
    newest: float = field(default_factory=time.monotonic)

    def ask(self, event: dict[str, Any]) -> None:
        path = self.asked[event["requestId"]] = urlsplit(event["request"]["url"]).path
        if path.endswith(".js") and event["initiator"]["type"] == "script":
            self.late.append(path)

    def open(self, _event: dict[str, Any]) -> None:
        self.socket = True

    def from_cache(self, event: dict[str, Any]) -> None:
        self.cached.add(event["requestId"])

    def head(self, event: dict[str, Any]) -> None:
        if "_stcore" in event["response"]["url"] and not self.socket:
            self.awaited.append(event["response"]["url"])
        if event["response"].get("fromDiskCache"):
            self.cached.add(event["requestId"])

    def end(self, event: dict[str, Any]) -> None:
        self.newest = time.monotonic()
        if event["requestId"] not in self.cached and event["requestId"] in self.asked:
            self.bytes += int(event["encodedDataLength"])
            self.paths.append(self.asked[event["requestId"]])


def visit(context: BrowserContext, address: str, drawn: str) -> Loaded:
    page, loaded = context.new_page(), Loaded()
    page.set_default_timeout(PATIENCE)
    session = context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", loaded.ask)
    session.on("Network.webSocketCreated", loaded.open)
    session.on("Network.requestServedFromCache", loaded.from_cache)
    session.on("Network.responseReceived", loaded.head)
    session.on("Network.loadingFinished", loaded.end)
    session.send("Network.enable")
    page.goto(address)
    expect(page.locator(drawn).first).to_be_visible()
    while time.monotonic() - loaded.newest < 1:  # scripts of what is drawn last
        page.wait_for_timeout(100)
    page.close()
    return loaded


@pytest.mark.soak
def test_each_page_is_light_and_comes_from_the_cache_the_second_time(stage: Stage, browser: Browser) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    days_before = range(1440, 15 * 1440, 61)
    counts = [(now - timedelta(minutes=ago), "entrance", 3, 2) for ago in (*range(1, 400), *days_before)]
    store_counts(stage.site.data_dir, counts)
    for one in PAGES:
        path = f"/{one.address}" + ("?site=corner-shop" if one.name in OF_A_SITE else "")
        path += "?least=0" if one.name == "compare" else ""  # a minute an hour is counted
        megabytes, drawn = ON_THE_WIRE.get(one.name, USUAL)
        context = browser.new_context()
        first, second = (visit(context, stage.url(path), drawn) for _ in range(2))
        context.close()
        assert 0.5 * MEGABYTE < first.bytes < megabytes * MEGABYTE, (path, first.bytes)
        assert first.awaited == [], path
        hinted = set(HINT.findall(httpx.get(stage.url(path), timeout=30).text))
        assert hinted, path
        assert hinted <= set(first.paths), path
        assert hinted.isdisjoint(first.late), path
        assert CHART in one.elements or not [name for name in first.paths if CHART in name], path
        # What a page comes to show only later may need a file that the first visit did not.
        again = set(first.paths) & set(second.paths)
        assert [name for name in again if name.startswith("/static/")] == [], path
        assert second.bytes < 0.1 * MEGABYTE, (path, second.bytes)
