"""How far apart the rows of a file are, and whether that goes with the interval that they are said to count.

Pure. A row that counts five minutes and is taken to count one loses nobody, but leaves four of five minutes
missing without a word; so the file's own spacing is found out and compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from contract.minutes import MINUTES_A_DAY

_ENOUGH_STEPS: Final = 10
"""A passage with fewer is heard only when none has as many."""
_FEWEST_STEPS: Final = 3
"""With fewer, rows that are equally far apart may be so by chance."""
LONGEST_INTERVAL: Final = MINUTES_A_DAY
"""Minutes that a row may count."""
_PASSAGES_NAMED: Final = 3
_SPACINGS_OF_A_MIXTURE: Final = 2


@dataclass(frozen=True, slots=True)
class RowSpacing:
    usual: tuple[int, ...]
    """Minutes from row to row that most rows of some passage keep; ascending."""
    smallest: int | None
    """Fewest minutes from any row to the next of its passage; None when no passage has two."""
    even: Mapping[str, int]
    """Passage id -> minutes that most of its rows are apart, and none of them less; of those that have
    enough rows to be heard."""
    even_few: Mapping[str, int]
    """`even` of the passages with fewer rows."""

    @property
    def interval(self) -> int | None:
        """Minutes that a row seems to count; None when the file does not say."""
        if self.smallest is None:
            return None
        if self.usual in {(), (self.smallest,)}:
            return self.smallest
        return None


def row_spacing(steps: Mapping[str, Counter[int]]) -> RowSpacing:
    """The spacing of a file, given how often each passage has rows how many minutes apart (never 0)."""
    found = {passage: counted for passage, counted in steps.items() if counted}
    many = {passage: counted for passage, counted in found.items() if counted.total() >= _ENOUGH_STEPS}
    many = many or found
    usual = {step for counted in many.values() if (step := _usual_step(counted))}
    even = {passage: min(counted) for passage, counted in found.items() if _is_even(counted)}
    return RowSpacing(
        tuple(sorted(usual)),
        min((min(counted) for counted in found.values()), default=None),
        {passage: step for passage, step in even.items() if passage in many},
        {passage: step for passage, step in even.items() if passage not in many},
    )


def _usual_step(counted: Counter[int]) -> int | None:
    """Minutes that most rows are apart, if there are such."""
    [(step, times)] = counted.most_common(1)
    return step if 2 * times > counted.total() else None


def _is_even(counted: Counter[int]) -> bool:
    """Whether the smallest step is the usual one; of a few steps, the only one."""
    total, smallest = counted.total(), min(counted)
    if total < _ENOUGH_STEPS and not (len(counted) == 1 and total >= _FEWEST_STEPS):
        return False
    return _usual_step(counted) == smallest <= LONGEST_INTERVAL


def refusal_of_mixture(spacing: RowSpacing) -> str | None:
    """Why one interval cannot be right for all passages; None when their rows are equally far apart.

    It would take rows of some for too few minutes, and leave the others missing, or count some twice.
    """
    if len(set(spacing.even.values())) < _SPACINGS_OF_A_MIXTURE:
        return None
    return (
        f"its passages have rows of different intervals: {_named(spacing.even)}; no --interval is right for"
        " all of them: put the rows of each interval into files of their own"
    )


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


def gap_notes(interval: int, spacing: RowSpacing) -> list[str]:
    """What becomes of the minutes between rows that are further apart than they count."""
    apart = spacing.interval
    notes = []
    if apart is not None and apart > interval:
        notes.append(
            f"Rows are {_minutes(apart)} apart and were taken to count {_minutes(interval)} each; if they"
            f" count {apart}, import the file again with --interval {apart}."
        )
    even = {**spacing.even, **spacing.even_few}
    if wider := {passage: step for passage, step in even.items() if step > max(interval, apart or 0)}:
        notes.append(
            f"Rows of some passages are further apart than the {_minutes(interval)} that each was taken to"
            f" count: {_named(wider)}; what is between them is missing. If their rows count more, import them"
            " from files of their own."
        )
    return notes


def _named(steps: Mapping[str, int]) -> str:
    """`'door', 'gate' and 5 more every 5 minutes, 'yard' every 15 minutes`."""
    by_step: defaultdict[int, list[str]] = defaultdict(list)
    for passage, step in steps.items():
        by_step[step].append(passage)
    return ", ".join(f"{_first(by_step[step])} every {_minutes(step)}" for step in sorted(by_step))


def _first(passages: list[str]) -> str:
    named = ", ".join(map(repr, passages[:_PASSAGES_NAMED]))
    more = len(passages) - _PASSAGES_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _minutes(number: int) -> str:
    return "1 minute" if number == 1 else f"{number} minutes"
