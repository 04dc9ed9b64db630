"""Bays: where zones stand that are reached from one other zone alone, as shops of a mall are: beside it.

So their lines are short and level, cross none, and leave the channels to those that lead further.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from analysis.zone_labels import HEIGHT, Box, Label, Point, text_width
from analysis.zone_layout import Way

LEAF_HEIGHT: Final = 46.0
_GAP: Final = 10.0
_APART: Final = 20.0
"""Pixels between two ways of one zone."""
_BESIDE_WORDS: Final = 26.0
"""Pixels of a line that no word covers, arrowheads included."""


class BayShape(NamedTuple):
    sides: int
    """Of a zone on which bays may be: 1 (the right one) or 2."""
    reach: float
    """Pixels from a zone to those beside it."""
    leaf: float
    """Width of a card in a bay, in pixels."""


@dataclass(frozen=True, slots=True)
class Bays:
    """The bays of all zones that have any, in one shape."""

    shape: BayShape
    left: Mapping[str, tuple[str, ...]]
    right: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, leaves: Mapping[str, str], shape: BayShape) -> Bays:
        by_hub: defaultdict[str, list[str]] = defaultdict(list)
        for leaf, hub in leaves.items():
            by_hub[hub].append(leaf)
        left, right = {}, {}
        for hub, own in by_hub.items():
            first = -(-len(own) // 2) if shape.sides == 2 else len(own)  # noqa: PLR2004 -- both sides
            right[hub], left[hub] = tuple(own[:first]), tuple(own[first:])
        return cls(shape, left, right)

    def beside(self) -> dict[str, tuple[float, float]]:
        """Pixels that a zone needs on its left and its right."""
        room = self.shape.reach + self.shape.leaf
        return {hub: (room if self.left[hub] else 0.0, room) for hub in self.right}

    def heights(self, least: float) -> dict[str, float]:
        """Of the cards that have bays."""
        return {hub: max(least, len(own) * (LEAF_HEIGHT + _GAP) - _GAP) for hub, own in self.right.items()}

    def cards(self, hub: str, box: Box) -> dict[str, Box]:
        found = {}
        for is_left, own in ((True, self.left[hub]), (False, self.right[hub])):
            start = box.left - self.shape.reach - self.shape.leaf if is_left else box.right + self.shape.reach
            for place, leaf in enumerate(own):
                top = box.top + place * (LEAF_HEIGHT + _GAP)
                found[leaf] = Box(start, top, start + self.shape.leaf, top + LEAF_HEIGHT)
        return found


def bay_lines(
    ways: Mapping[int, Way], leaves: Mapping[str, str], cards: Mapping[str, Box]
) -> dict[int, tuple[Point, ...]]:
    """Level lines, by way; two of one zone are apart."""
    by_leaf: defaultdict[str, list[int]] = defaultdict(list)
    for number, way in ways.items():
        by_leaf[_leaf(way, leaves)].append(number)
    lines: dict[int, tuple[Point, ...]] = {}
    for leaf, numbers in by_leaf.items():
        box, hub = cards[leaf], cards[leaves[leaf]]
        for place, number in enumerate(numbers):
            y = (box.top + box.bottom) / 2 + _APART * (place - (len(numbers) - 1) / 2)
            ends = (
                ((hub.right, y), (box.left, y)) if box.left > hub.right else ((hub.left, y), (box.right, y))
            )
            lines[number] = ends if ways[number].end == leaf else ends[::-1]
    return lines


def bay_label(line: Sequence[Point], number: int, name: str) -> Label:
    """In the middle of its line: the name where it fits, the number else."""
    (first, y), (last, _) = line
    room = abs(last - first) - _BESIDE_WORDS
    width = text_width(name)
    is_name = bool(name) and width <= room
    half = (width if is_name else text_width(str(number + 1)) - 4) / 2
    middle = (first + last) / 2
    return Label(Box(middle - half, y - HEIGHT / 2, middle + half, y + HEIGHT / 2), is_name)


def _leaf(way: Way, leaves: Mapping[str, str]) -> str:
    return str(way.start if way.start in leaves else way.end)
