"""A site drawn at random, walked through by people one by one, whose doors count them with known faults.

    outside == doors ==> zone 0 <-- inner passage --> zone 1 <--> ...

Zones lie in a row; each has up to three doors, and somebody prefers one door to come and another to go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np

from analysis.count_days import CountDay, Hours, Numbers
from analysis.door_blame import Evidence, Way

HOURS_A_DAY = 24
FIRST = datetime(2026, 6, 1, tzinfo=UTC)
OPEN, CLOSE = 8, 22
"""The first hour in which somebody comes, and the first by which everybody has gone."""


@dataclass(frozen=True)
class ChanceSite:
    ways: tuple[Way, ...]
    came: Mapping[Way, Numbers]
    """True people an hour into the way's own zone, over all days."""
    went: Mapping[Way, Numbers]
    days: int

    def counted(
        self,
        *,
        swapped: frozenset[Way] = frozenset(),
        missed: Mapping[tuple[Way, bool], float] | None = None,
        chance: np.random.Generator | None = None,
    ) -> dict[Way, tuple[Numbers, Numbers]]:
        """What each way counts: `missed` parts of one of its ways (True: into its zone), then exchanged."""
        chance, missed = chance or np.random.default_rng(0), missed or {}
        found = {}
        for way in self.ways:
            came, went = (
                chance.binomial(flow[way].astype(int), 1 - missed.get((way, is_in), 0.0)).astype(float)
                for flow, is_in in ((self.came, True), (self.went, False))
            )
            found[way] = (went, came) if way in swapped else (came, went)
        return found


def ordinarily_missed(site: ChanceSite, chance: np.random.Generator) -> dict[tuple[Way, bool], float]:
    """What ordinary counters miss, each way of each door another part: one to five people in a hundred."""
    return {(way, is_in): float(chance.uniform(0.01, 0.05)) for way in site.ways for is_in in (True, False)}


def drawn(seed: int, *, most_zones: int = 3, days: int = 14) -> ChanceSite:
    """A site of one to `most_zones` zones over `days`."""
    chance = np.random.default_rng(seed)
    zones = [f"zone-{index}" for index in range(int(chance.integers(1, most_zones + 1)))]
    inner = [
        Way(f"inner-{index}", f"Inner {index}", zones[index], zones[index + 1])
        for index in range(len(zones) - 1)
    ]
    doors = [
        Way(f"door-{zone}-{index}", f"Door {index} of {zone}", zone, None)
        for zone in zones
        for index in range(int(chance.integers(1, 4)))
    ]
    ways = (*doors, *inner)
    came = {way: np.zeros(days * HOURS_A_DAY) for way in ways}
    went = {way: np.zeros(days * HOURS_A_DAY) for way in ways}
    usual = int(chance.integers(200, 2500))
    to_come, to_go = chance.dirichlet(np.ones(len(doors))), chance.dirichlet(np.ones(len(doors)))
    longest = float(chance.uniform(0.3, 5))
    parts = np.linspace(0, 1, len(zones) + 2)[1:-1]
    for day in range(days):
        people = int(usual * chance.uniform(0.6, 1.6))
        # What people prefer is not the same every day.
        first = chance.choice(len(doors), people, p=_varied(to_come, chance))
        last = chance.choice(len(doors), people, p=_varied(to_go, chance))
        at = OPEN + (CLOSE - OPEN - 0.01) * chance.beta(2, 2, people)
        gone = np.minimum(at + chance.exponential(longest, people), CLOSE - 0.001)
        own = slice(day * HOURS_A_DAY, (day + 1) * HOURS_A_DAY)
        for index, door in enumerate(doors):
            came[door][own] += _by_hour(at[first == index])
            went[door][own] += _by_hour(gone[last == index])
        of_first, of_last = (
            np.array([zones.index(doors[door].zone_id) for door in ends]) for ends in (first, last)
        )
        for here, there in product(range(len(zones)), repeat=2):
            those = (of_first == here) & (of_last == there)
            # Passage i leads from zone i + 1 into zone i.
            for part, index in zip(parts, _crossed(here, there), strict=False):
                hours = at[those] + (gone[those] - at[those]) * part
                (went if here < there else came)[inner[index]][own] += _by_hour(hours)
    return ChanceSite(ways, came, went, days)


def _by_hour(hours: Numbers) -> Numbers:
    """How many of these hours of a day are in each of its 24."""
    return np.bincount(hours.astype(int), minlength=HOURS_A_DAY).astype(float)


def _varied(parts: Numbers, chance: np.random.Generator) -> Numbers:
    varied: Numbers = parts * chance.uniform(0.8, 1.25, len(parts))
    varied /= varied.sum()
    return varied


def _crossed(first: int, last: int) -> range:
    return range(first, last) if first <= last else range(first - 1, last - 1, -1)


def evidence_of(counted: Mapping[Way, tuple[Numbers, Numbers]], days: int) -> Evidence:
    """What a dashboard reads of it: zones that are sums of their passages."""
    size = days * HOURS_A_DAY
    unknown = np.full(size, np.nan)
    passages = {way: Hours(came, went, unknown, unknown, {}) for way, (came, went) in counted.items()}
    zones = {}
    for zone in sorted({end for way in counted for end in way.ends}):
        into = [own if zone == way.zone_id else own[::-1] for way, own in counted.items() if zone in way.ends]
        zones[zone] = Hours(
            sum((one[0] for one in into), np.zeros(size)),
            sum((one[1] for one in into), np.zeros(size)),
            unknown, unknown, {},
        )  # fmt: skip
    whole = [
        CountDay((FIRST + timedelta(days=day)).date(), day * HOURS_A_DAY, (day + 1) * HOURS_A_DAY)
        for day in range(days)
    ]
    return Evidence(zones, passages, dict.fromkeys(zones, whole))
