"""The shop's visitors as a source of counts, for any minute, past or present."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from contract.buckets import local_midnight
from contract.minutes import minute_number, minute_start
from service.simulator.shop import OPENS, PASSAGES, ROOMS, TIMEZONE, WHOLE, shop_record
from service.simulator.visits import OPEN_HOURS, Visit, visits_of
from service.store.protocol import PassageCount

_OPEN_MINUTES: Final = OPEN_HOURS * 60

_DOORS: Final[Mapping[tuple[str | None, str | None], tuple[str, bool]]] = {
    **{(from_zone, to_zone): (passage, True) for passage, (from_zone, to_zone) in PASSAGES.items()},
    **{(to_zone, from_zone): (passage, False) for passage, (from_zone, to_zone) in PASSAGES.items()},
}
"""(room left, room entered) -> the passage between them, and whether that is forward."""


class Crossing(NamedTuple):
    second: int
    """Of its minute."""
    passage_id: str
    forward: bool


class ShopSimulation:
    """All sensors count at all hours: a minute in which nobody crosses is a row of zeros."""

    history = timedelta(weeks=13)

    def __init__(self, organization_id: str, seed: str = "headroom") -> None:
        self.record = shop_record(organization_id)
        self._seed = seed
        self._crossings_of = lru_cache(maxsize=2)(self._simulate)

    def minutes(self, first: int, end: int) -> Iterator[PassageCount]:
        """Whole minutes of [first, end), all passages, in order of time."""
        while first < end:
            day = _day_of(first)
            next_day = _first_minute(day + timedelta(days=1))
            crossings = self._crossings_of(day)
            for minute in range(first, min(next_day, end)):
                yield from _counts(minute, crossings.get(minute, ()))
            first = next_day

    def so_far(self, now: datetime) -> list[PassageCount]:
        """The minute that is running, with everyone who has crossed by `now`."""
        minute = minute_number(now)
        crossings = self._crossings_of(_day_of(minute)).get(minute, ())
        return _counts(minute, [crossing for crossing in crossings if crossing.second <= now.second])

    def occupancy(self, day: date) -> Mapping[str, Sequence[int]]:
        """Zone -> people inside at the end of each minute from opening to closing.

        Counted by where each visitor is, not by crossings: what the store derives must come out the same.
        """
        changes = {zone: [0] * _OPEN_MINUTES for zone in (WHOLE, *ROOMS)}
        for visit in visits_of(day, self._seed):
            _add_stays(visit, changes)
        return {zone: tuple(accumulate(change)) for zone, change in changes.items()}

    def opening_minute(self, day: date) -> int:
        """Minutes since the epoch at which the shop opens on `day`."""
        return minute_number(datetime.combine(day, OPENS, TIMEZONE))

    def _simulate(self, day: date) -> Mapping[int, Sequence[Crossing]]:
        opening = self.opening_minute(day)
        by_minute: defaultdict[int, list[Crossing]] = defaultdict(list)
        for visit in visits_of(day, self._seed):
            for seconds, left, entered in visit.crossings():
                minute, second = divmod(seconds, 60)
                by_minute[opening + minute].append(Crossing(second, *_DOORS[left, entered]))
        return by_minute


def _day_of(minute: int) -> date:
    return minute_start(minute).astimezone(TIMEZONE).date()


def _first_minute(day: date) -> int:
    return minute_number(local_midnight(day, TIMEZONE))


def _counts(minute: int, crossings: Sequence[Crossing]) -> list[PassageCount]:
    if not crossings:
        return [PassageCount(passage, minute, 0, 0) for passage in PASSAGES]
    both_ways = {passage: [0, 0] for passage in PASSAGES}
    for crossing in crossings:
        both_ways[crossing.passage_id][0 if crossing.forward else 1] += 1
    return [
        PassageCount(passage, minute, forward, backward) for passage, (forward, backward) in both_ways.items()
    ]


def _add_stays(visit: Visit, changes: Mapping[str, list[int]]) -> None:
    stays = zip(visit.rooms, visit.entered, (*visit.entered[1:], visit.left), strict=True)
    for zone, entered, left in (*stays, (WHOLE, visit.entered[0], visit.left)):
        changes[zone][entered // 60] += 1
        changes[zone][left // 60] -= 1
