"""Zones and the passages between them, from the outside inwards.

An arrow points the way that counts as forward, from `fromZoneId` to `toZoneId`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from components.figures.template import palette_of, plotly_text, styled
from components.figures.zone_layout import OUTSIDE, Node, Place, by_ends, layout
from components.number_format import Formats
from components.tables.subject import labels_of
from components.tables.zone_values import UNKNOWN_VALUE, ZoneValue
from components.theme import Occupancy, Thresholds, share_of
from contract import Passage, Site, Zone

_NODE_SIZE: Final = 46
_ROW_HEIGHT: Final = 150
_AROUND: Final = 30
"""Pixels an arrow keeps from the middle of a zone."""
_BELOW: Final = 66
"""Pixels it keeps where the zone's name is in its way."""
_SIDE_STEP: Final = 0.06
_SINK: Final = 0.05
"""How far a passage's name lies below the middle, clear of the names of the zones above."""
_LONGEST_NAME: Final = 17
_MOST_LISTED: Final = 8
"""Passages that an arrow names when one points at it."""
MOST_ZONES: Final = 30
MOST_WAYS: Final = 45
"""Beyond either, arrows cover each other and names, and a list is read sooner."""
_BY_DATA: Final = {"xref": "x", "yref": "y"}
_SYMBOLS: Final = {
    Occupancy.FREE: "circle",
    Occupancy.FILLING: "diamond",
    Occupancy.FULL: "square",
    Occupancy.UNKNOWN: "circle",
}
"""Shape beside colour, for those who do not tell the colours apart."""

Drawn = dict[str, Any]
"""A trace, an annotation or a layout, as plotly takes it."""


def zone_graph(
    site: Site,
    values: Mapping[str, ZoneValue],
    thresholds: Thresholds,
    *,
    theme: str | None,
    formats: Formats,
) -> go.Figure:
    """The site's topology; each zone's point carries its id as `customdata`. `values` are by zone id.

    Made in one go from plain dicts: plotly's `add_annotation` checks all that were there before again, so
    that its cost grows with the square of their number.
    """
    drawing = _Drawing(site, layout(site), values, thresholds, theme, formats)
    figure = go.Figure(data=[drawing.zones()], layout=drawing.frame())
    return styled(figure, theme, formats, site.id)


def is_legible(site: Site) -> bool:
    """Whether the site has few enough zones and ways between them for a graph that one can read."""
    return len(site.zones) <= MOST_ZONES and len(by_ends(site)) <= MOST_WAYS


