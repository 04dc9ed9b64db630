"""The number inside of the present day within the band that past days leave it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from analysis.inside_band import SureHour
from analysis.time_range import TimeRange
from components.figures.band_traces import bars, today_line
from components.figures.note_marks import note_marks
from components.figures.template import closed_shape, look
from components.number_format import Formats
from components.sentences.sure_words import sure_hour_words

_HEIGHT: Final = 260
_TICKS: Final = 6
_HOUR: Final = timedelta(hours=1)


def sure_chart(
    hours: Sequence[SureHour],
    timezone: ZoneInfo,
    *,
    closed: Sequence[TimeRange] = (),
    notes: Sequence[datetime] = (),
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """At least one hour; a bar from the fewest to the most who may have been inside, the number as a line.

    What is `closed` within these hours is shaded, `notes` within them, ascending, are numbered.
    """
    places = [index + 0.5 for index in range(len(hours))]
    texts = [sure_hour_words(one, timezone, formats) for one in hours]
    lows, highs = [one.low for one in hours], [one.high for one in hours]
    band = bars(places, lows, highs, texts, name="by past days", theme=theme)
    line = today_line(places, [one.inside for one in hours], texts, theme=theme)
    ticks = range(0, len(hours), max(1, -(-len(hours) // _TICKS)))
    first = hours[0].start
    shaded = [closed_shape((one.start - first) / _HOUR, (one.end - first) / _HOUR) for one in closed]
    noted = note_marks([(at - first) / _HOUR for at in notes], theme)
    layout: dict[str, Any] = {
        **look(theme, formats, revision),
        "height": _HEIGHT,
        "hovermode": "closest",
        "showlegend": False,
        "shapes": [*shaded, *noted.shapes],
        "annotations": noted.annotations,
        "xaxis": {
            "range": [0, len(hours)],
            "tickvals": list(ticks),
            "ticktext": [formats.time(hours[tick].start.astimezone(timezone)) for tick in ticks],
            "fixedrange": True,
        },
    }
    return go.Figure({"data": [band, line], "layout": layout})
