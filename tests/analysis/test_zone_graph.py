from __future__ import annotations

import cProfile
import pstats

from analysis.zone_graph import zone_graph
from contract import Passage, Site, Zone
from tests.mall_site import mall_site
from tests.small_site import SITE
from tests.wide_site import wide_site


def test_a_graph_is_described_for_those_who_do_not_see_it() -> None:
    graph = zone_graph(SITE)
    assert graph.description == (
        "3 zones and 3 passages. Entrance: from outside to Hall. Archway: from Hall to Café. "
        "Terrace door: from Café to outside."
    )


def test_several_passages_the_same_way_are_counted_and_named_in_the_title() -> None:
    more = tuple(Passage(id=f"d{n}", name=f"Door {n}", to_zone_id="hall") for n in range(30))
    (way,) = zone_graph(SITE.model_copy(update={"passages": more})).ways
    assert way.name == "30 passages"
    assert way.title.startswith("Door 0, Door 1, ")
    assert way.title.endswith("22 more: from outside to Hall")


def test_only_a_passage_of_its_own_is_named_on_its_line_others_have_the_number_of_the_list() -> None:
    doors = tuple(Passage(id=f"d{n}", name=f"Door {n}", to_zone_id="hall") for n in range(30))
    graph = zone_graph(SITE.model_copy(update={"passages": (*doors, SITE.passages[1])}))
    named = [len(way.passages) == 1 for way in graph.ways]
    assert sorted(named) == [False, True]
    for drawing in graph.drawings:
        assert [label.is_name for label in drawing.labels if label] == named


def test_a_drawing_is_there_for_a_phone_and_for_a_desk() -> None:
    drawings = zone_graph(wide_site(30, 45)).drawings
    widths = [drawing.width for drawing in drawings]
    assert widths == sorted(widths)
    assert widths[0] <= 340
    assert widths[-1] > 900


def test_what_is_not_drawn_is_said() -> None:
    odd = (
        Passage(id="lost", name="Lost", from_zone_id="hall", to_zone_id="gone"),
        Passage(id="air", name="Air"),
    )
    note = zone_graph(SITE.model_copy(update={"passages": (*SITE.passages, *odd)})).note
    assert note.startswith("2 passages are not drawn (Lost, Air)")
    assert zone_graph(SITE).note == ""


def test_too_many_zones_are_not_drawn_and_it_is_said() -> None:
    graph = zone_graph(wide_site(31, 30))
    assert graph.drawings == ()
    assert (
        graph.note
        == "31 zones and 30 passages are too many to read as a graph. The tables below list all of them."
    )


def test_of_too_many_zones_each_category_is_a_card() -> None:
    graph = zone_graph(mall_site(7, 9))
    assert [(fold.title, len(fold.zone_ids)) for fold in graph.folds] == [
        ("shop (63 zones)", 63), ("hall (7 zones)", 7)
    ]  # fmt: skip
    assert graph.drawings
    assert set(graph.drawings[0].cards) == set(graph.zone_ids) == {"0", "1"}
    between = {way.title.rpartition(": ")[2]: way for way in graph.ways}
    assert set(between) == {"from outside to hall (7 zones)", "from hall (7 zones) to shop (63 zones)"}
    assert len(between["from hall (7 zones) to shop (63 zones)"].passages) == 63
    assert "6 passages within a category are not drawn" in graph.note


def test_zones_without_a_category_are_a_card_of_their_own_and_the_last() -> None:
    mall = mall_site(7, 9)
    zones = tuple(
        zone.model_copy(update={"category": None}) if place % 2 else zone
        for place, zone in enumerate(mall.zones)
    )
    folds = zone_graph(mall.model_copy(update={"zones": zones})).folds
    assert folds[-1].title == "Without category (35 zones)"
    assert sorted(zone_id for fold in folds for zone_id in fold.zone_ids) == sorted(z.id for z in zones)


def test_a_passage_to_an_unlisted_zone_leads_to_no_fold() -> None:
    """Whose ids are numbers, as those of a service may be."""
    lost = Passage(id="lost", name="Lost", from_zone_id="Hall 1", to_zone_id="1")
    mall = mall_site(7, 9)
    graph = zone_graph(mall.model_copy(update={"passages": (*mall.passages, lost)}))
    assert "lost" not in [one for way in graph.ways for one in way.passages]
    assert "1 passage is not drawn (Lost)" in graph.note


def test_one_category_and_more_zones_than_are_live_are_a_list() -> None:
    alike = mall_site(7, 9)
    one = tuple(zone.model_copy(update={"category": "shop"}) for zone in alike.zones)
    assert zone_graph(alike.model_copy(update={"zones": one})).drawings == ()
    assert zone_graph(mall_site(20, 10)).drawings == ()


def test_a_site_without_zones_says_so() -> None:
    assert "lists no zones" in zone_graph(Site(id="s", name="S")).note


def test_hostile_and_missing_names_are_one_line_and_told_apart() -> None:
    names = ("<b>\u202egnp.exe</b>\n# big", "", "Same", "Same", "x" * 5_000)
    zones = tuple(Zone(id=f"z{n}", name=name) for n, name in enumerate(names))
    passages = tuple(Passage(id=f"p{n}", name=name, to_zone_id=f"z{n}") for n, name in enumerate(names))
    graph = zone_graph(SITE.model_copy(update={"zones": zones, "passages": passages}))
    titles = [way.title for way in graph.ways]
    assert len(set(titles)) == len(names)
    assert not any("\n" in title or "\u202e" in title for title in titles)
    assert max(map(len, titles)) < 400


def calls_to_list(zones: int) -> int:
    profile = cProfile.Profile()
    site = wide_site(zones, 4 * zones)
    zone_graph.cache_clear()
    profile.enable()
    zone_graph(site)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # counted, not declared


def test_eight_times_the_zones_are_about_eight_times_the_work() -> None:
    """400 zones and 1,600 passages against 50 and 200, too many to be drawn: function calls."""
    calls_to_list(50)
    assert calls_to_list(400) < 12 * calls_to_list(50)
