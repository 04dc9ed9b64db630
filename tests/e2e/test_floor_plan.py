"""A floor plan in a real browser: chosen, placed by hand and by keyboard, drawn on the page and on a wall."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from analysis.floor_plan import FloorPlan, PictureKind, Placed, PlanPicture, Spot
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.svg_pictures import safe_svg
from screens import Composition, ScreenStore, View, ViewKind
from tests.e2e.conftest import PATIENCE, Stage, opened_page
from tests.e2e.wall import until
from tests.e2e.whole_pages import bring, rest
from tests.small_site import count

PLAN, PICTURE = "floor plan", "picture of a floor"
NAME = "0" * 32
WALLS = '<path d="M2 2h96v46H2zM50 2v18m0 12v16" fill="none" stroke="#222"/>'
HOSTILE = f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  viewBox="0 0 100 50" onload="parent.evil = top.evil = 1">
  <script>top.evil = 1; console.log("evil")</script>{WALLS}
  <image href="http://127.0.0.1:9/evil.png" width="9" height="9"/><a href="javascript:alert(1)">{WALLS}</a>
  <foreignObject width="9" height="9">
  <img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="top.evil = 1"/></foreignObject></svg>"""
PLACED = Placed(
    zones={"hall": Spot(x=0.25, y=0.5), "cafe": Spot(x=0.75, y=0.5)},
    passages={"entrance": Spot(x=0.02, y=0.5), "archway": Spot(x=0.5, y=0.5), "terrace": Spot(x=0.98, y=0.5)},
)

CUT_MARKERS = """sheet => [...sheet.querySelectorAll('.marker')].filter(node => {
  const [room, box] = [sheet.getBoundingClientRect(), node.getBoundingClientRect()];
  const name = node.querySelector('.name');
  return box.left < room.left || box.right > room.right || box.top < room.top || box.bottom > room.bottom
    || name.scrollWidth > name.clientWidth;
}).map(node => node.textContent)"""


@pytest.fixture
def stage(shared_stage: Stage) -> Iterator[Stage]:
    """Without a plan, before and after."""
    yield shared_stage
    forget(shared_stage)


def store(stage: Stage) -> tuple[SiteKnowledgeStore, tuple[str, str]]:
    digest = sha256(stage.service.base_url.encode()).hexdigest()
    return SiteKnowledgeStore(stage.dashboard.log_file.parent), (digest, stage.site.site_id)


def forget(stage: Stage) -> None:
    kept, own = store(stage)
    kept.forget(*own, PLAN, "")


def kept_plan(stage: Stage) -> FloorPlan:
    kept, own = store(stage)
    return FloorPlan.model_validate_json(kept.one(*own, PLAN, "") or "")


def keep_plan(stage: Stage, placed: Placed = PLACED) -> None:
    kept, own = store(stage)
    image = safe_svg(HOSTILE.encode())
    picture = PlanPicture(name=NAME, kind=PictureKind.SVG, width=image.width, height=image.height)
    kept.keep(*own, PICTURE, NAME, b64encode(image.content).decode())
    kept.keep(*own, PLAN, "", FloorPlan(picture=picture, placed=placed).model_dump_json())


