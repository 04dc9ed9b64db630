from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from analysis.floor_plan import FloorPlan, PictureKind, Placed, PlanPicture, Spot
from api_client import NotFound, Unreachable
from contract import SiteSummary
from live import CrossingsKey, FeedKey, GrantedFeed, GrantedPassages
from screens import Screen, View, ViewKind
from screens.directory import MOST_SITES, Known, Place, by_name
from screens.page import json_for_html, screen_version
from screens.shown import grant_of, shown_views, view_config
from tests.small_site import SITE

AWAY = Unreachable("The service cannot be reached.", code="CONNECTION_FAILED")
GONE = NotFound("No such site.", code="SITE_NOT_FOUND", request_id="r-1")
PLACE = Place(SITE, ("shop",))
NOW = datetime(2026, 3, 2, tzinfo=UTC)
TURNING = "\u202eShop", "Hall \u202e2\n", "\u200b"


def screen(*views: View) -> Screen:
    return Screen(name="Door", views=views, id="1", link="digest", revision=1, created_at=NOW, updated_at=NOW)


def number(zone_id: str | None = None, site_id: str = SITE.id) -> View:
    return View(kind=ViewKind.NUMBER, site_id=site_id, zone_id=zone_id)


def test_what_several_views_show_is_granted_once() -> None:
    composed = screen(number(), number("hall"), View(kind=ViewKind.BOARD, site_id=SITE.id))
    assert grant_of(shown_views(composed, Known({SITE.id: PLACE}))).feeds == (
        GrantedFeed(FeedKey(SITE.id), "Europe/Zurich"),
        GrantedFeed(FeedKey(SITE.id, ("hall",)), "Europe/Zurich"),
        GrantedFeed(FeedKey(SITE.id, ("cafe",)), "Europe/Zurich"),
    )


def test_a_view_that_failed_grants_nothing_and_quotes_the_request() -> None:
    composed = screen(number(site_id="gone"), number())
    gone, there = shown_views(composed, Known({"gone": GONE, SITE.id: PLACE}))
    assert (gone.feeds, gone.error, gone.request_id) == ((), str(GONE), "r-1")
    assert [feed.key for feed in there.feeds] == [FeedKey(SITE.id)]


def test_only_a_failure_that_may_pass_is_an_outage() -> None:
    assert Known({SITE.id: GONE}).outage is None
    assert Known({"gone": GONE, SITE.id: AWAY}).outage is AWAY
    assert Known({}, sites=AWAY).outage is AWAY


def test_the_capacity_of_a_site_is_not_guessed_from_some_of_its_zones() -> None:
    assert Place(SITE, ("hall", "cafe")).capacity == 100.0
    assert Place(SITE, ()).capacity is None
    untold = SITE.model_copy(
        update={"zones": (SITE.zones[1], SITE.zones[2].model_copy(update={"capacity": 0}))}
    )
    assert Place(untold, ("hall", "cafe")).capacity is None


def test_name_turns_no_letters_of_a_wall_and_none_is_empty() -> None:
    zones = [zone.model_copy(update={"name": name}) for zone, name in zip(SITE.zones, TURNING, strict=True)]
    site = SITE.model_copy(update={"name": "Shop\u202e 1\u200b", "zones": tuple(zones)})
    known = Known({SITE.id: Place(site, ("shop",))}, [SiteSummary.model_validate(site.model_dump())])
    board = View(kind=ViewKind.BOARD, site_id=SITE.id)
    views = shown_views(screen(number(), number("hall"), board, View(kind=ViewKind.SITES)), known)
    assert [view.title for view in views] == ["Shop 1", "Shop 1, Hall 2", "Shop 1", ""]
    assert [feed.title for feed in views[2].feeds] == ["Hall 2", "cafe"]
    assert [feed.title for feed in views[3].feeds] == ["Shop 1"]


def test_sites_stand_by_name_in_whichever_order_the_service_tells_them() -> None:
    told = [
        SiteSummary.model_validate({**SITE.model_dump(), "id": site_id, "name": name})
        for site_id, name in (("3", "cellar"), ("2", "Bern"), ("9", "alpha"), ("1", "Bern"))
    ]
    assert [site.id for site in by_name(told)] == ["9", "1", "2", "3"]
    assert by_name(told) == by_name(reversed(told))


def test_sites_of_one_name_are_told_apart_on_a_wall_of_all() -> None:
    long = "x" * 100
    named = (("1", "Kiosk"), ("2", "Kiosk\u200b"), ("3", "Hall"), ("\u202e4", ""), ("5", long))
    sites = [SiteSummary(id=site_id, name=name) for site_id, name in named]
    (view,) = shown_views(screen(View(kind=ViewKind.SITES)), Known({}, sites))
    assert [feed.title for feed in view.feeds] == ["Kiosk (1)", "Kiosk (2)", "Hall", "4", long]


def test_zones_of_one_name_are_told_apart_wherever_a_wall_names_them() -> None:
    zones = tuple(
        zone.model_copy(update={"name": "Till"}) if zone.id != "shop" else zone for zone in SITE.zones
    )
    known = Known({SITE.id: Place(SITE.model_copy(update={"zones": zones}), ("shop",))})
    kinds = (ViewKind.BOARD, ViewKind.FLOW)
    views = shown_views(screen(*(View(kind=kind, site_id=SITE.id) for kind in kinds), number("hall")), known)
    for view in views[:2]:
        assert [feed.title for feed in view.feeds][-2:] == ["Till (hall)", "Till (cafe)"]
    assert views[2].title == "Corner shop, Till (hall)"


