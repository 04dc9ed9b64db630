"""How the lines of a zone graph run, and how wide its cards are: all that does not depend on heights.

Zones stand in rows. Between two rows, above the first and below the last lies a channel; channel `n` is the
one above row `n`. Lines run in channels alone, and beside all rows where they lead further than to the next
row: so no line ever runs through a zone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from analysis.zone_layout import OUTSIDE, Node, Way

MARGIN: Final = 10.0
"""Pixels around the site's outline at its sides and below it."""
INSET: Final = 10.0
"""Pixels that the end of a line keeps from the corner of a card."""
_PADDING: Final = 14.0
_LEAST_GAP: Final = 14.0
_USUAL_GAP: Final = 56.0
_NARROWEST: Final = 280.0
_NOTHING: Final = (0.0, 0.0)
_NAME_ROOM: Final = 96.0
"""Pixels between the ends of two lines, so that each has room for its name."""


class Course(Enum):
    """How a line runs from where it begins to where it ends."""

    UP = auto()
    """From a zone of the first row straight to the outline above."""
    OUT = auto()
    """From a zone of the last row straight to the outline below."""
    ASIDE = auto()
    """From a zone of another row through the channel below it to the outline at the side."""
    BESIDE = auto()
    """To a zone of the same row, or back to the same zone, through the channel below."""
    DOWN = auto()
    """To a zone of the next row through the channel between."""
    AROUND = auto()
    """To a zone further down: channel, a lane beside all rows, channel."""


class Run(NamedTuple):
    """A way as it is routed: never upwards, and outwards where it leads outside."""

    course: Course
    zone: str
    """Where it begins."""
    other: str
    """Where it ends; the same zone again where it leads outside."""
    is_reversed: bool
    """Whether the way leads from `other` to `zone`."""
    channel: int
    """The one in which it begins."""
    last_channel: int
    """The one in which it ends."""
    is_left: bool
    """Which side is nearer."""
    lane: int = -1
    """Counted from the cards' side outwards; -1: it needs none."""


@dataclass(frozen=True, slots=True)
class Rows:
    rows: tuple[tuple[str, ...], ...]
    runs: tuple[Run, ...]
    """One for each way, in their order."""
    pitch: float
    """Pixels between two ends on one side of a card, and between two lanes."""
    width: float
    """Of the whole drawing."""
    spans: Mapping[str, tuple[float, float]]
    """Left and right edge of each card."""
    lanes: tuple[int, int]
    """How many there are left and right of the rows."""

    def lane_x(self, run: Run) -> float:
        lane = (self.lanes[not run.is_left] - run.lane) * self.pitch
        return MARGIN + lane if run.is_left else self.width - MARGIN - lane


def arranged(
    layers: Sequence[Sequence[str]],
    ways: Sequence[Way],
    *,
    across: int,
    pitch: float,
    cards: Mapping[str, float],
    width: float,
    beside: Mapping[str, tuple[float, float]],
) -> Rows | None:
    """At most `across` cards in a row; None: `width` is too small for that.

    `cards`: the least width of each, in pixels. `beside`: pixels that some need free on their left and right.
    """
    rows = tuple(tuple(line) for layer in layers for line in _lines(layer, across))
    runs = _with_lanes(_runs(rows, ways))
    least = {
        zone: max(cards[zone], (ends + 1) * pitch + 2 * INSET) for zone, ends in _ends(rows, runs).items()
    }
    wanted = {
        zone: max(least[zone], ends * _NAME_ROOM + 2 * INSET) for zone, ends in _ends(rows, runs).items()
    }
    left, right = (
        max((run.lane + 1 for run in runs if run.is_left is side), default=0) for side in (True, False)
    )
    around = 2 * (MARGIN + _PADDING) + (left + right) * pitch
    for zone, sides in beside.items():
        least[zone], wanted[zone] = least[zone] + sum(sides), wanted[zone] + sum(sides)
    room = width - around
    if any(_row_width(row, least, _LEAST_GAP) > room for row in rows):
        return None
    grown = {zone: size for row in rows for zone, size in _grown(row, least, wanted, room).items()}
    usual = max((_row_width(row, grown, _USUAL_GAP) for row in rows), default=0.0)
    room = min(room, max(usual, _NARROWEST - around))
    start = MARGIN + _PADDING + left * pitch
    spans = {
        zone: (left_edge + beside.get(zone, _NOTHING)[0], right_edge - beside.get(zone, _NOTHING)[1])
        for row in rows
        for zone, (left_edge, right_edge) in _placed(row, grown, start, room).items()
    }
    return Rows(rows, runs, pitch, room + around, spans, (left, right))


