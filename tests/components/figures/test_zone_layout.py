from __future__ import annotations

from components.figures.zone_layout import OUTSIDE, by_ends, layout, without_enclosing
from contract import Passage, Site, Zone
from tests.small_site import SITE


def site(zones: str, *passages: tuple[str | None, str | None]) -> Site:
    return Site(
        id="s",
        name="S",
        zones=tuple(Zone(id=name, name=name) for name in zones),
        passages=tuple(
            Passage(id=f"{number}", name=f"{number}", from_zone_id=start, to_zone_id=end)
            for number, (start, end) in enumerate(passages)
        ),
    )


def test_zones_lie_as_deep_as_they_are_far_from_the_outside() -> None:
    places = layout(site("abc", (None, "a"), ("a", "b"), ("b", "c"), ("c", "a")))
    assert places[OUTSIDE][1] == 0
    assert {zone: -places[zone][1] for zone in "abc"} == {"a": 1, "b": 2, "c": 2}


def test_no_two_zones_stand_in_one_place() -> None:
    zones = "abcdefghijklmnop"
    places = layout(site(zones, *((None, zone) for zone in zones)))
    assert len(set(places.values())) == len(zones) + 1


def test_a_wide_row_is_broken_for_narrow_screens() -> None:
    places = layout(site("abcdefghi", *((None, zone) for zone in "abcdefghi")))
    assert max(abs(x) for x, _ in places.values()) <= 1.5


def test_a_site_without_a_way_out_is_drawn_too() -> None:
    places = layout(site("ab", ("a", "b")))
    assert set(places) == {OUTSIDE, "a", "b"}
    assert len(set(places.values())) == 3


def test_zones_without_passages_come_last() -> None:
    places = layout(site("lab", (None, "a"), ("a", "b")))
    assert min(places, key=lambda node: places[node][1]) == "l"


def test_a_zone_that_is_called_outside_is_not_the_outside() -> None:
    lone = site("a").model_copy(update={"zones": (Zone(id="outside", name="Outside"),)})
    assert set(layout(lone)) == {OUTSIDE, "outside"}


def test_passages_between_the_same_zones_are_one_arrow_and_the_way_back_another() -> None:
    found = by_ends(site("ab", ("a", "b"), ("a", "b"), ("b", "a")))
    assert {ends: len(passages) for ends, passages in found.items()} == {("a", "b"): 2, ("b", "a"): 1}


def test_a_passage_to_an_unlisted_zone_is_left_out() -> None:
    assert by_ends(site("a", ("a", "lost"))) == {}


def test_a_top_zone_that_only_encloses_the_others_is_not_drawn_among_them() -> None:
    assert [zone.id for zone in without_enclosing(SITE, ["shop"]).zones] == ["hall", "cafe"]
    assert len(without_enclosing(SITE, []).zones) == 3


def test_a_top_zone_with_a_passage_of_its_own_is_drawn() -> None:
    assert [zone.id for zone in without_enclosing(site("a", (None, "a")), ["a"]).zones] == ["a"]
