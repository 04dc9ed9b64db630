"""Whether all hours count, or open ones alone; and what is said where that cannot be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.history_request import HistoryRequest
from analysis.open_only import cuts, since_when
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.time_range import TimeRange
from components.panels.unknown_in_link import asked_in_link
from components.panels.url_choice import url_pills
from components.panels.viewer import site_zone
from components.plain_text import plain
from contract import CROSSINGS, MetricKey, Site

_MOST_ASKED: Final = 1_000
"""Stretches of open time of all places together, each with queries of its own."""
_MOST_OF_A_CHART: Final = 1_600
"""Queries of a chart and what is said of it, of stretches that open or close within an hour."""
_FEWEST_CUTS: Final = 120
"""So many such stretches are told of whatever is shown: a quarter of a year of one a day."""
_OF_PEOPLE_INSIDE: Final = 6
"""Queries for each: averages, sums, the fewest, the most, the time inside, and how much is counted."""
_OF_CROSSINGS: Final = 3
_ALL: Final = "all"
_OPEN: Final = "open"
HOURS: Final[Mapping[str, str]] = MappingProxyType({_ALL: "All hours", _OPEN: "Open hours"})
"""Values of `hours` in a link."""


def unknown_hours() -> None:
    """Say so where the link asks for open hours of a site of which none are kept."""
    if asked_in_link("hours") == [_OPEN]:
        text = "The link asks for open hours alone, but when this site is open is not known here."
        st.warning(f"{text} You see all hours.", icon=":material/link_off:")


def opening_choice(site: Site, hours: OpeningHours | None) -> Opening | None:
    """What bounds all numbers; None: nothing does. Without `hours` it says where they are said."""
    if hours is None:
        st.pills("Hours", ["Open hours only"], disabled=True, key="open-hours-unknown")
        st.page_link(
            "pages/site.py", label="Say on Site when it is open", icon=":material/schedule:",
            query_params={"site": site.id},
        )  # fmt: skip
        return None
    chosen = url_pills("Hours", {_OPEN: "Open hours only"}, "hours", nothing=_ALL)
    return Opening(hours, site_zone(site)) if chosen == _OPEN else None


class Shown(NamedTuple):
    """What a chart shows, on which it depends how much is asked for it."""

    metrics: Collection[MetricKey]
    places: int = 1
    is_compared: bool = False

    @property
    def most_cuts(self) -> int:
        """Of how many stretches that open or close within an hour open hours are told."""
        are_crossings = all(metric in CROSSINGS for metric in self.metrics)
        each = (_OF_CROSSINGS if are_crossings else _OF_PEOPLE_INSIDE) * (2 if self.is_compared else 1)
        return max(_FEWEST_CUTS, _MOST_OF_A_CHART // (each * max(1, self.places)))


def possible_opening(
    opening: Opening | None, range_: TimeRange, timezone: ZoneInfo, shown: Shown
) -> Opening | None:
    """None, too, where it opens within the hour so often that nobody would wait for it; that is said."""
    most = shown.most_cuts
    if opening is None or (found := cuts(opening, range_, timezone)) <= most:
        return opening
    text = f"In this range, this site opens or closes within an hour {found} times, each asked for by itself."
    instead = f"a range of up to {_length(range_.end - since_when(opening, range_, timezone, most))}"
    if cuts(opening, range_, opening.timezone) <= most:
        instead += f", or the site's time zone, {opening.timezone.key}"
    elif found <= (less := Shown(CROSSINGS)).most_cuts and most < less.most_cuts:
        instead += ", or entrances and exits of one place alone, with no other period"
    st.info(plain(f"{text} Here open hours are told of up to {most}: choose {instead}. You see all hours."))
    return None


def _length(span: timedelta) -> str:
    """`17 weeks`, `12 days`: as many as it has, whole."""
    weeks = span // timedelta(weeks=1)
    return f"{weeks} weeks" if weeks > 1 else f"{span // timedelta(days=1)} days"


def untold_opening() -> None:
    """Days in the place of hours, hours of another zone, or an hour of each day alone: they look alike."""
    st.info(
        "The counts of this range lie whole days apart, or begin beside the hours of the local clock, so open"
        " hours cannot be told from closed ones. You see all hours."
    )


def is_told_of_open_hours(request: HistoryRequest, places: int) -> bool:
    """In a part of a page that asks about so many places: False where it would ask too often for open hours.

    Either is said, where the request is of these.
    """
    if request.opening is None:
        return True
    found = cuts(request.opening, request.range, request.timezone)
    if found * places > _MOST_ASKED:
        text = f"It opens or closes within an hour {found} times in this range: too often to ask of {places}"
        st.caption(plain(f"{text} places in open hours alone. Choose a shorter range, or all hours."))
        return False
    st.caption("Open hours only.")
    return True


def in_title(request: HistoryRequest) -> str:
    """What the title of a picture adds where the request is of open hours; empty: it is of all."""
    return ", open hours only" if request.opening else ""
