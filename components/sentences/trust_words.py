"""Whether the number can be trusted, and which door is to blame, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.door_blame import FEWEST_DAYS, Blame, BlameKind, Turned, Way
from analysis.names import LONGEST_NAME, one_line
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance, Disagreement
from analysis.silent_doors import Silence
from analysis.subject import Subject
from analysis.trust_answer import TrustAnswer, ZoneTrust
from components.number_format import Formats, zone_words
from components.sentences.coverage_words import portion
from components.sentences.range_words import clock_words

_MOST_NAMED: Final = 4
_MOST_SILENCES: Final = 3
_OUTSIDE: Final = "outside"


def verdict(site: ZoneTrust, formats: Formats) -> str:
    """May the number be trusted: on how many days not, and by how many people it is wrong."""
    whole, days = site.whole, len(site.days)
    if not whole.days:
        return "No day of these has all its counts, so nothing can be said of the number inside."
    of = f"{formats.number(whole.days)} {'day' if whole.days == 1 else 'days'}"
    rest = f" that {'is' if whole.days == 1 else 'are'} counted whole" if whole.days < days else ""
    wrong = f"{_people(whole.people / whole.days, formats)} on an average day{_of_entrances(whole, formats)}"
    if whole.spoilt:
        return (
            f"The number inside cannot be trusted on {_of_days(whole, formats)}{rest}:"
            f" it is wrong by at least {wrong}."
        )
    every = "all " if whole.days > 1 else ""
    if not whole.people:
        return f"The number inside adds up on {every}{of}{rest}: all left who came."
    return f"The number inside can be trusted on {every}{of}{rest}: it is wrong by {wrong}."


def residue_words(whole: Disagreement, formats: Formats) -> str:
    """What days leave: `On an average day 640 more people went out than came in.`."""
    if not whole.days or not whole.people:
        return ""
    mean = whole.residue / whole.days
    if abs(mean) < 1:
        return "On average as many people went out as came in."
    people = formats.number(abs(mean))
    if mean > 0:
        return f"On average {people} more came in than went out by the end of a day."
    return f"On average {people} more went out than came in by the end of a day."


def spoilt_zones_words(answer: TrustAnswer, formats: Formats) -> str:
    """Of which zones the number cannot be trusted, beside the site."""
    spoilt = [one for one in answer.zones[1:] if one.whole.spoilt]
    if not spoilt:
        return ""
    said = [
        f"{_name(one.subject.label)} (on {_of_days(one.whole, formats)})"
        for one in sorted(spoilt, key=lambda one: -one.whole.spoilt)[:_MOST_NAMED]
    ]
    return f"By zone it cannot be trusted in {_listed(said, len(spoilt) - len(said))}."


def _of_days(whole: Disagreement, formats: Formats) -> str:
    days = formats.number(whole.days)
    if whole.spoilt == whole.days:
        return f"any of {days} days" if whole.days > 1 else "the one day"
    return f"{formats.number(whole.spoilt)} of {days} days"


def blame_words(blame: Blame, answer: TrustAnswer, formats: Formats) -> str:
    """Who is to blame for zones that do not add up, or that it cannot be told."""
    zones = _listed([_name(answer.names.get(zone, zone)) for zone in blame.zones], 0)
    do = "do" if len(blame.zones) > 1 else "does"
    wrong = f"{_people(blame.wrong / max(1, blame.days), formats)} a day"
    head = f"{zones} {do} not add up, by {wrong}"
    ways = [_name(way.label) for way in blame.ways]
    if blame.kind is BlameKind.EXCHANGED:
        return f"{head}. {_exchanged(blame, answer, formats)}"
    if blame.kind is BlameKind.ONE_WAY:
        return (
            f"{head}. To blame is {ways[0]}: it misses people who go one way, or counts them twice."
            f"{_ratio(blame.ways[0], answer.ranked, formats)}"
        )
    if blame.kind is BlameKind.ONE_OF:
        named = _listed(ways[:_MOST_NAMED], len(ways) - _MOST_NAMED)
        return f"{head}. It cannot be told which of {len(ways)} doors is to blame: {named}."
    if blame.kind is BlameKind.UNREAD:
        return f"{head}. Not all that it counts is known door by door, so none is blamed."
    return f"{head}. No single door explains it: several may err, or people stay over night."


def _exchanged(blame: Blame, answer: TrustAnswer, formats: Formats) -> str:
    (way,) = blame.ways
    name = _name(way.label)
    left = formats.number(blame.left / max(1, blame.days))
    said = (
        f"{name} is probably mounted the wrong way round: with its two ways exchanged,"
        f" {left} would be left of that.{_ratio(way, answer.ranked, formats)}"
    )
    if blame.by_balance:
        return said
    hour = _hour(answer.begin, formats)
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


def doors_words(answer: TrustAnswer, formats: Formats) -> list[str]:
    """A sentence for each blame; where there is none, what that means."""
    if answer.blames:
        return [blame_words(blame, answer, formats) for blame in answer.blames]
    if not answer.checked:
        return ["The doors of no zone could be checked against what the zone counts."]
    if answer.days_judged < FEWEST_DAYS:
        return [f"Fewer than {FEWEST_DAYS} days are counted whole, so no door is judged."]
    return [
        "No door is to blame: no zone is wrong by 2\N{NO-BREAK SPACE}% of its entrances and 10 people a day."
    ]


def silence_words(found: Sequence[Silence], timezone: ZoneInfo, formats: Formats) -> list[str]:
    """Which doors counted nobody for hours; empty where none did."""
    said = [_silence(one, timezone, formats) for one in found[:_MOST_SILENCES]]
    more = len(found) - len(said)
    return [*said, f"And {formats.number(more)} more times a door was silent."] if more > 0 else said


def _silence(one: Silence, timezone: ZoneInfo, formats: Formats) -> str:
    start, end = one.start.astimezone(timezone), one.end.astimezone(timezone)
    nobody = "has no counts" if one.is_missing else "counted nobody"
    when = f"on {formats.day(start)} from {clock_words(start, formats)} to {clock_words(end, formats)}"
    usual = f"when usually {formats.number(one.usual)} people pass"
    return f"{_name(one.way.label)} {nobody} {when}, {usual}: its counter stopped, or the door was closed."


def counted_words(answer: TrustAnswer, formats: Formats) -> str:
    """How much is counted: of the site, and of the zone that lacks most."""
    site, *zones = answer.zones
    if not site.counted.expected:
        return "Nothing is counted on these days."
    said = f"{_capital(portion(site.counted, 'minute', formats))} of these days have counts."
    lacking = [one for one in zones if _part(one) < _part(site)]
    if not lacking:
        return said
    least = min(lacking, key=_part)
    part = portion(least.counted, "minute", formats)
    return f"{said} The least complete, {_name(least.subject.label)}, has {part}."


def begins_words(answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> str:
    """Which days these are: `24 Oct to 20 Nov, each from 04:00 to 04:00, Zurich time.`."""
    days = answer.zones[0].days
    if not days:
        return "No day is over yet."
    first, last = (formats.day(local_day(one)) for one in (days[0], days[-1]))
    hour = _hour(answer.begin, formats)
    to = "" if first == last else f" to {last}"
    return f"{first}{to}, each day from {hour} to {hour}, when it is quietest, {zone_words(timezone.key)}."


def left_out_words(answer: TrustAnswer, zones: int, formats: Formats) -> list[str]:
    """What of the site is not looked at here, and what could not be read."""
    said = []
    if zones:
        said.append(f"{formats.number(zones)} more zones are not looked at.")
    if answer.unread:
        doors = len(answer.unread)
        verb = "doors are" if doors > 1 else "door is"
        said.append(f"{formats.number(doors)} {verb} not looked at, or could not be read.")
    if answer.unknown:
        names = [_name(one.label) for one in answer.unknown]
        named = _listed(names[:_MOST_NAMED], len(names) - _MOST_NAMED)
        said.append(f"Not told by the hour, or not read: {named}.")
    return said


def hours_words(
    hours: Mapping[Subject, Sequence[ReconciledHour]], timezone: ZoneInfo, formats: Formats
) -> str:
    """The hour in which the number inside changed most beside who came and went."""
    rows = [(subject, one) for subject, own in hours.items() for one in own]
    if not rows:
        return "The last day could not be read minute by minute."
    subject, one = max(rows, key=lambda row: max(row[1].added, row[1].taken))
    if max(one.added, one.taken) < 1:
        return "In every hour of the last day the number inside changed by who came in minus who went out."
    when = formats.dated(one.start.astimezone(timezone))
    name = _name(subject.label)
    if one.added >= one.taken:
        return (
            f"Most in {name} in the hour from {when}: {_people(one.added, formats)} went out who had not been"
            " counted in."
        )
    return (
        f"Most in {name} in the hour from {when}: {_people(one.taken, formats)} still counted inside were"
        " forgotten, as when a count begins again."
    )


def is_somewhere_incomplete(answer: TrustAnswer) -> bool:
    return any(not day.counted.is_complete for one in answer.zones for day in one.days)


def day_words(one: DayBalance, formats: Formats) -> str:
    """`Sat 21 Nov: 640 more went out than came in, 4 % of the entrances; 1,440 of 1,440 minutes.`."""
    day = formats.day(local_day(one))
    if not one.is_whole:
        return f"{day}: not counted whole, {minutes_words(one, formats)}"
    residue = abs(one.residue)
    if residue < 1:
        said = "as many went out as came in"
    else:
        way = "more came in than went out" if one.residue > 0 else "more went out than came in"
        share = f", {_percent(100 * residue / one.came, formats)} of the entrances" if one.came > 0 else ""
        said = f"{formats.number(residue)} {way}{share}"
    spoilt = "; the number inside cannot be trusted" if one.is_spoilt else ""
    return f"{day}: {said}{spoilt}; {minutes_words(one, formats)}"


def minutes_words(one: DayBalance, formats: Formats) -> str:
    if not one.counted.expected:
        return "no counts" if not one.counted.present else f"{formats.number(one.counted.present)} minutes"
    return portion(one.counted, "minute", formats)


def local_day(one: DayBalance) -> datetime:
    """A moment of its date, to be written."""
    return datetime.combine(one.date, datetime.min.time(), UTC)


def agreement_words(answer: TrustAnswer, formats: Formats) -> str:
    """Whether people inside, who came in and how long they stayed agree."""
    known = [(one, found) for one in answer.zones if (found := one.consistency)]
    if not known:
        return "Too few hours have people inside, entrances and time inside to hold them against each other."
    apart = [(one, found) for one, found in known if not found.agrees]
    if not apart:
        said = "People inside agree with entrances times time inside, within 5\N{NO-BREAK SPACE}%."
    else:
        one, found = max(apart, key=lambda pair: abs(pair[1].percent))
        said = (
            f"They disagree most in {_name(one.subject.label)}: {formats.number(found.inside, 1)} inside"
            f" on average, where entrances and time inside make {formats.number(found.expected, 1)}."
        )
    return (
        f"{said} Agreement proves no counter right: a service may work out one of the three from the others."
    )


def between(way: Way, names: Mapping[str, str]) -> str:
    """`outside – Hall`: from where its entrances come and where they lead."""
    other = _OUTSIDE if way.other_id is None else names.get(way.other_id, way.other_id)
    return f"{one_line(other, LONGEST_NAME)} – {one_line(names.get(way.zone_id, way.zone_id), LONGEST_NAME)}"


def _part(one: ZoneTrust) -> float:
    return one.counted.present / one.counted.expected if one.counted.expected else 1.0


def _of_entrances(whole: Disagreement, formats: Formats) -> str:
    return "" if whole.percent is None else f", {_percent(whole.percent, formats)} of the entrances"


def _percent(share: float, formats: Formats) -> str:
    written = "under 0.1" if 0 < share < 0.1 else formats.number(share, 1)  # noqa: PLR2004
    return f"{written}\N{NO-BREAK SPACE}%"


def _people(people: float, formats: Formats) -> str:
    written = formats.number(people)
    return f"{written} {'person' if written == '1' else 'people'}"


def _hour(hour: int, formats: Formats) -> str:
    return formats.time(datetime(2024, 1, 1, hour, tzinfo=UTC))


def _name(label: str) -> str:
    return one_line(label, LONGEST_NAME)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _listed(names: Sequence[str], more: int) -> str:
    if more > 0:
        return f"{', '.join(names)} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
