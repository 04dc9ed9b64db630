"""The days of a count along the x axis: each as wide as the next, four of them named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from analysis.residue import DayBalance
from components.number_format import Formats
from components.sentences.trust_words import local_day

_TICKS: Final = 4
"""A phone has room for no more."""


def day_axis(days: Sequence[DayBalance], formats: Formats) -> dict[str, Any]:
    """What the x axis of a figure needs; its categories are the ISO dates of `days`."""
    ticks = days[:: max(1, -(-len(days) // _TICKS))]
    return {
        "type": "category",
        "tickvals": [one.date.isoformat() for one in ticks],
        "ticktext": [formats.day(local_day(one)) for one in ticks],
        "tickangle": 0,
        "fixedrange": True,
        "showline": False,
    }
