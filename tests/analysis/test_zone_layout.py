from __future__ import annotations

from analysis.zone_layout import (
    MOST_IN_ROWS,
    MOST_WAYS,
    MOST_ZONES,
    OUTSIDE,
    by_ends,
    is_legible,
    layers,
    leaves_of,
    ways_of,
    without_enclosing,
)
from contract import Passage, Site, Zone
from tests.mall_site import mall_site
from tests.small_site import SITE
from tests.wide_site import wide_site


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
    found = layers(site("abc", (None, "a"), ("a", "b"), ("b", "c"), ("c", "a")))
    assert [sorted(layer) for layer in found] == [["a"], ["b", "c"]]


def test_zones_of_a_layer_are_in_the_order_of_what_they_lead_to() -> None:
    found = layers(site("abcd", (None, "a"), (None, "b"), ("a", "d"), ("b", "c")))
    assert found == [["a", "b"], ["d", "c"]]


def test_a_part_without_a_way_out_is_drawn_too_and_follows() -> None:
    assert layers(site("abc", ("a", "b"), (None, "c"))) == [["c"], ["a"], ["b"]]


def test_zones_without_passages_come_last() -> None:
    assert layers(site("lab", (None, "a"), ("a", "b")))[-1] == ["l"]


def test_a_site_without_zones_has_no_layers() -> None:
    assert layers(site("", (None, None))) == []


def test_a_zone_that_is_called_outside_is_not_the_outside() -> None:
    lone = site("a").model_copy(update={"zones": (Zone(id="outside", name="Outside"),)})
    assert layers(lone) == [["outside"]]


def test_each_passage_is_a_way_of_its_own() -> None:
    ways = ways_of(site("ab", ("a", "b"), ("a", "b"), ("b", "a"), ("a", "a"), (None, "a"), (None, None)))
    assert [(way.start, way.end) for way in ways] == [
        ("a", "b"), ("a", "b"), ("b", "a"), ("a", "a"), (OUTSIDE, "a")
    ]  # fmt: skip


def test_of_many_passages_those_that_lead_the_same_way_are_one() -> None:
    ways = ways_of(site("ab", *[("a", "b")] * 20, *[("b", "a")] * 5))
    assert [(way.start, way.end, len(way.passages)) for way in ways] == [("a", "b", 20), ("b", "a", 5)]


def test_more_zones_or_ways_than_can_be_read_are_not_legible() -> None:
    assert is_legible(wide_site(MOST_IN_ROWS, MOST_WAYS))
    assert not is_legible(wide_site(MOST_IN_ROWS + 1, 10))
    assert not is_legible(wide_site(MOST_IN_ROWS, MOST_WAYS + 1))


def test_of_zones_that_stand_beside_another_more_can_be_read() -> None:
    assert is_legible(mall_site(6, 9))
    assert len(mall_site(6, 9).zones) == MOST_ZONES
    assert not is_legible(mall_site(6, 10))


def test_zones_that_one_other_alone_leads_to_stand_beside_it_where_they_are_several() -> None:
    own = site("habcdx", ("h", "a"), ("b", "h"), ("h", "c"), ("h", "c"), ("h", "d"), ("d", "x"), (None, "h"))
    assert leaves_of(own, ways_of(own)) == {"a": "h", "b": "h", "c": "h"}
    two = site("hab", (None, "h"), ("h", "a"), ("h", "b"))
    assert leaves_of(two, ways_of(two)) == {}
    doors = site("hab", (None, "h"), (None, "a"), (None, "b"))
    assert leaves_of(doors, ways_of(doors)) == {}


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