@dataclass(frozen=True, slots=True)
class _Drawing:
    site: Site
    places: Mapping[Node, Place]
    values: Mapping[str, ZoneValue]
    thresholds: Thresholds
    theme: str | None
    formats: Formats

    def frame(self) -> Drawn:
        """The figure's layout: axes just as wide as the places need, and all arrows and words."""
        across = max(abs(x) for x, _ in self.places.values())
        depth = -min(y for _, y in self.places.values())
        hidden = {"visible": False, "fixedrange": True, "rangemode": "normal"}
        return {
            "xaxis": {**hidden, "range": [-across - 0.55, across + 0.55]},
            "yaxis": {**hidden, "range": [-depth - 0.5, 0.3]},
            "height": round(_ROW_HEIGHT * (depth + 0.8)),
            "showlegend": False, "hovermode": "closest", "dragmode": False,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "annotations": self._annotations(),
        }  # fmt: skip

    def _annotations(self) -> list[Drawn]:
        """In the order in which they lie upon each other."""
        ways = [(ends, passages) for ends, passages in by_ends(self.site).items() if ends[0] != ends[1]]
        labels = labels_of(self.site.zones)
        return [
            *(mark for way in ways for mark in self._passages(*way)),
            self._outside(),
            *(mark for zone in self.site.zones for mark in self._caption(zone, labels[zone.id])),
        ]

    def _passages(self, ends: tuple[Node, Node], passages: Sequence[Passage]) -> tuple[Drawn, Drawn]:
        """One arrow, moved to its right-hand side, so that one the other way lies beside it."""
        start, end = self.places[ends[0]], self.places[ends[1]]
        aside_x, aside_y = _aside(start, end)
        palette = palette_of(self.theme)
        arrow = {
            "ax": start[0] + aside_x, "ay": start[1] + aside_y, "x": end[0] + aside_x, "y": end[1] + aside_y,
            **_BY_DATA, "axref": "x", "ayref": "y", "text": "", "showarrow": True, "arrowhead": 2,
            "arrowwidth": 1.6, "arrowcolor": palette.quiet_text,
            "startstandoff": self._standoff(*ends), "standoff": self._standoff(*reversed(ends)),
        }  # fmt: skip
        middle = (start[1] + end[1]) / 2 - (_SINK if start[1] != end[1] else 0)
        name = {
            "x": (start[0] + end[0]) / 2 + aside_x, "y": middle + aside_y, **_BY_DATA,
            "text": _short(passages[0].name) if len(passages) == 1 else f"{len(passages)} passages",
            "font": {"size": 11, "color": palette.quiet_text}, "bgcolor": palette.surface, "borderpad": 1,
            "hovertext": _listed([passage.name for passage in passages]),
            "yanchor": "bottom" if start[1] == end[1] else "middle",
        }  # fmt: skip
        return arrow, name

    def _outside(self) -> Drawn:
        x, y = self.places[OUTSIDE]
        palette = palette_of(self.theme)
        return {
            "x": x, "y": y, **_BY_DATA, "text": "Outside", "font": {"color": palette.text, "size": 13},
            "bgcolor": palette.raised, "bordercolor": palette.line, "borderpad": 7,
        }  # fmt: skip

    def zones(self) -> Drawn:
        """The zones as the points of one trace."""
        zones = self.site.zones
        levels = [self._level(zone) for zone in zones]
        kept = {"marker": {"opacity": 1}}
        return {
            "type": "scatter", "mode": "markers", "name": "zones",
            "x": [self.places[zone.id][0] for zone in zones],
            "y": [self.places[zone.id][1] for zone in zones],
            "customdata": [zone.id for zone in zones],
            "marker": {
                "size": _NODE_SIZE, "symbol": [_SYMBOLS[level] for level in levels],
                "color": palette_of(self.theme).raised, "opacity": 1,
                "line": {"color": [level.value.colour for level in levels], "width": 3},
            },
            "hovertext": [self._hover(zone) for zone in zones], "selected": kept, "unselected": kept,
            "hovertemplate": "%{hovertext}<extra></extra>",
        }  # fmt: skip

    def _caption(self, zone: Zone, label: str) -> tuple[Drawn, Drawn]:
        """The number in the zone; its name and how full it is below."""
        x, y = self.places[zone.id]
        inside = self._value(zone).inside
        number = "?" if inside is None else self.formats.number(inside)
        share = share_of(inside, zone.capacity)
        word = self._level(zone).value.word
        told = word if share is None else f"{word}, {self.formats.percent(share)}"
        palette = palette_of(self.theme)
        return (
            {
                "x": x, "y": y, **_BY_DATA, "text": f"<b>{number}</b>", "bgcolor": palette.raised,
                "font": {"size": 16, "color": palette.text},
            },
            {
                "x": x, "y": y, **_BY_DATA, "yshift": -_NODE_SIZE / 2 - 5, "yanchor": "top", "borderpad": 0,
                "text": f"{_short(label)}<br><span style='font-size:11px'>{told}</span>",
                "bgcolor": palette.surface, "font": {"color": palette.text, "size": 13},
            },
        )  # fmt: skip

    def _standoff(self, here: Node, there: Node) -> int:
        below = self.places[there][1] < self.places[here][1]
        return _BELOW if below and here != OUTSIDE else _AROUND

    def _value(self, zone: Zone) -> ZoneValue:
        return self.values.get(zone.id, UNKNOWN_VALUE)

    def _level(self, zone: Zone) -> Occupancy:
        return self._value(zone).level(zone, self.thresholds)

    def _hover(self, zone: Zone) -> str:
        inside = self._value(zone).inside
        counted = "no count" if inside is None else f"{self.formats.number(inside)} inside"
        capacity = f"capacity {self.formats.number(zone.capacity or None)}"
        return f"<b>{plotly_text(zone.name)}</b><br>{counted}, {capacity}<br>{self._level(zone).value.word}"


def _aside(start: Place, end: Place) -> Place:
    """A small step to the right of the way from `start` to `end`."""
    across, along = end[0] - start[0], end[1] - start[1]
    length = (across**2 + along**2) ** 0.5
    return along / length * _SIDE_STEP, -across / length * _SIDE_STEP


def _short(name: str) -> str:
    return plotly_text(name, _LONGEST_NAME)


def _listed(names: Sequence[str]) -> str:
    shown = [plotly_text(name) for name in names[:_MOST_LISTED]]
    more = len(names) - len(shown)
    return "<br>".join([*shown, *([f"and {more} more"] if more else [])])
