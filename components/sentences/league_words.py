"""A league in sentences: who has most and fewest, of when, who is left out and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from analysis.bucket_table import Change, Completeness
from analysis.league import League, LeftOut, Per, Ranked, Terms, Why, offered
from analysis.league_entry import Measure
from analysis.league_period import LeagueRanges
from analysis.names import one_line
from components.number_format import Formats, zone_words
from components.sentences.change_words import difference
from components.sentences.coverage_words import portion, unseen_words
from components.sentences.range_words import past_words, range_text
from contract import Granularity, Unit

_PERCENT: Final = 100
_MINUTE: Final = 60
_WHOLE: Final = 100
_ONE_DECIMAL: Final = 10
_ALL_NAMED: Final = 3
"""So many places are named each."""
_RELATED: Final = {
    Per.ITSELF: "", Per.AREA: " per 100 m²", Per.CAPACITY: " per place", Per.OPEN_HOUR: " per opening hour",
    Per.TARGET: " of the target",
}  # fmt: skip
_WHY: Final = {
    Why.FAILED: "could not be read",
    Why.NOT_BEGUN: "nothing of this time has passed there yet",
    Why.NO_COUNTS: "no counts are stored of this time",
    Why.NO_HOURS: "its service does not tell hours, so how much is counted is not known",
    Why.NO_VALUE: "there is no such number of this time",
    Why.NO_AREA: "no area is reported",
    Why.NO_CAPACITY: "no capacity is reported",
    Why.NO_OPENING_HOURS: "nobody has said when it is open",
    Why.NO_TARGET: "nobody has set a target for the month",
}
COUNTED_MINUTES: Final = (
    "Missing minutes are looked for in opening hours, or, where none are kept, while anybody was there."
)
_REFUSED: Final = "its service answered with values that cannot be right; “Connection” says which"
_NO_STAY: Final = "time inside cannot be told: visits are cut, or people left without being counted"


def hours_summed(terms: Terms) -> str:
    """Of which hours a number is, where opening hours bound the choice beside it; empty where none does."""
    if terms.per is Per.OPEN_HOUR:
        return (
            "Per opening hour: who came in while it is open, in hours in which it opens or closes as a whole,"
            " by the open hours that are counted. All other numbers of this page are of all hours."
        )
    if Per.OPEN_HOUR in offered(terms.measure, terms.noun):
        return "Numbers are of all hours, closed ones too."
    return ""


def league_words(found: League, terms: Terms, formats: Formats, *, unread: int = 0) -> str:
    """Who has most and who fewest, each beside the days before; of sites, who came in at all together.

    While so many are `unread`, nothing is said of all.
    """
    ranked = found.ranked
    if not ranked and unread:
        read = len(found.left_out)
        of = f"the {formats.number(read)} {terms.noun}s" if read > 1 else f"one {terms.noun}"
        return (
            f"{'None of' if read > 1 else 'The'} {of} read so far can{'' if read > 1 else 'not'} be ranked,"
            f" for the reasons below; {formats.number(unread)} {'is' if unread == 1 else 'are'} still to be"
            " read."
        )
    if not ranked:
        return f"No {terms.noun} can be ranked: all are left out, for the reasons below."
    first, last = ranked[0], ranked[-1]
    counted = f"{value_words(first.value, terms, formats)} {counted_words(terms)}"
    if len(ranked) == 1:
        return f"{first.place.label}: {counted}{_than(first, terms, formats)}."
    if first.value == last.value:
        return f"All {formats.number(len(ranked))} have the same: {counted}."
    is_time = terms.measure is Measure.TIME
    most, fewest = ("Longest", "Shortest") if is_time else ("Most", "Fewest")
    said = [
        f"{most}: {_and_equals(first, ranked, counted, terms, formats)}.",
        *_between(ranked, terms, formats),
        f"{fewest}: {_and_equals(last, ranked, value_words(last.value, terms, formats), terms, formats)}.",
    ]
    if terms.noun == "site" and terms.measure is Measure.ENTRANCES and terms.per is Per.ITSELF:
        said.append(_together(ranked, terms, formats))
    return " ".join(said)


def _together(ranked: Sequence[Ranked], terms: Terms, formats: Formats) -> str:
    """`At these 501 together 839,160 came in, 2 % fewer than a week earlier`, of all that compare."""
    whole = formats.number(sum(one.value for one in ranked))
    said = f"At these {formats.number(len(ranked))} together {whole} came in"
    changes = [one.change for one in ranked if one.change]
    all_ = Change(sum(one.present for one in changes), sum(one.earlier for one in changes))
    text = difference(all_, formats)
    if not text:
        return f"{said}."
    link = "as" if text.endswith("many") else "than"
    of = f"; at {formats.number(len(changes))} of them, where both times are counted alike"
    return f"{said}{'' if len(changes) == len(ranked) else of}, {text} {link} {earlier_words(terms.weeks)}."


def _between(ranked: Sequence[Ranked], terms: Terms, formats: Formats) -> list[str]:
    """Of three, the one that has neither most nor fewest: each is named with its change."""
    values = {one.value for one in ranked}
    if len(ranked) != len(values) or len(ranked) != _ALL_NAMED:
        return []
    one = ranked[1]
    return [f"Then: {_and_equals(one, ranked, value_words(one.value, terms, formats), terms, formats)}."]


def _and_equals(one: Ranked, ranked: Sequence[Ranked], value: str, terms: Terms, formats: Formats) -> str:
    """A place and its value beside the days before; of several with the same, the first and how many more."""
    equal = [other for other in ranked if other.value == one.value]
    if len(equal) == 1:
        return f"{one.place.label} ({value}{_than(one, terms, formats)})"
    return f"{equal[0].place.label} and {formats.number(len(equal) - 1)} more ({value})"


def _than(one: Ranked, terms: Terms, formats: Formats) -> str:
    change = one.change
    if change is None:
        return ""
    if terms.measure is Measure.TIME:
        return f", against {value_words(change.earlier, terms, formats)} {earlier_words(terms.weeks)}"
    text = difference(change, formats)
    link = "as" if text.endswith("many") else "than"
    return f", {text} {link} {earlier_words(terms.weeks)}" if text else ""


def change_words(one: Ranked, terms: Terms, formats: Formats) -> str:
    """`12 % more`; empty where both cannot be held against each other."""
    change = one.change
    if change is None:
        return ""
    text = difference(change, formats)
    words = {"more": "longer", "fewer": "shorter", "as many": "as long", "times as many": "times as long"}
    if terms.measure is Measure.TIME:
        return next((text[: -len(own)] + word for own, word in words.items() if text.endswith(own)), text)
    return text


def unvouched_words(found: League, terms: Terms, formats: Formats) -> str:
    """Of how many places minutes may be missing that look counted; empty: of none."""
    count = sum(bool(unseen_words(one.entry.unseen, formats)) for one in found.ranked)
    if not count:
        return ""
    places, their = (f"{terms.noun}s", "their services") if count > 1 else (terms.noun, "its service")
    round_, do = ("round", "do") if count > 1 else ("rounds", "does")
    return (
        f"Of {formats.number(count)} {places} minutes may be missing unseen, and with them people:"
        f" {their} {round_} averages, or {do} not tell how many minutes they are of."
    )


def earlier_words(weeks: int) -> str:
    return "a week earlier" if weeks == 1 else f"{weeks} weeks earlier"


def counted_words(terms: Terms) -> str:
    """What a number is a number of, after it."""
    measure, related = terms.measure, _RELATED[terms.per]
    if is_percent(terms):
        return f"of the {_whole(terms)} {measure.counted}"
    if measure.is_level:
        verb, _, rest = measure.counted.partition(" ")
        return f"{verb}{related} {rest}"
    return f"{measure.counted}{related}"


def is_percent(terms: Terms) -> bool:
    """Whether the number is a share. So many people come by one place of a capacity that it is none."""
    return terms.per is Per.TARGET or (terms.per is Per.CAPACITY and terms.measure.is_level)


def _whole(terms: Terms) -> str:
    return "target" if terms.per is Per.TARGET else "capacity"


def heading(terms: Terms) -> str:
    """Of a column whose values `in_column` gives."""
    if terms.measure.unit is Unit.SECONDS:
        return f"{terms.measure.label}, min"
    if is_percent(terms):
        return f"{terms.measure.label}, % of the {_whole(terms)}"
    return f"{terms.measure.label}{_RELATED[terms.per]}"


def in_column(value: float | None, terms: Terms) -> float | None:
    """In minutes, percent or people, rounded as it is written."""
    if value is None:
        return None
    if terms.measure.unit is Unit.SECONDS:
        return round(value / _MINUTE, 1)
    scaled = value * _PERCENT if is_percent(terms) else value
    return round(scaled, _decimals(scaled, terms))


def value_words(value: float, terms: Terms, formats: Formats) -> str:
    """`1,204`, `12.3`, `85 %`, `24 min`."""
    if terms.measure.unit is Unit.SECONDS:
        return formats.duration(value)
    if is_percent(terms):
        return formats.percent(value * _PERCENT)
    return formats.number(value, _decimals(value, terms))


def _decimals(value: float, terms: Terms) -> int:
    if terms.per is Per.ITSELF and terms.measure in {Measure.ENTRANCES, Measure.PEAK}:
        return 0
    return 0 if abs(value) >= _WHOLE else 1 if abs(value) >= _ONE_DECIMAL else 2


def minutes_words(counted: Completeness, formats: Formats) -> str:
    """`57 of 60 minutes`, `all 600 minutes`."""
    return portion(counted, Granularity.MINUTE, formats)


def when_words(asked: Collection[tuple[LeagueRanges, ZoneInfo]], formats: Formats) -> str:
    """Of which time the league is, and which it is compared with; `asked` are those of all places."""
    zones = {zone.key: zone for _, zone in asked}
    begun = [(one, zone) for one, zone in asked if not one.present.is_empty]
    texts = {
        f"{range_text(one.present, zone, formats)}, compared with {range_text(one.earlier, zone, formats)}"
        for one, zone in set(begun)
    }
    said = [*texts] if len(texts) == 1 else ["each day is compared with the same weekday before"]
    if len(zones) == 1:
        return f"{said[0]}, in {zone_words(next(iter(zones)))}."
    said.append(f"days are each site's own, in {formats.number(len(zones))} time zones")
    if not all(one.is_over for one, _ in asked):
        said.append("where more of the day has passed, more is counted")
    return f"{'; '.join(said)}."


def left_out_words(one: LeftOut, terms: Terms, formats: Formats) -> str:
    """Why a place is left out, as a clause."""
    if one.why is Why.BEGAN_LATE and one.entry and one.entry.began:
        return f"counts began on {formats.day(one.entry.began.at)}"
    if one.why is Why.FAILED:
        return f"could not be read: {one_line(one.failure)}" if one.failure else _WHY[one.why]
    if one.why is Why.NO_HOURS and one.entry and one.entry.minutes_past:
        return f"the hours of its service {past_words(one.entry.minutes_past)} of its clock"
    is_refused = one.why in {Why.NO_COUNTS, Why.INCOMPLETE} and one.entry and one.entry.has_refused
    if one.why is Why.INCOMPLETE and one.entry and not is_refused:
        return f"counted in {minutes_words(one.entry.minutes, formats)}"
    if one.why is Why.UNTRUSTED and one.entry:
        days = one.entry.trust.days
        return f"the number inside cannot be trusted on {formats.number(days)} day{'' if days == 1 else 's'}"
    is_untold_stay = one.why is Why.NO_VALUE and terms.measure is Measure.TIME
    said = _REFUSED if is_refused else _NO_STAY if is_untold_stay else _WHY[one.why]
    first = one.entry.first if one.entry and one.why is Why.NO_COUNTS and not is_refused else None
    return f"{said}; counts began on {formats.day(first)}" if first else said


def left_out_summary(found: League, terms: Terms, formats: Formats) -> str:
    """How many are in the league and how many are not; empty where all are."""
    if not found.left_out:
        return ""
    ranked, whole = formats.number(len(found.ranked)), formats.number(len(found.ranked) + len(found.left_out))
    return f"Ranked are {ranked} of {whole} {terms.noun}s; the others are listed under “Left out”, with why."
