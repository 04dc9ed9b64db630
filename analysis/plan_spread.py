"""Where discs stand on a floor plan whose spots are too near each other: none on another."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, hypot
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.zone_labels import Box, Point

MOST_SPREAD: Final = 200
"""Discs; so many zones are live on a page, and of more, nobody finds one."""
GAP: Final = 4.0
"""Pixels between two discs."""
_STEPS: Final = 4
"""Places at which a disc may stand, to each that is free of the one before."""
_SPARE_ROWS: Final = 4
"""Of discs that leave gaps between them, to each row that they would fill."""


def spread(spots: Mapping[str, Point], side: float, picture: Box, margin: float) -> dict[str, Box]:
    """A square of `side` pixels by id: around its spot where that is free, else as near to it as can be.

    They stand on the picture, as far as `margin` beyond it, or below: where they are too many, in rows. Of
    more than MOST_SPREAD all stand around their spots.
    """
    if len(spots) > MOST_SPREAD:
        return {id_: _around(spot, side) for id_, spot in spots.items()}
    found: dict[str, Point] = {}
    for id_, spot in spots.items():
        if all(_is_apart(spot, other, side) for other in found.values()):
            found[id_] = spot
    left = [id_ for id_ in spots if id_ not in found]
    places = _places(len(left), side, picture, margin)
    for spot in found.values():
        places = _without(places, spot, side)
    for id_ in left:
        x, y = spots[id_]
        nearest = places[np.argmin(np.hypot(places[:, 0] - x, places[:, 1] - y))]
        found[id_] = (float(nearest[0]), float(nearest[1]))
        places = _without(places, found[id_], side)
    return {id_: _around(found[id_], side) for id_ in spots}


def leader(spot: Point, disc: Box) -> tuple[Point, Point] | None:
    """From the rim of a disc to the spot that it stands for; None: that lies within."""
    middle = (disc.left + disc.right) / 2, (disc.top + disc.bottom) / 2
    x, y = spot[0] - middle[0], spot[1] - middle[1]
    radius, length = (disc.right - disc.left) / 2, hypot(x, y)
    if length <= radius or disc.meets(Box(*spot, *spot)):
        return None
    return (middle[0] + x * radius / length, middle[1] + y * radius / length), spot


def _places(count: int, side: float, picture: Box, margin: float) -> npt.NDArray[np.float64]:
    """Middles, [n, 2]: where so many discs may stand, with rows below the picture for all of them."""
    cell = side + GAP
    across = max(1, int((picture.right - picture.left + 2 * margin) / cell))
    below = (_SPARE_ROWS * ceil(count / across) + 1) * cell
    xs = _steps(picture.left - margin + side / 2, picture.right + margin - side / 2, cell)
    ys = _steps(picture.top - margin + side / 2, picture.bottom + margin + below, cell)
    return np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)


def _steps(first: float, last: float, cell: float) -> npt.NDArray[np.float64]:
    return np.arange(first, max(first, last) + 0.01, cell / _STEPS)


def _without(places: npt.NDArray[np.float64], taken: Point, side: float) -> npt.NDArray[np.float64]:
    far = np.abs(places - np.array(taken)).max(axis=1) >= side + GAP - 0.001
    kept: npt.NDArray[np.float64] = places[far]
    return kept


def _is_apart(one: Point, other: Point, side: float) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= side + GAP


def _around(spot: Point, side: float) -> Box:
    return Box(spot[0] - side / 2, spot[1] - side / 2, spot[0] + side / 2, spot[1] + side / 2)
