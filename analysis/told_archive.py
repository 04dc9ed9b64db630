"""What a service tells of days that lie in an archive which it cannot read now: from when on it answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from analysis.told_entries import last_moment, told_details
from contract.warning_codes import WarningCode


def told_archive(warnings: Sequence[Any]) -> datetime | None:
    """What was counted before then is left out, aware; None: nothing is, as far as it is told."""
    return last_moment(warnings, WarningCode.ARCHIVE_AWAY, "from")


def leaves_out_archive(warnings: Sequence[Any]) -> bool:
    """Whether points are left out of an answer that would be there later."""
    return bool(told_details(warnings, WarningCode.ARCHIVE_AWAY))
