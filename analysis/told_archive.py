"""What a service tells of days that lie in an archive which it cannot read now: from when on it answers.

Read from the warnings of an answer as `told_resets` does (`contract/warning_codes.py`); what cannot be
read is as if no moment were told.
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


def told_archive(warnings: Sequence[Any]) -> datetime | None:
    """What was counted before then is left out, aware; None: nothing is, as far as it is told."""
    found = []
    for entry in _entries(warnings):
        details = entry.get("details")
        start = details.get("from") if isinstance(details, Mapping) else None
        found.append(told_moment(start[:_LONGEST]) if isinstance(start, str) else None)
    return max((one for one in found if one is not None), default=None)


def leaves_out_archive(warnings: Sequence[Any]) -> bool:
    """Whether points are left out of an answer that would be there later."""
    return bool(_entries(warnings))


def _entries(warnings: Sequence[Any]) -> list[Mapping[Any, Any]]:
    looked_at = (entry for entry in warnings[:_MOST] if isinstance(entry, Mapping))
    return [entry for entry in looked_at if entry.get("code") == WarningCode.ARCHIVE_AWAY]
