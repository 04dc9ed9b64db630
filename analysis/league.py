"""A league of places: ranked by one number, without those of whom too little is known: these are named.

Who is in it and on which rank follows from the entries alone, never from the order in which they are given.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, StrEnum
from typing import Final, NamedTuple

from analysis.bucket_table import Change, Completeness
from analysis.league_entry import Entry, Measure

AREA_UNIT: Final = 100.0
"""Square metres to which numbers are related: of one, they are hundredths of people."""


class Per(Enum):
    """To what a number is related: its id in links and its label."""

    ITSELF = ("", "As it is")
    AREA = ("area", "Per 100 m²")
    CAPACITY = ("capacity", "Per place of the capacity")
    OPEN_HOUR = ("open-hour", "Per opening hour")
    TARGET = ("target", "Of the month's target")

    def __init__(self, id_: str, label: str) -> None:
        self.id = id_
        self.label = label

    @property
    def is_of_size(self) -> bool:
        """Whether it needs to be known how large a place is."""
        return self in {Per.AREA, Per.CAPACITY}


def offered(measure: Measure, noun: str) -> tuple[Per, ...]:
    """Those that mean something: time inside is a mean already, and people inside are of no hour. Targets are
    those of sites, in entrances. `noun` is `site` or `zone`.
    """
    if measure is Measure.TIME:
        return (Per.ITSELF,)
    sizes = (Per.ITSELF, Per.AREA, Per.CAPACITY)
    if measure is not Measure.ENTRANCES:
        return sizes
    return (*sizes, Per.OPEN_HOUR, *([Per.TARGET] if noun == "site" else []))


class Terms(NamedTuple):
    """By what places are ranked, and from when on they are."""

    measure: Measure
    per: Per
    least: float
    """Percent of the minutes that must be counted, at least."""
    noun: str
    """What each of them is: `site` or `zone`."""
    weeks: int
    """So many weeks before lies what they are compared with."""


class Why(StrEnum):
    """Why a place is left out, the first that holds."""

    FAILED = "failed"
    NOT_BEGUN = "not begun"
    NO_COUNTS = "no counts"
    NO_HOURS = "no hours"
    BEGAN_LATE = "began late"
    """Counting began within the time that is compared."""
    INCOMPLETE = "incomplete"
    UNTRUSTED = "untrusted"
    NO_VALUE = "no value"
    """It is counted, and has no such number all the same: nobody came whose time could be told."""
    NO_AREA = "no area"
    NO_CAPACITY = "no capacity"
    NO_OPENING_HOURS = "no opening hours"
    NO_TARGET = "no target"


class Place(NamedTuple):
    """A site, or a zone of the one site that a league is of."""

    id: str
    label: str
    """Of no other place of the league."""
    area: float | None = None
    """Square metres; None: not told."""
    capacity: float | None = None
    """People; None: not told."""
    target: float | None = None
    """Entrances in the month of the league; None: nobody has set any."""


class Candidate(NamedTuple):
    place: Place
    entry: Entry | None
    """None: it could not be read."""
    failure: str = ""
    """A sentence, why."""


class Ranked(NamedTuple):
    rank: int
    """From 1; those with the same value share theirs."""
    place: Place
    value: float
    """Related to what the league is told per."""
    earlier: float | None
    """Likewise of the period before; None where that is not known or cannot be trusted."""
    is_fair: bool
    """Whether both may be compared in percent."""
    entry: Entry

    @property
    def change(self) -> Change | None:
        return Change(self.value, self.earlier) if self.earlier is not None and self.is_fair else None


class LeftOut(NamedTuple):
    place: Place
    why: Why
    entry: Entry | None = None
    failure: str = ""


class League(NamedTuple):
    ranked: tuple[Ranked, ...]
    """The highest first; of equal ones by their labels."""
    left_out: tuple[LeftOut, ...]
    """By the reason, then by their labels."""


def league(candidates: Iterable[Candidate], terms: Terms) -> League:
    """Each candidate is either ranked or left out."""
    found = [_judged(one, terms) for one in candidates]
    left_out = [one for one in found if isinstance(one, LeftOut)]
    told = sorted((one for one in found if isinstance(one, Ranked)), key=_order)
    first = {one.value: index for index, one in reversed(list(enumerate(told, start=1)))}
    ranked = [one._replace(rank=first[one.value]) for one in told]
    reasons = list(Why)
    left_out.sort(key=lambda one: (reasons.index(one.why), one.place.label.casefold(), one.place.id))
    return League(tuple(ranked), tuple(left_out))


def share_counted(counted: Completeness) -> float:
    """Percent of the minutes in which there should be counts."""
    return 100 * counted.present / counted.expected if counted.expected else 0.0


def _order(one: Ranked) -> tuple[float, str, str]:
    return -one.value, one.place.label.casefold(), one.place.id


def _judged(one: Candidate, terms: Terms) -> Ranked | LeftOut:
    entry = one.entry
    if entry is None:
        return LeftOut(one.place, Why.FAILED, failure=one.failure)
    if why := _unsound(entry, terms):
        return LeftOut(one.place, why, entry)
    if entry.value is None:
        return LeftOut(one.place, Why.NO_VALUE, entry)
    divisor, lacking = _divisor(one.place, entry.open_hours, terms.per)
    value, value_earlier = _related(entry, terms.per)
    if divisor is None or value is None:
        return LeftOut(one.place, lacking, entry)
    before, _ = _divisor(one.place, entry.open_hours_earlier, terms.per)
    has_earlier = before is not None and not entry.trust_earlier.days
    earlier = value_earlier / before if has_earlier and before and value_earlier is not None else None
    return Ranked(0, one.place, value / divisor, earlier, entry.is_fair, entry)


def _related(entry: Entry, per: Per) -> tuple[float | None, float | None]:
    """What is divided, now and before: per opening hour, who came while it was open alone."""
    if per is Per.OPEN_HOUR:
        return entry.while_open, entry.while_open_earlier
    return entry.value, entry.earlier


def _unsound(entry: Entry, terms: Terms) -> Why | None:
    if not entry.is_begun:
        return Why.NOT_BEGUN
    if not entry.has_hours:
        return Why.NO_HOURS
    if not entry.minutes.present:
        return Why.NO_COUNTS
    if entry.began and 100 * entry.began.part < terms.least:
        return Why.BEGAN_LATE
    if share_counted(entry.minutes) < terms.least:
        return Why.INCOMPLETE
    return Why.UNTRUSTED if terms.measure.is_spoilt_by_drift and entry.trust.days else None


def _divisor(place: Place, open_hours: float | None, per: Per) -> tuple[float | None, Why]:
    """By what the number is divided; None, and why, where that is not told."""
    found = {
        Per.ITSELF: (1.0, Why.NO_VALUE),
        Per.AREA: (place.area and place.area / AREA_UNIT, Why.NO_AREA),
        Per.CAPACITY: (place.capacity, Why.NO_CAPACITY),
        Per.OPEN_HOUR: (open_hours, Why.NO_OPENING_HOURS),
        Per.TARGET: (place.target, Why.NO_TARGET),
    }
    divisor, lacking = found[per]
    return (divisor if divisor and divisor > 0 else None), lacking
