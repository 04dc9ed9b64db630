"""The ways through the zones as a Sankey diagram: passages are bands as wide as people crossed them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from analysis.zone_ways import Direction, Stream
from components.figures.template import look, palette_of, plotly_name, plotly_text, series_colours
from components.number_format import Formats
from components.sentences.door_words import stream_words, zone_name

_ROW: Final = 44
_AROUND: Final = 60
_LEAST_HEIGHT: Final = 240
_LONGEST: Final = range(9, 19)
"""Letters of a line of a zone's name beside its bar."""
_ACROSS: Final = 44
"""As many letters are as wide as a phone beside the bars."""
_NOBODY: Final = 1e-9
"""A part of the people that is not seen."""
_UNSEEN: Final = "rgba(0,0,0,0)"
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
    """`streams` have at least one that somebody crossed; `names` are those of the zones by id."""
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
    steps = _steps(streams)
    last = [zone for zone in zones if steps > 1 and all(one.start != zone for one in streams)]
    longest = min(max(_ACROSS // (steps + 1), _LONGEST.start), _LONGEST.stop - 1)
    unseen = _NOBODY * max(through.values())
    said = [f"{zone_name(zone, names)}: {formats.number(through[zone])}" for zone in zones]
    sankey = {
        "type": "sankey",
        "arrangement": "snap",
        "node": {
            "label": [plotly_name(zone_name(zone, names), longest) for zone in zones] + [""] * bool(last),
            "customdata": [*map(plotly_text, said)],
            "hovertemplate": "%{customdata}<extra></extra>",
            "color": [palette.quiet_text] * len(zones) + [_UNSEEN] * bool(last),
            "line": {"width": 0},
            "pad": 16,
            # As few names as possible lie in one line, where they would meet on a phone.
            "align": "left" if direction is Direction.IN else "right",
            "thickness": 12,
        },
        # The names of the last bars would stand before them, upon those of the bars before. Behind them is
        # one more bar, which is not seen, so that they stand behind them as all others do.
        "link": {
            "source": [place[one.start] for one in streams] + [place[zone] for zone in last],
            "target": [place[one.end] for one in streams] + [len(zones)] * len(last),
            "value": [max(one.people, unseen) for one in streams] + [unseen] * len(last),
            "customdata": [plotly_text(stream_words(one, names, formats)) for one in streams],
            "hovertemplate": "%{customdata}<extra></extra>",
            "color": [accent + _TRANSLUCENT] * len(streams) + [_UNSEEN] * len(last),
            "line": {"color": palette.surface, "width": [1] * len(streams) + [0] * len(last)},
        },
        "textfont": {"color": palette.text, "size": 13},
    }
    height = max(_LEAST_HEIGHT, _AROUND + _ROW * len(zones))
    return go.Figure({"data": [sankey], "layout": {**look(theme, formats, revision), "height": height}})


def _steps(streams: Sequence[Stream]) -> int:
    """How many passages the longest way has."""
    far: dict[str | None, int] = {}
    for _ in range(len(streams)):
        before = dict(far)
        for one in streams:
            far[one.end] = max(far.get(one.end, 0), far.get(one.start, 0) + 1)
        if far == before:
            break
    return max(far.values())
