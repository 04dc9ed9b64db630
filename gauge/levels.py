"""How full a place is: the levels, their words, icons and colours, and the thresholds between them.

The scripts beside this file draw the same levels; pages and walls give them these words and colours. The
colours are Okabe and Ito's, which colour-blind people can tell apart, and never stand alone: each level has
its word and its icon (a Material symbol, as Streamlit names them).
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, model_validator

ALL: Final = 100
"""Percent of the capacity."""


class Level(NamedTuple):
    word: str
    icon: str
    colour: str


CLOSED: Final = Level("Closed", ":material/schedule:", "#7A828D")
"""Not how full it is: told in the place of it, by opening hours that are kept."""


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


def words_and_colours() -> dict[str, dict[str, str]]:
    """By the name of the level, as the scripts read them."""
    levels = {level.name.lower(): level.value for level in Occupancy} | {"closed": CLOSED}
    return {name: {"word": level.word, "colour": level.colour} for name, level in levels.items()}


class Thresholds(BaseModel):
    """Where filling and full begin, in percent of the capacity: 1 to 100, filling below full."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    filling: int = 70
    full: int = 90

    @model_validator(mode="after")
    def _are_in_order(self) -> Self:
        if not 1 <= self.filling < self.full <= 100:  # noqa: PLR2004 -- percent
            raise ValueError(
                f"filling begins at {self.filling} % and full at {self.full} %; "
                "filling comes first, and both lie from 1 to 100 %"
            )
        return self


def levels_of(thresholds: Thresholds) -> tuple[int, ...]:
    """Percent of the capacity, ascending: where filling and full begin, and all of it."""
    return tuple(sorted({thresholds.filling, thresholds.full, ALL}))


def people_of(thresholds: Thresholds, capacity: float) -> tuple[float, ...]:
    """The fewest people at each of `levels_of`."""
    return tuple(capacity * percent / ALL for percent in levels_of(thresholds))


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
