"""The zone graph as lines, cards and words in pixels, drawn for one width.

The browser draws it as it is: what it shows is decided, and can be tested, here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from analysis.zone_bays import Bays, BayShape, bay_label, bay_lines
from analysis.zone_channels import PAD, TRACK, Channels, channels
from analysis.zone_labels import Box, Label, Point, Strip, labels
from analysis.zone_layout import Way, layers, leaves_of, ways_of
from analysis.zone_rows import MARGIN, Course, Rows, arranged
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
_AS_USUAL: Final[Mapping[str, float]] = MappingProxyType({})
_REACHES: Final = (110.0, 44.0)
"""Pixels to a zone in a bay: with room for a name, and for a number."""


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
    leaders: tuple[tuple[Point, Point], ...] = ()
    """On a floor plan from cards beside their spot to that."""
    listed: Mapping[str, Box] = MappingProxyType({})
    """By zone id cards below, which explain those that are a letter alone; none: those say all themselves."""


def drawn(
    site: Site, width: float, names: Sequence[str], wanted: Mapping[str, float] = _AS_USUAL
) -> ZoneDrawing | None:
    """`names` are those of the ways, as they are shown; None: the width is too small for so many lines.

    `wanted`: by zone id the pixels of a card in which its name is whole; else cards are as wide as usual.
    """
    ways = ways_of(site)
    leaves = leaves_of(site, ways)
    room = _Room(width, wanted)
    plan = _lowest_plan(site, ways, leaves, room) if leaves else None
    if plan is None:
        leaves = {}
        plan = _first_plan(layers(site), ways, room)
    if plan is None:
        return None
    inner = _inner(ways, leaves)
    lines = {number: plan.line(place) for place, number in enumerate(inner)}
    strips = labels([lines[n] for n in inner], [names[n] for n in inner], plan.strips, plan.outline, inner)
    words = dict(zip(inner, strips, strict=True))
    in_bays = bay_lines({n: way for n, way in enumerate(ways) if n not in lines}, leaves, plan.cards)
    lines |= in_bays
    words |= {number: bay_label(line, number, names[number]) for number, line in in_bays.items()}
    return ZoneDrawing(
        plan.rows.width,
        plan.outline.bottom + MARGIN,
        plan.outline,
        plan.cards,
        tuple(lines[number] for number in range(len(ways))),
        tuple(words[number] for number in range(len(ways))),
        plan.rows.pitch,
    )


def _inner(ways: Sequence[Way], leaves: Mapping[str, str]) -> list[int]:
    """The ways that lead to no bay."""
    return [n for n, way in enumerate(ways) if way.start not in leaves and way.end not in leaves]


def _first_plan(found: Sequence[Sequence[str]], ways: Sequence[Way], room: _Room) -> _Plan | None:
    """As many zones side by side as there is room for."""
    for rows in _attempts(found, ways, room, {}):
        return _Plan.of(rows, channels(rows), None)
    return None


def _lowest_plan(site: Site, ways: Sequence[Way], leaves: Mapping[str, str], room: _Room) -> _Plan | None:
    """The least high of those whose zones have bays; None: there is no room for any."""
    zones = tuple(zone for zone in site.zones if zone.id not in leaves)
    found = layers(site.model_copy(update={"zones": zones}))
    inner = [ways[number] for number in _inner(ways, leaves)]
    leaf = max(room.card(zone) for zone in leaves)
    plans = []
    for sides in (2, 1):
        for reach in _REACHES:
            bays = Bays.of(leaves, BayShape(sides, reach, leaf))
            for rows in _attempts(found, inner, room, bays.beside()):
                plans.append(_Plan.of(rows, channels(rows), bays))
                break
    return min(plans, key=lambda plan: plan.outline.bottom, default=None)


def _attempts(
    found: Sequence[Sequence[str]],
    ways: Sequence[Way],
    room: _Room,
    beside: Mapping[str, tuple[float, float]],
) -> Iterator[Rows]:
    cards = {zone: room.card(zone) for layer in found for zone in layer}
    most = min(_MOST_ACROSS, max((len(layer) for layer in found), default=1))
    for some in _PITCHES:
        for across in range(most, 0, -1):
            for pitch in some:
                rows = arranged(
                    found, ways, across=across, pitch=pitch, cards=cards, width=room.width, beside=beside
                )
                if rows is not None:
                    yield rows


class _Room(NamedTuple):
    width: float
    wanted: Mapping[str, float]

    def card(self, zone_id: str) -> float:
        """The least width of its card."""
        usual = _SMALL_CARD if self.width < _NARROW else _CARD
        return max(usual, self.wanted.get(zone_id, 0.0))


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
    def of(cls, rows: Rows, between: Channels, bays: Bays | None) -> Self:
        own = bays.heights(_CARD_HEIGHT) if bays else {}
        high = [max(own.get(zone, _CARD_HEIGHT) for zone in row) for row in rows.rows]
        steps = (channel + row for channel, row in zip(between.heights, [*high, 0.0], strict=True))
        tops = accumulate(steps, initial=ABOVE)
        strips = tuple(Strip(top, top + high) for top, high in zip(tops, between.heights, strict=False))
        cards = {
            zone: Box(left, strip.bottom, right, strip.bottom + own.get(zone, _CARD_HEIGHT))
            for row, strip in zip(rows.rows, strips, strict=False)
            for zone in row
            for left, right in (rows.spans[zone],)
        }
        for hub in own:
            cards |= bays.cards(hub, cards[hub]) if bays else {}
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
