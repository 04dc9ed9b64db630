"""The tables of Trust: doors, the most suspect first; days by zone; hours of a day; people against time; and
those as files have them, where days are dates and what is counted is numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.inside_band import SureHour
from analysis.names import LONGEST_NAME, one_line
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance
from analysis.subject import Subject
from analysis.told_resets import ToldDay
from analysis.trust_answer import TrustAnswer, ZoneTrust
from components.number_format import Formats
from components.sentences.blame_words import between, more_in
from components.sentences.coverage_words import portion
from components.sentences.told_words import apart
from components.sentences.trust_words import local_day, minutes_words
from components.tables.completeness import COUNTED as MINUTES_COUNTED
from components.tables.completeness import minutes_columns
from contract import MetricKey

DOOR: Final = "Door"
BETWEEN: Final = "From – into"
CAME: Final = "Came in"
WENT: Final = "Went out"
MORE: Final = "More in than out, % of all"
EXPLAINED: Final = "Explained if exchanged, %"
ONE_WAY: Final = "If it misses one way, %"
COUNTED: Final = "Counted"
BOTH_WAYS: Final = "Counted both ways"
HOURS_COUNTED: Final = "Hours counted both ways"
HOURS_EXPECTED: Final = "Hours expected"
CHECKED: Final = "Checked by hand"
ZONE: Final = "Zone"
DAY: Final = "Day"
LEFT: Final = "Came minus went"
SHARE: Final = "Of the entrances, %"
TOLD_LEFT_OVER: Final = "Still inside at the reset"
TOLD_UNENTERED: Final = "Went out with 0 inside"
TOLD_APART: Final = "Differs from came minus went"
INSIDE: Final = "Number inside"
HOUR: Final = "Hour"
CHANGE: Final = "Change of inside"
COMPARED: Final = "Compared"
MINUTES_COMPARED: Final = "Minutes compared"
RESIDUAL: Final = "Not explained"
MEAN: Final = "People inside, mean"
EXPECTED: Final = "By entrances and time"
APART: Final = "Difference, %"
LOW: Final = "Low, by past days"
HIGH: Final = "High, by past days"
_TOLD: Final = (TOLD_LEFT_OVER, TOLD_UNENTERED, TOLD_APART)
_PLACES: Final = 6
"""Digits beyond which what two sums differ by is how a computer adds."""
_TRUSTED: Final = {True: "cannot be trusted", False: "adds up"}


def door_table(answer: TrustAnswer, formats: Formats, checked: Mapping[str, str]) -> pd.DataFrame:
    """A row for each passage that is read; one of which nothing is counted both ways has no numbers.

    `checked` is what the last check by hand found, by passage id; without any there is no such column.
    """
    rows = []
    for own in answer.ranked:
        counted = answer.passages[own.way]
        known = counted.present > 0
        rows.append(
            {
                DOOR: one_line(own.way.label, LONGEST_NAME),
                BETWEEN: between(own.way, answer.names),
                CAME: own.came if known else None,
                WENT: own.went if known else None,
                MORE: more_in(own) if known else None,
                EXPLAINED: _percent(own.explained) if known else None,
                ONE_WAY: _percent(own.explained_one_way) if known else None,
                BOTH_WAYS: portion(counted, "hour", formats),
                CHECKED: checked.get(own.way.passage_id, "never"),
            }
        )
    columns = [DOOR, BETWEEN, CAME, WENT, MORE, EXPLAINED, ONE_WAY, BOTH_WAYS]
    columns += [CHECKED] if checked else []
    numbers = dict.fromkeys((CAME, WENT, MORE, EXPLAINED, ONE_WAY), "float64")
    return pd.DataFrame(rows, columns=columns).astype(numbers)


def door_file(answer: TrustAnswer, formats: Formats, checked: Mapping[str, str]) -> pd.DataFrame:
    """As `door_table`."""
    table = door_table(answer, formats, checked).drop(columns=BOTH_WAYS)
    hours = [answer.passages[own.way] for own in answer.ranked]
    return table.join(pd.DataFrame(hours, columns=[HOURS_COUNTED, HOURS_EXPECTED], dtype="Int64"))


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part


def day_table(answer: TrustAnswer, formats: Formats) -> pd.DataFrame:
    """A row for each day of the site and of each zone; sums of a day that is not whole are those counted.

    Where the service says nothing of its resets there are no columns of them.
    """
    rows = [
        {
            ZONE: one_line(one.subject.label, LONGEST_NAME),
            DAY: formats.day(local_day(day)),
            CAME: day.came if day.counted.present and one.lacks is not MetricKey.ENTRANCES else None,
            WENT: day.went if day.counted.present and one.lacks is not MetricKey.EXITS else None,
            LEFT: day.residue if day.is_whole else None,
            SHARE: 100 * day.residue / day.came if day.is_whole and day.came > 0 else None,
            **_told(day, one.told.get(day.date)),
            INSIDE: _number_inside(day, one),
            COUNTED: minutes_words(day, formats),
        }
        for one in answer.zones
        for day in one.days
    ]
    numbers = (CAME, WENT, LEFT, SHARE, *_TOLD)
    table = pd.DataFrame(rows).astype(dict.fromkeys(numbers, "float64"))
    return table if any(one.told for one in answer.zones) else table.drop(columns=list(_TOLD))


def day_file(answer: TrustAnswer, formats: Formats) -> pd.DataFrame:
    """As `day_table`."""
    days = [day for one in answer.zones for day in one.days]
    table = day_table(answer, formats).drop(columns=COUNTED)
    table[DAY] = [day.date for day in days]
    return table.join(pd.DataFrame([minutes_columns(day.counted) for day in days]))


def _told(day: DayBalance, told: ToldDay | None) -> dict[str, float | None]:
    values = (told.left_over, told.unentered, apart(day, told)) if told else (None, None, None)
    return dict(zip(_TOLD, values, strict=True))


def _number_inside(day: DayBalance, one: ZoneTrust) -> str:
    if not one.has_inside:
        return "not told"
    return _TRUSTED[day.is_spoilt] if day.is_whole else "not counted whole"


def hour_table(hours: Mapping[Subject, Sequence[ReconciledHour]], formats: Formats) -> pd.DataFrame:
    """A row for each zone and hour that is counted by the minute; times are aware. A minute is compared
    with the one before it, and where that is not known with none, though it may be counted.
    """
    rows = [
        {
            ZONE: one_line(subject.label, LONGEST_NAME),
            HOUR: one.start,
            CAME: one.came,
            WENT: one.went,
            CHANGE: one.change,
            RESIDUAL: one.residual,
            COMPARED: portion(one.minutes, "minute", formats),
        }
        for subject, own in hours.items()
        for one in own
    ]
    return pd.DataFrame(rows, columns=[ZONE, HOUR, CAME, WENT, CHANGE, RESIDUAL, COMPARED])


def hour_file(
    hours: Mapping[Subject, Sequence[ReconciledHour]], formats: Formats, timezone: ZoneInfo
) -> pd.DataFrame:
    """As `hour_table`, of at least one hour."""
    table = hour_table(hours, formats).drop(columns=COMPARED)
    table[HOUR] = _local(table[HOUR], timezone)
    minutes = [minutes_columns(one.minutes) for own in hours.values() for one in own]
    return table.join(pd.DataFrame(minutes).rename(columns={MINUTES_COUNTED: MINUTES_COMPARED}))


def sure_file(hours: Sequence[SureHour], timezone: ZoneInfo) -> pd.DataFrame:
    """A row for each hour that is told of the present day, with its band."""
    table = pd.DataFrame(hours).set_axis([HOUR, INSIDE, LOW, HIGH], axis="columns")
    table[HOUR] = _local(table[HOUR], timezone)
    return table.round({INSIDE: 1, LOW: 1, HIGH: 1})


def _local(starts: pd.Series, timezone: ZoneInfo) -> pd.Series:
    return pd.to_datetime(starts, utc=True).dt.tz_convert(timezone)


def agreement_table(answer: TrustAnswer) -> pd.DataFrame:
    """A row for each zone of which people inside, entrances and time inside are known."""
    rows = [
        {
            ZONE: one_line(one.subject.label, LONGEST_NAME),
            MEAN: found.inside,
            EXPECTED: found.expected,
            APART: round(found.percent, _PLACES) + 0.0,  # never -0
        }
        for one in answer.zones
        if (found := one.consistency)
    ]
    return pd.DataFrame(rows, columns=[ZONE, MEAN, EXPECTED, APART])
