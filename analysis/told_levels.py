"""What a service tells of visitorsInside that somebody set by hand: when, to how many, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from analysis.told_entries import told_details, told_moment, told_texts
from contract.warning_codes import WarningCode

_MOST: Final = 400
"""Settings that are told on."""
_SET: Final = re.compile(r"set to (\d{1,9}): (\S.*)", re.ASCII)


class ToldLevel(NamedTuple):
    at: datetime
    """The minute from which on it holds, aware."""
    inside: int
    reason: str


def told_levels(warnings: Sequence[Any]) -> tuple[ToldLevel, ...]:
    """What was set by hand, of whichever zone the answer is about, in order."""
    found: list[ToldLevel] = []
    for details in told_details(warnings, WarningCode.LEVEL_SET):
        for name, text in told_texts(details):
            at = told_moment(name.rpartition(" at ")[2])
            said = _SET.fullmatch(text)
            if at and said:
                found.append(ToldLevel(at, int(said[1]), said[2]))
    return tuple(sorted(found)[:_MOST])
