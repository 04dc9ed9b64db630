"""The hours to come as a table: a row for each of which something is expected; as a file, all of today's."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.ahead_answer import Ahead
from components.number_format import Formats
from components.sentences.ahead_words import hour_text, staff_of
from contract import METRICS, MetricKey

HOUR: Final = "Hour"
EXPECTED: Final = "Expected"
LOW: Final = "Low"
HIGH: Final = "High"
STAFF: Final = "Staff"
STAFF_HIGH: Final = "Staff for the high end"
FROM: Final = "From"
CLOSED: Final = "Closed"


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


def ahead_file(
    found: Ahead, metric: MetricKey, timezone: ZoneInfo, ratio: int | None, *, is_opening_known: bool
) -> pd.DataFrame:
    """A row for each hour of today, also of those that are over: what was counted, or what is expected.

    Where nobody has said when it is open, no column says that it is not closed.
    """
    so_far = f"{METRICS[metric].label}, so far"
    rows: list[dict[str, object]] = [{FROM: one.start, so_far: one.value} for one in found.so_far]
    for hour in found.to_come:
        row: dict[str, object] = {FROM: hour.start, CLOSED: "yes" if hour.is_closed else "no"}
        if band := hour.expected:
            row |= {EXPECTED: band.median, LOW: band.low, HIGH: band.high}
            if ratio:
                row |= {STAFF: staff_of(band.median, ratio), STAFF_HIGH: staff_of(band.high, ratio)}
        rows.append(row)
    numbers = [so_far, EXPECTED, LOW, HIGH, *([STAFF, STAFF_HIGH] if ratio else [])]
    table = pd.DataFrame(rows, columns=[FROM, *numbers, CLOSED]).astype(dict.fromkeys(numbers, "float64"))
    table[FROM] = pd.to_datetime(table[FROM], utc=True).dt.tz_convert(timezone)
    return table.fillna({CLOSED: ""}) if is_opening_known else table.drop(columns=CLOSED)
