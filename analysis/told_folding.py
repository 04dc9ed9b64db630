"""What a service tells of minutes that it keeps as quarters of an hour alone: until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from analysis.told_entries import last_moment
from contract.warning_codes import WarningCode


def told_folding(warnings: Sequence[Any]) -> datetime | None:
    """Before then there are no minutes, aware; None: nothing of the range is folded, as far as it is told."""
    return last_moment(warnings, WarningCode.MINUTES_FOLDED, "until")
