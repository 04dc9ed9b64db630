"""The zone graph as lines, cards and words in pixels, drawn for one width.

The browser draws it as it is: what it shows is decided, and can be tested, here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple, Self

from components.figures.zone_channels import PAD, TRACK, Channels, channels
from components.figures.zone_labels import Box, Label, Point, Strip, labels
from components.figures.zone_layout import Way, layers, ways_of
from components.figures.zone_rows import MARGIN, Course, Rows, arranged
from contract import Site

WIDTHS: Final = (288, 340, 560, 720, 960)
"""Pixels: the least for which a drawing is made, then a phone, tablets and a desk."""
ABOVE: Final = 26.0
"""Pixels above the outline, where the outside is named."""
_CARD_HEIGHT: Final = 80.0
_SMALL_CARD: Final = 112.0
_CARD: Final = 138.0
_NARROW: Final = 500
_PITCHES: Final = ((20.0, 12.0), (8.0, 6.0))
"""Pixels between two lines: so that a number has room on each, and where that does not fit."""
_MOST_ACROSS: Final = 6


class ZoneDrawing(NamedTuple):
    width: float
    height: float
    outline: Box
    """Of the site; beyond it lies the outside."""
    cards: Mapping[str, Box]
    """By zone id."""
    lines: tuple[tuple[Point, ...], ...]
    """Of each way its corners; the first and the last lie on the rim of what the way leads from and to."""
    labels: tuple[Label | None, ...]
    """Of each way; None: there was no room."""
    pitch: float
    """Pixels between two lines that run side by side, so that each may be nearly as wide."""


def drawn(site: Site, width: float, names: Sequence[str]) -> ZoneDrawing | None:
    """`names` are those of the ways, as they are shown; None: the width is too small for so many lines."""
    ways = ways_of(site)
    rows = _widest_rows(layers(site), ways, width)
    if rows is None:
        return None
    plan = _Plan.of(rows, channels(rows))
    lines = tuple(plan.line(way) for way in range(len(ways)))
    words = labels(lines, names, plan.strips, plan.outline)
    height = plan.outline.bottom + MARGIN
    return ZoneDrawing(rows.width, height, plan.outline, plan.cards, lines, words, rows.pitch)


def _widest_rows(found: Sequence[Sequence[str]], ways: Sequence[Way], width: float) -> Rows | None:
    """As many zones side by side as there is room for."""
    card = _SMALL_CARD if width < _NARROW else _CARD
    most = min(_MOST_ACROSS, max((len(layer) for layer in found), default=1))
    attempts = ((across, pitch) for some in _PITCHES for across in range(most, 0, -1) for pitch in some)
    for across, pitch in attempts:
        rows = arranged(found, ways, across=across, pitch=pitch, card=card, width=width)
        if rows is not None:
            return rows
    return None


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows and channels one below the other."""

    rows: Rows
    channels: Channels
    strips: tuple[Strip, ...]
    """Of the channels, from the top."""
    cards: Mapping[str, Box]
    outline: Box

    @classmethod
    def of(cls, rows: Rows, between: Channels) -> Self:
        tops = accumulate((height + _CARD_HEIGHT for height in between.heights), initial=ABOVE)
        strips = tuple(Strip(top, top + high) for top, high in zip(tops, between.heights, strict=False))
        cards = {
            zone: Box(left, strip.bottom, right, strip.bottom + _CARD_HEIGHT)
            for row, strip in zip(rows.rows, strips, strict=False)
            for zone in row
            for left, right in (rows.spans[zone],)
        }
        outline = Box(MARGIN, ABOVE, rows.width - MARGIN, strips[-1].bottom)
        return cls(rows, between, strips, cards, outline)

    def line(self, way: int) -> tuple[Point, ...]:
        run, outline = self.rows.runs[way], self.outline
        x, start = self.channels.ends[way, True], self.cards[run.zone]
        if run.course is Course.UP:
            points = [(x, start.top), (x, outline.top)]
        elif run.course is Course.OUT:
            points = [(x, start.bottom), (x, outline.bottom)]
        elif run.course is Course.ASIDE:
            turn = self._track(way, run.channel)
            points = [(x, start.bottom), (x, turn), (outline.left if run.is_left else outline.right, turn)]
        else:
            end = self.cards[run.other]
            rim = end.bottom if run.course is Course.BESIDE else end.top
            points = [(x, start.bottom), *self._turns(way), (self.channels.ends[way, False], rim)]
        return tuple(reversed(points)) if run.is_reversed else tuple(points)

    def _turns(self, way: int) -> list[Point]:
        """The corners of a line between two zones."""
        if self.channels.is_straight(way):
            return []
        run = self.rows.runs[way]
        begin, end = self.channels.ends[way, True], self.channels.ends[way, False]
        first = self._track(way, run.channel)
        if run.course is not Course.AROUND:
            return [(begin, first), (end, first)]
        lane, last = self.rows.lane_x(run), self._track(way, run.last_channel, is_last=True)
        return [(begin, first), (lane, first), (lane, last), (end, last)]

    def _track(self, way: int, channel: int, *, is_last: bool = False) -> float:
        return self.strips[channel].top + PAD + TRACK * self.channels.tracks[way, is_last]
