"""Which door is to blame where a zone's counts do not add up, or that it cannot be told.

A passage joins two zones, or one and the outside. What it counts wrongly is missing in one of the two and too
much in the other, and nowhere else. Three things are told, in this order:

1. **Exchanged.** A passage whose two ways are exchanged makes its zones wrong by twice what it counts more
   one way than the other, every day anew. So the counts are added up once more with each passage turned
   round. It is named where its zones then add up, on most days better than before, and where neither turning
   round another one nor letting one miss a fixed part of one way leaves less than three times as much.
2. **One way.** Where zones differ day by day by the same number with opposite signs, what lies between them
   is to blame; where a zone differs alone, what leads out of it. It is named where there is but one.
3. **One of several**, where there are more.

Where zones nearly add up by the end of the day, `analysis/day_course.py` looks at what happens within it.
What cannot be seen: several that err at once and hide each other. What adds up is not proved right. Where
people stay over the quietest hour, what is called exchanged may be they.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.count_days import CountDay, Hours, Numbers
from analysis.residue import people_wrong_each

FEWEST_DAYS: Final = 3
"""Whole days; on fewer a door is not named."""
_FEWEST_PEOPLE: Final = 10
"""A day; by so few people any counter may err."""
_MUCH: Final = 0.02
"""Of the entrances: what a zone is wrong by. Good counters err by one or two in a hundred."""
_EXPLAINED: Final = 0.75
_CLEARLY: Final = 3
"""Times as much as an exchange leaves, any other reading must leave at least."""
_MOST_DAYS: Final = 0.8
_ALIKE: Final = 0.25
"""By so much of each other two numbers may differ that are to be the same."""
_LEAST_MISSED, _MOST_MISSED = -0.5, 3.0
"""Of what is counted one way, what may be missing; below 0 what is counted twice."""


class Way(NamedTuple):
    """A passage, seen from the zone that its entrances lead into."""

    passage_id: str
    label: str
    zone_id: str
    other_id: str | None
    """The zone on its other side; None: the outside, or a zone that is not listed."""

    @property
    def ends(self) -> tuple[str, ...]:
        return (self.zone_id,) if self.other_id is None else (self.zone_id, self.other_id)


class BlameKind(Enum):
    EXCHANGED = "its two ways are probably exchanged"
    ONE_WAY = "it counts too few or too many one way"
    ONE_OF = "one or several of these, and it cannot be told which"
    UNKNOWN = "it cannot be told"
    UNREAD = "not all passages of the zone are known"


class Blame(NamedTuple):
    """What is said of zones whose counts do not add up."""

    zones: tuple[str, ...]
    kind: BlameKind
    ways: tuple[Way, ...] = ()
    """The one that is named, or those of which one or several err."""
    wrong: float = 0
    """People by which the zones are wrong on all days together."""
    left: float = 0
    """Likewise, once the way is turned round; of an exchanged one."""
    days: int = 0
    by_balance: bool = True
    """Whether days end with too many or too few; else only the course of a day tells."""
    is_within: bool = False
    """Whether it was found by the course alone, once days were evened out (`analysis/day_course.py`)."""

    @property
    def is_named(self) -> bool:
        """Whether one door is said to be to blame."""
        return self.kind in {BlameKind.EXCHANGED, BlameKind.ONE_WAY}


class Turned(NamedTuple):
    """What turning a passage round would do."""

    way: Way
    came: float
    went: float
    """Into and out of its zone, on the whole days."""
    wrong: float
    """What its zones are wrong by as it is."""
    left: float
    """And turned round."""
    left_one_way: float
    """And with a fixed part more of those who go one way by it, the part with which days end most evenly."""

    @property
    def gain(self) -> float:
        return self.wrong - self.left

    @property
    def explained(self) -> float | None:
        """The part of what is wrong that it takes away, 0 to 1; None where nothing is wrong."""
        return max(0.0, self.gain / self.wrong) if self.wrong > 0 else None

    @property
    def explained_one_way(self) -> float | None:
        """Likewise, if it misses such a part; of several doors alike, which does not tell them apart."""
        return max(0.0, 1 - self.left_one_way / self.wrong) if self.wrong > 0 else None


@dataclass(frozen=True, eq=False)
class Evidence:
    """The hours of zones and passages, and the days of each zone that are whole."""

    zones: Mapping[str, Hours]
    passages: Mapping[Way, Hours]
    days: Mapping[str, Sequence[CountDay]]
    unread: frozenset[str] = frozenset()
    """Zones of which not all passages are known, or that their passages do not add up to."""

    def net(self, zone: str) -> Numbers:
        return self.zones[zone].net

    def wrong(self, zone: str, extra: Numbers | None = None) -> Numbers:
        """By how many people each whole day of a zone is wrong, with `extra` more people coming each hour."""
        net = self.net(zone) if extra is None else self.net(zone) + extra
        places = self.places[zone]
        return people_wrong_each(np.append(net, 0.0)[places]) if places.size else np.zeros(0)

    @cached_property
    def places(self) -> Mapping[str, npt.NDArray[np.int64]]:
        """Of each zone a row for each whole day: its rows of the grid, filled up with one after the last."""
        longest = max((day.after - day.first for days in self.days.values() for day in days), default=0)
        steps = np.arange(longest)
        return {
            zone: np.array(
                [np.where(steps < day.after - day.first, day.first + steps, -1) for day in days],
                dtype=np.int64,
            ).reshape(len(days), longest)
            for zone, days in self.days.items()
        }

    def into(self, way: Way, zone: str) -> Numbers:
        """By how many more come into `zone` by this way than leave it."""
        net = self.passages[way].net
        return net if zone == way.zone_id else -net

    def known_ends(self, way: Way) -> list[str]:
        return [zone for zone in way.ends if zone in self.zones]

    def ways_of(self, zones: Iterable[str]) -> list[Way]:
        own = set(zones)
        return [way for way in self.passages if own.intersection(way.ends)]

    def residues(self, zone: str) -> Numbers:
        return np.array([self.net(zone)[day.rows].sum() for day in self.days[zone]])


def disagrees(evidence: Evidence, zone: str) -> bool:
    """Whether a zone is wrong by so much that a counter is at fault, on its whole days together."""
    is_judged = len(evidence.days[zone]) >= FEWEST_DAYS
    return is_judged and _is_much(evidence, [zone], float(evidence.wrong(zone).sum()))


def _is_much(evidence: Evidence, zones: Sequence[str], wrong: float) -> bool:
    """Beside the entrances of these zones on their whole days, or the least that any counter errs by."""
    days = sum(len(evidence.days[zone]) for zone in zones)
    came = sum(
        float(np.nansum(evidence.zones[zone].came[day.rows])) for zone in zones for day in evidence.days[zone]
    )
    return wrong >= _FEWEST_PEOPLE * days and wrong >= _MUCH * came


def ranked(evidence: Evidence) -> list[Turned]:
    """Every passage, first the one that turned round would take away most of what its zones are wrong by."""
    found = [_turned(evidence, way) for way in evidence.passages]
    return sorted(found, key=lambda one: (-(one.explained or 0.0), -(one.explained_one_way or 0.0)))


def blames(evidence: Evidence) -> list[Blame]:
    """One for each zone that does not add up, or for two together; empty where all do."""
    open_zones = [zone for zone in evidence.zones if disagrees(evidence, zone)]
    exchanged = _exchanged(evidence, open_zones)
    settled = set(chain.from_iterable(blame.zones for blame in exchanged))
    rest = [zone for zone in open_zones if zone not in settled]
    found = []
    for zone in rest:
        if zone not in settled:
            blame = _by_balance(evidence, zone, rest)
            settled.update(blame.zones)
            found.append(blame)
    return [*exchanged, *found]


def _turned(evidence: Evidence, way: Way) -> Turned:
    ends = evidence.known_ends(way)
    hours = evidence.passages[way]
    rows = [day.rows for day in evidence.days.get(way.zone_id, evidence.days[ends[0]] if ends else ())]
    return Turned(
        way,
        sum(float(np.nansum(hours.came[own])) for own in rows),
        sum(float(np.nansum(hours.went[own])) for own in rows),
        sum(float(evidence.wrong(zone).sum()) for zone in ends),
        sum(float(evidence.wrong(zone, -2 * evidence.into(way, zone)).sum()) for zone in ends),
        _left_one_way(evidence, way, ends),
    )


def _exchanged(evidence: Evidence, open_zones: Sequence[str]) -> list[Blame]:
    ways = [way for way in evidence.ways_of(open_zones) if evidence.unread.isdisjoint(way.ends)]
    found = [blame for way in ways if (blame := _if_exchanged(evidence, way, open_zones))]
    taken = list(chain.from_iterable(blame.zones for blame in found))
    # Two that are to blame for the same zone are none that is known.
    return [blame for blame in found if all(taken.count(zone) == 1 for zone in blame.zones)]


def _if_exchanged(evidence: Evidence, way: Way, open_zones: Sequence[str]) -> Blame | None:
    ends = evidence.known_ends(way)
    own = _turned(evidence, way)
    if own.gain < _EXPLAINED * own.wrong or _is_much(evidence, ends, own.left):
        return None
    others = [other for other in evidence.ways_of(ends) if other != way]
    best = max((_turned(evidence, other).gain for other in others), default=0.0)
    least = min(own.wrong - best, *(_left_one_way(evidence, other, ends) for other in [way, *others]))
    days = max(len(evidence.days[zone]) for zone in ends)
    if least < _CLEARLY * max(own.left, days):  # a person a day is nothing to tell two readings apart by
        return None
    is_better = [
        after < before
        for zone in ends
        if zone in open_zones
        for before, after in zip(
            evidence.wrong(zone), evidence.wrong(zone, -2 * evidence.into(way, zone)), strict=True
        )
    ]
    if sum(is_better) < _MOST_DAYS * len(is_better):
        return None
    residue = sum(float(np.abs(evidence.residues(zone)).sum()) for zone in ends)
    zones = tuple(zone for zone in ends if zone in open_zones)
    return Blame(
        zones, BlameKind.EXCHANGED, (way,), own.wrong, own.left, days, by_balance=2 * residue >= own.wrong
    )


def _left_one_way(evidence: Evidence, way: Way, zones: Sequence[str]) -> float:
    """What `zones` are wrong by at least, if one way through `way` misses a fixed part.

    The part is the one with which the days of one of its zones end evenly.
    """
    left = [sum(float(evidence.wrong(zone).sum()) for zone in zones)]
    for counted, sign in ((evidence.passages[way].came, 1), (evidence.passages[way].went, -1)):
        flow = sign * np.nan_to_num(counted)
        for zone in evidence.known_ends(way):
            part = part_missed(evidence, zone, flow if zone == way.zone_id else -flow)
            if part is not None:
                left.append(_left_with(evidence, way, part * flow, zones))
    return min(left)


def part_missed(evidence: Evidence, zone: str, flow: Numbers) -> float | None:
    of_days = np.array([flow[day.rows].sum() for day in evidence.days[zone]])
    known = of_days != 0
    if not known.any():
        return None
    ratios = -evidence.residues(zone)[known] / of_days[known]
    order = np.argsort(ratios)
    weights = np.cumsum(np.abs(of_days[known])[order])
    part = float(ratios[order][np.searchsorted(weights, weights[-1] / 2)])
    return part if _LEAST_MISSED <= part <= _MOST_MISSED else None


def _left_with(evidence: Evidence, way: Way, extra: Numbers, ends: Sequence[str]) -> float:
    """`extra` are people who come into the way's own zone beside those counted."""
    left = 0.0
    for zone in {*ends, *evidence.known_ends(way)}:
        if zone in way.ends:
            left += float(evidence.wrong(zone, extra if zone == way.zone_id else -extra).sum())
        else:
            left += float(evidence.wrong(zone).sum())
    return left


