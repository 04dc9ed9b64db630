"""What a service tells of its own daily resets, in sentences, beside what the hours leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.drift import is_large
from analysis.residue import DayBalance
from analysis.told_resets import ToldDay
from analysis.trust_answer import TrustAnswer, ZoneTrust
from components.number_format import Formats
from components.sentences.coverage_words import unseen_words
from components.sentences.trust_words import clock_hour, local_day, name_of, people_text

_LEAST: Final = 0.5
"""People by which two counts differ."""


class _Both(NamedTuple):
    day: DayBalance
    told: ToldDay


def apart(day: DayBalance, told: ToldDay) -> float | None:
    """How many more people the service's own count left than the hours do; None where they are not whole."""
    return told.residue - day.residue if day.is_whole else None


def told_words(site: ZoneTrust, begin: int, timezone: ZoneInfo, formats: Formats) -> list[str]:
    """What the service tells, and where it is not what the hours leave; `begin` is the hour of a day here."""
    both = [_Both(day, site.told[day.date]) for day in site.days if day.date in site.told]
    if not both:
        return []
    said = f"{_agreement(both, begin, timezone, formats)} {_sums(both, formats)}".strip()
    return [said, more] if (more := _more_wrong(both, formats)) else [said]


def unseen_zone_words(answer: TrustAnswer, formats: Formats) -> str:
    """What the counted minutes of the site, or else of the first zone that has such, cannot vouch for; empty:
    nothing.
    """
    for one in answer.zones:
        if one.unseen and (words := unseen_words(one.unseen, formats)):
            if one is answer.zones[0]:
                return words
            return f"In {name_of(one.subject.label)}, {words[0].lower()}{words[1:]}"
    return ""


def _agreement(both: Sequence[_Both], begin: int, timezone: ZoneInfo, formats: Formats) -> str:
    """Whether both counts leave the same on whole days; empty where none is whole."""
    whole = [one for one in both if one.day.is_whole]
    other = [one for one in whole if abs(one.told.residue - one.day.residue) >= _LEAST]
    number = formats.number(len(whole))
    those = f"{number} days that are" if len(whole) > 1 else "one day that is"
    if not whole:
        return ""
    if not other:
        days = f"all {those}" if len(whole) > 1 else f"the {those}"
        return f"The service’s own count leaves the same as the hours here on {days} counted whole."
    most = max(other, key=lambda one: abs(one.told.residue - one.day.residue))
    days = f"{formats.number(len(other))} of {those}" if len(whole) > 1 else f"the {those}"
    said = (
        f"The service’s own count does not leave the same as the hours here on {days} counted whole, most on"
        f" {formats.day(local_day(most.day))}:"
        f" by its count {_left(most.told.residue, formats)}, by the hours {_left(most.day.residue, formats)}."
    )
    hours = {one.told.at.astimezone(timezone).hour for one in both}
    if len(hours) == 1 and (hour := hours.pop()) != begin:
        said += f" It begins anew at {clock_hour(hour, formats)}, a day here at {clock_hour(begin, formats)}."
    return said


def _sums(both: Sequence[_Both], formats: Formats) -> str:
    # A day that is cut has those go out who came uncounted, as on the day on which counting begins.
    both = [one for one in both if one.day.is_whole] or both
    days = f"over {formats.number(len(both))} of these days" if len(both) > 1 else "on one of these days"
    left_over = sum(one.told.left_over for one in both)
    unentered = sum(one.told.unentered for one in both)
    return (
        f"By its own count, {days} {people_text(left_over, formats)}"
        f" {'was' if left_over == 1 else 'were'} still inside at its daily reset, and"
        f" {formats.number(unentered)} went out while its number inside was 0."
    )


def _left(residue: float, formats: Formats) -> str:
    if abs(residue) < _LEAST:
        return "as many went out as came in"
    way = "more came in than went out" if residue > 0 else "more went out than came in"
    return f"{formats.number(abs(residue))} {way}"


def _more_wrong(both: Sequence[_Both], formats: Formats) -> str:
    """Days that the hours do not show to be spoilt: within one, who left before others came does not show."""
    more = [
        one
        for one in both
        if one.day.is_whole and not one.day.is_spoilt and is_large(one.told.people, one.day.peak)
    ]
    if not more:
        return ""
    first = formats.day(local_day(more[0].day))
    days = f"{formats.number(len(more))} days, first on {first}" if len(more) > 1 else first
    return f"By that the number inside cannot be trusted on {days} either, though the hours do not show it."
