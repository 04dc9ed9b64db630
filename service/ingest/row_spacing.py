"""How far apart the rows of a file are, and whether that goes with the interval that they are said to count.

Pure. A row that counts five minutes and is taken to count one loses nobody, but leaves four of five minutes
missing without a word; so the file's own spacing is found out and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

_ENOUGH_STEPS: Final = 10
"""A passage with fewer is heard only when none has as many."""


@dataclass(frozen=True, slots=True)
class RowSpacing:
    usual: tuple[int, ...]
    """Minutes from row to row that most rows of some passage keep; ascending."""
    smallest: int | None
    """Fewest minutes from any row to the next of its passage; None when no passage has two."""

    @property
    def interval(self) -> int | None:
        """Minutes that a row seems to count; None when the file does not say."""
        if self.smallest is None:
            return None
        if self.usual in {(), (self.smallest,)}:
            return self.smallest
        return None


def row_spacing(steps: Collection[Counter[int]]) -> RowSpacing:
    """The spacing of a file, given for each passage how often rows are how many minutes apart (never 0)."""
    told = [counted for counted in steps if counted]
    many = [counted for counted in told if counted.total() >= _ENOUGH_STEPS] or told
    usual = {
        step for counted in many for step, times in counted.most_common(1) if 2 * times > counted.total()
    }
    return RowSpacing(tuple(sorted(usual)), min((min(counted) for counted in told), default=None))


def refusal_without_interval(spacing: RowSpacing) -> str | None:
    """Why the rows cannot be taken for minutes without being asked to; None when they can."""
    interval = spacing.interval
    if spacing.smallest is None or interval == 1:
        return None
    if interval is not None:
        return (
            f"rows are {_minutes(interval)} apart: say --interval {interval} if each of them counts"
            f" {_minutes(interval)}, or --interval 1 if it counts one minute only"
        )
    usual = " and ".join(map(str, spacing.usual))
    return (
        f"rows are usually {usual} minutes apart and some of them {_minutes(spacing.smallest)}: say with"
        " --interval how many minutes a row counts; rows that count different stretches go into files of"
        " their own"
    )


def refusal_of_interval(interval: int, spacing: RowSpacing) -> str | None:
    """Why rows overlap by the hundred with this interval; None when it is not the interval."""
    apart = spacing.usual[-1] if spacing.usual else spacing.smallest
    if apart is None or interval <= apart:
        return None
    return (
        f"rows are {_minutes(apart)} apart: with --interval {interval} they would count the same minutes"
        f" again; say --interval {apart}"
    )


def gap_note(interval: int, spacing: RowSpacing) -> str | None:
    """What becomes of the minutes between rows that are further apart than they count."""
    apart = spacing.interval
    if apart is None or apart <= interval:
        return None
    return (
        f"Rows are {_minutes(apart)} apart and were taken to count {_minutes(interval)} each; if they count"
        f" {apart}, import the file again with --interval {apart}."
    )


def _minutes(number: int) -> str:
    return "1 minute" if number == 1 else f"{number} minutes"
