"""Colours, occupancy levels and number formats, the same on every page, chart and screen.

The palette is Okabe and Ito's, which colour-blind people can tell apart. Colour never stands alone: each
level has its word and its icon (a Material symbol, as Streamlit names them).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

ACCENT: Final = "#0072B2"
"""The one accent: links, the selected, the line that is measured."""

ACCENT_ON_DARK: Final = "#56B4E9"
"""The same on a dark surface, where the accent itself is too dim for lines and links."""

BUTTON_ON_DARK: Final = "#1779BA"
"""Between the two, dark enough for the white text of Streamlit's buttons and chips."""


class Palette(NamedTuple):
    """Neutral colours of one theme; each text colour has contrast AA or better on `surface`."""

    surface: str
    raised: str
    """Cards and inputs."""
    text: str
    quiet_text: str
    """Units, ages, captions."""
    line: str
    """Grid lines and borders."""


LIGHT: Final = Palette("#FFFFFF", "#F5F6F8", "#16191D", "#59616B", "#DDE1E6")
DARK: Final = Palette("#111418", "#1B2027", "#F0F2F5", "#A3ACB8", "#333A44")

SERIES: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#666666")
"""Lines of one chart, in order; the first is the accent."""


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
