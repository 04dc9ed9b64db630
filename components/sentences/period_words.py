"""What sets two periods apart before anybody came: missing minutes and public holidays of either."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from analysis.history_data import HistoryData
from analysis.missing_counts import MissingCounts, missing_counts, whole_minutes
from analysis.names import LONGEST_NAME, one_line
from analysis.public_holidays import countries
from analysis.special_days import SpecialDays
from components.number_format import Formats
from components.sentences.range_words import range_text
from contract import METRICS

_MOST_NAMED: Final = 3
_MOST_DAYS: Final = 8


def missing_words(data: HistoryData, formats: Formats) -> list[str]:
    """A sentence for each zone or door of which counts are missing in the open hours of either period."""
    if data.totals is None:
        return []
    said = []
    for label in data.labels:
        metric = next(one for one in METRICS if (label, one) in data.table.columns)
        found = missing_counts(data.totals, (label, metric))
        if found is None or not (found.present or found.earlier):
            continue
        name = f" of {one_line(label, LONGEST_NAME)}" if len(data.labels) > 1 else ""
        own, other = (_stretches(one, data.timezone, formats) for one in found)
        said.append(f"Minutes without counts{name} in open hours: {own} here; {other} in the other period.")
    return said


def _stretches(missing: Sequence[MissingCounts], zone: ZoneInfo, formats: Formats) -> str:
    """`180 (Tue 17 Nov, 12:00 to 15:00)`; the longest named, in order of time."""
    if not missing:
        return "none"
    longest = sorted(missing, key=lambda one: (-one.minutes, one.range.start))[:_MOST_NAMED]
    named = [range_text(one.range, zone, formats) for one in sorted(longest)]
    more = f" and {formats.number(len(missing) - len(named))} more" if len(missing) > len(named) else ""
    return f"{formats.number(whole_minutes(missing))} ({', '.join(named)}{more})"


def special_words(own: SpecialDays, other: SpecialDays, zone: ZoneInfo, formats: Formats) -> str:
    """Which days of either period are holidays or have a name of their own."""
    days = [_days(one, zone, formats) for one in (own, other)]
    country = countries().get(own.country)
    if country is None and not any(days):
        return "Whose public holidays these days may be is not known: say so with the opening hours on Site."
    whose = f"Public holidays of {country}" if country else "Days with a name"
    if not any(days):
        return f"{whose}: none in either period."
    here, there = (one or "none" for one in days)
    return f"{whose}: {here} here; {there} in the other period."


def _days(found: SpecialDays, zone: ZoneInfo, formats: Formats) -> str:
    named = [
        f"{formats.day(datetime.combine(day, time(12), zone))} ({one_line(name, LONGEST_NAME)})"
        for day, name in list(found.days.items())[:_MOST_DAYS]
    ]
    more = len(found.days) - len(named)
    return ", ".join(named) + (f" and {formats.number(more)} more" if more else "")
