"""The checks that are kept of a door, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.door_check import DoorCheck
from components.number_format import Formats
from components.sentences.check_words import verdict

BEGAN: Final = "Began"
MINUTES: Final = "Minutes"
IN_BY_HAND: Final = "In by hand"
IN_BY_COUNTER: Final = "In by counter"
OUT_BY_HAND: Final = "Out by hand"
OUT_BY_COUNTER: Final = "Out by counter"
FOUND: Final = "Accuracy and plausible range"
_PEOPLE: Final = (IN_BY_HAND, IN_BY_COUNTER, OUT_BY_HAND, OUT_BY_COUNTER)
_ENDS: Final = (
    "In counted, %",
    "In from, %",
    "In to, %",
    "Out counted, %",
    "Out from, %",
    "Out to, %",
)


def check_table(checks: Sequence[DoorCheck], timezone: ZoneInfo, formats: Formats) -> pd.DataFrame:
    """A row each of one check or more, in their order; one that told nothing has no number of the counter."""
    return _table([_row(check, timezone) | {FOUND: verdict(check, formats)} for check in checks])


def check_file(checks: Sequence[DoorCheck], timezone: ZoneInfo) -> pd.DataFrame:
    """As `check_table`, with the accuracy and its range as numbers in percent."""
    return _table([_row(check, timezone) | _percents(check) for check in checks])


def _table(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """People are whole, and may be missing."""
    return pd.DataFrame(rows).astype(dict.fromkeys(_PEOPLE, "Int64"))


def _row(check: DoorCheck, timezone: ZoneInfo) -> dict[str, object]:
    is_told = bool(check.told)
    by_hand = [sum(own[way] for own in check.hand) for way in (0, 1)]
    return {
        BEGAN: pd.Timestamp(check.start).tz_convert(timezone),
        MINUTES: len(check.told) if is_told else len(check.hand),
        IN_BY_HAND: int(check.came.hand) if is_told else by_hand[0],
        IN_BY_COUNTER: round(check.came.counted) if is_told else None,
        OUT_BY_HAND: int(check.went.hand) if is_told else by_hand[1],
        OUT_BY_COUNTER: round(check.went.counted) if is_told else None,
    }


def _percents(check: DoorCheck) -> dict[str, object]:
    numbers: list[float | None] = []
    for own in (check.came, check.went):
        low, high = own.range or (None, None)
        numbers += [None if one is None else round(100 * one, 1) for one in (own.ratio, low, high)]
    exchanged = "yes" if check.is_exchanged else "no"
    return {**dict(zip(_ENDS, numbers, strict=True)), "In and out exchanged": exchanged}