def _lines(layer: Sequence[str], across: int) -> list[Sequence[str]]:
    """A wide layer on several lines of about the same length."""
    lines = -(-len(layer) // across)
    length = -(-len(layer) // lines)
    return [layer[first : first + length] for first in range(0, len(layer), length)]


def _runs(rows: Sequence[Sequence[str]], ways: Sequence[Way]) -> list[Run]:
    positions: dict[Node, tuple[int, float]] = {
        zone: (depth, (position + 0.5) / len(row))
        for depth, row in enumerate(rows)
        for position, zone in enumerate(row)
    }
    return [_run(way, positions, len(rows) - 1) for way in ways]


def _run(way: Way, positions: Mapping[Node, tuple[int, float]], last: int) -> Run:
    if OUTSIDE in (way.start, way.end):
        zone = str(way.end if way.start == OUTSIDE else way.start)
        depth, position = positions[zone]
        course = Course.UP if depth == 0 else Course.OUT if depth == last else Course.ASIDE
        channel = 0 if depth == 0 else depth + 1
        return Run(course, zone, zone, way.start == OUTSIDE, channel, channel, position < 0.5)  # noqa: PLR2004 -- half
    upper, lower = str(way.start), str(way.end)
    is_reversed = positions[lower][0] < positions[upper][0]
    if is_reversed:
        upper, lower = lower, upper
    (top, left), (bottom, right) = positions[upper], positions[lower]
    course = {0: Course.BESIDE, 1: Course.DOWN}.get(bottom - top, Course.AROUND)
    end = bottom if course is Course.AROUND else top + 1
    return Run(course, upper, lower, is_reversed, top + 1, end, left + right < 1)


def _with_lanes(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Lines that lie beside each other get lanes of their own; the shortest run nearest to the cards."""
    taken: dict[bool, list[set[int]]] = {True: [], False: []}
    lanes: dict[int, Run] = {}
    far = [(position, run) for position, run in enumerate(runs) if run.course is Course.AROUND]
    for position, run in sorted(far, key=lambda one: one[1].last_channel - one[1].channel):
        channels = set(range(run.channel, run.last_channel + 1))
        free = {side: _free_lane(beside, channels) for side, beside in taken.items()}
        # The other side, where the nearer one is much fuller.
        side = run.is_left if free[run.is_left] <= free[not run.is_left] + 1 else not run.is_left
        if free[side] == len(taken[side]):
            taken[side].append(set())
        taken[side][free[side]] |= channels
        lanes[position] = run._replace(lane=free[side], is_left=side)
    return tuple(lanes.get(position, run) for position, run in enumerate(runs))


def _free_lane(beside: Sequence[set[int]], channels: set[int]) -> int:
    return next((lane for lane, others in enumerate(beside) if not others & channels), len(beside))


def _ends(rows: Sequence[Sequence[str]], runs: Sequence[Run]) -> dict[str, int]:
    """How many lines end at the busier side, the upper or the lower, of each zone."""
    above = {zone: 0 for row in rows for zone in row}
    below = dict(above)
    for run in runs:
        (above if run.course is Course.UP else below)[run.zone] += 1
        if run.course is Course.BESIDE:
            below[run.other] += 1
        elif run.course in (Course.DOWN, Course.AROUND):
            above[run.other] += 1
    return {zone: max(above[zone], below[zone]) for zone in above}


def _row_width(row: Sequence[str], cards: Mapping[str, float], gap: float) -> float:
    return sum(cards[zone] for zone in row) + gap * (len(row) - 1)


def _grown(
    row: Sequence[str], least: Mapping[str, float], wanted: Mapping[str, float], room: float
) -> dict[str, float]:
    """The widths that are wanted, as far as the row has room for them."""
    missing = sum(wanted[zone] - least[zone] for zone in row)
    spare = room - _row_width(row, least, _LEAST_GAP)
    part = min(1.0, spare / missing) if missing > 0 else 0.0
    return {zone: least[zone] + part * (wanted[zone] - least[zone]) for zone in row}


def _placed(
    row: Sequence[str], cards: Mapping[str, float], start: float, room: float
) -> dict[str, tuple[float, float]]:
    """The row in the middle of the room, its cards apart as far as it allows."""
    filled = sum(cards[zone] for zone in row)
    gap = min(_USUAL_GAP, (room - filled) / (len(row) - 1)) if len(row) > 1 else 0.0
    x = start + (room - filled - gap * (len(row) - 1)) / 2
    spans = {}
    for zone in row:
        spans[zone] = (x, x + cards[zone])
        x += cards[zone] + gap
    return spans
