"""What is said of counters: what waits, where they hang, how their clocks stand, what became of reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

from analysis.counters import Crossings, Hung, Trouble, ends_of, troubles_of
from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
from contract import Passage, Site
from contract.administration import ClockTold, Sensor

OUTSIDE: Final = "outside"
_RIGHT: Final = 60
"""Seconds that a clock may be off, or a report take, and nothing is said of it."""
_BECAME: Final = {
    "counted": ("counted", "counted"),
    "begun": ("began a running total, which counts from the next on", "began running totals"),
    "duplicate": ("had come before", "had come before"),
    "conflicting": ("was not taken: it told other numbers", "were not taken: they told other numbers"),
    "stale": ("was older than the last total", "were older than the last total"),
    "waiting": ("is to be counted within minutes", "are to be counted within minutes"),
}
"""What became of reports: of one, of several."""


def counter_name(sensor: Sensor) -> str:
    """`axis-3d ACCC8E000001`, and its line where it has several."""
    line = f", line {one_line(sensor.line, LONGEST_NAME)}" if sensor.line else ""
    return f"{one_line(sensor.maker, LONGEST_NAME)} {one_line(sensor.serial, LONGEST_NAME)}{line}"


def waiting_words(sensor: Sensor, timezone: tzinfo, formats: Formats) -> str:
    """`A counter that nobody has placed: axis-3d ACCC8E000001. 3 reports wait, the last came at 12:04`."""
    last = formats.moment(sensor.last_heard_at.astimezone(timezone))
    reports = _reports(sensor.waiting, formats)
    wait = f"{reports} {'waits' if sensor.waiting == 1 else 'wait'}, the last came at {last}."
    if sensor.is_ignored:
        return f"A counter that is ignored: {counter_name(sensor)}. The last report came at {last}."
    if not sensor.waiting:
        wait = f"No report of it waits; the last came at {last}."
    return f"A counter that nobody has placed: {counter_name(sensor)}. {wait}"


def dismissed_words(number: int, formats: Formats, *, is_ignored: bool, is_heeded: bool = False) -> str:
    """What was done, and what becomes of what they send. `is_heeded`: they were ignored until now."""
    named = f"{formats.number(number)} {_plural('counter', number)}"
    if is_heeded:
        verb, back = ("is", "it is") if number == 1 else ("are", "each is")
        return f"{named} {verb} heeded again: {back} back here with the next report."
    if is_ignored:
        return f"{named} {'is' if number == 1 else 'are'} ignored from now on: no report is kept."
    return f"{named} dismissed. {'It is' if number == 1 else 'Each is'} back here when it reports again."


def placed_words(sensor: Sensor, hung: Hung, outcomes: Mapping[str, int], formats: Formats) -> str:
    """What was done, and what became of the reports that had waited."""
    where = f"{_named(hung.passage)} of {one_line(hung.site.name or hung.site.id, LONGEST_NAME)}"
    return f"{counter_name(sensor)} counts at {where} now. {outcome_words(outcomes, formats)}"


def to_be_counted_words(sensor: Sensor, formats: Formats) -> str:
    """Of one that is placed while reports of it wait."""
    reports = _reports(sensor.waiting, formats)
    verb = "is" if sensor.waiting == 1 else "are"
    return f"{reports} {verb} still to be counted, within minutes. What comes meanwhile counts after that."


def outcome_words(outcomes: Mapping[str, int], formats: Formats) -> str:
    """`Of the reports that had waited, 3 counted and 1 had come before`."""
    said = [
        f"{formats.number(number)} {_BECAME.get(name, (name, name))[number != 1]}"
        for name, number in outcomes.items()
        if number
    ]
    if not said:
        return "No report had waited."
    return f"Of the reports that had waited, {_joined(said)}."


def direction_words(site: Site, passage: Passage, *, is_swapped: bool) -> str:
    """`In leads from outside to Hall`: what the counter calls in."""
    start, end = (_zone(site, end) for end in ends_of(passage, is_swapped=is_swapped))
    return f"In leads from {start} to {end}"


def status_words(sensor: Sensor, timezone: tzinfo, formats: Formats) -> str:
    """`Online`, or `Offline since 12:04`."""
    if sensor.is_online:
        return "Online"
    status = one_line(sensor.status, LONGEST_NAME) or "Unknown"
    return f"{status} since {formats.moment(sensor.status_since.astimezone(timezone))}"


def clock_words(clock: ClockTold | None, formats: Formats) -> str:
    """`right`, `3 min ahead`, `2 h behind; not believed`; nothing before the first count."""
    if clock is None:
        return ""
    off, belief = abs(clock.ahead_seconds), "" if clock.is_trusted else "; not believed"
    if off <= _RIGHT:
        return f"right{belief}"
    side = "ahead" if clock.ahead_seconds > 0 else "behind, or reports come late"
    return f"{formats.duration(off)} {side}{belief}"


def summary_words(sensors: Sequence[Sensor], formats: Formats) -> str:
    """`12 lines of 9 counters: 1 is offline, 2 wait to be placed`."""
    counters = len({(one.maker, one.serial) for one in sensors})
    lines = f"{formats.number(len(sensors))} {_plural('line', len(sensors))}"
    found = Counter(trouble for one in sensors for trouble in troubles_of(one))
    said = [
        f"{formats.number(found[trouble])} {one if found[trouble] == 1 else many}"
        for trouble, one, many in (
            (Trouble.UNPLACED, "waits to be placed", "wait to be placed"),
            (Trouble.IGNORED, "is ignored", "are ignored"),
            (Trouble.OFFLINE, "is offline", "are offline"),
            (Trouble.CLOCK, "has a clock that is not believed", "have clocks that are not believed"),
            (Trouble.CONFLICTS, "told numbers that conflict", "told numbers that conflict"),
        )
        if found[trouble]
    ]
    verdict = _joined(said) if said else "all are placed and report as they usually do"
    return f"{lines} of {formats.number(counters)} {_plural('counter', counters)}: {verdict}."


def watch_words(
    found: Crossings | None, since: str, hung: Hung, sensor: Sensor, formats: Formats
) -> tuple[str, str]:
    """What the counter has told since then, and what that means. `since` is a clock."""
    is_swapped = sensor.placement is not None and sensor.placement.is_swapped
    pace = formats.duration(sensor.usual_silence_seconds)
    means = f"{direction_words(hung.site, hung.passage, is_swapped=is_swapped)}."
    if found is None:
        told = f"Nothing told since {since}."
        return (
            told,
            f"{means} It is silent for {pace} at most as a rule, and a minute counts once it is over.",
        )
    came, went = (formats.number(number) for number in found)
    return f"{came} in, {went} out since {since}.", means


def _zone(site: Site, zone_id: str | None) -> str:
    if zone_id is None:
        return OUTSIDE
    names = [zone.name for zone in site.zones if zone.id == zone_id]
    return one_line(names[0] if names and names[0] else zone_id, LONGEST_NAME)


def _named(passage: Passage) -> str:
    return one_line(passage.name or passage.id, LONGEST_NAME)


def _reports(number: int, formats: Formats) -> str:
    return f"{formats.number(number)} {_plural('report', number)}"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _joined(said: Sequence[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
