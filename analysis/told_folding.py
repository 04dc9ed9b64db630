"""What a service tells of minutes that it keeps as quarters of an hour alone: until when.

Read from the warnings of an answer as `told_resets` does (`contract/warning_codes.py`); what cannot be
read is as if it were not told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from analysis.told_resets import told_moment
from contract.warning_codes import WarningCode

_MOST: Final = 400
"""Entries that are looked at."""
_LONGEST: Final = 200
"""Characters of a time that are looked at."""


def told_folding(warnings: Sequence[Any]) -> datetime | None:
    """Before then there are no minutes, aware; None: nothing of the range is folded, as far as it is told."""
    found = []
    for entry in warnings[:_MOST]:
        if isinstance(entry, Mapping) and entry.get("code") == WarningCode.MINUTES_FOLDED:
            details = entry.get("details")
            until = details.get("until") if isinstance(details, Mapping) else None
            found.append(told_moment(until[:_LONGEST]) if isinstance(until, str) else None)
    return max((one for one in found if one is not None), default=None)
