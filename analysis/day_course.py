"""Which passage is mounted the wrong way round where days end evenly, by what happens within them.

A passage by which over a day as many come as go leaves no residue when its two ways are exchanged. But its
two zones go wrong within the day, mirror-wise: one rises too far while the other falls below nobody. Counters
miss a few people in a hundred, so each day is evened out by so much first; where a zone still falls below
nobody on most days, and with one passage alone turned round none of its zones does, that passage is named.

What cannot be seen: a passage into a zone in which at any time too few people are to fall below nobody, and
one of several into it that takes so small a part of the flow that the rest stays above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from analysis.count_days import Hours, Numbers
from analysis.door_blame import FEWEST_DAYS, Blame, BlameKind, Evidence, Way, blames, part_missed
from analysis.residue import people_wrong_each

ORDINARY: Final = 0.05
"""Of who goes one way, what a counter may miss: by so much a day is evened out."""
_FEWEST_PEOPLE: Final = 10
"""A day, together in the zones of a passage."""
_EXPLAINED: Final = 0.75
_CLEARLY: Final = 3
"""Times as much as it leaves turned round, any other passage turned round must leave."""
_MOST_DAYS: Final = 0.8


def all_blames(evidence: Evidence) -> list[Blame]:
    """By what days leave, then by their course; what that names takes the place of what could not be told."""
    found = [_if_beyond_ordinary(evidence, one) for one in blames(evidence)]
    settled = set(chain.from_iterable(one.zones for one in found if one.kind is BlameKind.EXCHANGED))
    within = exchanged_within(evidence, settled)
    named = set(chain.from_iterable(one.zones for one in within))
    return [*(one for one in found if named.isdisjoint(one.zones)), *within]


def _if_beyond_ordinary(evidence: Evidence, blame: Blame) -> Blame:
    """One door of several is said to miss people where its zones leave more than all of them may miss."""
    ways = evidence.ways_of(blame.zones)
    if blame.kind is not BlameKind.ONE_WAY or len(ways) == 1:
        return blame
    is_beyond = all(
        abs(float(evidence.residues(zone).sum())) > ORDINARY * _most_of_one_way(evidence, zone)
        for zone in blame.zones
    )
    return blame if is_beyond else blame._replace(kind=BlameKind.ONE_OF, ways=tuple(ways))


def _most_of_one_way(evidence: Evidence, zone: str) -> float:
    hours, rows = evidence.zones[zone], [day.rows for day in evidence.days[zone]]
    return max(sum(float(np.nansum(own[one])) for one in rows) for own in (hours.came, hours.went))


def exchanged_within(evidence: Evidence, settled: AbstractSet[str] = frozenset()) -> list[Blame]:
    """One for each passage that is named; of zones in `settled` nothing is said."""
    course = _Course(evidence)
    found = [
        blame
        for way in evidence.passages
        if course.is_judged(way) and settled.isdisjoint(way.ends) and (blame := course.blame(way))
    ]
    taken = list(chain.from_iterable(one.zones for one in found))
    return [one for one in found if all(taken.count(zone) == 1 for zone in one.zones)]


class _Flow(NamedTuple):
    """A row for each whole day of a zone, its hours in order; shorter days end with zeros."""

    came: Numbers
    went: Numbers

    def turned(self, through: _Flow) -> _Flow:
        """As it would be with a passage turned round, of which `through` has who came into the zone by it."""
        more = through.went - through.came
        return _Flow(np.maximum(self.came + more, 0), np.maximum(self.went - more, 0))


class _Course:
    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    @cached_property
    def _wrong(self) -> Mapping[str, Numbers]:
        return {zone: people_wrong_within(*self._flow(zone, hours)) for zone, hours in self._zones.items()}

    @property
    def _zones(self) -> Mapping[str, Hours]:
        return self._evidence.zones

    def is_judged(self, way: Way) -> bool:
        """Whether it joins two zones whose passages are all read, each with days enough."""
        return way.other_id is not None and all(
            zone in self._zones
            and zone not in self._evidence.unread
            and len(self._evidence.days[zone]) >= FEWEST_DAYS
            for zone in way.ends
        )

    def blame(self, way: Way) -> Blame | None:
        """None: nothing is wrong, or turning this passage round does not make it right, or another would."""
        before = {zone: self._wrong[zone] for zone in way.ends}
        after = {zone: self._turned(way, zone) for zone in way.ends}
        wrong, left = _people(before), _people(after)
        days = max(len(own) for own in before.values())
        if wrong < _FEWEST_PEOPLE * days or wrong - left < _EXPLAINED * wrong:
            return None
        worse = max(before, key=lambda zone: float(before[zone].sum()))
        if (after[worse] < before[worse]).mean() < _MOST_DAYS:
            return None
        others = [other for other in self._evidence.ways_of(way.ends) if other != way]
        least = min(
            wrong - max((self._gain(other) for other in others), default=0.0),
            *(self._left_one_way(other, way.ends) for other in [way, *others]),
        )
        if least < _CLEARLY * max(left, days):
            return None
        return Blame(
            way.ends, BlameKind.EXCHANGED, (way,), wrong, left, days, by_balance=False, is_within=True
        )

    def _gain(self, way: Way) -> float:
        ends = self._evidence.known_ends(way)
        return sum(float((self._wrong[zone] - self._turned(way, zone)).sum()) for zone in ends)

    def _turned(self, way: Way, zone: str) -> Numbers:
        return people_wrong_within(*self._flow(zone, self._zones[zone]).turned(self._through(way, zone)))

    def _left_one_way(self, way: Way, zones: Sequence[str]) -> float:
        """What `zones` are wrong by at least, if one way through `way` misses a fixed part: that with which
        the days of one of them end evenly.
        """
        hours = self._evidence.passages[way]
        own = [zone for zone in zones if zone in way.ends]
        left = []
        for counted, sign in ((hours.came, 1), (hours.went, -1)):
            flow = sign * np.nan_to_num(counted)
            for zone in own:
                part = part_missed(self._evidence, zone, flow if zone == way.zone_id else -flow)
                if part is not None:
                    added = sum(self._with_more(way, one, part, is_came=sign > 0) for one in own)
                    left.append(added + self._left_as_is([one for one in zones if one not in own]))
        return min(left, default=self._left_as_is(zones))

    def _left_as_is(self, zones: Sequence[str]) -> float:
        return sum(float(self._wrong[zone].sum()) for zone in zones)

    def _with_more(self, way: Way, zone: str, part: float, *, is_came: bool) -> float:
        """Likewise with `part` more of those who come into the way's own zone by it, or else go out of it."""
        flow, through = self._flow(zone, self._zones[zone]), self._through(way, zone)
        is_in = is_came == (zone == way.zone_id)
        came, went = (part, 0.0) if is_in else (0.0, part)
        more = people_wrong_within(flow.came + came * through.came, flow.went + went * through.went)
        return float(more.sum())

    def _through(self, way: Way, zone: str) -> _Flow:
        """Who comes into `zone` by this way, and who goes out of it."""
        through = self._flow(zone, self._evidence.passages[way])
        return through if zone == way.zone_id else _Flow(through.went, through.came)

    def _flow(self, zone: str, hours: Hours) -> _Flow:
        places = self._evidence.places[zone]
        if not places.size:
            return _Flow(np.zeros((0, 1)), np.zeros((0, 1)))
        came, went = (np.append(np.nan_to_num(own), 0.0)[places] for own in (hours.came, hours.went))
        return _Flow(came, went)


def people_wrong_within(came: Numbers, went: Numbers) -> Numbers:
    """By how many people each row is wrong once as many go as come, as far as `ORDINARY` allows.

    `came` and `went` have a row for each day and a column for each hour.
    """
    all_came, all_went = came.sum(axis=1), went.sum(axis=1)
    known = (all_came > 0) & (all_went > 0)
    ratio = np.ones_like(all_came)
    np.divide(all_went, all_came, out=ratio, where=known)
    part = np.sqrt(np.clip(ratio, 1 - ORDINARY, 1 / (1 - ORDINARY)))[:, np.newaxis]
    return people_wrong_each(came * part - went / part) if came.size else np.zeros(0)


def _people(wrong: Mapping[str, Numbers]) -> float:
    return sum(float(own.sum()) for own in wrong.values())
