"""Zones and passages where somebody has placed them on a picture, in pixels, drawn for one width.

What `analysis/zone_drawing.py` finds by itself is given here: the browser draws both with the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import Final, NamedTuple

from analysis.plan_spread import leader, spread
from analysis.zone_drawing import ZoneDrawing
from analysis.zone_labels import HEIGHT, Box, Label, Point

PLAN_MARGIN: Final = 26.0
"""Pixels around the picture: what leads outside ends there."""
CARDS: Final = ((138.0, 80.0), (112.0, 62.0), (56.0, 44.0))
"""Width and height in pixels: with all words; with the share alone; a letter that a list explains."""
DISC: Final = (26.0, 26.0)
"""Of a letter alone, where those cover each other: so small that it can stand beside its spot."""
SMALLEST_WITH_NAME: Final = 1
"""Place among CARDS."""
NAMES_ARE_WHOLE: Final = 2
"""Added to how much cards tell that are as wide as their names, where these are not cut."""
_WIDEST: Final = 240.0
"""Pixels to which a card grows for its name."""
MOST_HIGH: Final = 900.0
"""Pixels of a picture at a desk: one that is seen at one look."""
_APART: Final = 4.0
"""Pixels between two cards that do not cover each other."""
_BEYOND: Final = PLAN_MARGIN - _APART
"""Pixels around the picture on which discs may stand."""
_STUB: Final = 34.0
"""Pixels from a door to the outside."""
_SHORTEST: Final = 12.0
"""Pixels of a line that one still sees."""
_BESIDE: Final = 26.0
"""Pixels between passages that lead from the same zone to the same and were not placed."""
_PITCH: Final = 20.0
_DIGIT: Final = 8.0
_FROM_DOOR: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 0.125, 0.375, 0.625, 0.875)
_FROM_MIDDLE: Final = (0.5, 0.35, 0.65, 0.2, 0.8, 0.42, 0.58, 0.28, 0.72)
"""Parts of a leg of a line at which a label may stand, the best first."""


class PlacedWay(NamedTuple):
    """A passage between placed zones; None: the outside. One of both is a zone."""

    start: str | None
    end: str | None
    door: Point | None
    """Shares of the picture; None: it was not placed, and both ends are zones."""


class PlanShape(NamedTuple):
    """How the picture is drawn."""

    picture: Box
    cards: tuple[float, float]
    detail: int
    """Place from the end of CARDS: 2 has all words, 0 a letter, as DISC; NAMES_ARE_WHOLE more with room for
    names.
    """


def plan_drawing(
    size: tuple[int, int],
    zones: Mapping[str, Point],
    ways: Sequence[PlacedWay],
    width: float,
    label: str = "",
    *,
    name_width: float = 0,
) -> tuple[ZoneDrawing, int]:
    """The drawing, and how much its cards tell: see `PlanShape`.

    `size` is the picture's, `zones` are shares of it. `label`: what stands on each line in the place of its
    number, of which so much room is needed. `name_width`: pixels of a card in which no name is cut;
    0: names are told otherwise, too.

    Its cards are the largest of which none covers another and with names leave room for each label, else the
    largest; discs, some of them beside their spots, where all would cover each other.
    """
    shapes = list(_shapes(size, width, name_width))
    apart = [shape for shape in shapes if _is_apart(shape, zones)] or [_of_discs(size, width)]
    found = [_drawing(shape, zones, ways, label) for shape in apart]
    # No name gives way to a letter for the sake of a number.
    whole = [one for one in found if one[1] and None not in one[0].labels]
    return (whole or found)[0]


def disc_drawing(
    size: tuple[int, int], zones: Mapping[str, Point], ways: Sequence[PlacedWay], width: float, label: str
) -> ZoneDrawing:
    """As `plan_drawing`, with letters alone, which something else has to explain."""
    return _drawing(_of_discs(size, width), zones, ways, label)[0]


def _of_discs(size: tuple[int, int], width: float) -> PlanShape:
    return PlanShape(_picture(size, width), DISC, 0)


def _picture(size: tuple[int, int], width: float) -> Box:
    scale = min((width - 2 * PLAN_MARGIN) / size[0], MOST_HIGH / size[1])
    return Box(PLAN_MARGIN, PLAN_MARGIN, PLAN_MARGIN + size[0] * scale, PLAN_MARGIN + size[1] * scale)


def _shapes(size: tuple[int, int], width: float, name_width: float) -> Iterator[PlanShape]:
    picture = _picture(size, width)
    cards = [PlanShape(picture, own, len(CARDS) - 1 - place) for place, own in enumerate(CARDS)]
    if 0 < name_width <= _WIDEST:
        for shape in cards[: SMALLEST_WITH_NAME + 1]:
            wide, high = shape.cards
            widened = max(wide, name_width), high
            yield shape._replace(cards=widened, detail=shape.detail + NAMES_ARE_WHOLE)
    yield from cards


def _is_apart(shape: PlanShape, zones: Mapping[str, Point]) -> bool:
    """Whether no card covers another."""
    boxes = [_card(shape, spot) for spot in zones.values()]
    return not any(one.meets(other, _APART) for n, one in enumerate(boxes) for other in boxes[:n])


def _drawing(
    shape: PlanShape, zones: Mapping[str, Point], ways: Sequence[PlacedWay], label: str
) -> tuple[ZoneDrawing, int]:
    cards = {zone_id: _card(shape, spot) for zone_id, spot in zones.items()}
    leaders: list[tuple[Point, Point]] = []
    if shape.cards == DISC:
        cards = spread({id_: _middle(box) for id_, box in cards.items()}, DISC[0], shape.picture, _BEYOND)
        ends = (leader(_at(shape.picture, spot), cards[id_]) for id_, spot in zones.items())
        leaders = [one for one in ends if one]
    lines = _lines(shape, cards, zones, ways)
    width = shape.picture.right + PLAN_MARGIN
    height = max([shape.picture.bottom + PLAN_MARGIN, *(box.bottom + _APART for box in cards.values())])
    drawing = ZoneDrawing(
        width,
        height,
        shape.picture,
        cards,
        lines,
        tuple(_labels(lines, list(cards.values()), label, Box(0, 0, width, height))),
        _PITCH,
        tuple(leaders),
    )
    return drawing, shape.detail


def _at(picture: Box, spot: Point) -> Point:
    return (
        picture.left + spot[0] * (picture.right - picture.left),
        picture.top + spot[1] * (picture.bottom - picture.top),
    )


def _card(shape: PlanShape, spot: Point) -> Box:
    """Around its spot, as far as it lies on the drawing."""
    x, y = _at(shape.picture, spot)
    wide, high = shape.cards
    left = _held(x - wide / 2, shape.picture.left, shape.picture.right - wide)
    top = _held(y - high / 2, shape.picture.top, shape.picture.bottom - high)
    return Box(left, top, left + wide, top + high)


def _held(value: float, least: float, most: float) -> float:
    """A card that is larger than the picture stands in its middle."""
    return (least + most) / 2 if most < least else min(max(value, least), most)


def _lines(
    shape: PlanShape, cards: Mapping[str, Box], zones: Mapping[str, Point], ways: Sequence[PlacedWay]
) -> tuple[tuple[Point, ...], ...]:
    spots = {zone_id: _at(shape.picture, spot) for zone_id, spot in zones.items()}
    beside = _beside(ways)
    return tuple(_line(shape, cards, spots, way, aside) for way, aside in zip(ways, beside, strict=True))


def _beside(ways: Sequence[PlacedWay]) -> list[float]:
    """Of each way how far it is moved aside: those without a spot would lie on each other."""
    found = []
    alike: dict[frozenset[str | None], int] = {}
    for way in ways:
        ends = frozenset((way.start, way.end))
        number = alike.get(ends, 0)
        alike[ends] = number + (way.door is None)
        # Above and below the middle, in turn, whichever way each leads.
        turned = 1 if str(way.start) < str(way.end) else -1
        side = (number + 1) // 2 * (-1 if number % 2 else 1)
        found.append(turned * side * _BESIDE if way.door is None else 0.0)
    return found


def _line(
    shape: PlanShape, cards: Mapping[str, Box], spots: Mapping[str, Point], way: PlacedWay, aside: float
) -> tuple[Point, ...]:
    if way.start is None or way.end is None:
        zone = way.end if way.start is None else way.start
        assert zone is not None
        assert way.door is not None
        door = _at(shape.picture, way.door)
        inward = [_outside(shape.picture, door, spots[zone]), door, _middle(cards[zone])]
        points = _entering(inward, cards[zone])
        return points if way.start is None else points[::-1]
    begin, end = _middle(cards[way.start]), _middle(cards[way.end])
    door = _at(shape.picture, way.door) if way.door else _moved(begin, end, aside)
    to_end = _entering([begin, door, end], cards[way.end])
    return _entering(to_end[::-1], cards[way.start])[::-1]


def _outside(picture: Box, door: Point, zone: Point) -> Point:
    """Beyond the door, as seen from the zone, on the drawing."""
    x, y = door[0] - zone[0], door[1] - zone[1]
    length = hypot(x, y)
    step = (0.0, -1.0) if length < 1 else (x / length, y / length)
    steps = (step, *((0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0)))
    ends = [_held_on(picture, (door[0] + _STUB * one[0], door[1] + _STUB * one[1])) for one in steps]
    return next(end for end in ends if hypot(end[0] - door[0], end[1] - door[1]) >= _SHORTEST)


def _held_on(picture: Box, point: Point) -> Point:
    room = PLAN_MARGIN - 4
    return (
        min(max(point[0], picture.left - room), picture.right + room),
        min(max(point[1], picture.top - room), picture.bottom + room),
    )


def _middle(box: Box) -> Point:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def _moved(begin: Point, end: Point, aside: float) -> Point:
    """The middle of two points, so many pixels beside the line between them."""
    x, y = end[0] - begin[0], end[1] - begin[1]
    length = hypot(x, y) or 1.0
    return (begin[0] + end[0]) / 2 - aside * y / length, (begin[1] + end[1]) / 2 + aside * x / length


def _entering(line: Sequence[Point], box: Box) -> tuple[Point, ...]:
    """The line up to where it enters the box for good; as it is, where hardly any of it lies beyond."""
    for position in range(len(line) - 1, 0, -1):
        outer, inner = line[position - 1], line[position]
        if not _holds(box, outer):
            entry = _rim(outer, inner, box)
            found = (*line[:position], entry)
            far = any(hypot(a[0] - b[0], a[1] - b[1]) >= _SHORTEST for a, b in pairwise(found))
            return found if far else tuple(line)
    return tuple(line)


def _holds(box: Box, point: Point) -> bool:
    return box.left <= point[0] <= box.right and box.top <= point[1] <= box.bottom


def _rim(outer: Point, inner: Point, box: Box) -> Point:
    """Where the way from a point without a box to one within it meets its rim."""
    x, y = inner[0] - outer[0], inner[1] - outer[1]
    parts = [
        *((((box.left if x > 0 else box.right) - outer[0]) / x,) if x else ()),
        *((((box.top if y > 0 else box.bottom) - outer[1]) / y,) if y else ()),
    ]
    part = max((one for one in parts if 0 <= one <= 1), default=1.0)
    return outer[0] + part * x, outer[1] + part * y


def _labels(
    lines: Sequence[Sequence[Point]], cards: Sequence[Box], label: str, room: Box
) -> Iterator[Label | None]:
    taken = list(cards)
    for number, line in enumerate(lines, start=1):
        wide = _DIGIT * len(label or str(number)) + 8
        boxes = (Box(x - wide / 2, y - HEIGHT / 2, x + wide / 2, y + HEIGHT / 2) for x, y in _places(line))
        free = (one for one in boxes if _is_within(one, room) and not any(one.meets(b, 2) for b in taken))
        box = next(free, None)
        if box:
            taken.append(box)
        yield Label(box, bool(label)) if box else None


def _is_within(box: Box, room: Box) -> bool:
    return (
        box.left >= room.left
        and box.top >= room.top
        and box.right <= room.right
        and box.bottom <= room.bottom
    )


def _places(line: Sequence[Point]) -> Iterator[Point]:
    """Where a label may stand: at the door first, which is the second point."""
    has_door = len(line) > len(("start", "end"))
    legs = [(line[1], line[2]), (line[1], line[0])] if has_door else [(line[0], line[1])]
    for part in _FROM_DOOR if has_door else _FROM_MIDDLE:
        for (x, y), (other_x, other_y) in legs:
            yield x + part * (other_x - x), y + part * (other_y - y)