def test_all_sites_are_shown_even_where_one_could_not_be_read_and_not_more_than_can_be_read() -> None:
    sites = [
        SiteSummary.model_validate(SITE.model_dump(exclude={"zones", "passages"}) | {"id": f"s{number}"})
        for number in range(MOST_SITES + 20)
    ]
    (view,) = shown_views(screen(View(kind=ViewKind.SITES)), Known({"s0": PLACE, "s1": AWAY}, sites))
    assert len(view.feeds) == MOST_SITES
    assert view_config(view)["all"] == MOST_SITES + 20
    assert [feed.capacity for feed in view.feeds[:3]] == [100.0, None, None]
    assert view.error == ""


def test_the_version_changes_with_a_name_a_capacity_or_the_code() -> None:
    composed = screen(number("hall"))
    views = shown_views(composed, Known({SITE.id: PLACE}))
    renamed = shown_views(composed, Known({SITE.id: Place(SITE.model_copy(update={"name": "Shop"}), ())}))
    versions = {
        screen_version(composed, views, bundle_version="1"),
        screen_version(composed, views, bundle_version="2"),
        screen_version(composed, renamed, bundle_version="1"),
        screen_version(composed.model_copy(update={"name": "Gate"}), views, bundle_version="1"),
    }
    assert len(versions) == 4
    assert screen_version(composed, views, bundle_version="1") in versions


def test_json_inside_a_page_has_no_mark_of_html() -> None:
    assert json_for_html({"a": "</script><!-- & -->"}) == (
        '{"a":"\\u003c/script\\u003e\\u003c!-- \\u0026 --\\u003e"}'
    )


def test_a_place_is_drawn_from_the_feeds_of_its_view_and_grants_who_crosses() -> None:
    composed = screen(View(kind=ViewKind.FLOW, site_id=SITE.id))
    (view,) = shown_views(composed, Known({SITE.id: PLACE}))
    assert grant_of((view,)).passages == (GrantedPassages(CrossingsKey(SITE.id), "Europe/Zurich"),)
    told = view_config(view)
    place = json.loads(json_for_html(told))["place"]
    assert [told["feeds"][number]["title"] for (number,) in place["graphs"][0]["cards"]] == ["Hall", "Café"]
    assert place["crossings"] == "corner-shop//passages"
    assert place["graphs"][0]["ways"] == [["entrance"], ["archway"], ["terrace"]]


def test_a_zone_that_stands_for_the_whole_and_has_doors_is_told_by_the_sites_own_feed() -> None:
    zone = SITE.zones[1]
    site = SITE.model_copy(update={"zones": (zone,), "passages": SITE.passages[:1]})
    (view,) = shown_views(
        screen(View(kind=ViewKind.FLOW, site_id=SITE.id)), Known({SITE.id: Place(site, (zone.id,))})
    )
    assert [feed.key for feed in view.feeds] == [FeedKey(SITE.id)]


def test_without_passages_nobody_is_read_and_without_zones_nothing_is_drawn() -> None:
    flow = screen(View(kind=ViewKind.FLOW, site_id=SITE.id))
    alone = SITE.model_copy(update={"passages": ()})
    (view,) = shown_views(flow, Known({SITE.id: Place(alone, ("shop",))}))
    assert (grant_of((view,)).passages, view.error) == ((), "")
    (none,) = shown_views(flow, Known({SITE.id: Place(alone.model_copy(update={"zones": ()}), ())}))
    assert "has no zones to draw" in none.error


def on_plan(plan: FloorPlan | None, *, wanted: bool = True) -> dict[str, Any]:
    """What a wall is told of the place."""
    composed = screen(View(kind=ViewKind.FLOW, site_id=SITE.id, on_plan=wanted))
    known = Known({SITE.id: PLACE}, plans={SITE.id: plan} if plan else {})
    (view,) = shown_views(composed, known)
    place: dict[str, Any] = json.loads(json_for_html(view_config(view)))["place"]
    return place


def test_a_place_stands_on_its_plan_where_the_screen_asks_for_it_and_the_graph_follows() -> None:
    picture = PlanPicture(name="0" * 32, kind=PictureKind.PNG, width=1_000, height=600)
    apart = {"hall": Spot(x=0.2, y=0.5), "cafe": Spot(x=0.8, y=0.5)}
    plan = FloorPlan(picture=picture, placed=Placed(zones=apart))
    graph = on_plan(None)
    first, *others = on_plan(plan)["graphs"]
    assert others == graph["graphs"]
    assert (first["picture"], first["not_placed"], first["ways"]) == ("0" * 32, 0, [["archway"]])
    assert not any("picture" in other for other in others)
    lone = FloorPlan(picture=picture, placed=Placed(zones={"hall": Spot(x=0.2, y=0.5)}))
    assert on_plan(lone)["graphs"][0]["not_placed"] == 1
    heap = FloorPlan(picture=picture, placed=Placed(zones=dict.fromkeys(apart, Spot(x=0.5, y=0.5))))
    assert on_plan(plan, wanted=False) == on_plan(FloorPlan(picture=picture)) == graph
    assert graph["asks_for_plan"] is False
    assert on_plan(heap) == graph | {"asks_for_plan": True}