def _by_balance(evidence: Evidence, zone: str, open_zones: Sequence[str]) -> Blame:
    """Between which two a flow is missing: two zones that differ oppositely, or a zone and the outside."""
    wrong, days = float(evidence.wrong(zone).sum()), len(evidence.days[zone])
    if zone in evidence.unread:
        return Blame((zone,), BlameKind.UNREAD, wrong=wrong, days=days)
    residue = evidence.residues(zone)
    total = float(residue.sum())
    is_steady = (np.sign(residue) == np.sign(total)).mean() >= _MOST_DAYS
    if not is_steady or 2 * abs(total) < wrong:
        return Blame((zone,), BlameKind.UNKNOWN, wrong=wrong, days=days)
    ways = evidence.ways_of([zone])
    neighbours = {end for way in ways for end in evidence.known_ends(way) if end != zone}
    opposite = [one for one in neighbours if _is_opposite(evidence, zone, one)]
    silent = {one for one in neighbours if abs(float(evidence.residues(one).sum())) <= _ALIKE * abs(total)}
    if len(opposite) == 1 and opposite[0] in open_zones and neighbours - silent == set(opposite):
        between = tuple(way for way in ways if opposite[0] in way.ends)
        return _one_or_several((zone, opposite[0]), between, wrong, days)
    if neighbours == silent:
        outer = tuple(way for way in ways if len(evidence.known_ends(way)) == 1)
        return _one_or_several((zone,), outer, wrong, days)
    return Blame((zone,), BlameKind.ONE_OF, tuple(ways), wrong, days=days)


def _is_opposite(evidence: Evidence, zone: str, other: str) -> bool:
    first, second = evidence.residues(zone), evidence.residues(other)
    if len(first) != len(second):
        return False
    return float(np.abs(first + second).sum()) <= _ALIKE * float(np.abs(first).sum())


def _one_or_several(zones: tuple[str, ...], ways: tuple[Way, ...], wrong: float, days: int) -> Blame:
    if not ways:
        return Blame(zones, BlameKind.UNKNOWN, wrong=wrong, days=days)
    kind = BlameKind.ONE_WAY if len(ways) == 1 else BlameKind.ONE_OF
    return Blame(zones, kind, ways, wrong, days=days)
