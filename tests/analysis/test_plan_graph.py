"""A site on its floor plan, as pages and walls get it."""

from __future__ import annotations

from itertools import combinations

from analysis.floor_plan import FloorPlan, PictureKind, Placed, PlanPicture, Spot
from analysis.plan_graph import not_placed, not_placed_words, plan_graph, wall_plan
from contract import Passage, Site, Zone
from tests.small_site import SITE

PICTURE = PlanPicture(name="0" * 32, kind=PictureKind.SVG, width=1_000, height=600)
SHOP = SITE.model_copy(update={"zones": SITE.zones[1:]})
"""Without the zone that encloses the others."""
ZONES = {"hall": Spot(x=0.2, y=0.5), "cafe": Spot(x=0.8, y=0.5)}
DOORS = {"entrance": Spot(x=0.0, y=0.5), "terrace": Spot(x=1.0, y=0.5)}


def plan(**placed: dict[str, Spot]) -> FloorPlan:
    return FloorPlan(picture=PICTURE, placed=Placed.model_validate(placed))


def test_what_is_placed_is_drawn_and_between_two_zones_a_passage_needs_no_place() -> None:
    graph = plan_graph(SHOP, plan(zones=ZONES, passages=DOORS))
    assert graph.zone_ids == ("hall", "cafe")
    assert [way.passages for way in graph.ways] == [("entrance",), ("archway",), ("terrace",)]
    assert graph.note == ""
    assert graph.description.startswith(
        "2 zones and 3 passages on the floor plan. Entrance: from outside to Hall."
    )


def test_what_is_not_placed_is_named_and_what_is_gone_is_not() -> None:
    gone = {"gone": Spot(x=0.1, y=0.1)}
    graph = plan_graph(SHOP, plan(zones={"hall": ZONES["hall"], **gone}, passages=gone))
    assert (graph.zone_ids, graph.ways) == (("hall",), ())
    assert graph.note == (
        "1 zone (Café) and 3 passages (Entrance, Archway, Terrace door) are not on the plan."
    )


def test_passages_that_lead_nowhere_are_not_missed() -> None:
    odd = (
        Passage(id="lost", name="Lost", from_zone_id="hall", to_zone_id="gone"),
        Passage(id="air", name="Air"),
        Passage(id="round", name="Round", from_zone_id="hall", to_zone_id="hall"),
    )
    site = SHOP.model_copy(update={"passages": odd})
    placed = plan(zones=ZONES, passages={one.id: ZONES["hall"] for one in odd})
    assert plan_graph(site, placed).ways == ()
    assert not_placed_words(not_placed(site, placed.placed)) == ""


def test_without_a_placed_zone_there_is_no_drawing() -> None:
    assert plan_graph(SHOP, plan(passages=DOORS)).drawings == ()


def test_a_drawing_is_there_for_a_phone_and_for_a_desk() -> None:
    graph = plan_graph(SHOP, plan(zones=ZONES))
    widths = [drawing.width for drawing in graph.drawings]
    assert widths == sorted(widths)
    assert widths[0] <= 340
    assert widths[-1] > 900
    assert list(graph.details) == sorted(graph.details)
    assert graph.details[-1] == 2
    assert [one["detail"] for one in graph.drawings_data()] == list(graph.details)


def test_a_wall_shows_names_or_letters_that_cards_below_explain() -> None:
    graph = wall_plan(SHOP, plan(zones=ZONES, passages=DOORS))
    assert {
        detail >= 1 or bool(one.listed) for one, detail in zip(graph.drawings, graph.details, strict=True)
    } == {True}
    heap = {"hall": Spot(x=0.5, y=0.5), "cafe": Spot(x=0.51, y=0.5)}
    drawings = wall_plan(SHOP.model_copy(update={"passages": ()}), plan(zones=heap)).drawings
    assert {tuple(one.listed) for one in drawings} == {("hall", "cafe")}
    for one in drawings:
        boxes = [*one.cards.values(), *one.listed.values()]
        assert not any(box.meets(other) for box, other in combinations(boxes, 2))
        assert max(box.bottom for box in boxes) < one.height
        assert max(box.right for box in boxes) < one.width
    ratios = [one.width / one.height for one in drawings]
    assert min(ratios) < 1
    assert max(ratios) > 1.5


def floor_of_six(names: str = "Room") -> tuple[Site, FloorPlan]:
    """Six zones in two rows, with eight passages of which the one outside was placed."""
    ids = "abcdef"
    spots = {zone: Spot(x=0.17 + 0.33 * (n % 3), y=0.28 + 0.47 * (n // 3)) for n, zone in enumerate(ids)}
    ends = [(None, "a"), ("a", "b"), ("b", "c"), ("a", "d"), ("b", "e"), ("c", "f"), ("d", "e"), ("e", "f")]
    passages = tuple(
        Passage(id=f"way-{n}", name=f"Way {n}", from_zone_id=start, to_zone_id=end)
        for n, (start, end) in enumerate(ends)
    )
    zones = tuple(Zone(id=one, name=f"{names} {one}", capacity=50) for one in ids)
    site = SHOP.model_copy(update={"zones": zones, "passages": passages})
    return site, plan(zones=spots, passages={"way-0": Spot(x=0.02, y=0.28)})


def test_on_a_wall_each_line_has_room_for_its_number() -> None:
    drawings = wall_plan(*floor_of_six()).drawings
    assert drawings
    for drawing in drawings:
        assert len(drawing.labels) == 8
        assert None not in drawing.labels


def test_where_many_numbers_find_no_room_a_wall_has_no_plan() -> None:
    near = {"hall": Spot(x=0.5, y=0.5), "cafe": Spot(x=0.5, y=0.5 + 0.1)}
    many = tuple(
        Passage(id=f"way-{n}", name="Way", from_zone_id="hall", to_zone_id="cafe") for n in range(120)
    )
    assert wall_plan(SHOP.model_copy(update={"passages": many}), plan(zones=near)).drawings == ()


def test_on_a_wall_a_card_is_as_wide_as_its_name_needs() -> None:
    """13 letters of 11 pixels and 20 pixels beside them; where that has no room, the usual width."""
    drawings = wall_plan(*floor_of_six("Entrance ha")).drawings
    named = [drawing for drawing in drawings if not drawing.listed]
    widths = {round(box.right - box.left) for drawing in named for box in drawing.cards.values()}
    assert 163 in widths
    assert widths <= {112, 138, 163}
