"""The hours to come as a table: a row for each of which something is expected."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.ahead_answer import Ahead
from components.number_format import Formats
from components.sentences.ahead_words import hour_text, staff_of

HOUR: Final = "Hour"
EXPECTED: Final = "Expected"
LOW: Final = "Low"
HIGH: Final = "High"
STAFF: Final = "Staff"
STAFF_HIGH: Final = "Staff for the high end"


def ahead_table(found: Ahead, timezone: ZoneInfo, formats: Formats, ratio: int | None) -> pd.DataFrame:
    """Numbers of people; staff where a ratio is given: people for each."""
    rows: list[dict[str, object]] = []
    for start, band in found.known:
        if not band.high:
            continue
        row: dict[str, object] = {
            HOUR: hour_text(start, timezone, formats),
            EXPECTED: band.median,
            LOW: band.low,
            HIGH: band.high,
        }
        if ratio:
            row |= {STAFF: staff_of(band.median, ratio), STAFF_HIGH: staff_of(band.high, ratio)}
        rows.append(row)
    return pd.DataFrame(rows)
