"""The graph of a site's zones as a still picture (SVG), without any number: a place that is being set up."""

from __future__ import annotations

from html import escape

from analysis.names import one_line
from analysis.zone_drawing import ZoneDrawing
from analysis.zone_graph import ZoneGraph
from components.theme import ACCENT, ACCENT_ON_DARK, DARK, LIGHT, Palette

_WIDEST = 560
"""Pixels: a drawing that is read beside what is written."""
_SIGNS_A_PIXEL = 0.13
"""At the size of the words of a card."""
_CORNER = 6


def zone_sketch(graph: ZoneGraph, names: dict[str, str], *, theme: str) -> str | None:
    """`names` by zone id; None: nothing can be drawn. The outside is what lies around the frame."""
    if (drawing := _fitting(graph)) is None:
        return None
    palette = DARK if theme == "dark" else LIGHT
    accent = ACCENT_ON_DARK if theme == "dark" else ACCENT
    parts = [
        _rect(drawing.outline, "none", palette.line, dash="4 4"),
        *(_line(points, accent) for points in drawing.lines),
        *(_card(drawing, zone_id, names[zone_id], palette) for zone_id in graph.zone_ids),
        *_labels(drawing, graph, palette),
        _text(drawing.outline[0], 14, "outside", palette.quiet_text, anchor="start"),
    ]
    size = f'width="{drawing.width:g}" height="{drawing.height:g}"'
    box = f'viewBox="0 0 {drawing.width:g} {drawing.height:g}"'
    font = 'font-family="system-ui,sans-serif" font-size="13"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} {font}>{"".join(parts)}</svg>'


def numbered_ways(graph: ZoneGraph) -> list[str]:
    """The numbers on lines without room for a name, and what they mean: `3 Door: from outside to Hall`."""
    drawing = _fitting(graph)
    labels = zip(drawing.labels, graph.ways, strict=True) if drawing else ()
    numbered = enumerate(labels, 1)
    return [f"{number} {way.title}" for number, (label, way) in numbered if label and not label.is_name]


def _fitting(graph: ZoneGraph) -> ZoneDrawing | None:
    """The widest that can be read beside what is written."""
    fitting = [one for one in graph.drawings if one.width <= _WIDEST] or list(graph.drawings[:1])
    return fitting[-1] if fitting and not graph.folds else None


def _card(drawing: ZoneDrawing, zone_id: str, name: str, palette: Palette) -> str:
    left, top, right, bottom = drawing.cards[zone_id]
    room = max(3, int((right - left) * _SIGNS_A_PIXEL))
    middle = (left + right) / 2
    words = _text(middle, (top + bottom) / 2 + 4, one_line(name, room), palette.text)
    return _rect((left, top, right, bottom), palette.raised, palette.quiet_text) + words


def _labels(drawing: ZoneDrawing, graph: ZoneGraph, palette: Palette) -> list[str]:
    found = []
    for number, (label, way) in enumerate(zip(drawing.labels, graph.ways, strict=True), 1):
        if label is None:
            continue
        left, _top, right, bottom = label.box
        words = way.name if label.is_name else str(number)
        place = (left + right) / 2, bottom - 4
        # Around the words the line that they stand on is left out.
        found.append(_text(*place, words, palette.surface, around=palette.surface))
        found.append(_text(*place, words, palette.quiet_text))
    return found


def _rect(box: tuple[float, float, float, float], fill: str, stroke: str, dash: str = "") -> str:
    left, top, right, bottom = box
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" rx="{_CORNER}"'
        f' fill="{fill}" stroke="{stroke}" stroke-dasharray="{dash}"/>'
    )


def _line(points: tuple[tuple[float, float], ...], colour: str) -> str:
    corners = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "middle", around: str = "none"
) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" stroke="{around}" stroke-width="8">{escape(words)}</text>'
