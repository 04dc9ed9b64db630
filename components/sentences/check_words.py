"""What a check of a door found, in sentences."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.counting_accuracy import Accuracy
from analysis.door_check import DoorCheck
from components.number_format import Formats, zone_words
from contract import SiteSummary

_EN_DASH: Final = "\N{EN DASH}"
_DOUBT: Final = 3
"""Seconds from which on it is said how well the phone's clock is known."""
_FEW: Final = 0.2
_HALF: Final = 0.5
"""Of those who passed."""


def nobody_there_words(site: SiteSummary) -> str:
    """Why nobody can stand at a door of this site; empty: somebody can, for all that the service tells."""
    if site.is_replayed:
        why = "This site is the replay of a recording: who passes its doors now passed them at another time."
    elif site.is_simulated:
        why = "This site is simulated: nobody passes its doors."
    else:
        return ""
    return f"{why} So you can stand at none of them; how a check goes can be tried all the same."


def damaged_words(number: int, formats: Formats) -> str:
    if number == 1:
        return "1 check of a door of this site is damaged and left out; of which door, cannot be told."
    return (
        f"{formats.number(number)} checks of doors of this site are damaged and left out; of which, cannot be"
        " told."
    )


def check_words(check: DoorCheck, formats: Formats) -> list[str]:
    """What it comes to: a sentence each way, or why nothing is told."""
    if check.pace > 1:
        pace = f"every {formats.number(check.pace)} minutes"
        return [f"The counter tells its counts {pace} alone: taps cannot be compared with them."]
    if check.is_rarely_told:
        told, of = (formats.number(one) for one in (len(check.hand) - check.missing, len(check.hand)))
        by_hand = _both_by_hand(check, formats)
        few = f"The counter told only {told} of these {of} minutes: you counted {by_hand}."
        why = "Each of its counts may be of several minutes, so that taps cannot be compared with them."
        return [few, why, "Look on Site whether it is running."]
    if not check.told:
        counted = f"The counter told nothing of these minutes: you counted {_both_by_hand(check, formats)}."
        return [counted, "Look on Site whether it is running."]
    if check.is_exchanged:
        came, went = check.turned
        return [
            "In and out are probably exchanged: the counter is mounted the wrong way round.",
            f"Taken the other way round: {_way(came, 'in', formats)}",
            _way(went, "out", formats),
        ]
    said = [_way(check.came, "in", formats), _way(check.went, "out", formats)]
    more = _more(check, formats)
    if answer := _answer(check):
        return [answer, *said, more] if more else [answer, *said]
    return [more, *said] if more else said


def _answer(check: DoorCheck) -> str:
    """What can be told of the counter; empty: nothing."""
    came, went = _finding(check.came), _finding(check.went)
    if came == went:
        return came.format("came in or went out")
    return " ".join(one for one in (came.format("came in"), went.format("went out")) if one)


def _finding(own: Accuracy) -> str:
    """With a place for who passed; by the whole plausible range, empty where that is too wide."""
    if own.range is None or not own.is_told:
        return ""
    low, high = own.range
    if high < 1:
        whom = "nearly everybody" if high <= _FEW else "most of those" if high < _HALF else "some of those"
        return f"The counter missed {whom} who {{}}."
    return "The counter told more people than {}." if low > 1 else "The counter told about as many as {}."


def _more(check: DoorCheck, formats: Formats) -> str:
    """How much longer to stay; empty: enough have passed."""
    came, went = (formats.number(own.more_people) for own in (check.came, check.went))
    if not (check.came.is_told or check.went.is_told):
        return (
            f"By so few people nothing can be told. Stay longer: until about {came} more have come in and"
            f" {went} more have gone out."
        )
    if not check.came.is_told:
        return f"In, by so few nothing can be told: stay until about {came} more have come in."
    if not check.went.is_told:
        return f"Out, by so few nothing can be told: stay until about {went} more have gone out."
    return ""


