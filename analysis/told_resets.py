"""What a service tells of its own daily resets: who was left over, and who went out while nobody was inside.

A service that tells nothing of them may have had some all the same: that is no zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from analysis.told_entries import told_details, told_moment, told_texts
from contract.warning_codes import WarningCode

_MOST: Final = 400
"""Resets that are told on."""
_LEFT_OVER: Final = re.compile(r"(?<!\S)(\d{1,9}) left over\b", re.ASCII)
_UNENTERED: Final = re.compile(r"(?<!\S)(\d{1,9}) exits? found nobody\b", re.ASCII)
_HALF_A_DAY: Final = timedelta(hours=12)


class ToldReset(NamedTuple):
    at: datetime
    """Aware."""
    left_over: int
    """People inside whom it forgot."""
    unentered: int
    """People who went out while nobody was inside, since the reset before."""


class ToldDay(NamedTuple):
    """The resets whose counts lie mostly within one day, together; usually there is one."""

    at: datetime
    """The last of them, aware."""
    left_over: int
    unentered: int

    @property
    def residue(self) -> int:
        """What the day's count leaves by that: came minus went."""
        return self.left_over - self.unentered

    @property
    def people(self) -> int:
        """By how many people the number inside is wrong by that."""
        return max(self.left_over, self.unentered)


def told_resets(warnings: Sequence[Any]) -> tuple[ToldReset, ...]:
    """The resets that the warnings of an answer tell of, in order; of one that is told twice the first."""
    found: dict[datetime, ToldReset] = {}
    for details in told_details(warnings, WarningCode.PEOPLE_HIDDEN):
        for reset in _resets(details):
            found.setdefault(reset.at, reset)
    return tuple(found[at] for at in sorted(found)[:_MOST])


def _resets(details: Mapping[Any, Any]) -> Iterator[ToldReset]:
    for name, text in told_texts(details):
        left_over, unentered = _LEFT_OVER.search(text), _UNENTERED.search(text)
        at = told_moment(name)
        if at and left_over and unentered:
            yield ToldReset(at, int(left_over[1]), int(unentered[1]))


def told_days(
    resets: Sequence[ToldReset], days: Mapping[date, tuple[datetime, datetime]]
) -> dict[date, ToldDay]:
    """By the days whose begin and end, aware, `days` has; a day of which nothing is told is absent.

    A count belongs to the day in which it is half over, twelve hours before the reset that ends it.
    """
    found: dict[date, ToldDay] = {}
    for reset in resets:
        middle = reset.at - _HALF_A_DAY
        day = next((one for one, (begin, end) in days.items() if begin <= middle < end), None)
        if day is not None:
            own = found.get(day)
            left_over, unentered = (own.left_over, own.unentered) if own else (0, 0)
            found[day] = ToldDay(reset.at, left_over + reset.left_over, unentered + reset.unentered)
    return found
