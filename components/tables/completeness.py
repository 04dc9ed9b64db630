"""Columns of a file that say how complete a row is: minutes that are counted, of those that should be."""

from __future__ import annotations

from typing import Final

from analysis.bucket_table import Completeness

COUNTED: Final = "Minutes counted"
EXPECTED: Final = "Minutes expected"
UNTOLD: Final = (
    f"“{COUNTED}” is 0 where nothing was counted, and empty where nobody came or was inside: a service does"
    " not tell of how many minutes such a 0 is."
)
"""What an empty cell means there."""


def minutes_columns(minutes: Completeness) -> dict[str, int]:
    """Of a row whose minutes are known."""
    return {COUNTED: minutes.present, EXPECTED: minutes.expected}
