"""Zones and passages on a wall, in a real browser, before a stream that a test tells what to say."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from analysis.floor_plan import FloorPlan, PictureKind, Placed, PlanPicture, Spot
from contract import Site
from live.snapshot import CrossingsKey
from screens import Screen, View, ViewKind
from screens.directory import Known, Place
from screens.shown import shown_views, view_config
from service.simulator.shop import CAFE, FASHION, FITTING_ROOM, HALL, HOME, SPORTS, WHOLE, shop_record
from tests.analysis.test_plan_graph import floor_of_six
from tests.e2e.scripted_relay import feed
from tests.e2e.scripted_wall import ScriptedWall
from tests.e2e.wall import at_local_hour, open_wall, show_on
from tests.small_site import SITE
from tests.wide_site import wide_site

SHAPES = ((1920, 1080), (1080, 1920), (1080, 1080), (1280, 720), (390, 844))
SQUARE = (800, 800)
NOW = datetime(2026, 3, 2, tzinfo=UTC)
LETTERS = """() => [...document.querySelectorAll('#wall .graph svg text')]
  .filter(node => node.textContent && node.getBoundingClientRect().width)
  .map(node => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a)"""
SHOP_PLAN = FloorPlan(
    picture=PlanPicture(name="0" * 32, kind=PictureKind.SVG, width=1_000, height=600),
    placed=Placed(
        zones={
            HALL: Spot(x=0.5, y=0.8),
            FASHION: Spot(x=0.2, y=0.3),
            HOME: Spot(x=0.5, y=0.25),
            SPORTS: Spot(x=0.8, y=0.3),
            CAFE: Spot(x=0.85, y=0.8),
            FITTING_ROOM: Spot(x=0.1, y=0.75),
        },
        passages={"shop-main-entrance": Spot(x=0.5, y=1), "shop-cafe-entrance": Spot(x=1, y=0.8)},
    ),
)
OUT_OF_SIGHT = """() => [...document.querySelectorAll(
    '#wall .graph text, #wall .ground, #wall .outline, #wall .lane, #wall .note')]
  .map(node => [node.getBoundingClientRect(), node])
  .filter(([box, node]) => box.width && (
    box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1))
  .map(([box, node]) => node.outerHTML.slice(0, 80))"""
CARDS_OVERLAP = """() => {
  const cards = [...document.querySelectorAll('#wall .graph .ground')]
    .map(node => node.getBoundingClientRect());
  return cards.some((one, place) => cards.slice(place + 1).some(other =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));
}"""


def flow(site: Site, top_zone_ids: tuple[str, ...] = (), plan: FloorPlan | None = None) -> dict[str, Any]:
    """As the dashboard tells a wall of it."""
    views = (View(kind=ViewKind.FLOW, site_id=site.id, on_plan=plan is not None),)
    screen = Screen(name="Door", views=views, id="1", link="x", revision=1, created_at=NOW, updated_at=NOW)
    plans = {site.id: plan} if plan else {}
    (shown,) = shown_views(screen, Known({site.id: Place(site, top_zone_ids)}, plans=plans))
    return view_config(shown)


def crossings(site: Site, **changes: Any) -> dict[str, Any]:
    people = {one.id: [3 * place, place, 0, 0] for place, one in enumerate(site.passages)}
    known = {"passages": people, "read_age": 2.0, "old_after": 310, "reason": ""}
    return {CrossingsKey(site.id).name: known | changes}


def tell(wall: ScriptedWall, site: Site, top_zone_ids: tuple[str, ...] = (), **changes: Any) -> None:
    now = at_local_hour(wall, 15)
    wall.views = [flow(site, top_zone_ids)]
    names = [one["feed"] for one in wall.views[0]["feeds"]]
    wall.feeds = {name: feed(now, inside=9 * place) for place, name in enumerate(names)}
    wall.feeds |= crossings(site, **changes)


def test_zones_fill_lines_tell_who_crossed_and_who_crosses_goes_along_a_line(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, SITE, ("shop",))
    open_wall(page, address)
    expect(page.locator(".graph .zone .name")).to_have_text(["Hall", "Café"])
    expect(page.locator(".graph .zone .number")).to_have_text(["0", "9"])
    expect(page.locator(".people-of-way text")).to_have_text(["0", "4", "8"])
    expect(page.locator(".graph:visible")).to_have_attribute("data-crossings", "true")
    expect(page.locator(".note")).to_have_text("On the lines: people in the last hour · 15:30")
    drawn = "lanes => lanes.filter(lane => lane.style.display !== 'none').length"
    assert page.locator("path.lane").evaluate_all(drawn) == 4
    assert page.locator("#wall a").count() == 0
    people = {"passages": {"archway": [9, 1, 6, 0]}, "read_age": 0.0, "old_after": 310, "reason": ""}
    wall.changes.append({CrossingsKey(SITE.id).name: people})
    expect(page.locator(".people-of-way text").nth(1)).to_have_text("10")
    expect(page.locator("circle.person.forward").first).to_be_attached()


def test_on_a_floor_plan_each_line_has_its_number_and_no_name_is_cut(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    site, plan = floor_of_six("Entrance ha")
    tell(wall, site)
    wall.views = [flow(site, plan=plan)]
    open_wall(page, address)
    names = page.locator(".graph.plan:visible .zone .name")
    for shape in ((1920, 1080), (1080, 1920)):
        show_on(page, *shape)
        expect(names, str(shape)).to_have_text([f"Entrance ha {letter}" for letter in "abcdef"])
        people = page.locator(".graph.plan .people-of-way text")
        expect(people, str(shape)).to_have_text([str(4 * n) for n in range(8)])
        expect(page.locator(".note"), str(shape)).to_have_text(
            "On the lines: people in the last hour · 15:30"
        )


def test_a_drawing_with_whole_names_wins_over_a_larger_one_that_cuts_them(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    shop = shop_record("").site
    tell(wall, shop, (WHOLE,))
    open_wall(page, address)
    names = [zone.name for zone in shop.zones if zone.id != WHOLE]
    for shape in ((1920, 1080), (1080, 1920), (800, 800)):
        show_on(page, *shape)
        expect(page.locator(".graph:visible .zone .name"), str(shape)).to_have_text(names)
        assert min(page.evaluate(LETTERS)) >= 0.0159 * min(shape), shape


def test_where_all_drawings_cut_a_name_the_one_that_cuts_fewest_is_shown(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    names = {"hall": "Hall of the " + "very " * 20 + "many", "cafe": "Café and confectionery"}
    zones = tuple(zone.model_copy(update={"name": names.get(zone.id, zone.name)}) for zone in SITE.zones)
    tell(wall, SITE.model_copy(update={"zones": zones}), ("shop",))
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_wall(page, address)
    shown = page.locator(".graph:visible .zone .name")
    expect(shown).to_have_text([re.compile("^Hall of the very.*…$"), names["cafe"]])


def test_where_no_name_has_room_on_the_plan_letters_stand_there_that_cards_beside_it_explain(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    """On a square screen, they leave most of its width to the plan."""
    shop = shop_record("").site
    names = [zone.name for zone in shop.zones if zone.id != WHOLE]
    tell(wall, shop, (WHOLE,))
    wall.views = [flow(shop, (WHOLE,), plan=SHOP_PLAN)]
    open_wall(page, address)
    listed = [f"{letter}  {name}" for letter, name in zip("ABCDEF", names, strict=True)]
    for shape in ((1080, 1920), SQUARE, (3840, 600), (390, 844)):
        show_on(page, *shape)
        shown = page.locator(".graph.plan:visible .zone")
        expect(shown.locator(".name"), str(shape)).to_have_text([*"ABCDEF", *listed])
        expect(shown.locator(".number:not(:empty)"), str(shape)).to_have_count(len(names))
        assert min(page.evaluate(LETTERS)) >= 0.0159 * min(shape[0], max(shape[1], shape[0] / 4)), shape
        assert (shape, page.evaluate(OUT_OF_SIGHT)) == (shape, [])
        assert not page.evaluate(CARDS_OVERLAP), shape
        expect(page.locator(".note"), str(shape)).to_have_text(
            "On the lines: people in the last hour · 15:30"
        )
        if shape == SQUARE:
            width, height = page.locator(".graph.plan:visible .paper").evaluate(
                "node => [node.getBoundingClientRect().width, node.getBoundingClientRect().height]"
            )
            assert width * height > 0.15 * SQUARE[0] * SQUARE[1]


@pytest.mark.parametrize(("zones", "shown"), [(9, "graph"), (60, "cards")])
def test_a_plan_that_cannot_be_read_gives_way_and_the_screen_says_so(
    page: Page, address: str, wall: ScriptedWall, zones: int, shown: str
) -> None:
    site = wide_site(zones, zones + zones // 2)
    heap = FloorPlan(
        picture=SHOP_PLAN.picture,
        placed=Placed(zones={zone.id: Spot(x=0.5, y=0.5) for zone in site.zones}),
    )
    tell(wall, site)
    wall.views = [flow(site, plan=heap)]
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_wall(page, address)
    expect(page.locator(".flow-view")).to_have_attribute("data-plan", shown)
    expect(page.locator(".note:visible")).to_contain_text("The floor plan would be too small here")
    assert page.locator(".graph:visible > svg").count() == int(shown == "graph")
    assert page.evaluate(OUT_OF_SIGHT) == []


def test_a_line_without_room_for_its_number_is_told(page: Page, address: str, wall: ScriptedWall) -> None:
    tell(wall, SITE, ("shop",))
    for drawing in wall.views[0]["place"]["graphs"][0]["drawings"]:
        drawing["labels"][1] = None
    open_wall(page, address)
    expect(page.locator(".people-of-way text")).to_have_text(["0", "8"])
    expect(page.locator(".note")).to_have_text(
        "On the lines: people in the last hour · 15:30 · lines without a number: 1"
    )


def test_who_wants_nothing_to_move_gets_numbers_alone(page: Page, address: str, wall: ScriptedWall) -> None:
    page.emulate_media(reduced_motion="reduce")
    try:
        tell(wall, SITE, ("shop",))
        open_wall(page, address)
        people = {"passages": {"archway": [9, 1, 6, 0]}, "read_age": 0.0, "old_after": 310, "reason": ""}
        wall.changes.append({CrossingsKey(SITE.id).name: people})
        expect(page.locator(".people-of-way text").nth(1)).to_have_text("10")
        assert page.locator("circle.person").count() == 0
    finally:
        page.emulate_media(reduced_motion="no-preference")


def test_old_numbers_of_passages_are_named_as_old(page: Page, address: str, wall: ScriptedWall) -> None:
    tell(wall, SITE, ("shop",), read_age=900.0)
    open_wall(page, address)
    expect(page.locator(".note")).to_have_text("Passages not read since 15:15")
    expect(page.locator(".graph:visible")).to_have_attribute("data-crossings", "false")


def test_zones_without_a_connection_show_no_level(page: Page, address: str, wall: ScriptedWall) -> None:
    tell(wall, SITE, ("shop",), reason="http://10.0.0.7 cannot be reached.", passages={}, read_age=None)
    for one in wall.feeds.values():
        if "state" in one:
            one |= {"state": "offline", "reason": "http://10.0.0.7 cannot be reached."}
    open_wall(page, address)
    expect(page.locator(".graph .zone")).to_have_count(2)
    for card in page.locator(".graph .zone").all():
        expect(card).to_have_attribute("data-trusted", "false")
    assert page.locator("[data-filled]").evaluate_all("nodes => nodes.map(n => n.dataset.filled)") == ["", ""]
    expect(page.locator(".people-of-way text")).to_have_text(["–", "–", "–"])
    expect(page.locator(".note")).to_have_text("Passages cannot be read")
    assert "10.0.0.7" not in page.content()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Number not available: 2 of 2since 14:30"),
        ("de", "Zahl nicht verfügbar: 2 von 2seit 14:30"),
        ("fr", "Nombre indisponible : 2 sur 2depuis 14:30"),
        ("it", "Numero non disponibile: 2 su 2dalle 14:30"),
    ],
)
def test_it_says_since_when_the_first_of_its_numbers_is_missing(
    page: Page, address: str, wall: ScriptedWall, language: str, said: str
) -> None:
    wall.language = language
    tell(wall, SITE, ("shop",))
    now = int(wall.now())
    for name, seconds in (("corner-shop/hall", 1_800), ("corner-shop/cafe", 3_600)):
        wall.feeds[name] = feed(now, state="offline", since=now - seconds)
    open_wall(page, address)
    expect(page.locator(".graph .zone")).to_have_count(2)
    expect(page.locator(".foot .freshness")).to_have_text(said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("Outside", "On the lines: people in the last hour · 15:30")),
        ("de", ("Draussen", "Auf den Linien: Personen in der letzten Stunde · 15:30")),
        ("fr", ("Extérieur", "Sur les lignes : personnes dans la dernière heure · 15:30")),
        ("it", ("Esterno", "Sulle linee: persone nell’ultima ora · 15:30")),
    ],
)
def test_a_place_speaks_the_language_of_its_screen_and_cuts_no_share_in_the_middle(
    page: Page, address: str, wall: ScriptedWall, language: str, said: tuple[str, str]
) -> None:
    wall.language = language
    tell(wall, SITE, ("shop",))
    wall.views[0]["place"]["graphs"] = wall.views[0]["place"]["graphs"][:1]
    for name in ("corner-shop/hall", "corner-shop/cafe"):
        wall.feeds[name] = feed(wall.now(), inside=78)
    open_wall(page, address)
    expect(page.locator(".outside")).to_have_text(said[0])
    expect(page.locator(".note")).to_have_text(said[1])
    foreign = re.search("outside|people|hour", page.locator("#wall").text_content() or "", re.IGNORECASE)
    assert bool(foreign) == (language == "en")
    for words in page.locator(".graph:visible .zone .word").all():
        expect(words).to_have_text(re.compile(r"(^|, )\d+.%$"))


def without_passages(site: Site) -> Site:
    return site.model_copy(update={"passages": ()})


PLACES = {
    "one zone": (wide_site(1, 1), True),
    "no passages": (without_passages(wide_site(4, 4)), True),
    "three": (SITE, True),
    "nine": (wide_site(9, 12), True),
    "thirty": (wide_site(30, 45), False),
    "sixty": (wide_site(60, 90), False),
}


@pytest.mark.parametrize(("name", "theme"), [*zip(PLACES, cycle(("light", "dark")), strict=False)])
def test_a_place_can_be_read_on_every_shape_or_gives_way_to_cards(
    page: Page, address: str, wall: ScriptedWall, name: str, theme: str
) -> None:
    site, is_drawn = PLACES[name]
    wall.theme = theme
    tell(wall, site)
    open_wall(page, address)
    for width, height in SHAPES:
        show_on(page, width, height)
        expect(page.locator("#wall .number:visible").first).to_be_visible()
        shape = f"{width}x{height}"
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), shape
        assert page.evaluate(OUT_OF_SIGHT) == [], shape
        assert page.locator(".graph:visible > svg").count() == int(is_drawn), shape
        if is_drawn:
            assert min(page.evaluate(LETTERS)) >= 0.0159 * min(width, height), shape
            assert not page.evaluate(CARDS_OVERLAP), shape
        else:
            assert page.locator(".flow-view .card:visible").count() > 0, shape


def test_a_drawing_follows_the_shape_of_its_screen(page: Page, address: str, wall: ScriptedWall) -> None:
    """Sixteen zones are read on a large upright screen, and are cards on a wide one."""
    tell(wall, wide_site(16, 24))
    page.set_viewport_size({"width": 1080, "height": 1920})
    open_wall(page, address)
    expect(page.locator(".graph:visible > svg")).to_have_count(1)
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator(".flow-view .card").first).to_be_visible()
    expect(page.locator(".graph:visible > svg")).to_have_count(0)
    page.set_viewport_size({"width": 1080, "height": 1920})
    expect(page.locator(".graph:visible > svg")).to_have_count(1)
    expect(page.locator(".flow-view .card").first).to_be_hidden()


def test_zones_that_are_too_many_are_drawn_by_category(page: Page, address: str, wall: ScriptedWall) -> None:
    whole = wide_site(30, 45)
    zones = tuple(
        zone.model_copy(update={"category": ("Food", "Fashion", "")[place % 3]})
        for place, zone in enumerate(whole.zones)
    )
    wall.language = "de"
    tell(wall, whole.model_copy(update={"zones": zones}))
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_wall(page, address)
    cards = page.locator(".graph:visible .zone")
    expect(cards).to_have_count(3)
    titles = "cards => cards.map(card => card.querySelector('title').textContent.split(':')[0]).sort()"
    assert cards.evaluate_all(titles) == ["Fashion · 10", "Food · 10", "Ohne Kategorie · 10"]
    food = cards.filter(has_text="Food · 10")
    expect(food.locator(".number")).to_have_text("1.215")


def test_a_wall_too_flat_for_a_drawing_says_so_beside_its_cards(
    page: Page, address: str, wall: ScriptedWall
) -> None:
    tell(wall, shop_record("").site, (WHOLE,))
    page.set_viewport_size({"width": 3840, "height": 600})
    open_wall(page, address)
    expect(page.locator(".note:visible")).to_have_text("A drawing of the passages would be too small here")
    expect(page.locator(".graph:visible")).to_have_count(0)
    assert page.evaluate(OUT_OF_SIGHT) == []
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator(".graph:visible")).to_have_count(1)
    expect(page.locator(".note:visible")).not_to_contain_text("too small")
