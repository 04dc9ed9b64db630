"""Colours of pages and charts. The palette is Okabe and Ito's, which colour-blind people can tell apart."""

from __future__ import annotations

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
