"""What sets two periods apart before anybody came: missing minutes, public holidays, days of other hours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from analysis.compared_totals import ComparedTotals
from analysis.history_data import HistoryData
from analysis.missing_counts import MissingCounts, missing_counts, whole_minutes
from analysis.names import LONGEST_NAME, one_line
from analysis.public_holidays import countries
from analysis.special_days import ChangedDay, SpecialDays
from components.number_format import Formats
from components.sentences.opening_words import spans_words
from components.sentences.range_words import range_text
from contract import CROSSINGS, METRICS

_MOST_NAMED: Final = 3
_MOST_DAYS: Final = 8
_PERCENT: Final = 100
_LEAST_PERCENT: Final = 1
"""Of people who come when counts are missing: of fewer nothing is said."""


def missing_words(data: HistoryData, formats: Formats) -> list[str]:
    """A sentence for each zone or door of which counts are missing in the open hours of either period: as
    somebody has said where the numbers are of these alone, else those in which somebody was there; with the
    part of the people who usually come then.
    """
    if data.totals is None:
        return []
    is_said = data.totals.present.open_time is not None
    week = " of the week" if data.totals.is_of_week else ""
    when = "in open hours" if is_said else f"of hours{week} in which somebody was there in either period"
    said = []
    for label in data.labels:
        metric = next(one for one in METRICS if (label, one) in data.table.columns)
        found = missing_counts(data.totals, (label, metric))
        if found is None or not (found.present or found.earlier):
            continue
        name = f" of {one_line(label, LONGEST_NAME)}" if len(data.labels) > 1 else ""
        usual = _usual_parts(data.totals, label, formats)
        own, other = (
            _stretches(one, part, data.timezone, formats) for one, part in zip(found, usual, strict=True)
        )
        said.append(f"Minutes without counts{name} {when}: {own} here; {other} in the other period.")
    return said


def _stretches(missing: Sequence[MissingCounts], usual: str, zone: ZoneInfo, formats: Formats) -> str:
    """`180 (Tue 17 Nov, 12:00 to 15:00)`; the longest named, in order of time. `usual` is told of them."""
    if not missing:
        return "none"
    longest = sorted(missing, key=lambda one: (-one.minutes, one.range.start))[:_MOST_NAMED]
    named = [range_text(one.range, zone, formats) for one in sorted(longest)]
    more = f" and {formats.number(len(missing) - len(named))} more" if len(missing) > len(named) else ""
    return f"{formats.number(whole_minutes(missing))} ({', '.join(named)}{more}{usual})"


def _usual_parts(totals: ComparedTotals, label: str, formats: Formats) -> list[str]:
    """Of each period, which part of its people would have come in or gone out when counts are missing; empty
    where it is hardly any, or none of them is counted.
    """
    verdict = next(filter(None, (totals.verdict((label, metric)) for metric in CROSSINGS)), None)
    if verdict is None:
        return ["", ""]
    parts = [
        _PERCENT * lacks / (lacks + counted) if lacks and counted else 0.0
        for lacks, counted in zip(verdict.lacking, (verdict.present, verdict.earlier), strict=True)
    ]
    return [
        f"; about {formats.percent(part)} of the people usually come then" if part >= _LEAST_PERCENT else ""
        for part in parts
    ]


def special_words(own: SpecialDays, other: SpecialDays, zone: ZoneInfo, formats: Formats) -> str:
    """Which days of either period are public holidays, and which others have hours or a name of their own.

    A holiday on which it is closed says so; what somebody calls a day makes it no public holiday.
    """
    country = countries().get(own.country)
    holidays, others = ([_days(one, zone, formats)[kind] for one in (own, other)] for kind in (0, 1))
    said = []
    if country:
        said.append(f"Public holidays of {country}: {_of_both(holidays, formats)}")
    if any(others):
        said.append(f"Special days: {_of_both(others, formats)}")
    if not said:
        return "Whose public holidays these days may be is not known: say so with the opening hours on Site."
    return " ".join(said)


def _of_both(days: Sequence[Sequence[str]], formats: Formats) -> str:
    if not any(days):
        return "none in either period."
    here, there = (_some(one, formats) or "none" for one in days)
    return f"{here} here; {there} in the other period."


def _some(days: Sequence[str], formats: Formats) -> str:
    more = len(days) - _MOST_DAYS
    return ", ".join(days[:_MOST_DAYS]) + (f" and {formats.number(more)} more" if more > 0 else "")


def _days(found: SpecialDays, zone: ZoneInfo, formats: Formats) -> tuple[list[str], list[str]]:
    """`Fri 25 Dec (Christmas Day, closed)`: public holidays, and the other days that are not as others."""
    changed = {one.day: one for one in found.changed}
    are_holidays = {day for day, one in changed.items() if one.name == found.holidays.get(day)}
    holidays = [
        _day(day, name, changed[day] if day in are_holidays else None, zone, formats)
        for day, name in found.holidays.items()
    ]
    others = [
        _day(day, one.name, one, zone, formats) for day, one in changed.items() if day not in are_holidays
    ]
    return holidays, others


def _day(day: date, name: str, changed: ChangedDay | None, zone: ZoneInfo, formats: Formats) -> str:
    hours = spans_words(changed.spans, formats) if changed else ""
    what = ", ".join(filter(None, (one_line(name, LONGEST_NAME) if name else "", hours)))
    return f"{formats.day(datetime.combine(day, time(12), zone))} ({what})"
