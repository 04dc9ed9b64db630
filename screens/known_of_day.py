"""What a dashboard keeps of a day of a site reaches curves by a function that it hands over."""

from __future__ import annotations

from collections.abc import Callable

from analysis.known_of_day import KnownOfDay
from screens.day_curve import Day

ReadKnown = Callable[[Day], KnownOfDay]
"""Raises nothing: a curve is drawn without what cannot be read."""


def nothing_known(_day: Day) -> KnownOfDay:
    """Of a dashboard that keeps nothing of sites."""
    return KnownOfDay()
