"""Today so far as a line, the hours to come as bars from the low to the high end of what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from analysis.ahead_answer import Ahead
from analysis.time_range import TimeRange
from components.figures.band_traces import bars, marks, today_line
from components.figures.note_marks import note_marks
from components.figures.template import closed_shape, look, palette_of
from components.number_format import Formats
from components.sentences.ahead_words import band_words, staff_of, told
from contract import MetricKey

_HEIGHT: Final = 330
_TICK_HOURS: Final = 3
_EACH_HOUR: Final = 7
"""Hours of an axis of which each has its tick: of three, one alone may be in sight, beside nothing."""
_HOUR: Final = timedelta(hours=1)
_HEADROOM: Final = 1.12
_NEAR: Final = 1.5
"""A limit so many times above all else would press the day to the ground: it is not drawn."""
_MOST_STAFF: Final = 1000
"""A number above it does not fit above its bar; the table has it."""


def ahead_chart(
    found: Ahead,
    metric: MetricKey,
    limits: Mapping[str, float],
    ratio: int | None,
    *,
    closed: Sequence[TimeRange] = (),
    notes: Sequence[datetime] = (),
    timezone: ZoneInfo,
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """`limits` are lines across it: name -> people. `ratio` is people for each member of staff. What is
    `closed` of the day is shaded; `notes` of it, ascending, are numbered.

    The x axis is hours elapsed since local midnight, so that an hour that comes twice is there twice.
    """
    midnight = (found.so_far[0] if found.so_far else found.to_come[0]).start
    whole = [*(one.start for one in found.so_far), *(one.start for one in found.to_come)]

    def place(start: datetime) -> float:
        return (start - midnight) / _HOUR

    known = [(start, band) for start, band in found.known if band.high]
    places = [place(start) + 0.5 for start, _ in known]
    low, median, high = ([band[end] for _, band in known] for end in range(3))
    words = [band_words(start, band, metric, timezone, formats) for start, band in known]
    usual = bars(places, low, high, words, name="eight days of ten", theme=theme)
    middle = marks(places, median, name="expected", theme=theme)
    today = today_line(
        [place(one.start) + 0.5 for one in found.so_far],
        [one.value for one in found.so_far],
        [
            "" if one.value is None else told(one.start, one.value, metric, timezone, formats)
            for one in found.so_far
        ],
        theme=theme,
    )
    seen = [one.value for one in found.so_far if one.value is not None] + [band.high for _, band in known]
    top = max([*seen, 1.0])
    near = {name: people for name, people in limits.items() if people <= _NEAR * top}
    noted = note_marks([place(at) for at in notes], theme)
    extent = _extent(found, place, place(whole[-1] + _HOUR))
    every = 1 if extent[1] - extent[0] <= _EACH_HOUR else _TICK_HOURS
    ticks = [start for start in whole if start.astimezone(timezone).hour % every == 0]
    layout = {
        **look(theme, formats, revision),
        "height": _HEIGHT,
        "hovermode": "closest",
        "showlegend": True,
        "xaxis": {
            "range": extent,
            "tickvals": [place(start) for start in ticks],
            "ticktext": [formats.time(start.astimezone(timezone)) for start in ticks],
            "fixedrange": True,
        },
        "yaxis": {"range": [0, max([top, *near.values()]) * _HEADROOM]},
        "shapes": [
            *(closed_shape(place(one.start), place(one.end)) for one in closed),
            *({
                "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": people, "y1": people,
                "line": {"color": palette_of(theme).quiet_text, "width": 1, "dash": "dot"},
            }
            for people in near.values()),
            *noted.shapes,
        ],
        "annotations": [
            *(
                {"text": name, "xref": "paper", "x": 0, "xanchor": "left", "y": people, "yanchor": "bottom"}
                for name, people in near.items()
            ),
            *_staff(found, ratio, place, formats),
            *noted.annotations,
        ],
    }  # fmt: skip
    return go.Figure({"data": [usual, middle, *([today] if found.so_far else [])], "layout": layout})


def _extent(found: Ahead, place: Callable[[datetime], float], end: float) -> list[float]:
    """From an hour before the first in which anybody is counted or expected to one after the last."""
    busy = [place(one.start) for one in found.so_far if one.value]
    busy += [place(start) for start, band in found.known if band.high]
    return [max(0.0, min(busy) - 1), min(end, max(busy) + 2)] if busy else [0.0, end]


def _staff(
    found: Ahead, ratio: int | None, place: Callable[[datetime], float], formats: Formats
) -> list[dict[str, Any]]:
    """How many are needed for what is expected, above each bar."""
    if not ratio:
        return []
    needed = [(start, band, staff_of(band.median, ratio)) for start, band in found.known if band.high]
    return [
        {
            "text": formats.number(staff), "x": place(start) + 0.5, "y": band.high, "yanchor": "bottom",
            "font": {"size": 11},
        }
        for start, band, staff in needed if staff <= _MOST_STAFF
    ]  # fmt: skip
