"""What is said of a recorded day before it plays: when it was fullest, what is missing or untrusted."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final

from analysis.bucket_table import Completeness
from analysis.recorded_day import RecordedDay, RecordedPlace, fullest, missing_steps, untrusted_times
from analysis.untrusted import UNTRUSTED
from components.number_format import Formats, zone_words
from components.sentences.coverage_words import portion_first
from contract import Granularity
from gauge.levels import share_of

_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_USUAL: Final = timedelta(days=1)


def day_words(day: date) -> str:
    """`Saturday 14 November 2026`: whole, as it marks what is not of now."""
    return f"{day:%A} {day.day} {day:%B %Y}"


def replay_sentence(day: RecordedDay, place: RecordedPlace, capacity: float | None, formats: Formats) -> str:
    """The day, and its fullest step."""
    name = day_words(day.day)
    if day.counted.end < day.whole.end:
        name += f", until {_clock(day.counted.end, day, formats)}"
    found = fullest(day, place)
    if found is None:
        return f"{name}: {_without_fullest(place, formats)}."
    share = share_of(found.inside, capacity)
    people = formats.number(found.inside) + (f" ({formats.percent(share)})" if share is not None else "")
    time = _clock(found.at, day, formats)
    most = f"most inside {people}"
    when = f"at {time}" if day.is_by_the_minute else f"in the {_step_words(day)} from {time}, on average"
    return f"{name}: {most} {when}."


def _without_fullest(place: RecordedPlace, formats: Formats) -> str:
    came = [value for value in place.entrances if value is not None]
    entered = f"{formats.number(sum(came))} came in; " if came else ""
    if place.untrusted:
        return f"{entered}the number inside {UNTRUSTED}"
    return f"{entered}{'nobody was inside' if _is_any_known(place) else 'no number inside is stored'}"


def _is_any_known(place: RecordedPlace) -> bool:
    """Whether any step has a number inside."""
    return missing_steps(place) < len(place.inside)


def replay_notes(day: RecordedDay, place: RecordedPlace, formats: Formats) -> list[str]:
    """What one must know of the day: its time zone, its steps, what is missing, what is not to be trusted."""
    steps, missing = len(place.inside), missing_steps(place)
    step = _step_words(day)
    notes = [f"Times are {zone_words(day.timezone.key)}."]
    if not day.is_by_the_minute:
        notes.append(f"The service tells this day by the {step}: each number inside is the mean of one.")
    if day.length != _USUAL:
        hours, rest = divmod(day.length, _HOUR)
        minutes = f" and {rest // _MINUTE} minutes" if rest else ""
        notes.append(f"The clocks were changed: this day has {hours} hours{minutes}.")
    if steps:
        kind = step if step in set(Granularity) else "step"
        counted = portion_first(Completeness(steps - missing, steps), kind, formats)
        have = "has" if 1 in {steps, steps - missing} else "have"
        notes.append(f"{counted} {have} counts{'; in the others no number is shown' if missing else ''}.")
    if place.untrusted:
        notes.append(
            f"The number inside {UNTRUSTED} {_untrusted_words(day, place, formats)}: "
            "who came and who left do not add up."
        )
    return notes


def _untrusted_words(day: RecordedDay, place: RecordedPlace, formats: Formats) -> str:
    times = untrusted_times(place)
    if times == [day.counted]:
        return "at any time"
    return "from " + ", and from ".join(
        f"{_clock(start, day, formats)} to {_clock(end, day, formats)}" for start, end in times
    )


def _step_words(day: RecordedDay) -> str:
    minutes = int(day.step.total_seconds()) // 60
    return {1: "minute", 60: "hour"}.get(minutes, f"{minutes} minutes")


def _clock(moment: datetime, day: RecordedDay, formats: Formats) -> str:
    return formats.time(moment.astimezone(day.timezone))
