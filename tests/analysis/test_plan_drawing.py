"""Where zones and passages are drawn that somebody has placed on a picture."""

from __future__ import annotations

from itertools import combinations
from math import hypot

from hypothesis import given
from hypothesis import strategies as st

from analysis.plan_drawing import CARDS, DISC, PLAN_MARGIN, PlacedWay, disc_drawing, plan_drawing
from analysis.zone_labels import Box

_BESIDE = 26
"""Pixels by which a passage without a place of its own may stand beside the way between its zones."""
shares = st.floats(0, 1)
spots = st.tuples(shares, shares)


def near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return hypot(one[0] - other[0], one[1] - other[1]) < 0.01


def test_a_picture_fills_the_width_and_keeps_its_proportions() -> None:
    drawing, _ = plan_drawing((800, 400), {"hall": (0.5, 0.5)}, [], 452)
    assert drawing.outline == Box(26, 26, 426, 226)
    assert (drawing.width, drawing.height) == (452, 252)


def test_a_high_picture_is_seen_at_one_look() -> None:
    drawing, _ = plan_drawing((400, 4_000), {}, [], 960)
    assert drawing.outline.bottom - drawing.outline.top == 900
    assert drawing.width == 90 + 2 * PLAN_MARGIN


def test_a_line_leads_from_zone_to_zone_through_its_door() -> None:
    """On 1000 by 500 pixels: cards of 138 by 80 around (250, 250) and (750, 250), the door at (500, 250)."""
    zones = {"hall": (0.25, 0.5), "cafe": (0.75, 0.5)}
    ways = [PlacedWay("hall", "cafe", (0.5, 0.5)), PlacedWay("cafe", "hall", (0.5, 0.1))]
    drawing, detail = plan_drawing((1_000, 500), zones, ways, 1_000 + 2 * PLAN_MARGIN)
    assert detail == 2
    assert drawing.cards["hall"] == Box(26 + 250 - 69, 26 + 250 - 40, 26 + 250 + 69, 26 + 250 + 40)
    assert list(drawing.lines[0]) == [(345, 276), (526, 276), (707, 276)]
    start, door, end = drawing.lines[1]
    assert near(door, (526, 76))
    # From the middle of the card upwards and to the left: it is left through its upper rim.
    assert near(start, (26 + 750 - 40 * 250 / 200, 236))
    assert near(end, (26 + 250 + 40 * 250 / 200, 236))


def test_a_passage_outside_begins_beyond_its_door_as_seen_from_the_zone() -> None:
    ways = [PlacedWay(None, "hall", (0.5, 1.0)), PlacedWay("hall", None, (0.0, 0.5))]
    drawing, _ = plan_drawing((1_000, 1_000), {"hall": (0.5, 0.5)}, ways, 552)
    below, left = drawing.lines
    assert list(below) == [(276, 548), (276, 526), (276, 316)]
    assert list(left) == [(207, 276), (26, 276), (4, 276)]


def test_passages_that_were_not_placed_lie_beside_each_other() -> None:
    ways = [PlacedWay("a", "b", None), PlacedWay("b", "a", None), PlacedWay("a", "b", None)]
    drawing, _ = plan_drawing((1_000, 500), {"a": (0.1, 0.5), "b": (0.9, 0.5)}, ways, 1_052)
    middles = [line[1] for line in drawing.lines]
    assert sorted(round(y) for _, y in middles) == [250, 276, 302]


def test_cards_that_would_cover_each_other_are_smaller() -> None:
    details = [
        plan_drawing((1_000, 500), {"a": (0.5, 0.5), "b": (0.5 + apart, 0.5)}, [], 1_052)[1]
        for apart in (0.2, 0.12, 0.07, 0.01)
    ]
    assert details == [2, 1, 0, 0]


