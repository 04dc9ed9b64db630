"""A site drawn at random whose inner zones are visited and left again: their doors balance over a day.

    outside == doors ==> hall <== one or two doors ==> zone 1 <== ... ==> zone 2, and so on as a tree

People come by one door and may leave by another, prefer others in the morning than in the afternoon, visit
one or two zones, and pass through those between. Some inner zones have a door of their own to the outside.
"""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from analysis.count_days import Numbers
from analysis.door_blame import Way
from tests.analysis.chance_site import CLOSE, HOURS_A_DAY, OPEN, ChanceSite

_NOON = 14


def visited(seed: int, *, most_zones: int = 4, days: int = 14) -> ChanceSite:
    """A site of two to `most_zones` zones over `days`."""
    return _Walk(np.random.default_rng(seed), most_zones, days).site()


class _Walk:
    def __init__(self, chance: np.random.Generator, most_zones: int, days: int) -> None:
        self.chance, self.days = chance, days
        size = int(chance.integers(2, most_zones + 1))
        self.zones = [f"zone-{index}" for index in range(size)]
        self.parents = [0, *(int(chance.integers(0, index)) for index in range(1, size))]
        self.ways: list[Way] = []
        self.between: dict[tuple[int, int], list[Way]] = {}
        """From one zone into another; -1 is the outside."""
        for index in range(size):
            doors = int(chance.integers(1, 4)) if index == 0 else int(chance.random() < 0.25)
            self._add(doors, index, -1)
            if index:
                self._add(int(chance.integers(1, 3)), index, self.parents[index])
        self.came = {way: np.zeros(days * HOURS_A_DAY) for way in self.ways}
        self.went = {way: np.zeros(days * HOURS_A_DAY) for way in self.ways}
        self.stays = chance.uniform(0.1, 2, size)
        """Mean hours."""
        self.prefers = {
            (ends, half): chance.dirichlet(np.ones(len(ways)))
            for ends, ways in self.between.items()
            for half in (0, 1)
        }

    def _add(self, number: int, zone: int, other: int) -> None:
        outer = None if other < 0 else self.zones[other]
        own = [
            Way(f"{zone}-{other}-{index}", f"Door {index} of {zone}", self.zones[zone], outer)
            for index in range(number)
        ]
        if own:
            self.ways += own
            self.between[other, zone] = self.between[zone, other] = own

    def site(self) -> ChanceSite:
        usual = int(self.chance.integers(200, 5000))
        outer = [zone for zone in range(len(self.zones)) if (-1, zone) in self.between]
        to_come, to_go = (self.chance.dirichlet(np.ones(len(outer))) for _ in range(2))
        to_visit = self.chance.dirichlet(np.ones(len(self.zones)))
        for day in range(self.days):
            people = int(usual * self.chance.uniform(0.6, 1.6))
            first, last = (
                self.chance.choice(outer, people, p=to_come),
                self.chance.choice(outer, people, p=to_go),
            )
            one, other = (self.chance.choice(len(self.zones), people, p=to_visit) for _ in range(2))
            at = OPEN + (CLOSE - OPEN - 0.01) * self.chance.beta(2, 2, people)
            own = (first, one, other, last)
            for stops in product(outer, range(len(self.zones)), range(len(self.zones)), outer):
                those = np.logical_and.reduce([who == stop for who, stop in zip(own, stops, strict=True)])
                if those.any():
                    self._walk(day, stops, at[those])
        return ChanceSite(tuple(self.ways), self.came, self.went, self.days)

    def _walk(self, day: int, stops: tuple[int, ...], at: Numbers) -> None:
        path = [stops[0]]
        visited_at = {}
        for stop in stops[1:]:
            path += self._path(path[-1], stop)[1:]
            visited_at[len(path) - 1] = stop
        now = at
        self._cross(day, -1, path[0], now)
        for place, (here, there) in enumerate(pairwise([*path, -1])):
            mean = self.stays[here] if place in visited_at else 0.03
            now = np.minimum(now + self.chance.exponential(mean, now.size), CLOSE - 0.001)
            self._cross(day, here, there, now)

    def _path(self, here: int, there: int) -> list[int]:
        up, down = [here], [there]
        while up[-1] != down[-1]:
            longer = up if up[-1] > down[-1] else down
            longer.append(self.parents[longer[-1]])
        return [*up, *down[-2::-1]]

    def _cross(self, day: int, here: int, there: int, at: Numbers) -> None:
        ways = self.between[here, there]
        for half, those in ((0, at < _NOON), (1, at >= _NOON)):
            parts = self.prefers[(here, there), half] * self.chance.uniform(0.8, 1.25, len(ways))
            which = self.chance.choice(len(ways), at.size, p=parts / parts.sum())
            for index, way in enumerate(ways):
                hours = at[those & (which == index)].astype(int)
                column = self.came if way.zone_id == self._name(there) else self.went
                own = slice(day * HOURS_A_DAY, (day + 1) * HOURS_A_DAY)
                column[way][own] += np.bincount(hours, minlength=HOURS_A_DAY)

    def _name(self, zone: int) -> str:
        return "" if zone < 0 else self.zones[zone]
