"""Each page as it is opened on the small site, what is there once it is whole, and when a page rests."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from page_list import PAGES

OF_SMALL_SITE: Final = {
    "live": ("?site=corner-shop", ".hero .measured:not(:empty)"),
    "site": ("?site=corner-shop", ".places-list .count:not(:empty)"),
    "history": ("?site=corner-shop&range=7d&compare=period", ".js-plotly-plot .trace path"),
    "replay": ("?site=corner-shop", ".replay-clock, [data-testid=stAlert]"),
    "rhythm": ("?site=corner-shop", ".js-plotly-plot .heatmaplayer image"),
    "compare": ("?period=yesterday&least=0", ".js-plotly-plot .bars path"),
    "ahead": ("?site=corner-shop", '[data-testid="stCaptionContainer"]'),
    "trust": ("?site=corner-shop", ".js-plotly-plot .xtick text"),
    "doors": ("?site=corner-shop", ".door-taps .main"),
    "overview": ("", ".card .freshness .details:not(:empty)"),
    "screens": ("", ".stButton"),
    "connection": ("", ".stMetric"),
    "setup": ("", "[data-testid=stNumberInput], [data-testid=stAlert]"),
    "keys": ("", ".stDataFrame, [data-testid=stAlert]"),
    "counters": ("", ".stDataFrame, [data-testid=stAlert]"),
    "audit": ("", ".stDataFrame, [data-testid=stAlert]"),
}
"""Page -> its query, and what is drawn last."""
WHOLE: Final = {
    f"/{page.address}{query}": drawn
    for page in PAGES
    for query, drawn in [OF_SMALL_SITE.get(page.name, ("", "h1"))]
}
"""Address -> what is there once it is whole."""
CHARTS: Final = {"/history": 3, "/rhythm": 2, "/compare": 1, "/ahead": 1, "/trust": 1}
"""So many at least a page has, once all that is folded is open; others have none."""

DRAWN: Final = """() => [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every((frame) => {
  const drawn = frame.querySelector(".main-svg");
  return !frame.clientWidth || (drawn && Math.abs(drawn.getAttribute("width") - frame.clientWidth) <= 1);
})"""
"""Whether each chart is drawn for the width that the page has by now."""


def is_left_on(page: Page, address: str) -> bool:
    """Whether the test before has left the page there, with all that the query of `address` asks for and
    whatever else was chosen: what is open need not be opened again.
    """
    left, asked = urlsplit(page.url), urlsplit(address)
    chosen = parse_qs(left.query)
    return left[:3] == asked[:3] and all(
        chosen.get(name) == values for name, values in parse_qs(asked.query).items()
    )


def go_on(page: Page, address: str) -> None:
    """To another address of the dashboard that is open, as Back and Forward go: its page runs, and the
    browser loads and compiles nothing anew.
    """
    page.evaluate(
        """address => {
          history.pushState(null, "", address);
          dispatchEvent(new PopStateEvent("popstate"));
        }""",
        address,
    )


def bring(page: Page, address: str) -> None:
    """To `address`, as `go_on` does if that dashboard is open, else by opening it."""
    left, asked = urlsplit(page.url), urlsplit(address)
    if left[:2] != asked[:2]:
        page.goto(address)
    elif page.url != address:
        rest(page)
        go_on(page, address)


def turn_to(page: Page, address: str) -> None:
    """As `bring`, until no other page is there any more: one may have what the next one ends with."""
    bring(page, address)
    name = urlsplit(address).path.rpartition("/")[2]
    title = next(listed.title for listed in PAGES if listed.address == name)
    expect(page.locator("h1")).to_have_text(title)


def rest(page: Page) -> None:
    """Wait until what was pressed is answered: a page that is still at work writes its own address over the
    one that Back has gone to, and takes away the files of the run before.
    """
    page.wait_for_timeout(500)  # what was pressed has reached the dashboard
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
