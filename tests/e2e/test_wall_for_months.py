"""What a screen that nobody touches goes through: cut networks, restarts, versions, revoked links, time."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from playwright.sync_api import CDPSession, Page, Request, Route, expect

from screens.definition import Language
from screens.neutral import Circumstance, neutral_page
from tests.e2e.scripted_relay import feed, serving
from tests.e2e.scripted_wall import ScriptedWall, typical_day, view
from tests.e2e.wall import open_wall, until
from tests.running_service import free_port
from tests.written_days import ANY_DAY

UPDATES = 5000
BATCH = 500
MINUTE = 60
COUNT_WAKE_LOCKS = """
  window.locks = 0;
  Object.defineProperty(navigator, 'wakeLock', {value: {request: kind => {
    window.locks += kind === 'screen' ? 1 : 0;
    return Promise.resolve({});
  }}});
"""


@pytest.fixture
def page(new_page: Page) -> Page:
    """Most tests here install a clock, which would stay."""
    return new_page


@pytest.fixture
def wall() -> ScriptedWall:
    scripted = ScriptedWall(view("light"))
    scripted.feeds = {"shop": feed(time.time(), inside=10)}
    return scripted


def loads_of(page: Page) -> list[str]:
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    return loads


def test_a_screen_that_is_cut_off_loses_its_light_and_its_age_counts_on(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    page.clock.install()
    open_wall(page, address)
    expect(page.locator(".light-view")).to_have_attribute("data-level", "free")
    page.context.set_offline(True)
    wall.is_silent = True
    until(page, lambda: page.locator(".light-view").get_attribute("data-level") == "unknown", step=5)
    expect(page.locator(".foot .word")).to_have_text("No connection")
    expect(page.locator(".count")).to_have_text("was 10 inside")
    page.clock.run_for(300_000)
    expect(page.locator(".measured")).to_contain_text(" min ago")
    page.context.set_offline(False)
    wall.is_silent = False
    until(page, lambda: page.locator(".light-view").get_attribute("data-level") == "free", step=2)
    expect(page.locator(".foot .word")).to_have_text("Live")


def test_a_screen_that_wakes_without_a_network_counts_the_time_it_slept(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    """Asleep, a machine's clock goes on, and the one by which a browser measures stands still."""
    page.add_init_script("{ const now = Date.now; window.slept = 0; Date.now = () => now() + window.slept; }")
    open_wall(page, address)
    expect(page.locator(".foot .word")).to_have_text("Live")
    page.context.set_offline(True)
    wall.is_silent = True
    page.evaluate("window.slept = 25 * 3600e3")
    expect(page.locator(".foot .word")).to_have_text("No connection")
    expect(page.locator(".foot .details")).to_contain_text(re.compile(rf"since {ANY_DAY}, "))
    # Left out where names of days and months are long.
    expect(page.locator(".measured")).to_have_text(re.compile(r"^$|25 h \d min ago"))
    page.context.set_offline(False)
    wall.is_silent = False
    expect(page.locator(".foot .word")).to_have_text("Live")
    expect(page.locator(".measured")).to_contain_text(re.compile(r"(s|min) ago|just now"))


def test_a_screen_comes_back_by_itself_when_the_server_does(page: Page, wall: ScriptedWall) -> None:
    port = free_port()
    loads = loads_of(page)
    with serving(wall, port) as address:
        open_wall(page, address)
        expect(page.locator(".light-view")).to_have_attribute("data-level", "free")
    expect(page.locator(".light-view")).to_have_attribute("data-level", "unknown")
    wall.ended.clear()
    with serving(wall, port):
        expect(page.locator(".light-view")).to_have_attribute("data-level", "free")
    assert len(loads) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_screen_that_a_proxy_refused_for_a_while_comes_back_by_itself(
    page: Page, address: str, wall: ScriptedWall, status: int
) -> None:
    wall.stream_status = status
    page.goto(f"{address}screen/door")
    until(page, lambda: wall.refused > 3)
    expect(page.locator(".foot .word")).to_have_text("Connecting")
    wall.stream_status = 200
    expect(page.locator(".light-view")).to_have_attribute("data-level", "free")


