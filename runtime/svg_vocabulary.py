"""What of SVG is kept: elements and attributes that show shapes, text and colours, and nothing else."""

from __future__ import annotations

from typing import Final

SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink}href"
_ELEMENTS: Final = frozenset(
    {
        *("svg", "g", "a", "defs", "symbol", "use", "title", "desc", "style", "switch"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "clipPath"),
    }
)
TAGS: Final = {f"{SVG}}}{name}": f"{{{SVG}}}{name}" for name in _ELEMENTS} | {
    # What was a link is a group.
    f"{SVG}}}a": f"{{{SVG}}}g"
}
"""By what the parser calls them."""
PAINT: Final = frozenset(
    {
        *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "color", "opacity", "display", "visibility"),
        *("clip-path", "clip-rule", "paint-order", "vector-effect", "stop-color", "stop-opacity", "overflow"),
        *("font", "font-family", "font-size", "font-style", "font-weight", "font-variant", "font-stretch"),
        *("text-anchor", "text-decoration", "letter-spacing", "word-spacing", "dominant-baseline"),
        *("alignment-baseline", "baseline-shift", "writing-mode", "direction", "shape-rendering"),
        *("text-rendering", "line-height"),
    }
)
"""Attributes that may stand in a style, too."""
ATTRIBUTES: Final = PAINT | frozenset(
    {
        *("id", "class", "transform", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx"),
        *("fy", "fr", "d", "points", "width", "height", "dx", "dy", "rotate", "textLength"),
        *("lengthAdjust", "startOffset", "offset", "viewBox", "preserveAspectRatio", "gradientUnits"),
        *("gradientTransform", "spreadMethod", "clipPathUnits", "refX", "refY"),
    }
)
