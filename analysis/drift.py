"""Drift of visitorsInside: by how many people entrances and exits disagree, and whether it spoils the number.

visitorsInside is entrances minus exits since a daily reset, and a service may hold it at 0 or above. The API
names neither the reset hour nor what was hidden by holding, but minute by minute both show:

    hidden = (visitorsInside - visitorsInside of the minute before) - (entrances - exits)

Positive, with nobody inside but who came in this minute: people left who had not been counted in. Negative,
likewise: the count began again, and forgot who was inside. Where nobody was inside, that does not show, but
the time of day shows on other days. Anything else is no such arithmetic (averages, sums of several zones,
corrections), and where that is much, nothing is said.

A drift is a matter of one count, from its reset to the next: only of a count that is read whole is it known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from contract import CROSSINGS, MetricKey, Number

Numbers = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

_METRICS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)
_MINUTE: Final = 60.0
_CLOSED: Final = 3 * 3600.0
"""Seconds. Nobody inside, in or out for so long: whatever comes after is a new count. And what seems to begin
again more often than this is no such count."""
_DAY: Final = 24 * 3600.0
_SHORTEST_DAY: Final = 23 * 3600.0
_LONGEST_COUNT: Final = timedelta(hours=25)
"""From one daily reset to the next. What goes on longer is two counts whose reset does not show."""
_SOONER: Final = 15 * 60.0
"""Seconds by which the last minute of a day may come sooner than that of another."""
_HALF_A_PERSON: Final = 0.5
_FEWEST: Final = 10
"""By so few people any counter may err."""
_PART_OF_PEAK: Final = 4
"""A drift of a quarter of the peak or more spoils it: decision 19 has the figures."""
_PART_UNEXPLAINED: Final = 4
"""What the arithmetic leaves unexplained may be a quarter of the drift at most."""

MinutePoint = tuple[datetime, Mapping[MetricKey, Number] | Mapping[str, Number]]
"""Start of a minute, aware, and its metrics by key."""


@dataclass(frozen=True, slots=True)
class Drift:
    """What entrances and exits say of visitorsInside between two resets, or since the first point."""

    since: datetime
    """Start of the first minute after the reset, or of the first point."""
    until: datetime | None = None
    """Start of the minute in which the count began again; None: not yet."""
    unentered: float = 0
    """People who left and had not been counted in; at least so many where minutes are missing."""
    unentered_at: datetime | None = None
    """Start of the last minute in which somebody did; by its end so many more had left than come."""
    unleft: float = 0
    """People who were still counted inside when the count began again, or when a place closed whose counters
    are off until then; 0 while it has not begun again, and where they fell silent at no usual time."""
    is_whole: bool = True
    """Whether all of it is among the points: its beginning, or a whole day, as counts are no longer."""
    is_begin_seen: bool = True
    """Whether it began at `since`; else it may have begun before, or since then."""
    is_reset_seen: bool = True
    """Whether the minute before `until` is there; else the count began again while no minutes were."""
    busy_until: datetime | None = None
    """End of the last minute in which somebody was inside, came or left; None: not known."""
    peak: float = 0
    """The highest visitorsInside."""
    minutes: int = 0
    judged: int = 0
    """Those of the minutes whose minute before is known, too."""
    unexplained: float = 0
    """People by whom visitorsInside changed otherwise."""
    unexplained_before: float = 0
    """Likewise in the span before; where that is much, its end need not be a reset."""

    @property
    def people(self) -> float:
        """By how many the number inside is wrong in some minute of the span, at least."""
        return max(self.unentered, self.unleft)

    @property
    def is_known(self) -> bool:
        """Whether visitorsInside is a sum of entrances and exits since one reset, as far as minutes tell."""
        is_one = self.busy_until is None or self.busy_until - self.since <= _LONGEST_COUNT
        is_a_sum = (self.unexplained + self.unexplained_before) * _PART_UNEXPLAINED <= self.people
        return self.is_whole and is_one and is_a_sum and self.judged * 2 >= self.minutes

    @property
    def is_spoiling(self) -> bool:
        """Whether the number inside, and its peak, mean nothing in this span."""
        return is_large(self.people, self.peak) and self.is_known


def drifts(points: Iterable[MinutePoint], read_from: datetime | None = None) -> list[Drift]:
    """One drift for each span between two resets that the points show, in order of time.

    `points` ascend, and all there are since `read_from` are among them: a first point soon after it that has
    nobody inside may be held at 0, and begins no count. None: the first point is the first of its place.
    Points without all three metrics are left out, and so are steps between points that are
    not a minute apart: of hours or days, of a site that counts entrances only, or of averages, nothing
    is said.
    """
    minutes = _counted(points)
    # A count of people is whole; parts of a person are an average's.
    if not minutes.starts.size or (minutes.inside % 1).any():
        return []
    resets = _is_reset(minutes)
    begins = resets | _reopens(minutes)
    if begins.sum() - 1 > (minutes.starts[-1] - minutes.starts[0]) / _CLOSED:
        return []
    first = [0, *(np.flatnonzero(begins | _is_usual_reset(minutes, resets)) + 1).tolist()]
    spans = [_span(minutes, start, end) for start, end in pairwise([*first, minutes.starts.size])]
    if read_from and minutes.starts[0] - read_from.timestamp() < _CLOSED:
        spans[0] = _without_beginning(spans[0], minutes)
    after = [replace(span, unexplained_before=before.unexplained) for before, span in pairwise(spans)]
    return [*spans[:1], *after]


def present_drift(points: Iterable[MinutePoint], read_from: datetime | None = None) -> Drift | None:
    """The drift since the last reset."""
    found = drifts(points, read_from)
    return found[-1] if found else None


def may_be_left_over(points: Sequence[MinutePoint]) -> bool:
    """Whether so many are inside in the last minute that they spoil its count if none of them leaves.

    If so, what follows must tell; else nobody who is inside by then can spoil it.
    """
    count = present_drift(points)
    return count is not None and is_large(float(_counted(points).inside[-1]), count.peak)


def is_large(people: float, peak: float) -> bool:
    """Whether a number inside that is wrong by so many people means nothing, beside the highest one."""
    return people >= _FEWEST and people * _PART_OF_PEAK >= peak


class _Minutes(NamedTuple):
    """The minutes of a zone as parallel arrays, ascending."""

    starts: Numbers
    """Seconds since the epoch."""
    inside: Numbers
    entrances: Numbers
    exits: Numbers

    @property
    def hidden(self) -> Numbers:
        """Of each minute but the first: what was added to the minute before beside entrances and exits."""
        return np.diff(self.inside) - (self.entrances - self.exits)[1:]

    @property
    def follow(self) -> Truths:
        """Of each minute but the first: whether the one before is the minute before."""
        is_next: Truths = np.diff(self.starts) == _MINUTE
        return is_next

    @property
    def are_busy(self) -> Truths:
        """Whether somebody was inside, came or left."""
        busy: Truths = (self.inside != 0) | (self.entrances != 0) | (self.exits != 0)
        return busy

    @property
    def begin_at_zero(self) -> Truths:
        """Whether all who are inside may have come in this minute: after a hold at 0, or a reset."""
        return self.inside <= self.entrances + _HALF_A_PERSON


def _counted(points: Iterable[MinutePoint]) -> _Minutes:
    inside, came, left = _METRICS
    rows = [(start.timestamp(), of.get(inside), of.get(came), of.get(left)) for start, of in points]
    minutes = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return _Minutes(*minutes[~np.isnan(minutes).any(axis=1)].T)


def _is_reset(minutes: _Minutes) -> Truths:
    """Of each minute but the first: whether the count forgot in it who was inside."""
    hidden = minutes.hidden
    falls = (hidden <= -_HALF_A_PERSON) | ((minutes.inside[:-1] < 0) & (hidden >= _HALF_A_PERSON))
    return falls & minutes.begin_at_zero[1:]


def _reopens(minutes: _Minutes) -> Truths:
    """Of each minute but the first: whether it ends hours in which nobody was inside, or none were counted.

    Whoever was inside before such a gap and still is belongs to the same count.
    """
    is_busy = minutes.are_busy
    busy_at = np.maximum.accumulate(np.where(is_busy, minutes.starts, minutes.starts[0]))
    is_new = minutes.begin_at_zero[1:] | (minutes.inside[:-1] == 0)
    reopens: Truths = is_busy[1:] & (minutes.starts[1:] - busy_at[:-1] >= _CLOSED) & is_new
    return reopens


def _is_usual_reset(minutes: _Minutes, resets: Truths) -> Truths:
    """Of each minute but the first: whether the count began again with nobody inside, as it seems.

    It did begin again at this time on another day, and at no other time of the same day.
    """
    seen = minutes.starts[1:][resets & minutes.follow]
    days = np.arange(-4, 5) * _DAY
    usual = np.add.outer(seen, days).ravel()
    nearest = np.abs(np.subtract.outer(usual, seen)).min(axis=1, initial=np.inf)
    is_usual: Truths = np.isin(minutes.starts[1:], usual[nearest >= _SHORTEST_DAY])
    return is_usual & minutes.begin_at_zero[1:]


def _closes(minutes: _Minutes, last: int) -> bool:
    """Whether minutes end after `last` for some hours, about when they do on another day, or later.

    So ends a day. Where they end much sooner, counters failed.
    """
    ends = minutes.starts[:-1][np.diff(minutes.starts) >= _CLOSED]
    end = minutes.starts[last]
    after_others = (end - ends[ends != end] + _SOONER) % _DAY
    return bool(end in ends and (after_others <= _SOONER + _CLOSED).any())


def _span(minutes: _Minutes, start: int, end: int) -> Drift:
    """Of the minutes [start, end), all between two resets."""
    own = _Minutes(*(column[start:end] for column in minutes))
    # After a reset the minute before counts as empty; of the first point nothing before is known.
    before = own.inside[0] - (own.entrances[0] - own.exits[0])
    first = before if start and before >= _HALF_A_PERSON else 0.0
    hidden = np.concatenate(([first], np.where(own.follow, own.hidden, 0.0)))
    is_lift = (hidden > 0) & own.begin_at_zero
    lowest = min(0.0, float(own.inside.min()))
    lifted = np.flatnonzero(is_lift & (hidden >= _HALF_A_PERSON))
    indexes = [*lifted[-1:].tolist(), *([int(own.inside.argmin())] if lowest else [])]
    is_over = end < minutes.starts.size
    is_reset_seen = is_over and bool(minutes.follow[end - 1])
    is_left = is_reset_seen or (is_over and _closes(minutes, end - 1))
    busy = np.flatnonzero(own.are_busy)
    return Drift(
        since=_moment(own.starts[0]),
        until=_moment(minutes.starts[end]) if is_over else None,
        # A service that does not hold the number at 0 shows below 0 what others hide.
        unentered=float(hidden[lifted].sum()) - lowest,
        unentered_at=_moment(own.starts[max(indexes)]) if indexes else None,
        unleft=max(0.0, float(own.inside[-1])) if is_left else 0.0,
        is_whole=start > 0 or bool(own.begin_at_zero[0]),
        is_reset_seen=is_reset_seen,
        busy_until=_moment(own.starts[busy[-1]] + _MINUTE) if busy.size else None,
        peak=float(own.inside.max()),
        minutes=end - start,
        judged=1 + int(own.follow.sum()),
        unexplained=float(np.abs(hidden[~is_lift & (np.abs(hidden) >= _HALF_A_PERSON)]).sum()),
    )


def _without_beginning(first: Drift, minutes: _Minutes) -> Drift:
    """The present count began within the last day: where no reset shows in one, it is among its minutes."""
    is_a_day = first.until is None and minutes.starts[-1] - minutes.starts[0] >= _DAY - _CLOSED
    return replace(first, is_whole=is_a_day, is_begin_seen=False)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), UTC)