def _both_by_hand(check: DoorCheck, formats: Formats) -> str:
    came, went = (sum(own[way] for own in check.hand) for way in (0, 1))
    return f"{formats.number(came)} in and {formats.number(went)} out"


def _way(own: Accuracy, name: str, formats: Formats) -> str:
    """`The counter counted 40 of 42 in (95 %); plausible range 84 % to 99 %.`."""
    counted = formats.number(own.counted)
    if not own.hand:
        passed = "came in" if name == "in" else "went out"
        return f"Nobody {passed}" + (f", and the counter told {counted}." if own.counted else ".")
    passed = f"{formats.number(own.hand)} {name}"
    told = f"{counted} of {passed}" if own.counted <= own.hand else f"{counted} for {passed}"
    share = f"({percent(own, formats)}); plausible range {_range_words(own, formats)}"
    return f"The counter counted {told} {share}."


def percent(own: Accuracy, formats: Formats) -> str:
    """`95 %`."""
    return formats.part(None if own.ratio is None else 100 * own.ratio)


def _range_words(own: Accuracy, formats: Formats) -> str:
    low, high = own.range or (None, None)
    return " to ".join(formats.part(None if end is None else 100 * end) for end in (low, high))


def range_text(own: Accuracy, formats: Formats) -> str:
    """`84–99 %`."""
    if own.range is None:
        return ""
    low, high = (formats.number(100 * end) for end in own.range)
    return f"{low}{_EN_DASH}{high}\N{NO-BREAK SPACE}%"


def minutes_words(check: DoorCheck, timezone: ZoneInfo, formats: Formats) -> str:
    """Which were compared: `Thu 12 Nov, 14:01 to 14:11 (Zurich time): 10 whole minutes of your 11.`."""
    start, end = check.start.astimezone(timezone), check.end.astimezone(timezone)
    whole, stood = len(check.hand), max(len(check.hand), round(check.stood.total_seconds() / 60))
    when = f"{formats.time(start)} to {formats.time(end)} ({zone_words(timezone.key)})"
    noun = "minute" if whole == 1 else "minutes"
    of = f" of your {formats.number(stood)}" if stood > whole else ""
    said = [f"{formats.day(start)}, {when}: {formats.number(whole)} whole {noun}{of}."]
    if check.left_out:
        taps = "tap" if check.left_out == 1 else "taps"
        are = "is" if check.left_out == 1 else "are"
        said.append(f"{formats.number(check.left_out)} {taps} before and after them {are} left out.")
    if check.missing and check.told:
        has = "has" if check.missing == 1 else "have"
        said.append(
            f"{formats.number(check.missing)} of them {has} no counts and {'is' if has == 'has' else 'are'}"
            " left out on both sides."
        )
    if check.doubt.total_seconds() >= _DOUBT:
        seconds = formats.number(check.doubt.total_seconds())
        said.append(f"The connection was slow: the clock by which you counted is known to {seconds} s only.")
    return " ".join(said)


def waiting_words(check: DoorCheck, again: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """That minutes are not told yet."""
    number = check.missing
    are = "minute is" if number == 1 else "minutes are"
    return (
        f"{formats.number(number)} {are} not told yet: look again at"
        f" {formats.time(again.astimezone(timezone))}. This page looks by itself."
    )


def short_words(check: DoorCheck, timezone: ZoneInfo, formats: Formats) -> str:
    """For a list of doors: `Thu 12 Nov: in 95 % (84–99 %), out 97 % (86–99 %)`."""
    return f"{formats.day(check.start.astimezone(timezone))}: {verdict(check, formats)}"


def verdict(check: DoorCheck, formats: Formats) -> str:
    """`in 95 % (84–99 %), out 97 % (86–99 %)`."""
    if not check.told:
        return "nothing told"
    if check.is_exchanged:
        return "in and out exchanged"
    ways = [
        f"{name} {percent(own, formats)} ({range_text(own, formats)})"
        for name, own in (("in", check.came), ("out", check.went))
        if own.hand
    ]
    return ", ".join(ways) or "nobody passed"
