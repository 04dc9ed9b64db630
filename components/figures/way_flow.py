"""The ways through the zones as a Sankey diagram: passages are bands as wide as people crossed them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from analysis.names import one_line
from analysis.zone_ways import Direction, Stream
from components.figures.template import look, palette_of, plotly_text, series_colours
from components.number_format import Formats
from components.sentences.door_words import stream_words, zone_name

_ROW: Final = 44
_AROUND: Final = 60
_LEAST_HEIGHT: Final = 240
_LONGEST: Final = 18
"""Letters of a zone beside its bar."""
_TRANSLUCENT: Final = "59"
"""The opacity of a band, 35 %, as it is written behind a colour."""


def way_flow(
    streams: Sequence[Stream],
    names: Mapping[str, str],
    direction: Direction,
    *,
    theme: str | None,
    formats: Formats,
    revision: str,
) -> go.Figure:
    """`streams` have at least one; `names` are those of the zones by id."""
    palette, accent = palette_of(theme), series_colours(theme)[0]
    zones = list(dict.fromkeys(end for one in streams for end in (one.start, one.end)))
    place = {zone: index for index, zone in enumerate(zones)}
    through: dict[str | None, float] = defaultdict(float)
    for side in ("start", "end"):
        sums: dict[str | None, float] = defaultdict(float)
        for one in streams:
            sums[getattr(one, side)] += one.people
        for zone, people in sums.items():
            through[zone] = max(through[zone], people)
    said = [f"{zone_name(zone, names)}: {formats.number(through[zone])}" for zone in zones]
    sankey = {
        "type": "sankey",
        "arrangement": "snap",
        "node": {
            "label": [plotly_text(one_line(zone_name(zone, names), _LONGEST)) for zone in zones],
            "customdata": [plotly_text(text) for text in said],
            "hovertemplate": "%{customdata}<extra></extra>",
            "color": palette.quiet_text,
            "line": {"width": 0},
            "pad": 16,
            # As few names as possible lie in one line, where they would meet on a phone.
            "align": "left" if direction is Direction.IN else "right",
            "thickness": 12,
        },
        "link": {
            "source": [place[one.start] for one in streams],
            "target": [place[one.end] for one in streams],
            "value": [one.people for one in streams],
            "customdata": [plotly_text(stream_words(one, names, formats)) for one in streams],
            "hovertemplate": "%{customdata}<extra></extra>",
            "color": accent + _TRANSLUCENT,
            "line": {"color": palette.surface, "width": 1},
        },
        "textfont": {"color": palette.text, "size": 13},
    }
    height = max(_LEAST_HEIGHT, _AROUND + _ROW * len(zones))
    return go.Figure({"data": [sankey], "layout": {**look(theme, formats, revision), "height": height}})
