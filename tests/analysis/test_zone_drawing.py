"""What is drawn of any site at any width: lines end on rims and lie apart, words lie on nothing."""

from __future__ import annotations

import cProfile
import pstats
from itertools import combinations, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.zone_drawing import WIDTHS, ZoneDrawing, drawn
from analysis.zone_labels import Box, Point
from analysis.zone_layout import (
    MOST_IN_ROWS,
    MOST_WAYS,
    OUTSIDE,
    Node,
    by_ends,
    leaves_of,
    ways_of,
)
from contract import Passage, Site, Zone
from tests.mall_site import mall_site
from tests.small_site import SITE
from tests.wide_site import wide_site

END = st.one_of(st.none(), st.integers(0, MOST_IN_ROWS - 1))
NAME = st.text(max_size=40)


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Any legible site: islands, cycles, loops, ways there and back, doors of one side and of none."""
    count = draw(st.integers(0, MOST_IN_ROWS))
    ends = draw(st.lists(st.tuples(END, END, NAME), max_size=70))

    def named(end: int | None) -> str | None:
        return None if end is None or not count else str(end % count)

    passages = [
        Passage(id=str(number), name=name, from_zone_id=named(start), to_zone_id=named(end))
        for number, (start, end, name) in enumerate(ends)
    ]
    site = Site(
        id="any",
        name="Any",
        zones=tuple(Zone(id=str(number), name=f"Zone {number}") for number in range(count)),
    )
    while len(by_ends(site.model_copy(update={"passages": tuple(passages)}))) > MOST_WAYS:
        passages.pop()
    return site.model_copy(update={"passages": tuple(passages)})


@st.composite
def sites_with_bays(draw: st.DrawFn) -> Site:
    """Any of these, with some zones more that are reached from one of its own alone, there and back."""
    site = draw(sites().filter(lambda site: bool(site.zones)))
    hubs = draw(st.lists(st.sampled_from([zone.id for zone in site.zones[:4]]), max_size=24))
    turned = draw(st.lists(st.booleans(), min_size=len(hubs), max_size=len(hubs)))
    twice = draw(st.integers(0, 3))
    leaves = [(f"leaf-{number}", hub) for number, hub in enumerate(hubs)]
    ways = [
        (hub, leaf) if is_turned else (leaf, hub)
        for number, ((leaf, hub), is_turned) in enumerate(zip(leaves, turned, strict=True))
        for _ in range(2 if number < twice else 1)
    ]
    passages = [
        Passage(id=f"to-{number}", name=f"Way {number}", from_zone_id=start, to_zone_id=end)
        for number, (start, end) in enumerate(ways)
    ]
    zones = [Zone(id=leaf, name=leaf) for leaf, _ in leaves]
    return site.model_copy(update={"zones": (*site.zones, *zones), "passages": (*site.passages, *passages)})


def drawing_of(site: Site, width: float) -> ZoneDrawing | None:
    return drawn(site, width, [way.passages[0].name for way in ways_of(site)])


def is_on_rim(point: Point, box: Box) -> bool:
    x, y = point
    is_at_side = x in (box.left, box.right) and box.top <= y <= box.bottom
    return is_at_side or (y in (box.top, box.bottom) and box.left <= x <= box.right)


def rim_of(drawing: ZoneDrawing, node: Node) -> Box:
    return drawing.outline if node == OUTSIDE else drawing.cards[str(node)]


def pieces_of(line: tuple[Point, ...]) -> list[Box]:
    return [
        Box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in pairwise(line)
    ]


def lie_on_each_other(one: Box, other: Box) -> bool:
    """Whether two pieces share more than a point where they cross."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return (width > 0 and height >= 0) or (height > 0 and width >= 0)


def check(site: Site, drawing: ZoneDrawing) -> None:
    ways = ways_of(site)
    labels = [label.box for label in drawing.labels if label]
    pieces = [pieces_of(line) for line in drawing.lines]
    assert set(drawing.cards) == {zone.id for zone in site.zones}
    assert len(drawing.lines) == len(ways)
    for way, line in zip(ways, drawing.lines, strict=True):
        assert is_on_rim(line[0], rim_of(drawing, way.start))
        assert is_on_rim(line[-1], rim_of(drawing, way.end))
    for own in pieces:
        assert not any(piece.meets(card) for piece in own for card in drawing.cards.values())
    for one, other in combinations(pieces, 2):
        assert not any(lie_on_each_other(a, b) for a in one for b in other)
    for one_card, other_card in combinations(drawing.cards.values(), 2):
        assert not one_card.meets(other_card, 10)
    for one_label, other_label in combinations(labels, 2):
        assert not one_label.meets(other_label, 1)
    for way_number, label in enumerate(drawing.labels):
        if label:
            assert not any(label.box.meets(card) for card in drawing.cards.values())
            others = [piece for number, line in enumerate(pieces) if number != way_number for piece in line]
            assert not any(label.box.meets(piece, 1) for piece in others)
    for box in [*drawing.cards.values(), *labels]:
        assert drawing.outline.left < box.left
        assert box.right < drawing.outline.right
        assert drawing.outline.top < box.top
        assert box.bottom < drawing.outline.bottom
    assert drawing.outline.left > 0
    assert drawing.outline.right < drawing.width
    assert drawing.outline.bottom < drawing.height