@given(
    st.dictionaries(st.integers(0, 9).map(str), spots, min_size=1), st.floats(0.2, 5), st.integers(288, 1_280)
)
def test_cards_cover_none_and_stand_on_the_picture_or_as_discs_beside_their_spots(
    zones: dict[str, tuple[float, float]], ratio: float, width: int
) -> None:
    drawing, detail = plan_drawing((round(1_000 * ratio), 1_000), zones, [], width)
    ground = drawing.outline
    sizes = {(round(box.right - box.left), round(box.bottom - box.top)) for box in drawing.cards.values()}
    (wide, high), *_ = sizes
    assert len(sizes) == 1
    assert (wide, high) in ((CARDS[len(CARDS) - 1 - detail],) if detail else (CARDS[-1], DISC))
    for box in drawing.cards.values():
        if ground.right - ground.left >= wide and (wide, high) != DISC:
            assert box.left >= ground.left - 0.01
            assert box.right <= ground.right + 0.01
    assert not any(one.meets(other) for one, other in combinations(drawing.cards.values(), 2))


@given(st.dictionaries(st.integers(0, 59).map(str), spots, min_size=1), st.floats(0.2, 5))
def test_on_a_phone_every_disc_is_seen_and_leads_to_its_spot(
    zones: dict[str, tuple[float, float]], ratio: float
) -> None:
    drawing = disc_drawing((round(1_000 * ratio), 1_000), zones, [], 340, "")
    ground = drawing.outline
    assert not any(one.meets(other, 3.9) for one, other in combinations(drawing.cards.values(), 2))
    ends = {(round(x, 3), round(y, 3)) for _, (x, y) in drawing.leaders}
    for zone_id, box in drawing.cards.items():
        assert box.left >= 0
        assert box.top >= 0
        assert box.right <= max(drawing.width, DISC[0] + 8)
        assert box.bottom <= drawing.height
        x = ground.left + zones[zone_id][0] * (ground.right - ground.left)
        y = ground.top + zones[zone_id][1] * (ground.bottom - ground.top)
        assert box.meets(Box(x, y, x, y), 0.01) or (round(x, 3), round(y, 3)) in ends


def test_discs_that_are_far_enough_apart_stand_on_their_spots() -> None:
    zones = {str(n): (0.1 + 0.16 * (n % 6), 0.1 + 0.2 * (n // 6)) for n in range(30)}
    drawing = disc_drawing((1_000, 800), zones, [], 340, "")
    assert drawing.leaders == ()
    assert {round(box.left + 13 - 26) for box in drawing.cards.values()} == {29, 75, 121, 167, 213, 259}


def test_sixty_zones_on_one_spot_are_sixty_discs_around_it() -> None:
    drawing = disc_drawing((1_000, 600), {str(n): (0.5, 0.5) for n in range(60)}, [], 340, "")
    assert not any(one.meets(other, 3.9) for one, other in combinations(drawing.cards.values(), 2))
    assert len(drawing.leaders) == 59
    assert drawing.height < 400


@given(spots, spots, st.one_of(spots, st.none()), spots, st.integers(288, 1_280))
def test_every_line_is_on_the_drawing_and_no_label_covers_a_card(
    first: tuple[float, float],
    second: tuple[float, float],
    door: tuple[float, float] | None,
    outer: tuple[float, float],
    width: int,
) -> None:
    ways = [
        PlacedWay("a", "b", door),
        PlacedWay("b", "a", None),
        PlacedWay(None, "a", outer),
        PlacedWay("b", None, outer),
    ]
    drawing, _ = plan_drawing((800, 500), {"a": first, "b": second}, ways, width)
    assert len(drawing.lines) == len(drawing.labels) == len(ways)
    for line in drawing.lines:
        assert len(line) >= 2
        for x, y in line:
            assert -_BESIDE <= x <= drawing.width + _BESIDE
            assert -_BESIDE <= y <= drawing.height + _BESIDE
    for label in filter(None, drawing.labels):
        assert not any(label.box.meets(card) for card in drawing.cards.values())
        assert label.box.left >= 0
        assert label.box.top >= 0
        assert label.box.right <= drawing.width
        assert label.box.bottom <= drawing.height
