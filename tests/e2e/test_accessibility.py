"""What axe-core finds on the pages and on walls, in both themes; what the keyboard reaches and shows.

One service, dashboard and browser for all. axe-core (MPL-2.0) comes inside axe-playwright-python.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, Final, Literal

import numpy as np
import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect

from page_list import PAGES
from screens.definition import Scope
from tests.administered import Administered, made_admin_key
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.scripted_relay import feed, serving
from tests.e2e.scripted_wall import FACTS, ScriptedWall, typical_day, view
from tests.e2e.wall import at_local_hour, open_wall
from tests.e2e.whole_pages import DRAWN, WHOLE, is_left_on, rest, turn_to
from tests.small_site import create_small_site, store_counts
from tests.soaking import mostly_in_the_soak

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
LOOKS: Final = 20
"""At a page that may be faded for a moment, a second apart."""
TURNING: Final = "() => document.getAnimations().some((one) => one instanceof CSSTransition)"
"""Whether colours still move to those of another theme."""
DESK: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
ADDRESSES: Final = WHOLE | {"/screens?screen=new": ".stTextInput"}
NAVIGATION: Final = tuple(page.title for page in PAGES if not page.section)
OPTIONS: Final[dict[str, Any]] = {
    "resultTypes": ["violations"],
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    # Asked for by their names: what is read on a link must be in what it is called, and fingers must hit it.
    "rules": {"label-content-name-mismatch": {"enabled": True}, "target-size": {"enabled": True}},
}
OF_COLOURS: Final[dict[str, Any]] = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
"""Of those rules all that look at colours, in which alone the themes differ."""
AXE: Final = Axe().axe_script
"""Half a megabyte, which a page reads once however often it is asked."""
OF_STREAMLIT: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "aria-dialog-name",
        'data-testid="stToast"',
        "It says what it is called by naming an element that is not there; it goes by itself.",
    ),
)
"""Rule, part of the HTML, and why it stays: findings inside Streamlit's own widgets, each by itself."""


