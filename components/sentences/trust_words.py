"""Whether the number inside can be trusted, and how much of it is counted, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.names import LONGEST_NAME, one_line
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance, Disagreement
from analysis.subject import Subject
from analysis.trust_answer import TrustAnswer, ZoneTrust
from components.number_format import Formats, zone_words
from components.sentences.coverage_words import portion, portion_first
from contract import MetricKey

MOST_NAMED: Final = 4
_NOON: Final = 12


def verdict(site: ZoneTrust, formats: Formats, *, lacks_doors: bool = False) -> str:
    """May the number be trusted: on how many days not, and by how many people it is wrong.

    Where no number inside is told, or a door has stopped, so that no sum shows who is missing, whether
    entrances and exits add up.
    """
    whole, days = site.whole, len(site.days)
    if site.lacks:
        told, missing = ("entrances", "exits") if site.lacks is MetricKey.EXITS else ("exits", "entrances")
        return (
            f"Only {told} are told here, no {missing}, so nothing can be said of the number inside. Ask who"
            " runs the counters whether they count both ways."
        )
    if not whole.days:
        return "No day of these has all its counts, so nothing can be said of the number inside."
    of = f"{formats.number(whole.days)} {'day' if whole.days == 1 else 'days'}"
    rest = f" that {'is' if whole.days == 1 else 'are'} counted whole" if whole.days < days else ""
    wrong = f"{people_text(whole.people / whole.days, formats)} on an average day"
    wrong += _of_entrances(whole, formats)
    if not site.has_inside:
        return f"No number inside is told here. {_ways_verdict(whole, of, rest, wrong, formats)}"
    if whole.spoilt:
        return (
            f"The number inside cannot be trusted on {_of_days(whole, formats)}{rest}:"
            f" it is wrong by at least {wrong}."
        )
    return _adds_up(whole, f"{'all ' if whole.days > 1 else ''}{of}{rest}", wrong, lacks_doors=lacks_doors)


def _adds_up(whole: Disagreement, of: str, wrong: str, *, lacks_doors: bool) -> str:
    if whole.people and not lacks_doors:
        return f"The number inside can be trusted on {of}: it is wrong by {wrong}."
    number = "What is counted" if lacks_doors else "The number inside"
    if whole.people:
        return f"{number} nearly adds up on {of}: it is apart by {wrong}."
    return f"{number} adds up on {of}: all left who came."


def _ways_verdict(whole: Disagreement, of: str, rest: str, wrong: str, formats: Formats) -> str:
    every = "all " if whole.days > 1 else ""
    if whole.spoilt:
        return f"Entrances and exits do not add up on {_of_days(whole, formats)}{rest}: at least {wrong}."
    if not whole.people:
        return f"Entrances and exits add up on {every}{of}{rest}: all left who came."
    return f"Entrances and exits nearly add up on {every}{of}{rest}: they are apart by {wrong}."


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


def even_words(days: Sequence[DayBalance], formats: Formats) -> str:
    """In the place of a chart on which nothing would stand: `0 on each of the 28 days.`; empty: some day
    leaves somebody.
    """
    whole = [day for day in days if day.is_whole]
    if not whole:
        one = "The one day is" if len(days) == 1 else f"None of the {formats.number(len(days))} days is"
        return (
            f"{one}{' not' if len(days) == 1 else ''} counted whole, so nothing is told of what a day leaves."
        )
    if any(day.residue for day in whole):
        return ""
    if len(days) == 1:
        return "0 on the one day."
    each = "on the one day" if len(whole) == 1 else f"on each of the {formats.number(len(whole))} days"
    if len(whole) == len(days):
        return f"0 {each}."
    those = "that is" if len(whole) == 1 else "that are"
    missing = len(days) - len(whole)
    verb = "is" if missing == 1 else "are"
    return f"0 {each} {those} counted whole; {formats.number(missing)} {verb} not."


def spoilt_zones_words(answer: TrustAnswer, formats: Formats) -> str:
    """Of which zones the number cannot be trusted, beside the site."""
    spoilt = [one for one in answer.zones[1:] if one.whole.spoilt]
    if not spoilt:
        return ""
    said = [
        f"{name_of(one.subject.label)} (on {_of_days(one.whole, formats)})"
        for one in sorted(spoilt, key=lambda one: -one.whole.spoilt)[:MOST_NAMED]
    ]
    head = "it cannot be trusted" if any(one.has_inside for one in spoilt) else "they do not add up"
    return f"By zone {head} in {listed(said, len(spoilt) - len(said))}."


def _of_days(whole: Disagreement, formats: Formats) -> str:
    days = formats.number(whole.days)
    if whole.spoilt == whole.days:
        return f"any of {days} days" if whole.days > 1 else "the one day"
    return f"{formats.number(whole.spoilt)} of {days} days"


def counted_words(answer: TrustAnswer, formats: Formats) -> str:
    """How much is counted: of the site, and of the zone that lacks most."""
    site, *zones = answer.zones
    if not site.counted.expected:
        return "Nothing is counted on these days."
    said = f"{portion_first(site.counted, 'minute', formats)} that should be counted on these days are."
    lacking = [one for one in zones if _part(one) < _part(site)]
    if not lacking:
        return said
    least = min(lacking, key=_part)
    part = portion(least.counted, "minute", formats)
    return f"{said} The least complete, {name_of(least.subject.label)}, has {part}."


def begins_words(answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> str:
    """Which days these are: `24 Oct to 20 Nov, each from 04:00 to 04:00, Zurich time.`."""
    days = answer.zones[0].days
    if not days:
        return "No day is over yet."
    first, last = (formats.day(local_day(one)) for one in (days[0], days[-1]))
    hour = clock_hour(answer.begin, formats)
    to = "" if first == last else f" to {last}"
    since = f"{hour} of the day before" if answer.begin >= _NOON else hour
    said = f"{first}{to}, each day from {since} to {hour}, when it is quietest, {zone_words(timezone.key)}."
    if answer.since is None:
        return said
    begun = formats.dated(answer.since.astimezone(timezone))
    return f"{said} Counting began on {begun}: what was before lacks nothing, and that day is no whole one."


def late_words(answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> str:
    """Which zones and doors are counted later than their site; empty: none is."""
    if not answer.late:
        return ""
    named = [
        f"{name_of(one.label)} since {formats.dated(one.at.astimezone(timezone))}"
        for one in answer.late[:MOST_NAMED]
    ]
    which = listed(named, len(answer.late) - len(named))
    return f"Counted later than the site, and held to lack what was before: {which}."


def habit_words(answer: TrustAnswer) -> list[str]:
    """Against what a day is held where nobody has said when it is open; empty: against all of itself."""
    if not answer.is_by_habit:
        return []
    said = (
        "Nobody has said when this site is open, so a day is held against the time in which it is usually"
        " counted: a counter that sends nothing at the same time every day shows only where opening hours are"
        " kept on the page Site."
    )
    return [said]


def left_out_words(answer: TrustAnswer, zones: int, formats: Formats) -> list[str]:
    """What of the site is not looked at here, and what could not be read; `zones` are left out."""
    said = []
    if zones:
        looked = len(answer.zones) - 1 + len(answer.empty) + len(answer.unknown)
        said.append(
            f"{formats.number(looked)} of {formats.number(looked + zones)} zones"
            f" {'is' if looked == 1 else 'are'} looked at: choose others above."
        )
    if answer.unread:
        doors = len(answer.unread)
        verb = "doors are" if doors > 1 else "door is"
        said.append(f"{formats.number(doors)} {verb} not looked at, or could not be read.")
    if answer.empty:
        said.append(f"Nothing was counted in these weeks in {_named(answer.empty)}.")
    one_way = [one.subject for one in answer.zones[1:] if one.lacks]
    if one_way:
        said.append(f"Told one way only, so that they cannot be checked: {_named(one_way)}.")
    if answer.unknown:
        said.append(f"Not told by the hour, or not read: {_named(answer.unknown)}.")
    return said


def _named(subjects: Sequence[Subject]) -> str:
    names = [name_of(one.label) for one in subjects]
    return listed(names[:MOST_NAMED], len(names) - MOST_NAMED)


def hours_words(
    hours: Mapping[Subject, Sequence[ReconciledHour]], timezone: ZoneInfo, formats: Formats
) -> str:
    """The hour in which the number inside changed most beside who came and went."""
    rows = [(subject, one) for subject, own in hours.items() for one in own]
    if not hours:
        return "The last day could not be read minute by minute."
    if not rows:
        return "No minute of the last day tells people inside, entrances and exits, so none can be compared."
    subject, one = max(rows, key=lambda row: max(row[1].added, row[1].taken))
    if max(one.added, one.taken) < 1:
        return "In every hour of the last day the number inside changed by who came in minus who went out."
    when = formats.dated(one.start.astimezone(timezone))
    name = name_of(subject.label)
    if one.added >= one.taken:
        return (
            f"Most in {name} in the hour from {when}: {people_text(one.added, formats)} went out who had not"
            " been counted in."
        )
    return (
        f"Most in {name} in the hour from {when}: {people_text(one.taken, formats)} still counted inside were"
        " forgotten, as when a count begins again."
    )


def is_somewhere_incomplete(answer: TrustAnswer) -> bool:
    return any(not day.counted.is_complete for one in answer.zones for day in one.days)


def day_words(one: DayBalance, formats: Formats) -> str:
    """`Sat 21 Nov: 640 more went out than came in, 4 % of the entrances; 1,440 of 1,440 minutes.`."""
    day = formats.day(local_day(one))
    if not one.is_whole:
        lacking = f", {one.lacks} missing" if one.lacks else ""
        return f"{day}: not counted whole{lacking}, {minutes_words(one, formats)}"
    residue = abs(one.residue)
    if residue < 1:
        said = "as many went out as came in"
    else:
        way = "more came in than went out" if one.residue > 0 else "more went out than came in"
        share = f", {_percent(100 * residue / one.came, formats)} of the entrances" if one.came > 0 else ""
        said = f"{formats.number(residue)} {way}{share}"
    wrong = "the number inside cannot be trusted" if one.has_inside else "that does not add up"
    spoilt = f"; {wrong}" if one.is_spoilt else ""
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
            f"They disagree most in {name_of(one.subject.label)}: {formats.number(found.inside, 1)} inside"
            f" on average, where entrances and time inside make {formats.number(found.expected, 1)}."
        )
    return (
        f"{said} Agreement proves no counter right: a service may work out one of the three from the others."
    )


def _part(one: ZoneTrust) -> float:
    return one.counted.present / one.counted.expected if one.counted.expected else 1.0


def _of_entrances(whole: Disagreement, formats: Formats) -> str:
    return "" if whole.percent is None else f", {_percent(whole.percent, formats)} of the entrances"


def _percent(share: float, formats: Formats) -> str:
    written = "under 0.1" if 0 < share < 0.1 else formats.number(share, 1)  # noqa: PLR2004
    return f"{written}\N{NO-BREAK SPACE}%"


def people_text(people: float, formats: Formats) -> str:
    written = formats.number(people)
    return f"{written} {'person' if written == '1' else 'people'}"


def clock_hour(hour: int, formats: Formats) -> str:
    return formats.time(datetime(2024, 1, 1, hour, tzinfo=UTC))


def name_of(label: str) -> str:
    return one_line(label, LONGEST_NAME)


def listed(names: Sequence[str], more: int) -> str:
    if more > 0:
        return f"{', '.join(names)} and {more} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
