"""A day by the hour upon what is usual for its weekday: a bar from its low to its high end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from analysis.bands import Band
from analysis.rhythm import HOURS_A_DAY
from analysis.rhythm_answer import HourOfDay
from components.figures.band_traces import bars, marks, today_line
from components.figures.note_marks import note_marks
from components.figures.template import closed_shape, look
from components.number_format import Formats
from components.sentences.rhythm_words import amount, band_text, hour_name, hours_text, in_units
from contract import METRICS, MetricKey

_HEIGHT: Final = 290
_TICK_HOURS: Final = 3


def day_band(
    bands: Mapping[int, Band],
    day: Sequence[HourOfDay],
    metric: MetricKey,
    *,
    closed: Collection[int] = (),
    notes: Sequence[float] = (),
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """`bands` by hour of the local clock; `day` is drawn upon them, and empty where it is another weekday.

    An hour without enough days has no bar, one of the day without counts no point; `closed` hours are shaded.
    `notes` are local hours since midnight, ascending, and numbered.
    """
    hours = sorted(bands)
    places = [hour + 0.5 for hour in hours]
    low, median, high = ([in_units(bands[hour][end], metric) for hour in hours] for end in range(3))
    told = [usual_text(hour, bands[hour], metric, formats) for hour in hours]
    usual = bars(places, low, high, told, name="usual", theme=theme)
    middle = marks(places, median, name="median", theme=theme)
    today = today_line(
        [one.hour + 0.5 for one in day],
        [None if one.value is None else in_units(one.value, metric) for one in day],
        [_told(one, metric, formats) for one in day],
        theme=theme,
    )
    noted = note_marks(notes, theme)
    ticks = list(range(0, HOURS_A_DAY + 1, _TICK_HOURS))
    layout = {
        **look(theme, formats, revision),
        "height": _HEIGHT,
        "hovermode": "closest",
        "showlegend": True,
        "shapes": [*(closed_shape(hour, hour + 1) for hour in sorted(closed)), *noted.shapes],
        "annotations": noted.annotations,
        "xaxis": {
            "range": [0, HOURS_A_DAY],
            "tickvals": ticks,
            "ticktext": [hour_name(tick % HOURS_A_DAY, formats) for tick in ticks],
            "tickangle": 0,
            "fixedrange": True,
        },
    }  # fmt: skip
    return go.Figure(
        {
            "data": [usual, middle, *([today] if any(one.value is not None for one in day) else [])],
            "layout": layout,
        }
    )


def _told(one: HourOfDay, metric: MetricKey, formats: Formats) -> str:
    if one.value is None:
        return ""
    hours = hours_text(one.hour, one.hour + 1, formats)
    return f"Today {hours}: {amount(one.value, metric, formats)} {METRICS[metric].counted}"


def usual_text(hour: int, band: Band, metric: MetricKey, formats: Formats) -> str:
    """`09:00 to 10:00: median 31 came in, between 24 and 40 on eight days of ten (13 days)`."""
    said = band_text(band, metric, formats)
    return f"{hours_text(hour, hour + 1, formats)}: {said}"
