"""For how long a place is at or above its thresholds, by weekday, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from analysis.threshold_minutes import ThresholdMinutes
from components.number_format import Formats
from components.sentences.rhythm_words import minutes_words, named_days, named_weekdays, weekday_name

_ROUNDING: Final = 1e-9
"""Of a number of people that is made from percents."""


def threshold_words(
    found: ThresholdMinutes, thresholds: Sequence[int], people: Sequence[float], formats: Formats
) -> list[str]:
    """For each threshold on which weekday it is reached longest; then what is left out.

    A weekday of which most days are left out is held against no other.
    """
    said = []
    told = {weekday: own for weekday, own in found.by_weekday.items() if found.is_told(weekday)}
    if not found.by_weekday:
        said.append("Of none of these days it is known how long they were above a threshold.")
    elif not told:
        said.append("Of each weekday too few days can be used, so none is held against another.")
    for index, (percent, inside) in enumerate(zip(thresholds, people, strict=True)):
        if not told:
            break
        level = f"{formats.percent(percent)} ({formats.number(ceil(inside - _ROUNDING))} inside) or more"
        a_day = {
            weekday: own.minutes[index] / own.days for weekday, own in told.items() if own.minutes[index]
        }
        if not a_day:
            left_out = found.spoilt or found.unread or found.lacking
            said.append(f"{level}: never{' on the days that are told' if left_out else ''}.")
            continue
        most = max(a_day, key=lambda weekday: (a_day[weekday], -weekday))
        average = minutes_words(a_day[most], formats)
        said.append(f"{level}: longest on {weekday_name(most)}s, {average} a day on average.")
    if told and (few := [weekday for weekday in sorted(found.left_out) if not found.is_told(weekday)]):
        said.append(f"Not in this: {named_weekdays(few)}, of which too few days can be used.")
    if found.spoilt:
        said.append(
            f"{_days(found.spoilt, formats)} left out because the number inside cannot be trusted then."
        )
    if found.unread:
        said.append(f"{_days(found.unread, formats)} left out because their minutes were not read.")
    if found.lacking:
        said.append(
            f"{_days(len(found.lacking), formats)} left out because minutes of theirs have no counts:"
            f" {named_days(found.lacking, formats)}."
        )
    return said


def _days(count: int, formats: Formats) -> str:
    return f"{formats.number(count)} {'day is' if count == 1 else 'days are'}"
