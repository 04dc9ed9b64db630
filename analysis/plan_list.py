"""Cards beside a floor plan on which letters stand for zones: a wall has no table that would explain them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from analysis.zone_drawing import ZoneDrawing
from analysis.zone_labels import Box

_HEIGHT: Final = 62.0
_LEAST: Final = 138.0
_GAP: Final = 8.0
_MARGIN: Final = 10.0
_LETTER: Final = 34.0
"""Pixels before a name, for the letter."""


class Side(Enum):
    """Of the plan, where its list is: for an upright screen, and for a wide one."""

    BELOW = auto()
    RIGHT = auto()


def with_list(drawing: ZoneDrawing, name_width: float, side: Side) -> ZoneDrawing:
    """With a card for each of its zones; `name_width`: of a card that cuts no name, without its letter."""
    least = max(_LEAST, name_width + _LETTER)
    ids = list(drawing.cards)
    if side is Side.RIGHT:
        columns = -(-_length(len(ids), _HEIGHT) // drawing.height)
        rows = -(-len(ids) // int(columns))
        boxes = list(_boxes(len(ids), rows, least, drawing.width, _MARGIN))
        width, height = max(box.right for box in boxes) + _MARGIN, max(box.bottom for box in boxes) + _MARGIN
        listed = dict(zip(ids, boxes, strict=True))
        return drawing._replace(listed=listed, width=width, height=max(drawing.height, height))
    room = drawing.width - 2 * _MARGIN
    most = max(1, min(len(ids), int((room + _GAP) / (min(room, least) + _GAP))))
    rows = -(-len(ids) // most)
    columns = -(-len(ids) // rows)
    wide = (room - (columns - 1) * _GAP) / columns
    boxes = list(_boxes(len(ids), rows, wide, _MARGIN, drawing.height))
    height = max(box.bottom for box in boxes) + _MARGIN
    return drawing._replace(listed=dict(zip(ids, boxes, strict=True)), height=height)


def _length(count: int, size: float) -> float:
    return count * (size + _GAP) - _GAP + 2 * _MARGIN


def _boxes(count: int, rows: int, wide: float, left: float, top: float) -> Iterator[Box]:
    """In columns of so many rows, from the left upper corner."""
    for place in range(count):
        x, y = left + place // rows * (wide + _GAP), top + place % rows * (_HEIGHT + _GAP)
        yield Box(x, y, x + wide, y + _HEIGHT)
