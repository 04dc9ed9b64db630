"""What is left out of an SVG, in words for whoever chose it: only what was in it, and may be missed."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from runtime.svg_vocabulary import SVG

_IN_SVG: Final = f"{SVG}}}"
_HTML: Final = "http://www.w3.org/1999/xhtml}"


class Part(StrEnum):
    """In the order in which they are told."""

    DASHES = "dashes (such lines are whole)"
    PATTERNS = "patterns"
    MARKERS = "markers on lines"
    MASKS = "masks"
    FILTERS = "filters"
    PICTURES = "pictures within"
    HTML = "HTML within"
    FONTS = "fonts"
    SHEETS = "style sheets with @"
    STYLES = "some styles"
    MOVEMENT = "movement"
    LINKS = "links"
    ELSEWHERE = "what is loaded from elsewhere"
    SCRIPTS = "scripts"
    NOTES = "notes of the program that drew it"
    OTHERS = "elements that are not known here"


_BY_ELEMENT: Final = {
    "pattern": Part.PATTERNS,
    "hatch": Part.PATTERNS,
    "marker": Part.MARKERS,
    "mask": Part.MASKS,
    "filter": Part.FILTERS,
    "image": Part.PICTURES,
    "foreignObject": Part.HTML,
    "font": Part.FONTS,
    "font-face": Part.FONTS,
    "script": Part.SCRIPTS,
    "metadata": Part.NOTES,
    **dict.fromkeys(("set", "animate", "animateMotion", "animateTransform", "animateColor"), Part.MOVEMENT),
}
"""Of SVG; by their names."""
_BY_PROPERTY: Final = {
    "stroke-dasharray": Part.DASHES,
    "mask": Part.MASKS,
    "filter": Part.FILTERS,
    "animation": Part.MOVEMENT,
    "transition": Part.MOVEMENT,
    "transform": Part.STYLES,
    "mix-blend-mode": Part.STYLES,
    **dict.fromkeys(("marker", "marker-start", "marker-mid", "marker-end"), Part.MARKERS),
}
"""Attributes and properties of styles, by their names."""
_NOTHING: Final = frozenset({"", "none", "normal", "0"})
"""Values of such that change nothing."""


class LeftOut:
    """Takes note of what one drawing loses."""

    def __init__(self) -> None:
        self._parts: set[Part] = set()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(part.value for part in Part if part in self._parts)

    def add(self, part: Part) -> None:
        self._parts.add(part)

    def element(self, name: str) -> None:
        """`name` is as the parser gives it: namespace, brace, name."""
        if name.startswith(_IN_SVG):
            self.add(_BY_ELEMENT.get(name.removeprefix(_IN_SVG), Part.OTHERS))
        else:
            self.add(Part.HTML if name.startswith(_HTML) else Part.NOTES)

    def attribute(self, name: str, value: str) -> None:
        """Also a property of a style. What may stand in no drawing and changes no look is not told."""
        lower = name.lower()
        if lower.startswith("on"):
            self.add(Part.SCRIPTS)
        elif (part := _BY_PROPERTY.get(lower)) and value.strip().lower() not in _NOTHING:
            self.add(part)

    def address(self, element: str, value: str) -> None:
        """What an element names that is not within the file; `element` is as for `element`."""
        if value.strip():
            self.add(Part.LINKS if element == f"{_IN_SVG}a" else Part.ELSEWHERE)
