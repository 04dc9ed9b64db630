"""How plotly writes the dates of an axis, by itself and anew with each zoom: as the page does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from typing import Any, Final

from babel.dates import format_time, get_day_names, get_month_names

from components.number_format import Formats

_NAME: Final = "viewer"
_SUNDAY_FIRST: Final = (6, 0, 1, 2, 3, 4, 5)
_PARTS: Final[Mapping[str, str]] = {
    "HH": "%H",
    "h": "%-I",
    "hh": "%I",
    "K": "%-I",
    "mm": "%M",
    "a": "%p",
    "y": "%Y",
    "yyyy": "%Y",
    "d": "%-d",
    "dd": "%d",
    "M": "%-m",
    "MM": "%m",
    "L": "%-m",
    "LL": "%m",
    "MMM": "%b",
    "LLL": "%b",
    "MMMM": "%B",
    "LLLL": "%B",
    "E": "%a",
    "EEE": "%a",
    "ccc": "%a",
}
"""Of a pattern of the Common Locale Data -> of d3."""
_PART: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*")


def d3_pattern(pattern: str) -> str:
    """`%-I:%M %p`, of `h:mm a`; a part that d3 does not know is left out."""

    def part(found: re.Match[str]) -> str:
        quoted = found[1]
        return _PARTS.get(found[0], "") if quoted is None else quoted.replace("''", "'") or "'"

    return _PART.sub(part, pattern)


def tick_formats(formats: Formats) -> dict[str, Any]:
    """Of a date axis: clock and day below it, day and year below it, month and year below it."""
    clock, day = d3_pattern(formats.clock_pattern), d3_pattern(formats.day_pattern)
    return {
        "tickformatstops": [
            {"dtickrange": [None, 86_400_000 - 1], "value": f"{clock}\n{day}"},
            {"dtickrange": [86_400_000, "M1"], "value": f"{day}\n%Y"},
            {"dtickrange": ["M1", None], "value": "%b\n%Y"},
        ]
    }


def locale_config(formats: Formats) -> dict[str, Any]:
    """What plotly is configured with, so that it knows the names of days and months."""
    locale = formats.words
    days, short_days = (get_day_names(width, locale=locale) for width in ("wide", "abbreviated"))
    months, short_months = (get_month_names(width, locale=locale) for width in ("wide", "abbreviated"))
    return {
        "locale": _NAME,
        "locales": {
            _NAME: {
                "format": {
                    "days": [days[index] for index in _SUNDAY_FIRST],
                    "shortDays": [short_days[index] for index in _SUNDAY_FIRST],
                    "months": [months[index] for index in range(1, 13)],
                    "shortMonths": [short_months[index] for index in range(1, 13)],
                    "periods": [format_time(hour, "a", locale=locale) for hour in (time(9), time(21))],
                }
            }
        },
    }
