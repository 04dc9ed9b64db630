"""The pages on paper: A4 upright and across, from the dark theme, too.

What the eye would find in the PDF is measured where the same styles are laid out at the width of the paper;
the PDF itself tells how many pages it takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from contract import Zone
from screens import Composition, ScreenStore, View, ViewKind
from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.whole_pages import CHARTS, DRAWN, WHOLE, bring, is_left_on, rest, turn_to
from tests.small_site import ORGANIZATION, SITE, create_small_site, store_counts
from tests.soaking import mostly_in_the_soak

WRITTEN_BESIDE: Final = ("compare", "trust", "history")
"""Pages with charts beside which something is written."""
PAINTED: Final = ("history", "rhythm")
"""Pages of which it is looked at how charts are on paper from either theme."""
PRINTED: Final = mostly_in_the_soak(
    WHOLE, *(one for one in WHOLE if one == "/" or one.startswith(("/live", "/history", "/counters")))
)
"""One page of cards, one of a number, one of charts and one of a table; the others in the soak."""
Theme = Literal["dark", "light"]
PICTURE: Final = "[class*=st-key-picture-] .picture"
WIDTHS: Final = (718, 1047)
"""Pixels between the margins of A4: upright and across."""
WINDOWS: Final = (1280, 1920)
"""Pixels of the windows that charts are drawn for before they are printed."""
CUT: Final = """() => {
  const cut = [];
  const look = (root, width) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot, width);
    const own = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (!box.width || !box.height || own.visibility === "hidden" || node.closest(".speech")) return;
    const told = node.outerHTML.slice(0, 90);
    const isWhole = node.matches("svg:not(.icon), table, tr, p, h1, h2, h3, .card, .js-plotly-plot")
      && node.id !== "js-plotly-tester";  // where plotly measures texts, out of sight
    if (isWhole && (box.right > width + 1 || box.left < -1)) cut.push(["beside the paper", told]);
    const isFrame = node.matches(".stApp, [data-testid^=stApp], [data-testid=stMain], .js-plotly-plot");
    if (isFrame && own.overflowY !== "visible") cut.push(["scrolls", told]);
  });
  look(document, document.documentElement.clientWidth);
  return cut;
}"""
PRESSED: Final = (
    "[data-testid=stHeader], button, input, canvas, .stPopover, .stPageLink, .modebar-container,"
    " .stExpander details:not([open]) summary"
)
DARK_ON_PAPER: Final = """() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    const alpha = parts.length > 3 ? parts[3] : 1;
    return alpha * (0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2]) + 255 * (1 - alpha);
  };
  const wrong = [];
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    const own = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    if (node.matches(".trace path:not(.point)") && own.stroke !== "none" && light(own.stroke) > 150)
      wrong.push(["pale line", own.stroke, node.outerHTML.slice(0, 90)]);  // a level one has no height
    if (!box.width || !box.height) return;
    const isText = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const ink = node.ownerSVGElement ? own.fill : own.color;
    if (isText && ink !== "none" && light(ink) > 150) wrong.push(["pale", ink, node.outerHTML.slice(0, 90)]);
    if (light(own.backgroundColor) < 120 && !node.matches(".fill"))
      wrong.push(["dark", own.backgroundColor, node.outerHTML.slice(0, 90)]);
  });
  look(document);
  return wrong;
}"""


ENLARGED: Final = """(width) => {
  document.documentElement.style.width = width + "px";  // no chart hears of it before it is measured
  const found = [];
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (node.matches(".main-svg, .trend svg") && node.getBoundingClientRect().width)
      found.push(node.getScreenCTM().a);
  });
  look(document);
  document.documentElement.style.width = "";
  return found;
}"""
"""How many times larger than on the screen each chart is on paper of that width."""


BESIDE: Final = """() => [...document.querySelectorAll(".js-plotly-plot .ytick text")].map((words) => {
  const frame = words.closest(".main-svg").getBoundingClientRect();
  const { left, right } = words.getBoundingClientRect();
  return [words.textContent, left - frame.left, frame.right - right];
})"""
"""Of what is written beside the plots: how far it is from both edges of its drawing, in pixels."""


PAINTS: Final = """() => {
  const found = new Set();
  document.querySelectorAll(".js-plotly-plot .main-svg *").forEach((node) => {
    if (node.matches("g, defs, image") || node.closest(".hoverlayer")) return;
    const own = getComputedStyle(node);
    const parts = [own.fill, own.fillOpacity, own.stroke, own.strokeOpacity];
    if (node.matches("stop")) parts.push(own.stopColor);
    const kind = [node.tagName, (node.getAttribute("class") || "").split(" ")[0]];
    found.add([...kind, ...parts].join(" ").replace(/#[\\w-]+/g, ""));
  });
  return [...found].sort();
}"""
"""Colours in which charts are drawn; an image has none."""
SHADES: Final = """async () => {
  const shades = [];
  for (const image of document.querySelectorAll(".heatmaplayer image")) {
    const drawn = new Image();
    drawn.src = image.getAttribute("href") || image.getAttribute("xlink:href");
    await drawn.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [drawn.width, drawn.height];
    const context = canvas.getContext("2d");
    context.filter = getComputedStyle(image).filter;
    context.drawImage(drawn, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4 * 7)
      if (data[at + 3] === 255) shades.push(0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2]);
  }
  return shades.length ? [Math.min(...shades), Math.max(...shades)] : [];
}"""
"""The darkest and the lightest of maps, 0 to 255; nothing without a map."""


KEPT_WITH: Final = """() => [...document.querySelectorAll(".stElementContainer:has(h2, h3)")].map((node) => {
  let next = node.nextElementSibling;
  while (next && getComputedStyle(next).display === "none") next = next.nextElementSibling;
  const height = next ? next.getBoundingClientRect().height : 0;
  return [node.textContent, getComputedStyle(node).breakAfter, height];
})"""
"""Of headings: their text, whether a page may end after them, and how high what they are kept with is."""


BROKEN_WITH_CHART: Final = """(words) => {
  let kept = words;
  while (kept && getComputedStyle(kept).breakInside !== "avoid") kept = kept.parentElement;
  return !kept?.querySelector(".stPlotlyChart");
}"""
"""Whether a page may end between words and the chart that they are of."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("printed")
    site = create_small_site(folder / "service")
    depot = {"id": "depot", "name": "Depot", "zones": (Zone(id="racks", name="Racks"),), "passages": ()}
    store = open_store(store_url(site.data_dir))
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE.model_copy(update=depot), "racks")])
    store.close()
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    store_counts(
        site.data_dir,
        [(now - timedelta(minutes=ago), "entrance", ago % 3, ago % 2) for ago in range(1, 15 * 1440, 61)],
    )
    with opened_stage(folder, site) as opened:
        yield opened


