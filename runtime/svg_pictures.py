"""SVG pictures, written anew from what is known to be harmless: shapes, text, colours, and references within.

Nothing runs, loads, moves or links in what is left. Browsers get it as an image, in which none of that would
happen either: this is the second lock of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET
from xml.parsers import expat

from analysis.floor_plan import LONGEST_SIDE, PictureKind, PlanImage

MOST_ELEMENTS: Final = 50_000
"""As drawn: what is used again counts again."""
_DEEPEST: Final = 100
_LONGEST_NUMBER: Final = 24
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS: Final = frozenset(
    {
        *("svg", "g", "a", "defs", "symbol", "use", "title", "desc", "style", "switch"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "clipPath", "mask", "pattern", "marker"),
    }
)
_PAINT: Final = frozenset(
    {
        *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap"),
        *(
            "stroke-linejoin",
            "stroke-miterlimit",
            "stroke-dasharray",
            "stroke-dashoffset",
            "color",
            "opacity",
        ),
        *("display", "visibility", "clip-path", "clip-rule", "mask", "paint-order", "vector-effect"),
        *("stop-color", "stop-opacity", "marker", "marker-start", "marker-mid", "marker-end", "overflow"),
        *("font", "font-family", "font-size", "font-style", "font-weight", "font-variant", "font-stretch"),
        *("text-anchor", "text-decoration", "letter-spacing", "word-spacing", "dominant-baseline"),
        *("alignment-baseline", "baseline-shift", "writing-mode", "direction", "shape-rendering"),
        *("text-rendering", "line-height"),
    }
)
"""Attributes that may stand in a style, too."""
_ATTRIBUTES: Final = _PAINT | frozenset(
    {
        *("id", "class", "transform", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx"),
        *("fy", "fr", "d", "points", "width", "height", "dx", "dy", "rotate", "pathLength", "textLength"),
        *("lengthAdjust", "startOffset", "offset", "viewBox", "preserveAspectRatio", "gradientUnits"),
        *("gradientTransform", "spreadMethod", "clipPathUnits", "maskUnits", "maskContentUnits"),
        *("patternUnits", "patternContentUnits", "patternTransform", "markerUnits", "markerWidth"),
        *("markerHeight", "refX", "refY", "orient"),
    }
)
_REFERENCE: Final = re.compile(r"url\(\s*['\"]?#([^'\")\s]+)['\"]?\s*\)", re.IGNORECASE)
_HARMFUL_VALUE: Final = re.compile(
    r"url|[\\<>@{}]|/\*|javascript:|data:|https?:|expression|image", re.IGNORECASE
)
"""In a value from which references within were taken away."""
_RULE: Final = re.compile(r"([^{}@]+)\{([^{}]*)\}")
_SELECTOR: Final = re.compile(r"[\w\s.,#*-]+")
_MOST_RULES: Final = 500
_GRADIENTS: Final = frozenset({"linearGradient", "radialGradient"})
"""What a style sheet may refer to: it says it of many shapes at once."""
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_LENGTH: Final = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(px|pt|pc|mm|cm|in)?\s*")
_PIXELS: Final = {None: 1, "px": 1, "pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}
_LARGEST_BOX: Final = 1e7
_SHAPES: Final = frozenset(
    {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "use"}
)
_HEAVY: Final = "This drawing is too heavy: it would draw more than {most:,} shapes. Save it as PNG."
_DAMAGED: Final = "This is no SVG that can be read, so nothing of it is kept. Save it as PNG."


class PictureError(ValueError):
    """A picture is not kept; the message says why and what to do, for people."""


def safe_svg(body: bytes) -> PlanImage:
    """Raises PictureError."""
    root = _parsed(body)
    if root.tag != f"{{{_SVG}}}svg":
        raise PictureError("This is no SVG, whatever its name says. Save it as PNG, JPEG or SVG.")
    width, height, box = _size(root)
    clean = _clean(root)
    assert clean is not None
    if not any(_name(one) in _SHAPES for one in clean.iter()):
        raise PictureError("Nothing in this SVG can be shown but what is not kept. Save it as PNG.")
    _check_weight(clean)
    for side, value in (("width", width), ("height", height), ("viewBox", box)):
        clean.set(side, str(value))
    ET.register_namespace("", _SVG)
    content: bytes = ET.tostring(clean, encoding="utf-8", xml_declaration=True)
    return PlanImage(content, PictureKind.SVG, width, height)


def _parsed(body: bytes) -> ET.Element:
    """Without what a document type declares: entities grow, and name files."""
    builder = ET.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = elements = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > _DEEPEST or elements > MOST_ELEMENTS:
            raise PictureError(_HEAVY.format(most=MOST_ELEMENTS))
        builder.start(_qualified(name), {_qualified(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_qualified(name))

    def declared(*_: object) -> int:
        raise PictureError(
            "This SVG declares entities, which are not read. Save it as “plain SVG”, or as PNG."
        )

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    parser.ExternalEntityRefHandler = declared
    try:
        parser.Parse(body, True)
        return builder.close()
    except PictureError:
        raise
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        raise PictureError(_DAMAGED) from error


def _qualified(name: str) -> str:
    return f"{{{name}" if "}" in name else name


def _name(element: ET.Element) -> str:
    return element.tag.removeprefix(f"{{{_SVG}}}")


def _clean(element: ET.Element) -> ET.Element | None:
    """None: nothing of it is kept."""
    name = _name(element)
    if name not in _ELEMENTS:
        return None
    if name == "style":
        return _sheet(element.text or "")
    # What was a link is a group.
    kept = ET.Element(element.tag if name != "a" else f"{{{_SVG}}}g", dict(_attributes(element)))
    kept.text, kept.tail = element.text, element.tail
    for child in element:
        if (clean := _clean(child)) is not None:
            kept.append(clean)
    return kept


def _attributes(element: ET.Element) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        if key in ("href", _XLINK) and value.startswith("#"):
            yield "href", value
        elif key == "style":
            yield key, _declarations(value)
        elif key in ("id", "class") or (key in _ATTRIBUTES and _is_harmless(value)):
            yield key, value


def _is_harmless(value: str) -> bool:
    return not _HARMFUL_VALUE.search(_REFERENCE.sub("", value))


def _declarations(text: str) -> str:
    pairs = (one.partition(":") for one in _COMMENT.sub("", text).split(";"))
    return ";".join(
        f"{name.strip()}:{value.strip()}"
        for name, _, value in pairs
        if name.strip().lower() in _PAINT and _is_harmless(value)
    )


def _sheet(text: str) -> ET.Element:
    """Plain rules alone: nothing is imported, no font loaded, nothing moves."""
    flat = _COMMENT.sub("", text)
    rules = [
        f"{selector.strip()}{{{_declarations(body)}}}"
        for selector, body in _RULE.findall(flat)
        if "@" not in flat and _SELECTOR.fullmatch(selector)
    ]
    sheet = ET.Element(f"{{{_SVG}}}style")
    sheet.text = "\n".join(rules[:_MOST_RULES])
    return sheet


def _size(root: ET.Element) -> tuple[int, int, str]:
    """Width, height and box; its proportions are those of the box, if it has one."""
    box = _box(root.get("viewBox", ""))
    wide, high = _length(root.get("width", "")), _length(root.get("height", ""))
    if box is None and (wide is None or high is None):
        raise PictureError("This SVG does not say how large it is. Save it with a width and a height.")
    if box is None:
        assert wide is not None
        assert high is not None
        box = (0.0, 0.0, wide, high)
    scale = 1_000 / max(box[2], box[3])
    width, height = round(box[2] * scale), round(box[3] * scale)
    if not (1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE):
        raise PictureError("This SVG is a line rather than a picture: one side has no length to speak of.")
    return width, height, " ".join(f"{one:.10g}" for one in box)


def _box(text: str) -> tuple[float, float, float, float] | None:
    parts = text.replace(",", " ").split()
    try:
        left, top, width, height = (float(one) for one in parts if len(one) <= _LONGEST_NUMBER)
    except ValueError:
        return None
    is_usable = max(map(abs, (left, top, width, height))) < _LARGEST_BOX and min(width, height) > 0
    return (left, top, width, height) if is_usable else None


def _length(text: str) -> float | None:
    found = _LENGTH.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    length = float(found[1]) * _PIXELS[found[2]] if found else 0.0
    return length if 0 < length < _LARGEST_BOX else None


def _check_weight(root: ET.Element) -> None:
    """Counts what is drawn by reference again wherever it is. Raises PictureError, also for a circle."""
    by_id = {found: one for one in root.iter() if (found := one.get("id"))}
    light = {found for found, one in by_id.items() if _name(one) in _GRADIENTS}
    for sheet in root.iter(f"{{{_SVG}}}style"):
        sheet.text = _REFERENCE.sub(lambda of: of[0] if of[1] in light else "none", sheet.text or "")
    weights: dict[ET.Element, int] = {}
    under_way: set[ET.Element] = set()

    def weight(element: ET.Element, depth: int) -> int:
        if element in weights:
            return weights[element]
        if element in under_way or depth > 2 * _DEEPEST:
            raise PictureError("A part of this SVG is drawn within itself. Save it as PNG.")
        under_way.add(element)
        values = [value for key, value in element.attrib.items() if key not in ("id", "class", "href")]
        names = [found for value in values for found in _REFERENCE.findall(value)]
        names += [element.get("href", "#")[1:]]
        parts = [*element, *(by_id[name] for name in names if name in by_id)]
        total = 1 + sum(weight(part, depth + 1) for part in parts)
        if total > MOST_ELEMENTS:
            raise PictureError(_HEAVY.format(most=MOST_ELEMENTS))
        under_way.remove(element)
        weights[element] = total
        return total

    weight(root, 0)