def test_a_revoked_link_leaves_nothing_of_the_place_on_the_wall(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    open_wall(page, address)
    wall.is_revoked, wall.status = True, "revoked"
    expect(page.locator("#wall")).to_have_text("This screen is not in use.", timeout=10_000)
    assert "Corner shop" not in page.locator("body").inner_text()
    until(page, lambda: wall.connections == 0)
    opened = wall.opened
    page.wait_for_timeout(3000)
    assert wall.opened == opened


def test_a_link_that_was_revoked_while_the_screen_was_cut_off_is_noticed(
    page: Page, wall: ScriptedWall
) -> None:
    port = free_port()
    wall.language = "de"
    with serving(wall, port) as address:
        open_wall(page, address)
    wall.ended.clear()
    wall.is_revoked = True
    with serving(wall, port):
        expect(page.locator("#wall")).to_have_text("Dieser Bildschirm ist nicht in Betrieb.")


def test_a_preview_that_is_over_says_that_it_is_and_not_that_the_screen_is_out_of_use(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    open_wall(page, address)
    wall.is_over, wall.status = True, "over"
    expect(page.locator("body")).to_contain_text("This preview is over. Reload the page to see it again.")


def test_a_preview_that_ended_while_it_was_cut_off_says_so(page: Page, wall: ScriptedWall) -> None:
    port = free_port()
    wall.language = "it"
    with serving(wall, port) as address:
        open_wall(page, address)
    wall.ended.clear()
    wall.is_over = True
    with serving(wall, port):
        expect(page.locator("body")).to_contain_text(
            "Questa anteprima è scaduta. Si prega di ricaricare la pagina."
        )


def test_a_screen_out_of_use_returns_when_its_link_does(page: Page, address: str, wall: ScriptedWall) -> None:
    page.clock.install()
    open_wall(page, address)
    wall.is_revoked, wall.status = True, "revoked"
    until(page, lambda: "not in use" in page.locator("#wall").inner_text(), step=1)
    wall.is_revoked, wall.status = False, ""
    until(page, lambda: page.locator(".light-view").count() == 1, step=10)


def test_a_screen_of_which_nobody_knows_whether_it_is_in_use_shows_nothing_until_it_is_known(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    page.clock.install()
    open_wall(page, address)
    wall.page_status, wall.stream_status, wall.status = 503, 503, "unsure"
    waiting = "This screen cannot be shown at the moment. It comes back by itself."
    until(page, lambda: page.locator("#wall").inner_text() == waiting, step=1)
    page.clock.run_for(120_000)
    assert page.locator("#wall").inner_text() == waiting
    wall.page_status, wall.stream_status, wall.status = 200, 200, ""
    until(page, lambda: page.locator(".light-view").count() == 1, step=10)


def test_a_page_that_waits_gives_up_a_question_that_nobody_answers(page: Page) -> None:
    """Else they add up behind a dead network until the browser opens no connection any more."""
    waiting = neutral_page(Circumstance.WAITING, Language.ENGLISH)
    asked: list[Route] = []
    given_up: list[Request] = []

    def answer_the_first(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.fulfill(status=200, content_type="text/html", body=waiting.html)

    def give_up(request: Request) -> None:
        given_up.append(request)

    page.route("**/screen/door", answer_the_first)
    page.on("requestfailed", give_up)
    page.clock.install()
    page.goto("http://127.0.0.1/screen/door")
    until(page, lambda: len(given_up) > 1, step=10)
    assert len(asked) - len(given_up) < 6


def test_a_changed_screen_is_loaded_anew(page: Page, address: str, wall: ScriptedWall) -> None:
    open_wall(page, address)
    wall.views, wall.status = [view("number")], "changed"
    until(page, lambda: wall.pages >= 2)
    wall.status = ""
    expect(page.locator(".number-view .number")).to_have_text("10")


def test_a_new_version_is_loaded_once_and_only_between_two_views(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views = [view("light", seconds=120), view("number", seconds=120)]
    wall.reported_version = "two"  # As before two servers, of which the page always comes from the older.
    page.clock.install()
    loads = loads_of(page)
    open_wall(page, address)
    page.clock.run_for(25_000)
    assert len(loads) == 1
    until(page, lambda: len(loads) == 2, step=5)
    page.wait_for_selector("#wall .foot .word:not(:empty)")
    for _ in range(10):
        page.clock.run_for(120_000)
        page.wait_for_timeout(100)
    assert len(loads) == 2


def test_a_version_that_the_server_cannot_serve_yet_waits(page: Page, wall: ScriptedWall) -> None:
    """A page that reloads while its server is away would show the browser's own error for ever."""
    wall.views, wall.reported_version = [view("light", seconds=60)], "two"
    page.clock.install()
    with serving(wall, free_port()) as address:
        open_wall(page, address)
        page.clock.run_for(1000)
    loads = loads_of(page)
    for _ in range(5):
        page.clock.run_for(61_000)
        page.wait_for_timeout(100)
    assert loads == []
    expect(page.locator("#wall .light-view")).to_have_count(1)


def test_a_version_waits_while_the_page_is_answered_with_an_error(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    wall.views, wall.reported_version = [view("light", seconds=30)], "two"
    page.clock.install()
    open_wall(page, address)
    wall.page_status = 503
    loads = loads_of(page)
    asked = wall.pages
    until(page, lambda: wall.pages > asked + 1, step=2)
    assert loads == []
    wall.page_status = 200
    until(page, lambda: len(loads) == 1, step=2)


def test_the_picture_wanders_by_one_to_two_percent_a_minute(page: Page, address: str) -> None:
    page.clock.install()
    open_wall(page, address)
    places: list[tuple[float, float]] = []
    for _ in range(5):
        page.clock.run_for(60_000)
        places.append(
            page.evaluate(
                "(() => { const box = document.getElementById('wall').getBoundingClientRect();"
                " return [100 * box.left / innerWidth, 100 * box.top / innerHeight]; })()"
            )
        )
    for (before_x, before_y), (after_x, after_y) in pairwise(places):
        moved = ((after_x - before_x) ** 2 + (after_y - before_y) ** 2) ** 0.5
        assert 1.0 <= moved <= 2.0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_display_is_kept_awake_where_the_browser_allows(page: Page, address: str) -> None:
    page.add_init_script(COUNT_WAKE_LOCKS)
    open_wall(page, address)
    assert page.evaluate("window.locks") == 1
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.locks") == 2


def test_a_browser_without_wake_lock_or_memory_shows_the_screen_all_the_same(
    page: Page, address: str
) -> None:
    page.add_init_script(
        "Object.defineProperty(navigator, 'wakeLock', {value: undefined});"
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new Error('no'); }});"
    )
    open_wall(page, address)
    expect(page.locator(".light-view .word")).to_have_text("Please enter")


def measured(session: CDPSession) -> dict[str, float]:
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics}


@pytest.mark.soak
def test_five_thousand_minutes_leave_nodes_listeners_and_heap_as_they_were(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    begun = int(time.time()) // MINUTE * MINUTE
    minutes = [0]
    wall.now = lambda: begun + 20.0 + MINUTE * minutes[0]
    wall.views = [view(kind, "shop", "hall", seconds=5) for kind in ("gauge", "board", "curve", "number")]
    wall.feeds = {"shop": feed(begun), "hall": feed(begun)}
    wall.day = {
        "timezone": "Europe/Zurich",
        "day_start": begun - 12 * 3600,
        "until": begun + 12 * 3600,
        "typical": typical_day(),
        "today": [[begun - 3600, 10], [begun - 3300, 12]],
        "request_id": "",
        "as_of": begun,
    }
    page.clock.install()
    open_wall(page, address)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def is_shown() -> bool:
        return page.locator(".number-view .number").inner_text() == str(minutes[0] % 97)

    def run_to(last: int) -> None:
        while minutes[0] < last:
            for _ in range(BATCH):
                minutes[0] += 1
                at = begun + MINUTE * minutes[0]
                inside = minutes[0] % 97
                change = feed(at, inside=inside, points=[[at, inside]])
                wall.feeds = {"shop": change, "hall": change}
                wall.changes.append(wall.feeds)
            until(page, is_shown, step=1)

    run_to(2 * BATCH)
    before = measured(session)
    run_to(UPDATES)
    after = measured(session)
    for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize"):
        print(  # noqa: T201 -- the figures are asked for
            f"{name}: {before[name]:.0f} after {2 * BATCH} updates, {after[name]:.0f} after {UPDATES}"
        )
    for name in ("Nodes", "JSEventListeners"):
        assert after[name] <= 1.2 * before[name], name
    assert after["JSHeapUsedSize"] <= before["JSHeapUsedSize"] + 1_000_000