TWICE: Final[ViewportSize] = {"width": 640, "height": 400}  # pixels of 1280 x 800 at 200 %
NARROW: Final[ViewportSize] = {"width": 320, "height": 640}  # pixels of 1280 at 400 %
SPACED: Final = """(isSpaced) => {
  const css = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;"
    + " word-spacing: 0.16em !important } p { margin-bottom: 2em !important }";
  const space = (root) => {
    root.querySelectorAll("style.spaced").forEach((style) => style.remove());
    const style = Object.assign(document.createElement("style"), {className: "spaced", textContent: css});
    if (isSpaced) (root.head || root).appendChild(style);
    root.querySelectorAll("*").forEach((node) => node.shadowRoot && space(node.shadowRoot));
  };
  space(document);
}"""
LOST: Final = """() => {
  const LEFT_OUT = ".speech, .what, button em, svg, .table-frame, .stDataFrame, .js-plotly-plot,"
    + " a[href='#stMain']";
  const lost = [];
  const width = document.documentElement.clientWidth;
  const look = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    const isText = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const box = node.getBoundingClientRect();
    const own = getComputedStyle(node);
    const isLeftOut = node.closest(LEFT_OUT);
    if (!isText || isLeftOut || !box.width || !box.height || own.visibility === "hidden") return;
    const isTooLong = node.clientWidth && node.scrollWidth > node.clientWidth + 1;
    const isClipped = own.overflowX !== "visible" && isTooLong;
    if (box.right > width + 1 || box.left < -1 || isClipped) lost.push(node.outerHTML.slice(0, 120));
  });
  look(document);
  document.querySelectorAll(".stApp button p").forEach((label) => {
    const button = label.closest("button").getBoundingClientRect();
    const box = label.getBoundingClientRect();
    const isOut = box.top < button.top - 1 || box.bottom > button.bottom + 1;
    if (isOut) lost.push("on a button: " + label.textContent);
  });
  const main = document.querySelector("[data-testid=stMain]");
  if (main.scrollWidth > main.clientWidth) lost.push("scrolls sideways: " + main.scrollWidth);
  return lost;
}"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("accessible")
    site = create_small_site(folder / "service")
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    days_before = range(1440, 15 * 1440, 61)
    store_counts(
        site.data_dir,
        [
            (now - timedelta(minutes=ago), "entrance", ago % 3, ago % 2)
            for ago in (*range(1, 180, 5), *days_before)
        ],
    )
    admin_key = made_admin_key(site.data_dir)
    with opened_stage(folder, site, environment={"HEADROOM_ADMIN_KEY": admin_key}) as opened:
        managed = Administered(site, opened.service, admin_key)
        for serial in ("ACCC8E00000A", "ACCC8E00000B"):
            managed.report(serial, 3, 1)
        managed.place("ACCC8E00000B", "terrace")
        yield opened


@pytest.fixture(scope="module", params=THEMES)
def themed(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page of a viewer who prefers that theme."""
    context = browser.new_context(
        locale="en-GB",
        timezone_id="Europe/Zurich",
        color_scheme=request.param,
        viewport=DESK,
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


in_one_theme = pytest.mark.parametrize("themed", THEMES[:1], indirect=True)
"""For what has no colour (the keyboard's way, what is read aloud, what has room) or turns dark by itself."""
of_the_other_in_the_soak = pytest.mark.parametrize(
    "themed", mostly_in_the_soak(THEMES, THEMES[0]), indirect=True
)
"""For a way by keyboard of which colours tell only where the focus is."""


def open_page(page: Page, stage: Stage, address: str, window: ViewportSize = DESK) -> None:
    """Loaded anew: nothing has the focus."""
    page.set_viewport_size(window)
    page.goto(stage.url(address))
    expect(page.locator(ADDRESSES[address]).first).to_be_visible()
    whole(page)


def go_to(page: Page, stage: Stage, address: str, window: ViewportSize = DESK) -> None:
    """From the page that the test before has left, if there is one."""
    page.set_viewport_size(window)
    if not is_left_on(page, stage.url(address)):
        turn_to(page, stage.url(address))
    expect(page.locator(ADDRESSES[address]).first).to_be_attached()  # a wide table is hidden on a narrow page
    whole(page)


def whole(page: Page) -> None:
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    # What still waits for its run is faded, and would be found to have no contrast.
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def findings(page: Page, options: dict[str, Any] = OPTIONS) -> list[str]:
    """One line each, once the page has settled: what runs again meanwhile is faded for a moment."""
    for _ in range(LOOKS):
        if not (found := violations(page, options)):
            break
        page.wait_for_timeout(1000)
    return found


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """Those of Streamlit's own widgets that are known are left out."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(
        "async (options) => (await axe.run(document, options)).violations", options
    )
    return [
        f"{rule['id']}: {node['target']} {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
        if not any(rule["id"] == known and part in node["html"] for known, part, _why in OF_STREAMLIT)
    ]


def expect_no_findings_in_either_theme(page: Page) -> None:
    """A page turns dark with the reader's machine, as many do in the evening; the theme that it has comes
    first.
    """
    is_dark = page.locator(".stApp").evaluate("node => getComputedStyle(node).colorScheme") == "dark"
    for theme, options in zip(THEMES[::-1] if is_dark else THEMES, (OPTIONS, OF_COLOURS), strict=True):
        expect_no_findings_in(theme, page, options)


def expect_no_findings_in(theme: Theme, page: Page, options: dict[str, Any] = OPTIONS) -> None:
    page.emulate_media(color_scheme=theme)
    expect(page.locator(".stApp")).to_have_css("color-scheme", theme)
    page.wait_for_function(f"() => !({TURNING})()", polling=100)
    rest(page)
    assert (theme, findings(page, options)) == (theme, [])


def lost(page: Page) -> list[str]:
    """Texts that are cut or beside the page, once it has settled: charts are drawn anew a moment later."""
    page.wait_for_function(DRAWN, polling=100)
    for _ in range(PATIENCE // 250):
        if not (found := page.evaluate(LOST)):
            break
        page.wait_for_timeout(250)
    return list(found)


@in_one_theme
def test_the_request_behind_a_chart_can_be_read_in_either_theme(themed: Page, shared: Stage) -> None:
    go_to(themed, shared, next(address for address in ADDRESSES if address.startswith("/history")))
    themed.get_by_text("The request behind this chart").click()
    expect(themed.get_by_test_id("stCode").first).to_be_visible()
    for theme in THEMES:
        expect_no_findings_in(theme, themed, OF_COLOURS)


@pytest.mark.parametrize("address", ADDRESSES)
@in_one_theme
def test_axe_finds_nothing_on_a_page_and_enlarged_or_spaced_out_nothing_is_lost(
    themed: Page, shared: Stage, address: str
) -> None:
    """In one theme at a desk, in the other where there is the least room; first as the page before was left,
    since what it has is drawn anew for another window and another theme.
    """
    is_narrow = themed.viewport_size == NARROW
    looks = [(DESK, THEMES[0]), (NARROW, THEMES[1])]
    for window, theme in reversed(looks) if is_narrow else looks:
        themed.emulate_media(color_scheme=theme)
        go_to(themed, shared, address, window)
        expect_no_findings_in(theme, themed)
        if window == NARROW:
            assert lost(themed) == []
            themed.evaluate(SPACED, True)
            assert lost(themed) == []
            themed.evaluate(SPACED, False)


@pytest.mark.parametrize("kind", FACTS)
def test_axe_finds_nothing_on_a_wall(themed: Page, kind: str) -> None:
    wall = ScriptedWall()
    now = at_local_hour(wall, 15)
    names = ("shop", "hall", "basement") if FACTS[kind].scope is not Scope.PLACE else ("shop",)
    wall.views = [view(kind, *names)]
    wall.feeds = {name: feed(now, inside=30 * place + 8) for place, name in enumerate(names)}
    wall.day = {
        "timezone": "Europe/Zurich", "day_start": now - 15 * 3600, "until": now + 9 * 3600,
        "typical": typical_day(), "today": [],
        "request_id": "", "as_of": now,
    }  # fmt: skip
    wall.theme = "dark" if themed.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    with serving(wall) as address:
        open_wall(themed, address)
        expect(themed.locator("#wall .number, #wall .word").first).not_to_have_text("–")
        assert findings(themed) == []


FOCUSED: Final = """() => {
  const PRIMARY = ["rgb(0, 114, 178)", "rgb(23, 121, 186)"];  // .streamlit/config.toml
  let node = document.activeElement;
  while (node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
  const ring = node.querySelector(".ring");
  let framed = node.parentElement;
  while (node.tagName === "INPUT" && framed && !parseFloat(getComputedStyle(framed).borderTopWidth))
    framed = framed.parentElement;
  const own = getComputedStyle(node);
  const isSeen = (own.outlineStyle !== "none" && parseFloat(own.outlineWidth) >= 2)
    || (ring && getComputedStyle(ring).stroke !== "none" && getComputedStyle(ring).strokeOpacity === "1")
    || (node.tagName === "INPUT" && framed && PRIMARY.includes(getComputedStyle(framed).borderTopColor));
  return {
    outline: own.outline, frame: framed && getComputedStyle(framed).borderTopColor,
    name: node.getAttribute("aria-label") || node.textContent.trim().slice(0, 40) || node.tagName,
    kind: node.tagName.toLowerCase(), isSeen: Boolean(isSeen), isAtEnd: node === document.body,
  };
}"""


def settled(page: Page) -> dict[str, Any]:
    """What the focus stands on; Streamlit frames an input a moment after it got the focus."""
    for _ in range(40):
        focused: dict[str, Any] = page.evaluate(FOCUSED)
        if focused["isSeen"] or focused["isAtEnd"]:
            break
        page.wait_for_timeout(50)
    return focused


def tabbed(page: Page, stops: int) -> list[dict[str, Any]]:
    """What the focus stands on, after each of so many steps with Tab."""
    found = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        found.append(settled(page))
    return found


@pytest.mark.soak
@pytest.mark.parametrize(
    "address", [one for one in WHOLE if one == "/" or one.startswith(("/site", "/history"))]
)
def test_the_focus_is_seen_wherever_tab_takes_it(themed: Page, shared: Stage, address: str) -> None:
    open_page(themed, shared, address)
    stops = [stop for stop in tabbed(themed, 16) if not stop["isAtEnd"]]
    assert [stop for stop in stops if not stop["isSeen"]] == []
    names = [stop["name"] for stop in stops]
    assert "Link to heading" not in names
    # After the way past them come the pages, in the order of the eye.
    assert [name for name, page in zip(names[1:], NAVIGATION, strict=False) if not name.endswith(page)] == []


@in_one_theme
def test_who_listens_is_told_of_each_passage_once_and_reaches_the_zones_by_keyboard(
    themed: Page, shared: Stage
) -> None:
    open_page(themed, shared, "/site?site=corner-shop")
    expect(themed.locator(".way-label").first).to_be_visible()
    tree = themed.context.new_cdp_session(themed).send("Accessibility.getFullAXTree")["nodes"]
    told = [node["name"]["value"] for node in tree if "name" in node and not node["ignored"]]
    assert len([name for name in told if name.startswith("Archway: from Hall to Café")]) == 1
    names = [stop["name"] for stop in tabbed(themed, 22)]
    assert [name.split(":")[0] for name in names if name.startswith(("Hall:", "Café:"))] == ["Hall", "Café"]


@in_one_theme
def test_what_opens_from_a_button_is_entered_and_left_by_keyboard(themed: Page, shared: Stage) -> None:
    go_to(themed, shared, "/live?site=corner-shop")
    button = themed.get_by_role("button", name="Thresholds")
    button.focus()
    themed.keyboard.press("Enter")
    first = themed.get_by_test_id("stPopoverBody").get_by_role("slider").first
    expect(first).to_be_focused()
    themed.keyboard.press("Escape")
    expect(button).to_be_focused()


@in_one_theme
def test_what_is_empty_or_selected_is_told_in_colours_of_the_readers_own(themed: Page, shared: Stage) -> None:
    themed.emulate_media(forced_colors="active", color_scheme="dark")
    go_to(themed, shared, "/live?site=corner-shop")
    widths = themed.locator(".hero .dial path").evaluate_all(
        "paths => paths.map((path) => parseFloat(getComputedStyle(path).strokeWidth))"
    )
    assert widths[0] <= 2 < widths[1]
    empty = themed.locator(".places-list .bar").first
    expect(empty).to_have_css("background-color", "rgb(0, 0, 0)")
    themed.get_by_role("link", name="Screens", exact=True).click()
    expect(themed.get_by_role("heading", name="Screens", level=1)).to_be_visible()
    whole(themed)
    themed.get_by_test_id("stMain").get_by_text("Compose a screen").first.click()
    ground = "node => getComputedStyle(node).backgroundColor"
    selected = themed.get_by_role("radio", name="Television").evaluate(ground)
    assert selected != themed.get_by_role("radio", name="Phone").evaluate(ground)
    themed.emulate_media(forced_colors="null", color_scheme="null")


@in_one_theme
def test_the_focus_goes_on_at_the_heading_where_what_was_pressed_is_gone(themed: Page, shared: Stage) -> None:
    heading = themed.get_by_role("heading", level=1)
    turn_to(themed, shared.url("/screens"))
    themed.get_by_test_id("stMain").get_by_text("Compose a screen").first.locator(
        "xpath=ancestor-or-self::*[self::button or self::a]"
    ).focus()
    themed.keyboard.press("Enter")
    expect(themed.locator(".stTextInput").first).to_be_visible()
    expect(heading).to_be_focused()
    themed.go_back()
    expect(themed.locator(".stTextInput input[aria-label='Name']")).to_have_count(0)
    expect(heading).to_be_focused()
    turn_to(themed, shared.url("/doors?site=corner-shop&tour=9"))
    leave = themed.get_by_role("button", name="Leave it out of the link")
    leave.focus()
    themed.keyboard.press("Enter")
    expect(leave).to_have_count(0)
    expect(heading).to_be_focused()


@in_one_theme
def test_a_pointer_moves_no_focus_to_a_heading(themed: Page, shared: Stage) -> None:
    turn_to(themed, shared.url("/doors?site=corner-shop&tour=9"))
    leave = themed.get_by_role("button", name="Leave it out of the link")
    leave.click()
    expect(leave).to_have_count(0)
    themed.wait_for_timeout(2000)
    expect(themed.get_by_role("heading", level=1)).not_to_be_focused()


@in_one_theme
def test_the_number_is_on_the_first_screen_of_a_page_twice_enlarged(themed: Page, shared: Stage) -> None:
    go_to(themed, shared, "/live?site=corner-shop", TWICE)
    expect(themed.locator(".hero .measured:not(:empty)")).to_be_visible()
    expect(themed.locator(".hero .number")).to_be_in_viewport(ratio=1)


@in_one_theme
def test_a_navigation_over_a_narrow_page_goes_with_the_choice_and_is_not_walked_through_then(
    themed: Page, shared: Stage
) -> None:
    open_page(themed, shared, "/", NARROW)
    names = [stop["name"] for stop in tabbed(themed, 4)]
    assert names[0] == "Skip to main content"
    assert not [name for name in names if name.endswith(NAVIGATION)]
    themed.get_by_role("button", name="Expand sidebar").click()
    themed.get_by_role("link", name="Doors").click()
    expect(themed.locator(".door-taps .main").first).to_be_visible()
    expect(themed.get_by_role("link", name="Doors")).to_be_hidden()
    themed.get_by_role("button", name="Expand sidebar").click()
    themed.get_by_role("link", name="Screens").wait_for()
    themed.reload()
    expect(themed.get_by_role("heading", name="Doors")).to_be_visible()
    expect(themed.get_by_role("link", name="Screens")).to_be_hidden()


@of_the_other_in_the_soak
def test_a_navigation_over_a_narrow_page_is_entered_left_and_chosen_from_by_keyboard(
    themed: Page, shared: Stage
) -> None:
    open_page(themed, shared, "/doors?site=corner-shop", PHONE)
    button, screens = (
        themed.get_by_role("button", name="Expand sidebar"),
        themed.get_by_role("link", name="Screens"),
    )
    reach(themed, "Expand sidebar", stops=2)
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("link", name="Overview")).to_be_focused()
    themed.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(screens).to_be_hidden()
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("link", name="Overview")).to_be_focused()
    reach(themed, PAGES[-1].title, stops=len(PAGES) + 1)  # and the heading of a section
    themed.keyboard.press("Tab")  # past the last page: what lies under the menu is not walked through unseen
    expect(themed.get_by_test_id("stMain")).to_be_focused()
    expect(screens).to_be_hidden()
    expect(button).to_be_visible()
    themed.keyboard.press("Shift+Tab")
    expect(button).to_be_focused()
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("link", name="Overview")).to_be_focused()
    reach(themed, "Screens", stops=len(PAGES))
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("heading", name="Screens")).to_be_visible()
    expect(themed.get_by_test_id("stMain")).to_be_focused()
    expect(screens).to_be_hidden()


def reach(page: Page, name: str, *, stops: int = 80) -> None:
    """Tab to what is called so, from where the focus stands."""
    passed = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        passed.append(str(page.evaluate(FOCUSED)["name"]))
        if name in passed[-1]:
            assert settled(page)["isSeen"], f"the focus is not seen on {name}"
            return
    pytest.fail(f"{name} is not among {passed}")


def scanned(page: Page) -> str:
    """What an independent decoder reads off the picture of the page as it is seen, once it stands still."""
    code = page.get_by_alt_text("QR code of the link")
    for _ in range(PATIENCE // 100):
        code.evaluate("node => node.scrollIntoView({block: 'center'})")  # from below the page's own head
        picture = Image.open(BytesIO(code.screenshot()))
        found = zxingcpp.read_barcodes(np.asarray(picture.convert("L")))
        if found:
            return str(found[0].text)
        page.wait_for_timeout(100)
    return "no code can be read"


def delete_the_only_screen(page: Page) -> None:
    reach(page, "Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Delete now")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("No screen is saved yet.")).to_be_visible()


@in_one_theme
def test_a_screen_is_made_scanned_previewed_and_revoked_by_keyboard(themed: Page, shared: Stage) -> None:
    open_page(themed, shared, "/screens")
    reach(themed, "Compose a screen")
    themed.keyboard.press("Enter")
    expect(themed.get_by_label("Name")).to_be_visible()
    reach(themed, "Name")
    themed.keyboard.type("Back door")
    themed.keyboard.press("Enter")
    reach(themed, "Create the screen")
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("heading", name="The screen “Back door” exists")).to_be_visible()
    expect(themed.get_by_test_id("stCode")).to_be_focused()
    link = themed.get_by_test_id("stCode").inner_text().strip()
    whole(themed)
    for window, theme in zip((DESK, PHONE), THEMES, strict=True):
        themed.set_viewport_size(window)
        assert scanned(themed) == link
        expect_no_findings_in(theme, themed)
    themed.keyboard.press("Shift+Tab")
    reach(themed, link[:30])
    expect(themed.get_by_role("button", name="Copy to clipboard")).to_be_visible()  # a moment later
    reach(themed, "Copy to clipboard", stops=1)
    themed.keyboard.press("Enter")
    assert themed.evaluate("navigator.clipboard.readText()") == link
    reach(themed, "Close: I have the link")
    themed.keyboard.press("Enter")
    expect(themed.get_by_test_id("stCode")).to_have_count(0)
    reach(themed, "Preview")
    themed.keyboard.press("Enter")
    expect(themed.locator("iframe[title='Preview of Back door']")).to_be_visible()
    whole(themed)
    expect_no_findings_in_either_theme(themed)
    reach(themed, "Revoke")
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("button", name="Revoke now")).to_be_focused()
    themed.keyboard.press("Enter")
    expect(themed.get_by_text("No link leads to this screen.")).to_be_visible()
    expect(themed.get_by_role("button", name="Undo")).to_be_focused()
    # Whoever presses twice must not meet the next question where the last one stood.
    expect(themed.get_by_role("button", name="Delete now")).to_have_count(0)
    whole(themed)
    expect_no_findings_in_either_theme(themed)
    delete_the_only_screen(themed)
    expect(themed.get_by_role("button", name="Undo")).to_be_focused()
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("heading", name="Back door", exact=True)).to_be_focused()
    delete_the_only_screen(themed)
