"""The pages of the dashboard, in the order of the navigation: one row for each, for all that name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Page:
    name: str
    """Of its file in `pages/`."""
    icon: str
    """Of Material Symbols."""
    elements: tuple[str, ...] = ("BidiComponent", "Selectbox")
    """Those of Streamlit's that it shows to everybody; a browser asks for their scripts at once."""
    is_default: bool = False
    """Opens at the address of the dashboard itself."""
    tells_past: bool = False
    """What it shows is over for the most part, and remembered."""
    section: str = ""
    """Under which heading it stands; without one it stands by itself."""

    @property
    def title(self) -> str:
        return self.name.capitalize()

    @property
    def address(self) -> str:
        """Below the address of the dashboard; empty for the default page."""
        return "" if self.is_default else self.name


ADMINISTRATION: Final = "Administration"
PAGES: Final = (
    Page("overview", "grid_view", is_default=True),
    Page("live", "speed"),
    Page("site", "account_tree"),
    Page("history", "show_chart", ("BidiComponent", "Selectbox", "PlotlyChart"), tells_past=True),
    Page("replay", "replay", ("BidiComponent", "Selectbox", "DateInput"), tells_past=True),
    Page("rhythm", "calendar_view_week", ("BidiComponent", "Selectbox", "PlotlyChart"), tells_past=True),
    Page("compare", "leaderboard", ("BidiComponent", "Selectbox", "PlotlyChart"), tells_past=True),
    Page("ahead", "update", ("BidiComponent", "Selectbox", "NumberInput", "PlotlyChart"), tells_past=True),
    Page("trust", "fact_check", ("BidiComponent", "Selectbox", "PlotlyChart"), tells_past=True),
    Page("doors", "door_front", tells_past=True),
    Page("screens", "tv"),
    Page("connection", "cable", ("BidiComponent",)),
    Page("setup", "construction", ("BidiComponent", "TextInput"), section=ADMINISTRATION),
    Page("counters", "sensors", section=ADMINISTRATION),
    Page("keys", "key", ("BidiComponent", "TextInput", "DateInput"), section=ADMINISTRATION),
    Page("audit", "history_edu", ("BidiComponent", "Selectbox", "TextInput"), section=ADMINISTRATION),
)


TELL_PAST: Final = frozenset(page.address for page in PAGES if page.tells_past)
"""Addresses."""


def by_section() -> dict[str, list[Page]]:
    """The pages by their heading, in the order of the navigation; first those that stand by themselves."""
    sections = dict.fromkeys(page.section for page in PAGES)
    return {section: [page for page in PAGES if page.section == section] for section in sections}