@pytest.fixture(scope="module")
def dark(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        locale="en-GB", timezone_id="Europe/Zurich", color_scheme="dark", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def open_page(page: Page, stage: Stage, address: str, *, width: int = 1280) -> None:
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": width, "height": 800})
    if address.startswith("/compare"):
        page.goto(stage.url(address))  # as left from a site, it ranks the zones of that one alone
    else:
        turn_to(page, stage.url(address))
    expect(page.locator(WHOLE[address]).first).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def show(page: Page, width: int) -> None:
    """On a screen of that width again, as before it was laid out for paper."""
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_function(DRAWN, polling=100)


def open_once(page: Page, stage: Stage, address: str, *, width: int = 1280) -> None:
    """The page that the test before has left, if it is that one: none is another for having been printed."""
    show(page, width)
    if not is_left_on(page, stage.url(address)):
        open_page(page, stage, address, width=width)


def lay_out(page: Page, width: int) -> None:
    """As paper of that width gets it: the page hears of print while it still has the screen's width."""
    page.emulate_media(media="print")
    expect(page.locator(".st-key-page-frame")).to_contain_text("printed")
    page.set_viewport_size({"width": width, "height": 1000})


@dataclass(frozen=True)
class Paper:
    """What is found on the paper of a page, by widths."""

    faults: dict[int, list[Any]]
    """What is cut, pale or to be pressed, none of which should be."""
    besides: list[Any]
    """`BESIDE` of charts that were drawn for a window of each of `WINDOWS`."""
    paints: dict[Theme, set[str]]
    """Of pages that are `PAINTED` from both themes, of the others from the dark one."""
    shades: dict[Theme, list[float]]
    charts: int
    pictures: int
    """Charts of which a picture can be saved."""


Papers = Callable[[str], Paper]


def papers(page: Page, stage: Stage) -> Papers:
    """The paper of an address; each page is opened once for all tests that ask."""

    @cache
    def printed(address: str) -> Paper:
        open_page(page, stage, address)
        rest(page)
        is_written_beside = any(address.startswith(f"/{name}") for name in WRITTEN_BESIDE)
        if is_written_beside:
            page.wait_for_function(f"() => ({BESIDE})().length", polling=100)
        charts, pictures = (page.locator(one).count() for one in (".js-plotly-plot", PICTURE))
        faults: dict[int, list[Any]] = {}
        lay_out(page, WIDTHS[0])
        faults[WIDTHS[0]] = faults_on(page)
        besides = [page.evaluate(BESIDE)]
        paints: dict[Theme, set[str]] = {"dark": painted(page)}
        shades: dict[Theme, list[float]] = {"dark": page.evaluate(SHADES)}
        lay_out(page, WIDTHS[1])
        faults[WIDTHS[1]] = faults_on(page)
        if is_written_beside:
            show(page, WINDOWS[1])
            lay_out(page, WIDTHS[0])
            besides.append(page.evaluate(BESIDE))
        if any(address.startswith(f"/{name}") for name in PAINTED):
            show(page, WINDOWS[0])
            page.emulate_media(color_scheme="light")
            expect(page.locator(".stApp")).to_have_css("color-scheme", "light")
            rest(page)
            page.wait_for_function(DRAWN, polling=100)
            lay_out(page, WIDTHS[0])
            paints["light"], shades["light"] = painted(page), page.evaluate(SHADES)
            page.emulate_media(color_scheme="dark")
        return Paper(faults, besides, paints, shades, charts, pictures)

    return printed


def painted(page: Page) -> set[str]:
    """But for points: a lone minute is one until the next joins it."""
    return {paint for paint in page.evaluate(PAINTS) if not paint.startswith("path point ")}


def faults_on(page: Page) -> list[Any]:
    pressed = page.locator(PRESSED).locator("visible=true").all_text_contents()
    return [*page.evaluate(CUT), *page.evaluate(DARK_ON_PAPER), *(["to be pressed", one] for one in pressed)]


@pytest.fixture(scope="module")
def from_dark(dark: Page, shared: Stage) -> Papers:
    return papers(dark, shared)


def address_of(name: str) -> str:
    return next(one for one in WHOLE if one.startswith(f"/{name}"))


@pytest.mark.parametrize("address", PRINTED)
def test_nothing_is_cut_pale_or_to_be_pressed_on_paper(from_dark: Papers, address: str) -> None:
    assert from_dark(address).faults == {width: [] for width in WIDTHS}


@pytest.mark.parametrize("address", PRINTED)
def test_each_chart_of_a_page_can_be_saved_and_only_known_pages_have_any(
    from_dark: Papers, address: str
) -> None:
    """What is saved: `test_chart_pictures.py`."""
    paper = from_dark(address)
    assert paper.pictures == paper.charts
    has_charts = any(address.startswith(path) for path in CHARTS)
    # In the first hour of a day, Ahead tells nothing of so few counts.
    assert bool(paper.charts) == has_charts or (address.startswith("/ahead") and not paper.charts)


@pytest.mark.parametrize("name", mostly_in_the_soak(PAINTED, "history"))
def test_charts_have_the_same_colours_on_paper_from_the_dark_theme_and_from_the_light(
    from_dark: Papers, name: str
) -> None:
    paints = from_dark(address_of(name)).paints
    assert paints["dark"] ^ paints["light"] == set()
    assert len(paints["light"]) > 3


@pytest.mark.soak
def test_a_map_is_on_paper_from_the_dark_theme_as_light_as_from_the_light(from_dark: Papers) -> None:
    shades = from_dark(address_of("rhythm")).shades
    assert shades["dark"] == pytest.approx(shades["light"], abs=20)
    assert shades["light"][1] > 200


@pytest.mark.parametrize("name", mostly_in_the_soak(WRITTEN_BESIDE, "history"))
def test_what_is_written_beside_a_chart_is_whole_on_paper(from_dark: Papers, name: str) -> None:
    """Also of a chart that was drawn for a wide window."""
    besides = from_dark(address_of(name)).besides
    assert len(besides) == len(WINDOWS)
    for beside in besides:
        assert beside
        assert [words for words in beside if min(words[1:]) < 0] == []


def test_nothing_fades_for_whoever_wants_nothing_to_move(dark: Page, shared: Stage) -> None:
    """However briefly: else each element begins a transition whenever paper or a theme has another colour."""
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    fading = """() => [...document.querySelectorAll(".stApp *")]
      .filter((node) => getComputedStyle(node).transitionDuration !== "0s").map((node) => node.outerHTML)"""
    assert dark.evaluate(fading) == []


def test_paper_says_which_zones_and_numbers_were_chosen(dark: Page, shared: Stage) -> None:
    for address, said in (
        ("/trust?site=corner-shop&zone=cafe&zone=hall", "Zones: Café – Hall"),
        ("/ahead?site=corner-shop&ratio=40", "People per member of staff: 40"),
    ):
        dark.emulate_media(media="screen")
        bring(dark, shared.url(address))
        expect(dark.locator("h1")).to_be_visible()
        rest(dark)  # its choices come after its title
        lay_out(dark, WIDTHS[0])
        expect(dark.locator(".st-key-page-frame")).to_contain_text(said)


@pytest.mark.parametrize(
    "address", ["/live?site=corner-shop", "/history?site=corner-shop&range=7d&compare=period"]
)
def test_a_chart_of_a_narrow_window_is_not_blown_up_on_paper(dark: Page, shared: Stage, address: str) -> None:
    open_once(dark, shared, address, width=390)
    dark.emulate_media(media="print")
    expect(dark.locator(".st-key-page-frame")).to_contain_text("printed")
    # A chart that the window has just been given another width for is drawn anew in a moment.
    dark.wait_for_function(
        f"""width => {{
          const scales = ({ENLARGED})(width);
          return scales.length && scales.every(scale => 1 <= scale && scale <= 1.45);
        }}""",
        arg=WIDTHS[0],
        polling=100,
    )


def test_the_chart_of_a_week_is_one_page_of_paper_upright_and_across(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    margin: Any = {"top": "12mm", "bottom": "12mm", "left": "10mm", "right": "10mm"}
    for landscape in (False, True):
        paper = dark.pdf(format="A4", landscape=landscape, margin=margin)
        assert (landscape, len(re.findall(rb"/Type\s*/Page\b", paper))) == (landscape, 1)


def test_paper_says_when_it_was_printed_and_what_was_chosen(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    frame = dark.locator(".st-key-page-frame")
    expect(frame).to_be_hidden()
    lay_out(dark, WIDTHS[0])
    expect(frame).to_have_text(
        re.compile(
            r"Headroom, printed \d+ \w+ \d{4}, \d\d:\d\d \(Zurich time\)"
            r" · Site: Corner shop · Range: Last 7 days"
        )
    )
    dark.emulate_media(media="screen")
    expect(frame).to_be_hidden()
    expect(dark.locator(".main-svg[viewBox]")).to_have_count(0)


def test_what_is_open_has_its_name_on_paper_and_nothing_to_be_filled_in(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    part = dark.locator(".stExpander").filter(has=dark.locator("summary", has_text="Notes"))
    other = dark.locator(".stExpander summary").filter(has_text="Table")
    part.locator("summary").click()
    expect(part.get_by_label("Time", exact=True)).to_be_visible()
    lay_out(dark, WIDTHS[0])
    expect(part.locator("summary")).to_be_visible()
    expect(part.locator("summary [data-testid=stIconMaterial]").locator("visible=true")).to_have_count(0)
    expect(part.locator("input").locator("visible=true")).to_have_count(0)
    expect(other).to_be_hidden()
    expect(dark.locator(".st-key-page-frame p")).to_contain_text("Range: ")
    expect(dark.locator(".st-key-page-frame p")).not_to_contain_text("Day: ")


def test_paper_names_no_day_of_a_report_that_was_not_made(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    rest(dark)
    part = dark.locator(".stExpander").filter(has=dark.locator("summary", has_text="Report of a day"))
    part.locator("summary").click()
    expect(part.get_by_test_id("stDateInput")).to_be_visible()
    lay_out(dark, WIDTHS[0])
    expect(dark.locator(".st-key-page-frame p")).to_contain_text("Range: ")
    expect(dark.locator(".st-key-page-frame p")).not_to_contain_text("Day: ")


def test_opened_choices_are_on_paper_as_the_line_that_says_what_was_chosen_alone(
    dark: Page, shared: Stage
) -> None:
    open_once(dark, shared, "/history?site=corner-shop&range=7d&compare=period")
    rest(dark)
    dark.locator(".stExpander summary").filter(has_text="More choices").click()
    hint = dark.get_by_text("only for a range of up to a day")
    expect(hint).to_be_visible()
    lay_out(dark, WIDTHS[0])
    expect(hint).to_be_hidden()
    expect(dark.get_by_text("More choices", exact=True)).to_be_hidden()
    expect(dark.locator(".st-key-page-frame p")).to_contain_text("Detail: Automatic")


def test_a_table_that_scrolls_is_whole_on_paper(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/site?site=corner-shop")
    expect(dark.locator(".stDataFrame")).to_have_count(2)
    lay_out(dark, WIDTHS[0])
    expect(dark.locator(".paper-table tbody tr")).to_have_text(
        [re.compile(name) for name in ("Entrance", "Archway", "Terrace door", "Pad 2", "Air 1", "Pad 1")]
    )


def test_no_word_of_a_table_is_broken_that_has_room(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/site?site=corner-shop")
    expect(dark.locator(".stDataFrame")).to_have_count(2)
    lay_out(dark, WIDTHS[0])
    expect(dark.locator(".paper-table table").first).to_have_class("with-room")
    expect(dark.locator(".paper-table td").first).to_have_css("overflow-wrap", "normal")


def test_no_heading_stands_alone_at_the_foot_of_a_page(dark: Page, shared: Stage) -> None:
    open_once(dark, shared, "/site?site=corner-shop")
    expect(dark.locator(".stDataFrame")).to_have_count(2)
    dark.emulate_media(media="print")
    # Elements come one by one, and the tables on paper after those on the screen.
    dark.wait_for_function(
        f"() => ({KEPT_WITH})().filter(([, , height]) => height > 0).length === 4", polling=100
    )
    kept = dark.evaluate(KEPT_WITH)
    assert [name for name, _after, _height in kept] == [
        "Passages",
        "Devices",
        "Opening hours",
        "About this site",
    ]
    assert {after for _name, after, _height in kept} == {"avoid"}
    assert min(height for _name, _after, height in kept) > 0
    first = dark.locator(".paper-table :is(thead, tr:first-child)")
    assert first.evaluate_all("all => all.map((one) => getComputedStyle(one).breakBefore)") == ["avoid"] * 6


def test_what_the_marks_of_a_chart_mean_is_on_its_page_of_paper(dark: Page, shared: Stage) -> None:
    """Else it may stand alone on a second page."""
    open_once(dark, shared, address_of("trust"))
    legend = dark.get_by_test_id("stCaptionContainer").filter(
        has_text="Above 0 the count leaves people inside"
    )
    expect(legend).to_be_visible()
    dark.emulate_media(media="print")
    assert legend.evaluate(BROKEN_WITH_CHART) is False


def test_paper_says_how_many_sites_are_in_each_state_and_keeps_no_room_for_filters(
    dark: Page, shared: Stage
) -> None:
    open_page(dark, shared, "/")
    expect(dark.get_by_text("Order and filters by values as of").first).to_be_visible()
    filters = dark.locator(".stButtonGroup [role=radio] p")
    rest(dark)  # what is drawn anew elsewhere stands there twice for a moment
    expect(filters.filter(has_text="Never counted 1")).to_be_visible()
    offered = filters.all_text_contents()
    lay_out(dark, WIDTHS[0])
    expect(dark.get_by_text(" · ".join(offered), exact=True)).to_be_visible()
    expect(dark.locator(".st-key-answer")).to_have_css("min-height", "0px")


@pytest.fixture
def _many_screens(shared: Stage) -> Iterator[None]:
    store = ScreenStore(shared.dashboard.log_file.parent)
    view = View(kind=ViewKind.NUMBER, site_id=shared.site.site_id)
    made = [store.create(Composition(name=f"Door {number}", views=(view,))).id for number in range(1, 24)]
    store.revoke(made[0])
    yield
    for screen in made:
        store.delete(screen)
    store.close()


@pytest.mark.usefixtures("_many_screens")
@pytest.mark.parametrize(
    ("query", "chosen", "said"),
    [
        ("?page=2", "", "11 to 20 of 23 screens"),
        (
            "?find=Door&show=never&page=3",
            " · Find: Door · Show only: Never opened 22",
            "21 to 22 of 22 found of 23 screens",
        ),
        ("?find=7", " · Find: 7", "2 found of 23 screens"),
    ],
)
def test_paper_says_which_of_many_screens_it_shows(
    dark: Page, shared: Stage, query: str, chosen: str, said: str
) -> None:
    dark.emulate_media(media="screen")
    bring(dark, shared.url(f"/screens{query}"))
    expect(dark.get_by_text(said, exact=True)).to_be_visible()
    expect(dark.get_by_test_id("stSkeleton")).to_have_count(0)
    lay_out(dark, WIDTHS[0])
    expect(dark.locator(".st-key-page-frame")).to_have_text(re.compile(rf"time\){chosen}$"))
    expect(dark.get_by_text(said, exact=True)).to_be_visible()


def test_a_line_that_is_first_drawn_on_paper_is_as_high_as_on_the_screen(dark: Page, shared: Stage) -> None:
    """Of a drawing that is not there yet, paper has another height, by which its letters would grow."""
    dark.emulate_media(media="print")
    bring(dark, shared.url("/live?site=corner-shop"))
    expect(dark.locator(".hero .trend svg").first).to_have_attribute("viewBox", re.compile(" 190$"))


def test_a_page_that_is_still_being_opened_says_on_paper_when_it_was_printed(
    dark: Page, shared: Stage
) -> None:
    dark.emulate_media(media="print")
    dark.goto(shared.url("/site?site=corner-shop"))
    expect(dark.locator(".st-key-page-frame")).to_contain_text("Headroom, printed")
    expect(dark.locator(".paper-table tbody tr")).to_have_count(6)


def test_a_chart_that_is_not_drawn_yet_says_so_on_paper(new_page: Page, shared: Stage) -> None:
    page = new_page
    page.route(re.compile("PlotlyChart"), lambda _never_answered: None)
    page.goto(shared.url("/history?site=corner-shop&range=7d"), wait_until="commit")
    expect(page.get_by_text("Copy link").first).to_be_visible()
    page.emulate_media(media="print")
    said = "Not drawn yet when this was printed."
    page.wait_for_function(
        "(said) => [...document.querySelectorAll('*')].some((node) =>"
        " getComputedStyle(node, '::before').content.includes(said))",
        arg=said,
        polling=100,
    )
