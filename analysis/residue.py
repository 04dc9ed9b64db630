"""What a day's count leaves: entrances minus exits, and by how many people the number inside is wrong then.

Both are read from the sums of hours, so that a month is one question. Within an hour people may have left
before others came, which sums hide: what is told is a lower bound of what minutes tell (`analysis/drift.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from analysis.bucket_table import Completeness
from analysis.count_days import CountDay, Hours, Numbers, Truths, counted_of, is_whole
from analysis.drift import is_large
from contract import MetricKey


class DayBalance(NamedTuple):
    """One day of one place."""

    date: date
    came: float
    went: float
    people: float
    """By how many the number inside is wrong in some minute of it, at least."""
    peak: float
    """The highest number inside, of the hours: by their sums held at 0, or on average as told."""
    counted: Completeness
    """Minutes."""
    is_whole: bool
    """Whether nearly all is counted that should be, both ways; else the sums mean nothing."""
    lacks: MetricKey | None = None
    """Entrances or exits, where some of its hours has the other alone."""
    has_inside: bool = True
    """Whether people inside are told; else only who came in and went out is."""

    @property
    def residue(self) -> float:
        """People whom the count leaves inside; below 0, so many more went out than came in."""
        return self.came - self.went

    @property
    def is_spoilt(self) -> bool:
        """Whether the number inside means nothing that day (decision 19)."""
        return self.is_whole and is_large(self.people, self.peak)


class Disagreement(NamedTuple):
    """Of the whole days of a place together."""

    days: int
    spoilt: int
    came: float
    went: float
    people: float
    """The sum of what each day is wrong by."""

    @property
    def percent(self) -> float | None:
        """Of the entrances; None where nobody came in."""
        return 100 * self.people / self.came if self.came > 0 else None

    @property
    def residue(self) -> float:
        return self.came - self.went


def people_wrong(net: Numbers) -> float:
    """By how many people a count that adds `net` hour by hour is wrong: who left and had not come by then,
    or who is still inside at its end, whichever are more.
    """
    return float(people_wrong_each(net[np.newaxis])[0]) if net.size else 0.0


def people_wrong_each(nets: Numbers) -> Numbers:
    """Likewise of each row; a row that is shorter than others ends with zeros."""
    running = np.cumsum(nets, axis=1)
    lowest = np.minimum(running.min(axis=1), 0.0)
    wrong: Numbers = np.maximum(-lowest, running[:, -1] - lowest)
    return wrong


def day_balance(hours: Hours, expected: Truths, day: CountDay, before: Truths | None = None) -> DayBalance:
    """`before` are the hours of `hours_before`, where counts begin within the days."""
    needed = expected if before is None else expected | before
    own = hours.net[day.rows]
    running = np.cumsum(own)
    held = running - np.minimum(np.minimum.accumulate(running), 0.0)
    inside = hours.inside[day.rows]
    told = float(np.nanmax(inside)) if not np.isnan(inside).all() else 0.0
    return DayBalance(
        date=day.date,
        came=float(np.nansum(hours.came[day.rows])),
        went=float(np.nansum(hours.went[day.rows])),
        people=people_wrong(own),
        peak=max(told, float(held.max(initial=0.0))),
        counted=counted_of(hours, expected, day.rows),
        is_whole=is_whole(hours, needed, day.rows),
        lacks=hours.lacks_within(day.rows),
        has_inside=not np.isnan(inside).all(),
    )


def disagreement(balances: Sequence[DayBalance]) -> Disagreement:
    whole = [one for one in balances if one.is_whole]
    return Disagreement(
        len(whole),
        sum(one.is_spoilt for one in whole),
        sum(one.came for one in whole),
        sum(one.went for one in whole),
        sum(one.people for one in whole),
    )
