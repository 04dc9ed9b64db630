"""What browsers draw apart, as large as it is, and lay upon the rest of a drawing.

One such layer takes as long as hundreds of shapes of a usual size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree as ET

from runtime.svg_vocabulary import SVG

_TRANSLUCENT: Final = 50
"""Shapes that take as long as what is translucent as a whole."""
_CUT_OUT: Final = 100
"""Likewise what is clipped by letters, by several shapes or by what is used again."""
_PLAIN_CUTS: Final = frozenset({"rect", "circle", "ellipse", "path", "polygon", "polyline", "line"})
_SAID: Final = re.compile(r"(?:^|;)\s*opacity\s*:\s*([^;!]*)", re.IGNORECASE)
_CLIP: Final = re.compile(r"url\(\s*['\"]?#([^'\"()\s]+)", re.IGNORECASE)
_CLIP_SAID: Final = re.compile(r"(?:^|;)\s*clip-path\s*:([^;]*)", re.IGNORECASE)
_CLASS: Final = re.compile(r"\s*[\w-]*\.([\w-]+)\s*")
_OPAQUE: Final = re.compile(r"\s*(?:|1(?:\.0*)?|100(?:\.0*)?%)\s*")


class Layers:
    """Of a drawing whose style sheets are plain rules, one on each line."""

    def __init__(self, root: ET.Element, by_id: Mapping[str, ET.Element]) -> None:
        self._by_id = by_id
        self._classes: set[str] = set()
        self._is_any = False
        """Whether a sheet makes translucent what is told by more than its class: all may be."""
        for sheet in root.iter(f"{{{SVG}}}style"):
            for rule in (sheet.text or "").split("}"):
                selectors, _, body = rule.partition("{")
                if _is_translucent(body):
                    self._take(selectors)

    def weight(self, element: ET.Element) -> int:
        """Of how many shapes more it is than by what is in it."""
        style = element.get("style", "")
        is_told = not self._classes.isdisjoint(element.get("class", "").split())
        is_own = not _OPAQUE.fullmatch(element.get("opacity", "")) or _is_translucent(style)
        clips = _CLIP.findall(" ".join([element.get("clip-path", ""), *_CLIP_SAID.findall(style)]))
        cuts = sum(not self._is_plain(name) for name in clips)
        return _TRANSLUCENT * (is_own or is_told or self._is_any) + _CUT_OUT * cuts

    def _take(self, selectors: str) -> None:
        for selector in selectors.split(","):
            found = _CLASS.fullmatch(selector)
            if found:
                self._classes.add(found[1])
            else:
                self._is_any = True

    def _is_plain(self, name: str) -> bool:
        clip = self._by_id.get(name)
        parts = [] if clip is None else [one.tag.removeprefix(f"{{{SVG}}}") for one in clip]
        return len(parts) <= 1 and _PLAIN_CUTS.issuperset(parts)


def _is_translucent(said: str) -> bool:
    return any(not _OPAQUE.fullmatch(value) for value in _SAID.findall(said))
