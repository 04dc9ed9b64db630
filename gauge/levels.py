"""How full a place is: the levels, their words, icons and colours, and the thresholds between them.

The scripts beside this file draw the same levels; pages and walls give them these words and colours. The
colours are Okabe and Ito's, which colour-blind people can tell apart, and never stand alone: each level has
its word and its icon (a Material symbol, as Streamlit names them).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Level(NamedTuple):
    word: str
    icon: str
    colour: str


class Occupancy(Enum):
    """How full a place is, against its two thresholds."""

    FREE = Level("Free", ":material/check_circle:", "#009E73")
    """Below the first threshold."""
    FILLING = Level("Filling", ":material/error:", "#E69F00")
    """At or above the first threshold."""
    FULL = Level("Full", ":material/block:", "#D55E00")
    """At or above the second threshold."""
    UNKNOWN = Level("Unknown", ":material/help:", "#7A828D")
    """No value, no capacity, or a value too old to stand by."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where filling and full begin, in percent of the capacity."""

    filling: int = 70
    full: int = 90

    def __post_init__(self) -> None:
        if not 0 < self.filling < self.full:
            raise ValueError(f"filling ({self.filling} %) must lie above 0 and below full ({self.full} %)")


def share_of(inside: float | None, capacity: float | None) -> float | None:
    """Percent of the capacity; None where either is unknown or the capacity is 0."""
    if inside is None or not capacity or capacity < 0:
        return None
    return 100 * inside / capacity


def occupancy(share: float | None, thresholds: Thresholds) -> Occupancy:
    if share is None:
        return Occupancy.UNKNOWN
    if share >= thresholds.full:
        return Occupancy.FULL
    return Occupancy.FILLING if share >= thresholds.filling else Occupancy.FREE