def open_site(page: Page, stage: Stage, *, unfold: bool = False) -> None:
    """By way of another page, if the test before has left one of the dashboard: it is all drawn anew then."""
    if page.url.startswith(stage.url()):
        bring(page, stage.url("/connection"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Connection")
    bring(page, stage.url("/site?site=corner-shop"))
    expect(page.locator(".graph .zone").first).to_be_visible()
    rest(page)
    if unfold:
        unfold_plan(page)


def unfold_plan(page: Page) -> None:
    page.get_by_test_id("stExpander").get_by_text("Floor plan", exact=True).click()
    expect(page.get_by_test_id("stFileUploader")).to_be_visible()
    rest(page)


def marker(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def box_of(found: Locator) -> FloatRect:
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    assert box is not None
    return box


def middle_of(found: Locator) -> tuple[float, float]:
    box = box_of(found)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, found: Locator, x: float, y: float) -> None:
    """To these shares of the picture."""
    page.mouse.move(*middle_of(found))
    sheet = page.locator(".plan-editor .sheet").bounding_box()
    assert sheet is not None
    page.mouse.down()
    page.mouse.move(sheet["x"] + x * sheet["width"], sheet["y"] + y * sheet["height"], steps=5)
    page.mouse.up()


def close_to(spot: Spot, x: float, y: float) -> bool:
    return abs(spot.x - x) < 0.01 and abs(spot.y - y) < 0.01


def test_a_hostile_picture_is_placed_on_by_hand_and_by_keyboard_and_nothing_of_it_runs(
    page: Page, stage: Stage, tmp_path: Path
) -> None:
    asked: list[str] = []
    alerts: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: alerts.append(message.text) if "evil" in message.text else None)
    (tmp_path / "plan.svg").write_text(HOSTILE)
    open_site(page, stage, unfold=True)
    page.set_input_files("input[type=file]", tmp_path / "plan.svg")
    page.get_by_role("button", name="Use this picture").click()
    expect(page.get_by_text("Now place the zones and passages on it.")).to_be_visible()
    expect(
        page.get_by_text("2 zones (Hall, Café) and 3 passages (Entrance, Archway, Terrace door)")
    ).to_be_visible()
    image = page.locator(".plan-editor img")
    expect(image).to_have_js_property("naturalWidth", 1_000)
    rest(page)

    page.get_by_role("button", name="Place Hall on the plan").click()
    drag(page, marker(page, "Zone Hall,"), 0.25, 0.5)
    page.get_by_role("button", name="Place Café on the plan").click()
    expect(marker(page, "Zone Café,")).to_be_focused()
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(marker(page, "Zone Café, 75 % from the left, 49 % from the top")).to_be_focused()
    page.get_by_role("button", name="Place Entrance on the plan").focus()
    page.keyboard.press("Enter")
    drag(page, marker(page, "Passage Entrance,"), -2, 0.5)  # beyond the picture: it stays on its edge
    expect(page.get_by_text("What you placed is not kept yet.")).to_be_visible()
    page.get_by_role("button", name="Keep these places").click()
    expect(page.get_by_text("All places are kept.")).to_be_visible()

    placed = kept_plan(stage).placed
    assert close_to(placed.zones["hall"], 0.25, 0.5)
    assert (placed.zones["cafe"].x, placed.zones["cafe"].y) == (0.75, 0.49)
    assert placed.passages["entrance"].x == 0
    assert close_to(placed.passages["entrance"], 0, 0.5)
    ground = page.locator(".graph.plan image")
    expect(ground).to_have_attribute("href", f"/floor-plan/{kept_plan(stage).picture.name}?site=corner-shop")
    page.reload()
    expect(page.locator(".graph.plan .zone .name")).to_have_text(["Hall", "Café"])
    rest(page)  # what comes above it moves it
    hall = middle_of(page.locator(".graph.plan .ground").first)  # scrolls to it
    picture = page.locator(".graph.plan .paper").bounding_box()
    assert picture is not None
    assert abs((hall[0] - picture["x"]) / picture["width"] - 0.25) < 0.02
    assert abs((hall[1] - picture["y"]) / picture["height"] - 0.5) < 0.02
    expect(page.get_by_text("1 passage (Terrace door) is not on the plan.").first).to_be_visible()
    assert page.evaluate("window.evil") is None
    assert alerts == []
    assert not [url for url in asked if "evil" in url]


def test_a_picture_that_is_opened_by_itself_runs_nothing(new_page: Page, stage: Stage) -> None:
    page = new_page
    keep_plan(stage)
    kept, own = store(stage)
    script = '<script>document.title = "evil"</script>'
    raw = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{script}{WALLS}</svg>'
    # As if it had come past the first lock.
    kept.keep(*own, PICTURE, NAME, b64encode(raw.encode()).decode())
    address = stage.url(f"/floor-plan/{NAME}?site=corner-shop")
    told = httpx.get(address)
    assert told.headers["content-type"] == "image/svg+xml"
    assert told.headers["x-content-type-options"] == "nosniff"
    assert told.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert "script" in told.text
    assert httpx.get(address, headers={"If-None-Match": told.headers["etag"]}).status_code == 304
    page.goto(address)
    assert page.title() == ""
    for other in (
        f"/floor-plan/{'1' * 32}?site=corner-shop",
        f"/floor-plan/{NAME}?site=other",
        f"/floor-plan/{NAME}",
    ):
        assert httpx.get(stage.url(other)).status_code == 404


@pytest.mark.soak
def test_of_two_who_place_at_once_none_loses_the_others_places_unseen(browser: Browser, stage: Stage) -> None:
    keep_plan(stage)
    with opened_page(browser, is_still=True) as first, opened_page(browser, is_still=True) as second:
        for page in (first, second):
            open_site(page, stage, unfold=True)
        drag(first, marker(first, "Zone Hall,"), 0.25, 0.2)
        drag(second, marker(second, "Zone Café,"), 0.75, 0.8)
        first.get_by_role("button", name="Keep these places").click()
        expect(first.get_by_text("All places are kept.")).to_be_visible()
        second.get_by_role("button", name="Keep these places").click()
        expect(second.get_by_text("somebody has changed this plan")).to_be_visible()
        placed = kept_plan(stage).placed
        assert close_to(placed.zones["hall"], 0.25, 0.2)
        assert close_to(placed.zones["cafe"], 0.75, 0.5)
        second.get_by_role("button", name="Keep mine instead").click()
        expect(second.get_by_text("All places are kept.")).to_be_visible()
        placed = kept_plan(stage).placed
        assert close_to(placed.zones["hall"], 0.25, 0.5)
        assert close_to(placed.zones["cafe"], 0.75, 0.8)
        drag(first, marker(first, "Zone Hall,"), 0.3, 0.3)
        first.get_by_role("button", name="Keep these places").click()
        first.get_by_role("button", name="Take theirs").click()
        expect(first.get_by_text("All places are kept.")).to_be_visible()
        expect(marker(first, "Zone Café, 75 % from the left, 80 % from the top")).to_be_visible()


def test_what_was_placed_is_led_to_kept_and_warned_of_until_then(page: Page, stage: Stage) -> None:
    keep_plan(stage, Placed())
    open_site(page, stage, unfold=True)
    expect(page.get_by_text("Press “Place” beside a zone below")).to_be_visible()
    for zone in ("Hall", "Café"):
        page.get_by_role("button", name=f"Place {zone} on the plan").dblclick()  # as once
    expect(page.get_by_text("Press “Place” beside a zone below")).to_have_count(0)
    expect(page.get_by_text("Hall to Café, drawn between them")).to_be_visible()
    with page.expect_event("dialog") as warned:
        page.evaluate("() => { setTimeout(() => location.reload()); }")
    assert warned.value.type == "beforeunload"
    warned.value.dismiss()
    # Another page of the dashboard is no other page of the browser: nobody is asked, and nothing is lost.
    page.get_by_role("link", name="Doors", exact=True).click()
    page.wait_for_url("**/doors*")
    rest(page)
    page.get_by_role("link", name="Site", exact=True).click()
    page.wait_for_url("**/site*")
    rest(page)
    unfold_plan(page)
    expect(page.get_by_text("What you placed is not kept yet.")).to_be_visible()
    expect(marker(page, "Zone Café,")).to_be_visible()
    page.get_by_role("button", name="Keep these places").press("Enter")
    expect(page.get_by_text("All places are kept.")).to_be_focused()
    assert set(kept_plan(stage).placed.zones) == {"hall", "cafe"}
    marker(page, "Zone Hall,").press("ArrowLeft")
    page.get_by_role("button", name="Undo what is not kept").press("Enter")
    expect(page.get_by_text("All places are kept.")).to_be_focused()
    page.reload()
    expect(page.locator(".graph.plan .zone").first).to_be_visible()


def test_a_finger_can_hit_what_is_there_to_be_placed_and_pressed(browser: Browser, stage: Stage) -> None:
    keep_plan(stage)
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    phone = context.new_page()
    open_site(phone, stage, unfold=True)
    marker(phone, "Passage Archway,").press("Delete")
    pressed = phone.locator(".plan-editor button:visible, .drawn-as button")
    sizes = [box for button in pressed.all() if (box := button.bounding_box())]
    assert len(sizes) > len(PLACED.zones) + len(PLACED.passages)
    assert min(min(size["height"], size["width"]) for size in sizes) >= 44
    context.close()


def test_at_the_edge_of_the_picture_a_marker_is_seen_whole_and_stays_where_it_was_put(
    page: Page, stage: Stage
) -> None:
    corners = {"entrance": Spot(x=0, y=0), "archway": Spot(x=0.98, y=0.5), "terrace": Spot(x=1, y=1)}
    keep_plan(stage, Placed(zones=PLACED.zones, passages=corners))
    open_site(page, stage, unfold=True)
    sheet = page.locator(".plan-editor .sheet")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        wide, corner = f"{width} px wide", "Passage Terrace door, 100 % from the left, 100 % from the top"
        expect(marker(page, corner), wide).to_be_visible()
        until(page, lambda: sheet.evaluate(CUT_MARKERS) == [], told=wide)
        drag(page, marker(page, "Passage Terrace door,"), 0.9, 0.5)
        until(page, lambda: sheet.evaluate(CUT_MARKERS) == [], told=wide)
        drag(page, marker(page, "Passage Terrace door,"), 2, 2)  # as it lay
    expect(page.get_by_text("All places are kept.")).to_be_visible()


def test_a_marker_is_taken_off_by_keyboard(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    open_site(page, stage, unfold=True)
    marker(page, "Passage Archway,").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_role("button", name="Place Archway on the plan")).to_be_focused()
    page.get_by_role("button", name="Keep these places").click()
    expect(page.get_by_text("All places are kept.")).to_be_visible()
    assert "archway" not in kept_plan(stage).placed.passages


def test_on_a_phone_letters_and_numbers_are_explained_below(page: Page, stage: Stage) -> None:
    near = {"hall": Spot(x=0.3, y=0.5), "cafe": Spot(x=0.6, y=0.5)}
    keep_plan(stage, Placed(zones=near, passages=PLACED.passages))
    page.set_viewport_size({"width": 390, "height": 844})
    stage.post(2)
    open_site(page, stage)
    expect(page.locator(".graph.plan .zone .name")).to_have_text(["A", "B"])
    expect(page.locator(".letters li").first).to_contain_text("Hall: 2 inside")
    labels = page.locator(".graph.plan .way-label.number text")
    assert set(labels.all_text_contents()) <= {"1", "2", "3"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    stage.empty()


def test_who_wants_nothing_to_move_sees_numbers_alone(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    open_site(page, stage)
    before = page.locator(".ways .crossed").first.text_content()
    stage.post(3)
    expect(page.locator(".ways .crossed").first).not_to_have_text(before or "-")
    assert page.locator(".graph.plan .person").count() == 0
    stage.empty()


def test_people_walk_through_the_door_that_was_placed(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    page.emulate_media(reduced_motion="no-preference")
    open_site(page, stage)
    expect(page.locator(".ways .crossed").first).not_to_be_empty()
    stage.post(2)
    dot = page.locator(".graph.plan .person").first
    dot.wait_for(state="attached")
    lane = page.locator(".graph.plan .lane.forward").first
    expect(lane).to_have_attribute("stroke-width", "7.0")  # of all, it is the one that most have walked
    stage.empty()
    page.emulate_media(reduced_motion="reduce")


@pytest.mark.soak
def test_back_and_forward_bring_each_drawing_back(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    plan = page.locator(".graph.plan")
    open_site(page, stage)
    expect(plan).to_have_count(1)
    page.get_by_text("Graph", exact=True).click()
    page.wait_for_url("**drawing=graph*")
    expect(plan).to_have_count(0)
    page.go_back()
    expect(plan).to_have_count(1)
    rest(page)
    assert "drawing" not in page.url
    bring(page, stage.url("/site?site=corner-shop&drawing=graph"))
    expect(plan).to_have_count(0)
    expect(page.locator(".graph .zone").first).to_be_visible()
    rest(page)
    page.get_by_role("button", name="Floor plan", exact=True).click()
    expect(plan).to_have_count(1)
    rest(page)
    page.go_back()
    expect(plan).to_have_count(0)
    page.go_forward()
    expect(plan).to_have_count(1)
    rest(page)
    assert "drawing" not in page.url


@pytest.mark.soak
def test_who_chose_the_graph_finds_it_again_after_another_page(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    open_site(page, stage)
    page.get_by_text("Graph", exact=True).click()
    page.wait_for_url("**drawing=graph*")
    rest(page)
    page.get_by_role("link", name="Doors", exact=True).click()
    page.wait_for_url("**/doors*")
    rest(page)
    page.get_by_role("link", name="Site", exact=True).click()
    page.wait_for_url("**/site*drawing=graph*")
    expect(page.locator(".graph .zone").first).to_be_visible()
    expect(page.locator(".graph.plan")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1080, 1920)])
def test_a_wall_shows_the_plan_where_its_screen_asks_for_it(
    page: Page, stage: Stage, width: int, height: int
) -> None:
    keep_plan(stage)
    screens = ScreenStore(stage.dashboard.log_file.parent)
    view = View(kind=ViewKind.FLOW, site_id=stage.site.site_id)
    tokens = [
        screens.create(Composition(name="Door", views=(view.model_copy(update={"on_plan": wanted}),))).token
        for wanted in (True, False)
    ]
    screens.close()
    page.set_viewport_size({"width": width, "height": height})
    page.goto(stage.url(f"/screen/{tokens[0]}"))
    expect(page.locator(".graph.plan:visible .zone .name")).to_have_text(["Hall", "Café"])
    image = page.locator(".graph.plan image")
    expect(image).to_have_attribute("href", f"{tokens[0]}/floor-plan/{NAME}")
    told = httpx.get(stage.url(f"/screen/{tokens[0]}/floor-plan/{NAME}"))
    assert (told.status_code, told.headers["content-type"]) == (200, "image/svg+xml")
    assert told.headers["content-security-policy"].endswith("sandbox")
    assert page.get_by_text("could not be loaded").count() == 0
    for refused in (f"/screen/{tokens[1]}/floor-plan/{NAME}", f"/screen/{tokens[0]}/floor-plan/{'1' * 32}"):
        assert httpx.get(stage.url(refused)).status_code == 404
    assert httpx.get(stage.url(f"/screen/nobody/floor-plan/{NAME}")).status_code == 404
    page.goto(stage.url(f"/screen/{tokens[1]}"))
    expect(page.locator(".graph:visible .zone .name")).to_have_text(["Hall", "Café"])
    assert page.locator(".graph.plan").count() == 0


@pytest.mark.soak
def test_beside_a_preview_it_is_said_that_the_plan_would_be_too_small(page: Page, stage: Stage) -> None:
    heap = Placed(zones=dict.fromkeys(PLACED.zones, Spot(x=0.5, y=0.5)))
    keep_plan(stage, heap)
    view = View(kind=ViewKind.FLOW, site_id=stage.site.site_id, on_plan=True)
    screens = ScreenStore(stage.dashboard.log_file.parent)
    screens.create(Composition(name="Small plan", views=(view,)))
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(stage.url("/screens"))
    page.get_by_role("button", name="Edit Small plan").click()
    said = "On a screen this {} the floor plan would be too small to be read: the graph is shown instead."
    expect(page.get_by_text(said.format("size"))).to_be_visible()
    page.get_by_text("Upright").click()
    expect(page.get_by_text(said.format("tall"))).to_be_visible()
    keep_plan(stage)
    page.reload()
    preview = page.frame_locator("iframe[title^='Preview of']:not(.coming)")
    expect(preview.locator(".graph.plan:visible")).to_have_count(1)
    expect(page.get_by_text("would be too small")).to_have_count(0)
    screens.close()


def test_a_wall_follows_a_plan_that_is_changed_within_seconds(page: Page, stage: Stage) -> None:
    keep_plan(stage)
    screens = ScreenStore(stage.dashboard.log_file.parent)
    view = View(kind=ViewKind.FLOW, site_id=stage.site.site_id, on_plan=True)
    token = screens.create(Composition(name="Door", views=(view,))).token
    screens.close()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(stage.url(f"/screen/{token}"))
    expect(page.locator(".graph.plan:visible .zone .name")).to_have_text(["Hall", "Café"])
    keep_plan(stage, Placed(zones={"cafe": PLACED.zones["cafe"]}, passages=PLACED.passages))
    expect(page.locator(".graph.plan:visible .zone .name")).to_have_text(["Café"])
    forget(stage)
    expect(page.locator(".graph.plan")).to_have_count(0)


def test_a_replay_is_drawn_on_the_plan_and_as_a_graph_where_somebody_chooses(
    page: Page, stage: Stage
) -> None:
    keep_plan(stage)
    minute = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=5)

    def post(people: int) -> None:
        httpx.post(
            f"{stage.service.base_url}/ingest/counts",
            json=[count(minute, people, 0, "entrance")],
            headers=stage.site.ingest_headers,
        ).raise_for_status()

    post(2)
    day = minute.astimezone(ZoneInfo("Europe/Zurich")).date()
    page.goto(stage.url(f"/replay?site=corner-shop&day={day}"))
    expect(page.locator(".graph.plan .zone .name")).to_have_text(["Hall", "Café"])
    expect(page.locator(".graph.plan image")).to_have_attribute(
        "href", f"/floor-plan/{NAME}?site=corner-shop"
    )
    rest(page)
    post(3)  # the recording of today is another one then
    page.get_by_role("button", name="Graph", exact=True).press("Enter")
    page.wait_for_url("**drawing=graph*")
    expect(page.locator(".graph.plan")).to_have_count(0)
    expect(page.locator(".graph .zone").first).to_be_visible()
    expect(page.get_by_role("button", name="Graph", exact=True)).to_be_focused()
    stage.empty()


def test_a_picture_that_did_not_come_is_said_and_asked_for_again(new_page: Page, stage: Stage) -> None:
    page = new_page
    keep_plan(stage)
    page.route("**/floor-plan/**", lambda route: route.abort())
    page.clock.install()
    open_site(page, stage)
    expect(page.get_by_text("The picture of the floor could not be loaded.")).to_be_visible()
    expect(page.locator(".graph.plan .zone .name")).to_have_text(["Hall", "Café"])
    page.unroute_all()
    page.clock.fast_forward(21_000)
    expect(page.get_by_text("The picture of the floor could not be loaded.")).to_have_count(0)
