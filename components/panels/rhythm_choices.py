"""What Rhythm shows: which zone, what of it, and over how many weeks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.rhythm import DAYS_A_WEEK
from analysis.rhythm_answer import Bounds
from components.panels.hours_choice import HOURS, unknown_hours
from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_choice
from components.sentences.rhythm_words import weekday_name
from contract import METRICS, MetricKey

_WEEKS: Final[Mapping[str, str]] = MappingProxyType({
    "4": "Last 4 weeks", "13": "Last 13 weeks", "52": "Last 52 weeks",
})  # fmt: skip
_USUAL_WEEKS: Final = "4"
_WEEKDAYS: Final[Mapping[str, str]] = MappingProxyType({
    weekday_name(day).lower(): weekday_name(day) for day in range(DAYS_A_WEEK)
})  # fmt: skip


def unknown_rhythm() -> None:
    """Say which values of the link mean nothing here."""
    unknown_in_link({
        "metric": set(MetricKey), "weeks": set(_WEEKS), "weekday": set(_WEEKDAYS), "hours": set(HOURS),
    })  # fmt: skip


def metric_choice(container: AbstractContextManager[object]) -> MetricKey:
    with container:
        chosen = url_choice("Show", {str(key): spec.label for key, spec in METRICS.items()}, "metric")
    return MetricKey(chosen or MetricKey.VISITORS_INSIDE)


def weeks_choice(container: AbstractContextManager[object]) -> int:
    """How many weeks before today."""
    with container:
        return int(url_choice("Over", _WEEKS, "weeks", lead=_USUAL_WEEKS) or _USUAL_WEEKS)


def bounds_choice(hours: OpeningHours | None, timezone: ZoneInfo) -> Bounds | None:
    """When the site is open, and whether closed hours are left out; asked where that is known."""
    if hours is None:
        unknown_hours()
        return None
    with st.container(width=280):
        return Bounds(Opening(hours, timezone), url_choice("Hours", HOURS, "hours") == "open")


def weekday_choice(today: int) -> int:
    """0 is Monday. `today` leads, and stands in no link: it is another one tomorrow."""
    options = {"": f"{weekday_name(today)}, as today", **_WEEKDAYS}
    with st.container(width=280):
        chosen = url_choice("A usual", options, "weekday")
    return list(_WEEKDAYS).index(chosen) if chosen else today
