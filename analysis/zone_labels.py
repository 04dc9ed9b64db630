"""Where the names of the ways stand in a zone graph: on their own line, where no other line or word is.

A name that finds no room gives way to a number, which a list explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple
from unicodedata import east_asian_width

Point = tuple[float, float]
"""x and y in pixels; y grows downwards."""

HEIGHT: Final = 16.0
_CLEAR: Final = 4.0
"""Pixels between a word and what is not its own line."""
_FROM_END: Final = 10.0
"""Pixels that a word keeps from the ends of its line, where arrowheads are."""
_STEP: Final = 6.0
_LETTER: Final = 7.0
_WIDE_LETTER: Final = 12.5
_LONGEST: Final = 200.0
"""Pixels of a name on its line; no name is cut, since a phone has no way to show the rest."""
_DIGIT: Final = 8.0
_BESIDE_NAME: Final = 20.0
"""Pixels of a card beside its name."""
_NAME_TO_WORDS: Final = 11 / 7
"""Width of a letter of a name on a wall, in that of words on lines, of a wide font."""


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box, apart: float = 0.0) -> bool:
        """Whether less than `apart` lies between the two."""
        return (
            self.left < other.right + apart
            and other.left < self.right + apart
            and self.top < other.bottom + apart
            and other.top < self.bottom + apart
        )


class Label(NamedTuple):
    box: Box
    is_name: bool
    """Else the number of the way stands in it."""


class Strip(NamedTuple):
    """A channel: where words may stand."""

    top: float
    bottom: float


def labels(
    lines: Sequence[Sequence[Point]],
    names: Sequence[str],
    strips: Sequence[Strip],
    outline: Box,
    numbers: Sequence[int],
) -> tuple[Label | None, ...]:
    """First each line gets its number, so that no name takes the last room; then names where they fit.

    `numbers` are those of the lines, from 0, as one more of each is shown. An empty name is none.
    """
    ground = _Ground(lines, strips, outline)
    for way, number in enumerate(numbers):
        ground.place(way, _number_width(number + 1), is_name=False)
    for way, name in enumerate(names):
        if name and (width := text_width(name)) <= _LONGEST:
            ground.place(way, width, is_name=True)
    return tuple(ground.placed.get(way) for way in range(len(lines)))


class _Ground:
    """The lines of a drawing and the words that stand among them."""

    def __init__(self, lines: Sequence[Sequence[Point]], strips: Sequence[Strip], outline: Box) -> None:
        self._lines = lines
        self._strips = strips
        self._outline = outline
        self._pieces = [
            [(way, _piece(*two)) for way, line in enumerate(lines) for two in pairwise(line)
             if min(two[0][1], two[1][1]) < strip.bottom and max(two[0][1], two[1][1]) > strip.top]
            for strip in strips
        ]  # fmt: skip
        self.placed: dict[int, Label] = {}

    def place(self, way: int, width: float, *, is_name: bool) -> None:
        """At the first of its positions that is free; where none is, it keeps what it has."""
        for strip, (x, y) in self._places(way, width):
            box = Box(x - width / 2, y - HEIGHT / 2, x + width / 2, y + HEIGHT / 2)
            if self._is_free(way, strip, box):
                self.placed[way] = Label(box, is_name)
                return

    def _places(self, way: int, width: float) -> Iterator[tuple[int, Point]]:
        """Along its line, the middle of each piece first; runs across before those that lead down.

        A word covers no corner of its line: one would not see how it goes on.
        """
        pieces = sorted(pairwise(self._lines[way]), key=lambda two: (two[0][1] != two[1][1], -_length(*two)))
        for start, end in pieces:
            length = _length(start, end)
            room = length - 2 * _CLEAR - (width if start[1] == end[1] else HEIGHT)
            for part in _outwards(length, room):
                x, y = start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
                for number, strip in enumerate(self._strips):
                    if strip.top < y < strip.bottom:
                        yield number, (x, y)

    def _is_free(self, way: int, number: int, box: Box) -> bool:
        strip, outline = self._strips[number], self._outline
        inside = outline.left + _CLEAR < box.left and box.right < outline.right - _CLEAR
        if not (inside and strip.top + _CLEAR < box.top and box.bottom < strip.bottom - _CLEAR):
            return False
        if any(box.meets(Box(x, y, x, y), _FROM_END) for x, y in (self._lines[way][0], self._lines[way][-1])):
            return False
        if any(other != way and box.meets(piece, _CLEAR) for other, piece in self._pieces[number]):
            return False
        return not any(other != way and box.meets(label.box, _CLEAR) for other, label in self.placed.items())


def _piece(start: Point, end: Point) -> Box:
    (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return Box(left, top, right, bottom)


def _length(start: Point, end: Point) -> float:
    return abs(end[0] - start[0]) + abs(end[1] - start[1])


def _outwards(length: float, room: float) -> Iterator[float]:
    """Parts of a length from its middle to both ends, at most `room` pixels from one to the other."""
    if room < 0:
        return
    yield 0.5
    for step in range(1, int(room / 2 / _STEP) + 1):
        yield 0.5 + step * _STEP / length
        yield 0.5 - step * _STEP / length


def text_width(text: str) -> float:
    """A careful guess, with room at both sides; the browser cuts what is longer after all."""
    return 12 + sum(_WIDE_LETTER if east_asian_width(one) in "WF" else _LETTER for one in text)


def name_room(name: str) -> float:
    """Pixels of a card in which a name is whole as a wall writes it: larger, and in a wide font."""
    return _BESIDE_NAME + _NAME_TO_WORDS * (text_width(name) - text_width(""))


def _number_width(number: int) -> float:
    return 8 + _DIGIT * len(str(number))
