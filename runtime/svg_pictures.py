"""SVG pictures, written anew from what is known to be harmless: shapes, text, colours, and references within.

Nothing runs, loads, moves or links in what is left, and little of it draws much: markers, patterns, masks and
dashes, of which a few letters draw without end, are left out. Browsers get it as an image, in which nothing
would run either: this is the second lock of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET
from xml.parsers import expat

from analysis.floor_plan import PictureKind, PlanImage
from runtime.svg_layers import Layers
from runtime.svg_left_out import LeftOut, Part
from runtime.svg_vocabulary import ATTRIBUTES, PAINT, SVG, TAGS, XLINK

MOST_ELEMENTS: Final = 50_000
"""As drawn: what is used again counts again, and what has many letters as several."""
_LETTERS_A_SHAPE: Final = 160
"""Of outlines and other attributes."""
_WRITTEN_A_SHAPE: Final = 10
"""Letters that are shown."""
_DEEPEST: Final = 100
_LONGEST_NUMBER: Final = 24
_LONGEST_NAMESPACE: Final = 100
_LONGEST_VALUE: Final = 10_000
"""Of an attribute; outlines may be longer."""
_LONGEST_SHEET: Final = 100_000
_ONCE: Final = 65_536
"""Bytes that are read at once: the parser stops between, not within, where something is refused."""
_OUTLINES: Final = frozenset({"d", "points"})
_REFERENCE: Final = re.compile(r"url\(\s*['\"]?#([^'\"()\s]+)['\"]?\s*\)", re.IGNORECASE)
_HARMFUL_VALUE: Final = re.compile(
    r"url|[\\<>@{}]|/\*|javascript:|data:|https?:|expression|image", re.IGNORECASE
)
"""In a value from which references within were taken away."""
_SELECTOR: Final = re.compile(r"[\w\s.,#*-]+")
_MOST_SELECTORS: Final = 500
_GRADIENTS: Final = frozenset({"linearGradient", "radialGradient"})
"""What a style sheet may refer to: it says it of many shapes at once."""
_MOST_WITH_GRADIENTS: Final = 5_000
"""Shapes: large ones of a gradient take ten times as long to draw."""
_HEAVIEST_GRADIENT: Final = 100
"""It may be the paint of every shape, by a group around them."""
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
"""One without an end goes to the end, so that nothing is read twice."""
_LENGTH: Final = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(px|pt|pc|mm|cm|in)?\s*")
_PIXELS: Final = {None: 1, "px": 1, "pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}
_LARGEST_BOX: Final = 1e7
_SHAPES: Final = frozenset(
    {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "use"}
)
_HEAVY: Final = "This drawing is too heavy: it would draw more than {most:,} shapes. Save it as PNG."
_SAVE_PLAIN: Final = "Save it as “plain SVG”, or as PNG."
_LONG: Final = (
    f"This SVG has {{what}} of more than {{most:,}} letters; no floor plan needs that. {_SAVE_PLAIN}"
)
_DAMAGED: Final = "This is no SVG that can be read, so nothing of it is kept. Save it as PNG."


class PictureError(ValueError):
    """A picture is not kept; the message says why and what to do, for people."""


def safe_svg(body: bytes) -> PlanImage:
    """Raises PictureError."""
    left_out = LeftOut()
    root = _parsed(body, left_out)
    width, height, box = _size(root)
    if not any(_name(one) in _SHAPES for one in root.iter()):
        raise PictureError("Nothing in this SVG can be shown but what is not kept. Save it as PNG.")
    _clean_sheets(root, left_out)
    _check_weight(root, left_out)
    for side, value in (("width", width), ("height", height), ("viewBox", box)):
        root.set(side, str(value))
    ET.register_namespace("", SVG)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return PlanImage(content, PictureKind.SVG, width, height, left_out.words)


class _Kept:
    """Takes what a parser tells and keeps of it what is harmless: what is not kept takes no memory either."""

    def __init__(self, told: LeftOut) -> None:
        self.tree = ET.TreeBuilder()
        self._told = told
        self._depth = self._elements = 0
        self._left_out = 0
        """The depth of the element that is left out with all that is within it; 0 for none."""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._depth, self._elements = self._depth + 1, self._elements + 1
        if self._depth > _DEEPEST or self._elements > MOST_ELEMENTS:
            raise PictureError(_HEAVY.format(most=MOST_ELEMENTS))
        if self._depth == 1 and name != f"{SVG}}}svg":
            raise PictureError("This is no SVG, whatever its name says. Save it as PNG, JPEG or SVG.")
        if self._left_out:
            return
        if name not in TAGS:
            self._left_out = self._depth
            self._told.element(name)
        else:
            self.tree.start(TAGS[name], dict(_attributes(name, attributes, self._told)))

    def end(self, name: str) -> None:
        if not self._left_out:
            self.tree.end(TAGS[name])
        elif self._left_out == self._depth:
            self._left_out = 0
        self._depth -= 1

    def text(self, letters: str) -> None:
        if not self._left_out:
            self.tree.data(letters)

    def instruction(self, target: str, _data: str) -> None:
        if target == "xml-stylesheet":
            self._told.add(Part.ELSEWHERE)

    def document_type(self, _name: str, _system: str | None, _public: str | None, declares: int) -> None:
        """What it declares grows, and names files."""
        if declares:
            raise PictureError(f"This SVG declares entities or the like, which are not read. {_SAVE_PLAIN}")

    def namespace(self, _prefix: str | None, address: str | None) -> None:
        """It would be written out for each element that is of it."""
        if len(address or "") > _LONGEST_NAMESPACE:
            raise PictureError(_LONG.format(what="the address of a namespace", most=_LONGEST_NAMESPACE))


def _parsed(body: bytes, left_out: LeftOut) -> ET.Element:
    kept = _Kept(left_out)
    parser = expat.ParserCreate(namespace_separator="}", intern=None)
    parser.StartElementHandler, parser.EndElementHandler = kept.begin, kept.end
    parser.CharacterDataHandler = kept.text
    parser.StartDoctypeDeclHandler = kept.document_type
    parser.ProcessingInstructionHandler = kept.instruction
    parser.StartNamespaceDeclHandler = kept.namespace
    try:
        for start in range(0, len(body), _ONCE):
            parser.Parse(body[start : start + _ONCE], False)
        parser.Parse(b"", True)
        return kept.tree.close()
    except PictureError:
        raise
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        raise PictureError(_DAMAGED) from error


def _name(element: ET.Element) -> str:
    return element.tag.removeprefix(f"{{{SVG}}}")


def _attributes(element: str, given: dict[str, str], left_out: LeftOut) -> Iterator[tuple[str, str]]:
    for key, value in given.items():
        is_reference = key in ("href", XLINK) and value.startswith("#")
        if not is_reference and key not in ATTRIBUTES and key != "style":
            if key in ("href", XLINK):
                left_out.address(element, value)
            left_out.attribute(key, value)
            continue
        if len(value) > _LONGEST_VALUE and key not in _OUTLINES:
            raise PictureError(_LONG.format(what="an attribute", most=_LONGEST_VALUE))
        if is_reference:
            yield "href", value
        elif key == "style":
            yield key, _declarations(value, left_out)
        elif key in ("id", "class") or _is_harmless(value):
            yield key, value
        else:
            left_out.add(Part.ELSEWHERE)


def _is_harmless(value: str) -> bool:
    return not _HARMFUL_VALUE.search(_REFERENCE.sub("", value))


def _declarations(text: str, left_out: LeftOut) -> str:
    kept = []
    for one in _COMMENT.sub("", text).split(";"):
        name, _, value = (part.strip() for part in one.partition(":"))
        if name.lower() not in PAINT:
            left_out.attribute(name, value)
        elif _is_harmless(value):
            kept.append(f"{name}:{value}")
        else:
            left_out.add(Part.ELSEWHERE)
    return ";".join(kept)


def _clean_sheets(root: ET.Element, left_out: LeftOut) -> None:
    """Plain rules alone: nothing is imported, no font loaded, nothing moves. Raises PictureError."""
    room = _MOST_SELECTORS
    for sheet in root.iter(f"{{{SVG}}}style"):
        text = sheet.text or ""
        del sheet[:]
        sheet.attrib.clear()
        rules = []
        for selector, body in _rules(text, left_out):
            room -= selector.count(",") + 1
            if room >= 0:
                rules.append(f"{selector.strip()}{{{_declarations(body, left_out)}}}")
            else:
                left_out.add(Part.STYLES)
        sheet.text = "\n".join(rules)


def _rules(text: str, left_out: LeftOut) -> Iterator[tuple[str, str]]:
    """Selectors and what they say; none of a sheet that says more than plain rules, such as a font."""
    if len(text) > _LONGEST_SHEET:
        if "@" in text:
            left_out.add(Part.SHEETS)
            return
        raise PictureError(_LONG.format(what="a style sheet", most=_LONGEST_SHEET))
    flat = _COMMENT.sub("", text)
    if "@" in flat:
        left_out.add(Part.SHEETS)
        return
    for rule in flat.split("}")[:-1]:
        selector, _, body = rule.partition("{")
        if _SELECTOR.fullmatch(selector) and "{" not in body:
            yield selector, body
        else:
            left_out.add(Part.STYLES)


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
    check_shape(box[2], box[3])
    return width, height, " ".join(f"{one:.10g}" for one in box)


def check_shape(width: float, height: float) -> None:
    """Raises PictureError where the shorter side is less than a thousandth of the longer one, rounded."""
    if round(1_000 * min(width, height) / max(width, height)) < 1:
        raise PictureError("This is a line rather than a picture: one side has no length to speak of.")


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


def _check_weight(root: ET.Element, left_out: LeftOut) -> None:
    """Counts what is drawn by reference again wherever it is. Raises PictureError, also for a circle."""
    by_id = {found: one for one in root.iter() if (found := one.get("id"))}
    light = {found for found, one in by_id.items() if _name(one) in _GRADIENTS}
    for sheet in root.iter(f"{{{SVG}}}style"):
        text = sheet.text or ""
        sheet.text = _REFERENCE.sub(lambda of: of[0] if of[1] in light else "none", text)
        if sheet.text != text:
            left_out.add(Part.STYLES)
    most = _MOST_WITH_GRADIENTS if light else MOST_ELEMENTS
    layers = Layers(root, by_id)
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
        total = _own_weight(element) + layers.weight(element) + sum(weight(part, depth + 1) for part in parts)
        if total > (_HEAVIEST_GRADIENT if _name(element) in _GRADIENTS else most):
            raise PictureError(_HEAVY.format(most=most))
        under_way.remove(element)
        weights[element] = total
        return total

    weight(root, 0)


def _own_weight(element: ET.Element) -> int:
    if _name(element) == "style":
        return 1
    letters = sum(map(len, element.attrib.values()))
    written = len((element.text or "").strip()) + len((element.tail or "").strip())
    return 1 + letters // _LETTERS_A_SHAPE + written // _WRITTEN_A_SHAPE
