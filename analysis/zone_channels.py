"""Where in a channel each line turns: the ends on the cards' sides, and one track for each run across.

No two lines lie on each other. Ends above a channel stand on a raster, ends below it half a step beside it;
runs that overlap have tracks of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from analysis.zone_rows import INSET, MARGIN, Course, Rows, Run

PAD: Final = 20.0
"""Pixels between a card and the first track: room for an arrowhead."""
TRACK: Final = 20.0
"""Pixels between two tracks: room for a word on each."""
_EMPTY: Final = 18.0
_STRAIGHT: Final = 58.0


class End(NamedTuple):
    """One end of a line at a card."""

    way: int
    is_first: bool
    """Whether the line, as it is routed, begins here."""
    zone: str
    channel: int
    is_above: bool
    """Whether the card lies above the channel."""
    toward: float
    """Middle of what the line leads to."""


class Stretch(NamedTuple):
    """One run across a channel."""

    way: int
    channel: int
    start: float
    end: float
    is_last: bool
    """The second of a line that leads around rows."""


class Channels(NamedTuple):
    ends: Mapping[tuple[int, bool], float]
    """x by way and whether the line begins there."""
    tracks: Mapping[tuple[int, bool], int]
    """By way and whether the run is the second; none where the line runs straight."""
    heights: tuple[float, ...]
    """By channel."""

    def is_straight(self, way: int) -> bool:
        return (way, False) not in self.tracks


def channels(rows: Rows) -> Channels:
    ends = _placed(rows)
    stretches = [one for way, run in enumerate(rows.runs) for one in _stretches(way, run, rows, ends)]
    tracks: dict[tuple[int, bool], int] = {}
    laid: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda one: _order(one, rows.runs[one.way])):
        tracks[stretch.way, stretch.is_last] = _free_track(stretch, laid, tracks, rows.pitch)
        laid.append(stretch)
    heights = tuple(_height(channel, rows, laid, tracks) for channel in range(len(rows.rows) + 1))
    return Channels(ends, tracks, heights)


def _height(
    channel: int, rows: Rows, stretches: Iterable[Stretch], tracks: Mapping[tuple[int, bool], int]
) -> float:
    used = [tracks[one.way, one.is_last] for one in stretches if one.channel == channel]
    has_straight = any(
        run.channel == channel and (way, False) not in tracks for way, run in enumerate(rows.runs)
    )
    return max(_STRAIGHT if has_straight else _EMPTY, 2 * PAD + max(used) * TRACK if used else 0.0)


def _ends(way: int, run: Run, rows: Rows) -> list[End]:
    def middle(zone: str) -> float:
        return sum(rows.spans[zone]) / 2

    first_toward, last_toward = middle(run.other), middle(run.zone)
    if run.course is Course.ASIDE:
        first_toward = MARGIN if run.is_left else rows.width - MARGIN
    if run.course is Course.AROUND:
        first_toward = last_toward = rows.lane_x(run)
    first = End(way, True, run.zone, run.channel, run.course is not Course.UP, first_toward)
    if run.course in (Course.UP, Course.OUT, Course.ASIDE):
        return [first]
    return [first, End(way, False, run.other, run.last_channel, run.course is Course.BESIDE, last_toward)]


def _placed(rows: Rows) -> dict[tuple[int, bool], float]:
    """The x of each end; first of lines that can run straight, whose ends share theirs."""
    wishes = _wishes([end for way, run in enumerate(rows.runs) for end in _ends(way, run, rows)], rows)
    taken: defaultdict[tuple[int, bool], set[int]] = defaultdict(set)
    found = _straight(rows, wishes, taken)
    for end, wish in wishes.items():
        if rows.runs[end.way].course is Course.UP:
            found[end.way, end.is_first] = wish  # nothing else ends in the channel above all rows
        elif (end.way, end.is_first) not in found:
            phase = 0.0 if end.is_above else rows.pitch / 2
            used = taken[end.channel, end.is_above]
            slot = _slot(rows.spans[end.zone], wish, rows.pitch, phase, used)
            if slot is None:
                raise ValueError(f"the card of {end.zone} is too narrow for its lines")
            used.add(slot)
            found[end.way, end.is_first] = slot * rows.pitch + phase
    return found


def _straight(
    rows: Rows, wishes: Mapping[End, float], taken: defaultdict[tuple[int, bool], set[int]]
) -> dict[tuple[int, bool], float]:
    """Lines to the next row where both cards have a free position above each other; `taken` is filled."""
    lower = {end.way: end for end in wishes if not end.is_first}
    found = {}
    for end, wish in sorted(wishes.items(), key=lambda one: (one[0].channel, one[1])):
        if end.is_first and rows.runs[end.way].course is Course.DOWN:
            other = lower[end.way]
            both = _shared(rows.spans[end.zone], rows.spans[other.zone])
            used = taken[end.channel, True]
            slot = _slot(both, (wish + wishes[other]) / 2, rows.pitch, 0.0, used)
            if slot is not None:
                used.add(slot)
                found[end.way, True] = found[end.way, False] = slot * rows.pitch
    return found


def _wishes(asked: Iterable[End], rows: Rows) -> dict[End, float]:
    """Ends spread over the side of their card, in the order of what they lead to."""
    sides: defaultdict[tuple[str, bool], list[End]] = defaultdict(list)
    for end in asked:
        sides[end.zone, end.is_above].append(end)
    wishes: dict[End, float] = {}
    for (zone, _), ends in sides.items():
        left, right = rows.spans[zone]
        for position, end in enumerate(sorted(ends, key=lambda one: (one.toward, one.way, one.is_first))):
            wishes[end] = left + (right - left) * (position + 0.5) / len(ends)
    return wishes


def _shared(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), min(one[1], other[1])


def _slot(span: tuple[float, float], wish: float, pitch: float, phase: float, taken: set[int]) -> int | None:
    """The free position of the raster next to `wish` that keeps off the corners of `span`."""
    first = -int(-(span[0] + INSET - phase) // pitch)
    last = int((span[1] - INSET - phase) // pitch)
    free = [slot for slot in range(first, last + 1) if slot not in taken]
    return min(free, key=lambda slot: abs(slot * pitch + phase - wish), default=None)


def _stretches(way: int, run: Run, rows: Rows, ends: Mapping[tuple[int, bool], float]) -> list[Stretch]:
    start = ends[way, True]
    if run.course in (Course.UP, Course.OUT):
        return []
    if run.course is Course.ASIDE:
        edge = MARGIN if run.is_left else rows.width - MARGIN
        return [Stretch(way, run.channel, start, edge, False)]
    end = ends[way, False]
    if run.course is Course.AROUND:
        lane = rows.lane_x(run)
        return [
            Stretch(way, run.channel, start, lane, False),
            Stretch(way, run.last_channel, lane, end, True),
        ]
    return [] if start == end else [Stretch(way, run.channel, start, end, False)]


def _order(stretch: Stretch, run: Run) -> tuple[float, ...]:
    """From the upper tracks to the lower, so that lines of one direction do not cross each other."""
    if run.course is Course.BESIDE:
        return stretch.channel, 0, abs(stretch.end - stretch.start)
    goes_right = stretch.end > stretch.start
    return stretch.channel, 1, float(goes_right), -stretch.start if goes_right else stretch.start


def _free_track(
    stretch: Stretch, others: Iterable[Stretch], tracks: Mapping[tuple[int, bool], int], pitch: float
) -> int:
    left, right = sorted((stretch.start, stretch.end))
    busy = {
        tracks[other.way, other.is_last]
        for other in others
        if other.channel == stretch.channel
        and min(other.start, other.end) < right + pitch
        and max(other.start, other.end) > left - pitch
    }
    return next(track for track in range(len(busy) + 1) if track not in busy)
