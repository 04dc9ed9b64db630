from __future__ import annotations

import re

import pytest

from analysis.site_draft import (
    begun,
    faults_of,
    identifier,
    inner_zones,
    sketched,
    with_passage,
    with_zone,
    without_passage,
    without_zone,
)
from analysis.zone_graph import zone_graph
from components.figures.zone_sketch import numbered_ways, zone_sketch


@pytest.mark.parametrize(
    ("name", "taken", "made"),
    [
        ("Main street", [], "main-street"),
        ("Café Zürich/Straße", [], "cafe-zurich-strasse"),
        ("Main street", ["main-street", "main-street-2"], "main-street-3"),
        ("..", [], "site"),
        ("東京", ["site"], "site-2"),
        ("a" * 500, [], "a" * 60),
    ],
)
def test_an_id_can_stand_in_a_url_and_is_nobody_elses(name: str, taken: list[str], made: str) -> None:
    assert identifier(name, taken, "site") == made


def test_a_site_begins_as_one_zone_into_which_doors_lead() -> None:
    site = with_passage(begun("Kiosk", "Europe/Zurich", ["kiosk"]), "Door")
    assert (site.id, site.top_zone_id, inner_zones(site)) == ("kiosk-2", "kiosk-2-whole", ())
    (door,) = site.passages
    assert (door.id, door.from_zone_id, door.to_zone_id) == ("kiosk-2-door", None, "kiosk-2-whole")
    assert faults_of(site) == []
    assert [zone.name for zone in sketched(site).zones] == ["Kiosk"]


def test_what_led_to_a_zone_that_is_taken_out_leads_to_the_whole_site() -> None:
    site = with_passage(with_zone(begun("Shop", "Europe/Zurich", []), "Hall"), "Door")
    assert site.passages[0].to_zone_id == "shop-hall"
    assert [zone.id for zone in sketched(site).zones] == ["shop-hall"]
    bare = without_zone(site, "shop-hall")
    assert bare.passages[0].to_zone_id == "shop-whole"
    assert without_passage(bare, "shop-door").passages == ()


def test_what_has_to_be_mended_is_said_before_it_is_stored() -> None:
    site = with_passage(begun("Shop", "Europe/Zurich", []), "Door")
    (door,) = site.passages
    turning = door.model_copy(update={"to_zone_id": None})
    wrong = site.model_copy(update={"name": " ", "passages": (turning,)})
    assert faults_of(wrong) == [
        "The passage “Door” leads to the side that it comes from. Choose another for one end.",
        "The site has no name. Give it one.",
    ]


def test_a_sketch_shows_zones_and_passages_and_obeys_no_name() -> None:
    site = with_zone(with_passage(with_zone(begun("S", "Europe/Zurich", []), "<b>Hall"), "Door & gate"), "B")
    drawn = sketched(site)
    graph = zone_graph(drawn)
    names = {zone.id: zone.name for zone in drawn.zones}
    for theme in ("light", "dark"):
        picture = zone_sketch(graph, names, theme=theme) or ""
        assert "&lt;b&gt;Hall" in picture
        assert "<b>" not in picture
        assert "Door &amp; gate" in picture or ">1<" in picture
    assert zone_sketch(graph._replace(drawings=()), names, theme="light") is None


def test_a_number_on_a_line_of_a_sketch_is_told_below_it() -> None:
    named = ["Hall", *(f"Room {number}" for number in range(6))]
    site = begun("Shop", "Europe/Zurich", [])
    for name in named:
        site = with_zone(site, name)
    for name in named[1:]:
        site = with_passage(site, f"A way of many words that leads to {name}")
    hall, *rooms = inner_zones(site)
    passages = tuple(
        passage.model_copy(update={"from_zone_id": hall.id, "to_zone_id": room.id})
        for passage, room in zip(site.passages, rooms, strict=True)
    )
    drawn = sketched(site.model_copy(update={"passages": passages}))
    graph = zone_graph(drawn)
    picture = zone_sketch(graph, {zone.id: zone.name for zone in drawn.zones}, theme="light") or ""
    on_lines = sorted(set(re.findall(r">(\d+)<", picture)))
    assert on_lines
    told = [meaning.partition(" ") for meaning in numbered_ways(graph)]
    assert sorted(number for number, _, _ in told) == on_lines
    assert all(way == graph.ways[int(number) - 1].title for number, _, way in told)
    assert numbered_ways(graph._replace(drawings=())) == []