def check_at(width: int, site: Site) -> None:
    drawing = drawing_of(site, width)
    if drawing is None:
        assert width < WIDTHS[-1]
        return
    assert drawing.width <= width
    check(site, drawing)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(site=sites(), width=st.sampled_from(WIDTHS))
def test_lines_end_on_rims_and_words_lie_on_nothing(site: Site, width: int) -> None:
    check_at(width, site)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(site=sites_with_bays(), width=st.sampled_from(WIDTHS))
def test_zones_in_bays_keep_to_the_same_rules(site: Site, width: int) -> None:
    check_at(width, site)


def test_a_zone_that_is_reached_from_one_alone_stands_beside_it_and_its_line_is_level() -> None:
    site = mall_site(6, 9)
    leaves = leaves_of(site, ways_of(site))
    assert len(leaves) == 54
    drawing = drawing_of(site, 960)
    assert drawing is not None
    for way, line in zip(ways_of(site), drawing.lines, strict=True):
        if way.end in leaves:
            hub, leaf = drawing.cards[str(way.start)], drawing.cards[str(way.end)]
            assert hub.top <= leaf.top
            assert leaf.bottom <= hub.bottom
            assert len(line) == 2
            assert line[0][1] == line[1][1]


@pytest.mark.parametrize("width", WIDTHS[1:])
def test_sixty_zones_are_drawn_at_the_width_of_a_phone(width: int) -> None:
    """Where there is less room, the browser shrinks that of a phone a little."""
    drawing = drawing_of(mall_site(6, 9), width)
    assert drawing is not None
    check(mall_site(6, 9), drawing)


def test_lines_of_a_mall_hardly_cross_each_other() -> None:
    """Counted here; without bays there were 484 at a desk, and a phone had no room at all."""
    for width in (340, 960):
        drawing = drawing_of(mall_site(6, 9), width)
        assert drawing is not None
        pieces = [pieces_of(line) for line in drawing.lines]
        crossings = sum(a.meets(b) for one, other in combinations(pieces, 2) for a in one for b in other)
        assert crossings <= 10


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "site",
    [wide_site(30, 45), wide_site(10, 40), SITE, mall_site(3, 3)],
    ids=["30", "10", "3", "12 with bays"],
)
def test_a_legible_site_is_drawn_at_every_width(site: Site, width: int) -> None:
    drawing = drawing_of(site, width)
    assert drawing is not None
    check(site, drawing)


def test_a_site_without_zones_has_an_outline_alone() -> None:
    site = Site(id="none", name="None", passages=(Passage(id="p", name="P"),))
    drawing = drawing_of(site, 340)
    assert drawing is not None
    assert (drawing.cards, drawing.lines) == ({}, ())


def test_names_stand_on_their_lines_at_a_desk_and_numbers_where_there_is_no_room() -> None:
    doors = tuple(Passage(id=str(n), name=f"Entrance {n}", to_zone_id="hall") for n in range(6))
    crowded = SITE.model_copy(update={"passages": doors})
    desk, phone = drawing_of(crowded, 960), drawing_of(crowded, 340)
    assert desk is not None
    assert phone is not None
    assert all(label and label.is_name for label in desk.labels)
    assert all(label and not label.is_name for label in phone.labels)


def calls_to_draw(zones: int) -> int:
    profile = cProfile.Profile()
    site = wide_site(zones, 2 * zones - 1)
    drawing_of(site, 960)
    profile.enable()
    drawing_of(site, 960)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # counted, not declared


def test_twice_the_zones_are_no_more_than_six_times_the_work() -> None:
    """Function calls, which no busy machine changes; what is larger than this is listed, not drawn."""
    assert calls_to_draw(22) < 6 * calls_to_draw(11)
