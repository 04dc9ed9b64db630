"""Columns of a file that say how complete a row is: minutes that are counted, of those that should be."""

from __future__ import annotations

from typing import Final

from analysis.bucket_table import Completeness

COUNTED: Final = "Minutes counted"
EXPECTED: Final = "Minutes expected"


def minutes_columns(minutes: Completeness) -> dict[str, int]:
    """Of a row whose minutes are known."""
    return {COUNTED: minutes.present, EXPECTED: minutes.expected}
