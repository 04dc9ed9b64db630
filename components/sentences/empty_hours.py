"""Open hours of a week in which nobody is counted: the quietest hour that is named is one of the others."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from analysis.rhythm import Hour, Rhythm
from components.number_format import Formats
from components.sentences.rhythm_words import hours_text, stretches_of_hours, weekday_name
from contract import METRICS, MetricKey, Unit

_MOST_NAMED: Final = 3
"""Stretches of hours."""


def empty_hours_words(
    found: Rhythm, closed: Collection[Hour], metric: MetricKey, formats: Formats
) -> list[str]:
    """`Nobody came in during 6 of the 68 open hours of a week: on Fridays from 20:00 to 00:00 and …`.

    None where nobody has said when it is open (`closed` is empty), and where each open hour has somebody.
    Hours of which too few days tell are not among them: whether somebody comes in these nobody knows.
    Of a time inside nothing is told: nobody stays nowhere.
    """
    if not closed or METRICS[metric].unit is Unit.SECONDS:
        return []
    open_hours = [hour for hour in sorted(found.cells) if hour not in closed]
    told = [hour for hour in open_hours if found.cells[hour].is_usual]
    empty = [hour for hour in told if found.cells[hour].value == 0]
    if not empty:
        return []
    named = [
        f"on {weekday_name(first.weekday)}s from {hours_text(first.hour, last.hour + 1, formats)}"
        for first, last in stretches_of_hours(empty)
    ]
    which = (
        " and ".join(", ".join(named).rsplit(", ", 1)) if len(named) <= _MOST_NAMED else f"first {named[0]}"
    )
    nobody = (
        "Nobody was inside" if metric is MetricKey.VISITORS_INSIDE else f"Nobody {METRICS[metric].counted}"
    )
    of_all = f"{formats.number(len(empty))} of the {formats.number(len(told))} open hours of a week"
    rest = "" if len(told) == len(open_hours) else " of which enough days can be used"
    return [f"{nobody} during {of_all}{rest}: {which}."]
