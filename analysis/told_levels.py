"""What a service tells of visitorsInside that somebody set by hand: when, to how many, and why.

Read from the warnings of an answer as `told_resets` does (`contract/warning_codes.py`); what cannot be
read is as if it were not told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple

from analysis.told_resets import told_moment
from contract.warning_codes import WarningCode

_MOST: Final = 400
"""Entries, and settings of an entry, that are looked at."""
_LONGEST: Final = 400
"""Characters of a text that is looked at."""
_SET: Final = re.compile(r"set to (\d{1,9}): (\S.*)", re.ASCII)


class ToldLevel(NamedTuple):
    at: datetime
    """The minute from which on it holds, aware."""
    inside: int
    reason: str


def told_levels(warnings: Sequence[Any]) -> tuple[ToldLevel, ...]:
    """What was set by hand, of whichever zone the answer is about, in order."""
    found: list[ToldLevel] = []
    for entry in warnings[:_MOST]:
        if not isinstance(entry, Mapping) or entry.get("code") != WarningCode.LEVEL_SET:
            continue
        details = entry.get("details")
        for name, text in islice(details.items() if isinstance(details, Mapping) else (), _MOST):
            if not isinstance(name, str) or not isinstance(text, str):
                continue
            at = told_moment(name[-_LONGEST:].rpartition(" at ")[2])
            said = _SET.fullmatch(text[:_LONGEST])
            if at and said:
                found.append(ToldLevel(at, int(said[1]), said[2]))
    return tuple(sorted(found)[:_MOST])
