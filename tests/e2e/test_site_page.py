"""The Site page in a real browser: what it draws at which width, that it moves, greys and can be reached.

One dashboard for all; its service says the same of every zone, and what a test tells it to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

from contract import Site
from tests.e2e.whole_pages import is_left_on, rest
from tests.mall_site import mall_site
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.soaking import mostly_in_the_soak
from tests.wide_site import wide_site

WIDTHS = (1280, 390)
ZONES_RANKED = ".ranking[aria-label='Zones by entrances today']"
ZONES = "abcdefgh"
ENDS: tuple[tuple[str | None, str | None], ...] = (
    (None, "a"), ("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "c"), (None, "c"),
    ("c", "d"), ("d", "b"), (None, None), ("f", "g"), ("h", "gone"),
)  # fmt: skip
"""There and back, twice the same way, a cycle, a loop, outside on both sides, an island, a zone alone."""
NAMES = (
    "<b>bold</b><script>x</script>", "مدخل المتجر الرئيسي", "W" * 60, "",
    "Café & “Bar”", "一二三四五六七八九十一二", "Same", "Same",
)  # fmt: skip


def told(site: Site) -> dict[str, Any]:
    dumped: dict[str, Any] = site.model_dump(mode="json", by_alias=True)
    return dumped


def odd_site() -> dict[str, Any]:
    return {
        "id": "odd", "name": "Odd", "timezone": "Europe/Zurich",
        "zones": [
            {"id": zone, "name": name, "capacity": 9 if place % 2 else None}
            for place, (zone, name) in enumerate(zip(ZONES, NAMES, strict=True))
        ],
        "passages": [
            {"id": str(place), "name": NAMES[place % len(NAMES)], "fromZoneId": start, "toZoneId": end}
            for place, (start, end) in enumerate(ENDS)
        ],
    }  # fmt: skip


SITES = [
    odd_site(),
    told(wide_site(30, 45)),
    told(wide_site(12, 18).model_copy(update={"id": "middle"})),
    told(wide_site(40, 60).model_copy(update={"id": "large"})),
    told(mall_site(6, 9)),
    told(mall_site(7, 9).model_copy(update={"id": "folded"})),
    {"id": "one", "name": "One", "zones": [{"id": "only", "name": "Only"}], "passages": []},
    {"id": "none", "name": "None", "zones": [], "passages": []},
]
DRAWN = ["mall", "odd", "wide", "one", "middle"]
"""The test before that of all opens the first, and those after it go on with the last (`opened_once`)."""

GEOMETRY = """(svg) => {
  const box = (node) => node.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((node) => node.textContent);
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5
    && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const within = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5;
  const wrong = [];
  texts.forEach((one, place) => texts.slice(place + 1).forEach((other) => {
    if (meet(box(one), box(other))) wrong.push(one.textContent + " lies on " + other.textContent);
  }));
  svg.querySelectorAll("a.zone").forEach((card) => card.querySelectorAll("text").forEach((text) => {
    if (text.textContent && !within(box(text), box(card.querySelector(".rim"))))
      wrong.push(text.textContent + " leaves its card");
  }));
  svg.querySelectorAll(".way-label").forEach((label) => {
    if (!within(box(label.querySelector("text")), box(label.querySelector("rect"))))
      wrong.push(label.textContent + " leaves its place");
  });
  const rims = [...svg.querySelectorAll(".rim, .outline")].map((rect) => rect.getBBox());
  const toRim = (point, rim) => {
    const x = Math.max(rim.x - point.x, point.x - rim.x - rim.width);
    const y = Math.max(rim.y - point.y, point.y - rim.y - rim.height);
    return x > 0 || y > 0 ? Math.hypot(Math.max(x, 0), Math.max(y, 0)) : Math.min(-x, -y);
  };
  svg.querySelectorAll(".way .line").forEach((line) => [0, line.getTotalLength()].forEach((place) => {
    const gap = Math.min(...rims.map((rim) => toRim(line.getPointAtLength(place), rim)));
    if (gap > 0.5) wrong.push("a line ends " + gap + " pixels off every rim");
  }));
  if (box(svg).right > innerWidth || document.documentElement.scrollWidth > innerWidth)
    wrong.push("wider than the page");
  return wrong;
}"""


FITTED = """() => [...document.querySelectorAll("*")].some((host) => {
  const svg = host.shadowRoot && host.shadowRoot.querySelector(".graph > svg");
  return svg && Number(svg.getAttribute("width")) <= svg.closest(".graph-frame").clientWidth;
})"""
"""Whether the graph is one that was drawn for the width of the window."""


FILLED_TO = """([selector, part]) => [...document.querySelectorAll("*")].some((host) => {
  const card = host.shadowRoot && host.shadowRoot.querySelector(selector);
  if (!card) return false;
  const frame = card.querySelector(".rim").getBoundingClientRect();
  const surface = card.querySelector(".surface").getBoundingClientRect();
  return Math.abs((frame.bottom - surface.top) / frame.height - part) < 0.03;
})"""
"""Whether what fills a card stands at that part of its height, once it has moved there."""


@pytest.fixture(scope="module")
def service() -> Iterator[ScriptedService]:
    with scripted_service(ScriptedService(sites=SITES)) as service:
        yield service


@pytest.fixture(scope="module")
def dashboard(
    service: ScriptedService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDashboard]:
    environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": KEY}
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()


class Heard:
    """What a page asked for, and how often Streamlit and it spoke."""

    def __init__(self, page: Page) -> None:
        self.streams = list[str]()
        """Their addresses."""
        self.plotly = 0
        self.messages = 0
        page.on("request", self._asked)
        page.on("websocket", self._listen)

    def _asked(self, request: Request) -> None:
        if "live/stream" in request.url:
            self.streams.append(request.url)
        self.plotly += "plotly" in request.url.lower()

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._spoke)
        socket.on("framesent", self._spoke)

    def _spoke(self, _payload: str | bytes) -> None:
        self.messages += 1

    def settle(self, page: Page) -> None:
        heard = -1
        while heard != self.messages:
            rest(page)
            heard = self.messages
            page.wait_for_timeout(1_500)


def opened(page: Page, dashboard: RunningDashboard, site: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{dashboard.base_url}/site?site={site}")
    expect(page.locator(".card .number")).to_have_text("7")


def opened_once(page: Page, dashboard: RunningDashboard, site: str, width: int) -> None:
    """The page that the test before has left, if it is of that site."""
    if is_left_on(page, f"{dashboard.base_url}/site?site={site}"):
        page.set_viewport_size({"width": width, "height": 900})
    else:
        opened(page, dashboard, site, width)


@pytest.mark.soak
def test_a_long_table_is_one_stop_of_the_keyboard(dashboard: RunningDashboard, page: Page) -> None:
    opened(page, dashboard, DRAWN[0], 1280)
    scrolled = page.locator(".stDataFrame .dvn-scroller").first
    scrolled.wait_for(state="attached")
    page.keyboard.press("Tab")
    expect(scrolled).to_have_attribute("tabindex", "-1")


@pytest.mark.parametrize("site", mostly_in_the_soak(DRAWN, "mall"))
def test_no_word_lies_on_another_and_lines_end_on_rims(
    dashboard: RunningDashboard, page: Page, site: str
) -> None:
    """At a desk, and after the window was made as narrow as a phone."""
    opened_once(page, dashboard, site, 1280)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        graph = page.locator(".graph > svg")
        expect(graph.locator("a.zone .number").last).to_have_text("7")
        page.wait_for_function(FITTED, polling=100)
        assert graph.evaluate(GEOMETRY) == []
    assert page.locator(".graph script, .zones b").count() == 0
    if site == "odd":
        expect(page.locator(".zones").get_by_text("<b>bold</b><script>x</script>").first).to_be_visible()
        expect(page.get_by_text("2 passages are not drawn")).to_be_visible()
    if site == "one":
        card = page.locator(".graph a.zone")
        expect(card).to_have_attribute("data-level", "unknown")
        expect(card.locator(".word")).to_have_text("No capacity")
        expect(card).to_have_attribute("data-filled", "")


def test_the_graph_fits_onto_paper_and_is_printed_light(dashboard: RunningDashboard, page: Page) -> None:
    """A4 upright and across, from a dark screen of a desk."""
    opened_once(page, dashboard, DRAWN[-1], 1280)
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".stApp")).to_have_css("color-scheme", "dark")
    page.emulate_media(media="print", color_scheme="dark")
    graph = page.locator(".graph > svg")
    for width in (1040, 720):
        page.set_viewport_size({"width": width, "height": 1000})
        assert graph.evaluate("(svg) => svg.getBoundingClientRect().right <= innerWidth")
    ground = graph.locator(".ground").first
    assert ground.evaluate("(node) => getComputedStyle(node).fill") == "rgb(255, 255, 255)"


def test_a_zone_is_reached_and_opened_by_keyboard(dashboard: RunningDashboard, page: Page) -> None:
    opened_once(page, dashboard, DRAWN[-1], 390)
    graph = page.get_by_role("group", name="Graph of the zones and passages")
    zone = graph.get_by_role("link", name="Zone-3: 7 inside")
    page.wait_for_function(FITTED, polling=100)
    rest(page)
    zone.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    ring = zone.locator(".ring")
    assert ring.evaluate("(node) => getComputedStyle(node).strokeWidth") == "3px"
    assert ring.evaluate("(node) => getComputedStyle(node).stroke") != "none"
    page.keyboard.press("Enter")
    page.wait_for_url("**/live?site=middle&zone=zone-3*")


def test_figures_move_over_one_connection_without_a_rerun_and_without_plotly(
    dashboard: RunningDashboard, service: ScriptedService, page: Page
) -> None:
    heard = Heard(page)
    opened(page, dashboard, "odd", 1280)
    heard.settle(page)
    before = heard.messages
    service.metrics = {**service.metrics, "visitorsInside": 8}
    try:
        for figure in (".card .number", ".graph a.zone .number", ".zones td.of-inside"):
            expect(page.locator(figure).first).to_have_text("8")
        expect(page.locator(".graph a.zone[data-level=filling] .word").first).to_have_text(
            "Filling, 88\u00a0%"
        )
        filled = page.locator(".graph a.zone[data-level=filling]").first
        expect(filled).to_have_attribute("data-filled", "89")
        page.wait_for_function(FILLED_TO, arg=[".graph a.zone[data-level=filling]", 8 / 9], polling=100)
        expect(page.locator(".clock")).to_contain_text("(Zurich time)")
    finally:
        service.metrics = {**service.metrics, "visitorsInside": 7}
    assert (heard.messages, len(heard.streams), heard.plotly) == (before, 1, 0), heard.streams


def test_too_many_zones_are_a_list_and_few_are_shown_of_a_long_ranking(
    dashboard: RunningDashboard, page: Page
) -> None:
    opened(page, dashboard, "large", 390)
    expect(page.get_by_text("40 zones and 60 passages are too many")).to_be_visible()
    expect(page.locator(".graph")).to_have_count(0)
    rows = page.locator(".zones tbody tr")
    expect(rows).to_have_count(40)
    expect(rows.and_(page.locator("[data-trusted=true]"))).to_have_count(40)  # the others have a line more
    lines = "(row) => row.clientHeight / parseFloat(getComputedStyle(row).lineHeight)"
    assert all(row.evaluate(lines) < 3 for row in rows.all())
    expect(page.locator(".place:visible")).to_have_count(8)
    page.emulate_media(media="print")  # where nobody can press for the others
    expect(page.locator(".place:visible")).to_have_count(40)
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Show all 40").click()
    expect(page.locator(".place:visible")).to_have_count(40)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_of_more_zones_than_can_be_read_each_category_is_a_card_with_the_sum_of_its_zones(
    dashboard: RunningDashboard, page: Page
) -> None:
    opened(page, dashboard, "folded", 390)
    shops = page.locator(".graph .zone", has=page.locator("title", has_text="shop (63 zones)"))
    expect(shops.locator(".number")).to_have_text("441")
    expect(shops.locator(".word")).to_have_text("Free, 14\u00a0%")
    expect(shops).to_have_attribute("data-filled", "14")
    assert page.locator(".graph > svg").evaluate(GEOMETRY) == []
    expect(page.get_by_text("70 zones and 72 passages are too many to read")).to_be_visible()
    expect(page.locator(".zones tbody tr")).to_have_count(70)


def test_a_site_without_zones_is_shown(dashboard: RunningDashboard, page: Page) -> None:
    opened(page, dashboard, "none", 390)
    expect(page.get_by_text("The service lists no zones for this site")).to_be_visible()


def test_all_figures_grey_when_the_dashboard_is_gone(dashboard: RunningDashboard, page: Page) -> None:
    """The last of this file: nothing answers after it."""
    opened(page, dashboard, "odd", 1280)
    expect(page.locator(".graph a.zone[data-trusted=true]").first).to_be_visible()
    dashboard.stop()
    for figure in (".card", ".graph a.zone", ".zones tbody tr", f"{ZONES_RANKED} .place"):
        expect(page.locator(f"{figure}[data-trusted=true]")).to_have_count(0)
        expect(page.locator(f"{figure}[data-trusted=false]").first).to_be_visible()
    expect(page.locator(".graph a.zone .word").first).to_have_text("No connection to Headroom")
    expect(page.locator(".graph a.zone:not([data-filled=''])")).to_have_count(0)
    expect(page.locator(".graph a.zone .liquid:visible")).to_have_count(0)
