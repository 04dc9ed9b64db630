"""Rows of two periods in which there should be counts, and how many people are missing where there are none.

How many would have come in minutes without counts follows from rows of the same kind that have some: the one
that it is held against, or all of its weekday and hour. It is an estimate, and so is in no number; it tells
whether a difference is one of people, or only of what is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from statistics import median
from typing import Final, NamedTuple

from analysis.bucket_table import Change, Completeness

_ALIKE: Final = 0.9
"""Of two periods, the one with fewer counted minutes has at least this part of the other's. So have two rows
that are held against each other."""
_AS_GOOD_AS_SAME: Final = 0.99
"""Likewise, of rows that are held against each other where those above lack too unlike a part."""
_MOST_LACKING: Final = 0.03
"""Of the people of a period, at most this part may be missing: a missing Saturday is few of a month's minutes
and many of its people."""
_MOST_MOVED: Final = 0.005
"""What is missing may change the quotient of two totals by at most this part of it: half a percent."""
_ABOUT_AS_FULL: Final = 0.5
"""Of the fullest hour: one day is not as the next."""


class Row(NamedTuple):
    """A bucket in which there should be counts, as far as its period holds it."""

    value: float
    """NaN where it has no counts."""
    minutes: float
    """Counted ones."""
    held: float
    """Its minutes."""
    kind: Hashable
    """What it has in common with those that tell how many usually come."""
    hour: Hashable
    """In which hour it lies: all rows of one are open or none is."""
    is_busy: bool

    @property
    def completeness(self) -> Completeness:
        return Completeness(round(self.minutes), round(self.held))


Pairs = Sequence[tuple[Row, Row]]


class Lacking(NamedTuple):
    """How many people would have been counted in the minutes without counts: an estimate."""

    present: float
    earlier: float


class Shared(NamedTuple):
    """What came in the open buckets that both periods have."""

    change: Change
    buckets: int


def are_alike(counted: Completeness, other: Completeness, part: float = _ALIKE) -> bool:
    """Whether so much of each is counted that they may be held against each other."""
    parts = [one.present / max(1, one.expected) for one in (counted, other)]
    return min(parts) > 0 and min(parts) >= part * max(parts)


def is_same_change(sums: Change, lacks: Lacking) -> bool:
    """Whether so few are missing of either, and so alike, that with them the percentage would be the same."""
    whole = Change(sums.present + lacks.present, sums.earlier + lacks.earlier)
    if lacks.present > _MOST_LACKING * whole.present or lacks.earlier > _MOST_LACKING * whole.earlier:
        return False
    told, true = sums.present * whole.earlier, whole.present * sums.earlier
    return abs(told - true) <= _MOST_MOVED * max(told, true)


def shared(pairs: Pairs) -> Shared | None:
    """Of rows beside each other, those that are counted alike; None where there are none, or where what is
    missing of them would change their percentage.
    """
    for part in (_ALIKE, _AS_GOOD_AS_SAME):
        both = [pair for pair in pairs if are_alike(pair[0].completeness, pair[1].completeness, part)]
        sums = Change(sum(one.value for one, _ in both), sum(two.value for _, two in both))
        if both and is_same_change(sums, UsualRows(*zip(*both, strict=True)).lacking()):
            return Shared(sums, len(both))
    return None


class UsualRows:
    """How many people rows of a kind usually have, of two periods together, and how many they lack."""

    def __init__(self, own: Collection[Row], other: Collection[Row]) -> None:
        self._periods = (own, other)
        self._part = max(_usual_part(own), _usual_part(other))
        self._people: dict[Hashable, float] = defaultdict(float)
        self._minutes: dict[Hashable, float] = defaultdict(float)
        for row in (*own, *other):
            if row.minutes:
                self._people[row.kind] += row.value
                self._minutes[row.kind] += self._share(row) * row.held

    def lacking(self) -> Lacking:
        """Of each period. A kind that neither has any counts of lacks nobody: nobody knows of any."""
        return Lacking(*(sum(map(self._missing, rows)) for rows in self._periods))

    def may_hide_highest(self) -> bool:
        """Whether of either a row without counts is of a kind that usually is about as full as the
        fullest.
        """
        for rows in self._periods:
            highest = max((row.value for row in rows if row.minutes), default=0.0)
            if any(self._missing(row) > _ABOUT_AS_FULL * highest for row in rows):
                return True
        return False

    def _missing(self, row: Row) -> float:
        if not (minutes := self._minutes.get(row.kind)):
            return 0.0
        return (1 - self._share(row)) * row.held * self._people[row.kind] / minutes

    def _share(self, row: Row) -> float:
        """Part of the minutes with counts that it has, of as many as a row usually has; 0 to 1."""
        return min(1.0, row.minutes / (self._part * row.held))


def _usual_part(rows: Collection[Row]) -> float:
    """Part of its minutes that a row has counts of: a service may count by quarters of an hour."""
    return median(found) if (found := [row.minutes / row.held for row in rows if row.minutes]) else 0.0
