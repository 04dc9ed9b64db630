"""Which door is to blame, and which one stopped, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from analysis.daily_silences import DailySilence
from analysis.door_blame import FEWEST_DAYS, Blame, BlameKind, Turned, Way
from analysis.names import LONGEST_NAME, one_line
from analysis.silent_doors import Silence
from analysis.trust_answer import TrustAnswer
from components.number_format import Formats
from components.sentences.trust_words import MOST_NAMED, clock_hour, listed, name_of, people_text

_MOST_SILENCES: Final = 3
_OUTSIDE: Final = "outside"
_MUCH_WRONG: Final = "wrong by 2\N{NO-BREAK SPACE}% of its entrances and 10 people a day"


def blame_words(blame: Blame, answer: TrustAnswer, formats: Formats) -> str:
    """Who is to blame for zones that do not add up, or that it cannot be told."""
    zones = listed([name_of(answer.names.get(zone, zone)) for zone in blame.zones], 0)
    do = "do" if len(blame.zones) > 1 else "does"
    wrong = f"{people_text(blame.wrong / max(1, blame.days), formats)} a day"
    head = f"{zones} {do} not add up, by {wrong}"
    if blame.is_within:
        head = f"{zones} nearly add up by the end of a day but go wrong within it, by {wrong}"
    ways = [name_of(way.label) for way in blame.ways]
    if blame.kind is BlameKind.EXCHANGED:
        return f"{head}. {_exchanged(blame, answer, formats)}"
    if blame.kind is BlameKind.ONE_WAY:
        return (
            f"{head}. To blame is {ways[0]}: it misses people who go one way, or counts them twice."
            f"{_ratio(blame.ways[0], answer.ranked, formats)}"
        )
    if blame.kind is BlameKind.ONE_OF:
        named = listed(ways[:MOST_NAMED], len(ways) - MOST_NAMED)
        return f"{head}. It cannot be told which of {len(ways)} doors is to blame: {named}."
    if blame.kind is BlameKind.UNREAD:
        return f"{head}. Not all that it counts is known door by door, so none is blamed."
    return f"{head}. No single door explains it: several may err, or people stay over night."


def _exchanged(blame: Blame, answer: TrustAnswer, formats: Formats) -> str:
    (way,) = blame.ways
    name = name_of(way.label)
    left = formats.number(blame.left / max(1, blame.days))
    said = (
        f"{name} is probably mounted the wrong way round: with its two ways exchanged,"
        f" {left} would be left of that.{_ratio(way, answer.ranked, formats)}"
    )
    if blame.by_balance:
        return said
    hour = clock_hour(answer.begin, formats)
    return f"{said} Or people are inside at {hour}, when a day begins here, and nothing is wrong."


def _ratio(way: Way, ranked: Sequence[Turned], formats: Formats) -> str:
    """` It counts 6 % more out than in.`."""
    own = next((one for one in ranked if one.way == way), None)
    percent = more_in(own) if own else None
    if percent is None or abs(percent) < 1:
        return ""
    more, less = ("in", "out") if percent > 0 else ("out", "in")
    assert own is not None
    share = abs(own.came - own.went) / min(own.came, own.went) if min(own.came, own.went) > 0 else None
    if share is None:
        return f" It counts people {more} only."
    return f" It counts {formats.number(100 * share)}\N{NO-BREAK SPACE}% more {more} than {less}."


def more_in(own: Turned) -> float | None:
    """Percent of all crossings by which more come into the zone of a passage than go out; None: nobody."""
    crossed = own.came + own.went
    return 100 * (own.came - own.went) / crossed if crossed > 0 else None


def doors_words(answer: TrustAnswer, formats: Formats, left_out: int = 0) -> list[str]:
    """A sentence for each blame; where there is none, what that means.

    `left_out` are zones that are not looked at.
    """
    if answer.blames:
        return [*(blame_words(blame, answer, formats) for blame in answer.blames), *_little_words(answer)]
    if not answer.checked:
        return ["The doors of no zone could be checked against what the zone counts."]
    if answer.days_judged < FEWEST_DAYS:
        return [f"Fewer than {FEWEST_DAYS} days are counted whole, so no door is judged."]
    if little := _little_words(answer):
        return little
    if not left_out and not answer.unread:
        return [f"No door is to blame: no zone is {_MUCH_WRONG}."]
    zones = len(answer.checked)
    of = f"the {formats.number(zones)} zones" if zones > 1 else "the one zone"
    return [f"Of {of} whose doors are looked at, none has a door to blame: none is {_MUCH_WRONG}."]


def daily_words(found: Sequence[DailySilence], formats: Formats) -> list[str]:
    """Which doors count nobody at the same hours of every day; empty where none does."""
    said = [
        f"{name_of(one.way.label)} counts nobody from {clock_hour(one.begin, formats)} to"
        f" {clock_hour(one.end, formats)} on any of {formats.number(one.days)} days, and"
        f" {formats.number(one.beside)} an hour just before and after: its counter stops then, or the door is"
        " closed."
        for one in found[:_MOST_SILENCES]
    ]
    more = len(found) - len(said)
    also = f"And {_times(more, formats)} a door is silent at the same hours of every day."
    return [*said, also] if more > 0 else said


def _little_words(answer: TrustAnswer) -> list[str]:
    if not (spoilt := _spoilt_by_little(answer)):
        return []
    names = [name_of(one) for one in spoilt]
    those = listed(names[:MOST_NAMED], len(names) - MOST_NAMED)
    said = (
        f"In {those} the number inside is spoilt on most days, though it is not {_MUCH_WRONG}: so few any"
        " door may miss, and which of them does cannot be told."
    )
    return [said]


def _spoilt_by_little(answer: TrustAnswer) -> list[str]:
    """Zones whose number means nothing on most days though no door is blamed: few stay where many pass."""
    blamed = {answer.names.get(zone) for blame in answer.blames for zone in blame.zones}
    checked = {answer.names.get(zone) for zone in answer.checked} - blamed
    return [
        one.subject.label
        for one in answer.zones
        if one.subject.label in checked
        and one.has_inside
        and one.whole.days >= FEWEST_DAYS
        and 2 * one.whole.spoilt > one.whole.days
    ]


def silence_words(found: Sequence[Silence], timezone: ZoneInfo, formats: Formats) -> list[str]:
    """Which doors counted nobody for hours; empty where none did."""
    said = [_silence(one, timezone, formats) for one in found[:_MOST_SILENCES]]
    more = len(found) - len(said)
    return [*said, f"And {_times(more, formats)} a door was silent."] if more > 0 else said


def _times(more: int, formats: Formats) -> str:
    return "once more" if more == 1 else f"{formats.number(more)} more times"


def _silence(one: Silence, timezone: ZoneInfo, formats: Formats) -> str:
    start, end = one.start.astimezone(timezone), one.end.astimezone(timezone)
    nobody = "has no counts" if one.is_missing else "counted nobody"
    when = f"on {formats.day(start)} from {formats.time(start)} to {formats.time(end)}"
    usual = f"when usually {formats.number(one.usual)} people pass"
    return f"{name_of(one.way.label)} {nobody} {when}, {usual}: its counter stopped, or the door was closed."


def between(way: Way, names: Mapping[str, str]) -> str:
    """`outside – Hall`: from where its entrances come and where they lead."""
    other = _OUTSIDE if way.other_id is None else names.get(way.other_id, way.other_id)
    return f"{one_line(other, LONGEST_NAME)} – {one_line(names.get(way.zone_id, way.zone_id), LONGEST_NAME)}"
