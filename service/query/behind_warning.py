"""`meta.warnings` of an answer out of a copy of the store that is not up to date."""

from __future__ import annotations

from datetime import timedelta
from math import ceil
from typing import Any, Final

from contract.warning_codes import WarningCode

_UNTOLD: Final = timedelta(seconds=5)
"""Counts are told of up to a minute late by themselves."""


def behind_warnings(behind: timedelta) -> list[dict[str, Any]]:
    """One entry, or none where no more than the last seconds may be missing."""
    if behind <= _UNTOLD:
        return []
    seconds = ceil(behind.total_seconds())
    message = (
        f"This is read from a copy of the store: what was stored in the last {seconds} s may not be in yet;"
        " ask again later."
    )
    return [{"code": WarningCode.COPY_BEHIND.value, "message": message, "details": {"seconds": str(seconds)}}]
