"""The shop's visitors as a source of counts, for any minute, past or present.

A visitor comes in by one of the two doors, makes one stop or more, walks between them by the shortest way,
and leaves by the café's door when in the café, else by the main one, at the latest in the last minutes before
the shop closes. The same random numbers give the same day.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from itertools import accumulate, chain, pairwise
from random import Random
from typing import Final, NamedTuple

import networkx as nx
import numpy as np

from contract.minutes import minute_number, minute_start
from service.simulator.shop import (
    CAFE,
    CLOSED_WEEKDAY,
    CLOSES,
    FASHION,
    FITTING_ROOM,
    HALL,
    HOME,
    OPENS,
    PASSAGES,
    SPORTS,
    TIMEZONE,
    shop_record,
)
from service.store.protocol import CountSeries, Numbers, PassageCount

OPEN_HOURS: Final = CLOSES.hour - OPENS.hour
_OPEN_SECONDS: Final = OPEN_HOURS * 3600

_VISITORS: Final = (780, 740, 810, 950, 1150, 2520)
"""Usual visitors from Monday to Saturday."""

_WEEKDAY_SPREAD: Final = 0.08
_SATURDAY_SPREAD: Final = 0.01
"""Standard deviation of a day's visitors, as a share; Saturdays are alike, each near capacity."""

_ARRIVALS_ON_WEEKDAYS: Final = (3, 4, 5, 7, 6, 5, 6, 8, 10, 7, 2)
_ARRIVALS_ON_SATURDAYS: Final = (4, 8, 11, 12, 12, 13, 13, 11, 8, 5, 2)
"""Shares of the day's visitors who arrive in each hour."""

_CAFE_DOOR_SHARE: Final = 0.15
_FITTING_SHARE: Final = 0.35
"""Visitors of the fashion department who try something on."""

_STOPS: Final = (FASHION, HOME, SPORTS, CAFE)
_STOP_SHARES: Final = (36, 60, 80, 100)
"""Of the four stops, one added to the other, in percent."""

_ANOTHER_STOP_SHARE: Final = 0.46
"""Visitors who go on to another stop, after each."""

_STAY_MINUTES: Final = {FASHION: 13.0, HOME: 12.0, SPORTS: 12.0, CAFE: 24.0, FITTING_ROOM: 6.0}
"""Mean time at a stop; single times spread around it as a gamma distribution of shape 4."""

_WALK_SECONDS: Final = (15, 60)
"""Time in a room that one only walks through, or looks around in on arrival."""

_LAST_ARRIVAL: Final = _OPEN_SECONDS - 15 * 60
_LEAVING: Final = (5, 10 * 60)
"""Whoever would stay longer leaves between so many seconds before closing."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One person's way; times are seconds since the shop opened."""

    rooms: tuple[str, ...]
    entered: tuple[int, ...]
    """When each of the rooms was entered, ascending."""
    left: int

    def crossings(self) -> Iterator[tuple[int, str | None, str | None]]:
        """Second, room left and room entered; None is the street."""
        sides = pairwise((None, *self.rooms, None))
        return ((second, *rooms) for second, rooms in zip((*self.entered, self.left), sides, strict=True))


def visits_of(day: date, seed: str) -> list[Visit]:
    """Everyone who visits on `day`, in order of arrival; nobody on the day on which the shop is closed."""
    if day.weekday() == CLOSED_WEEKDAY:
        return []
    random = Random(f"{seed}/{day.isoformat()}")  # noqa: S311 - a simulation must repeat itself, not be secret
    saturday = day.weekday() + 1 == CLOSED_WEEKDAY
    spread = _SATURDAY_SPREAD if saturday else _WEEKDAY_SPREAD
    visitors = round(_VISITORS[day.weekday()] * random.gauss(1, spread))
    shares = _ARRIVALS_ON_SATURDAYS if saturday else _ARRIVALS_ON_WEEKDAYS
    return [_visit(arrival, random) for arrival in _arrivals(visitors, shares, random)]


def _arrivals(visitors: int, shares: Sequence[int], random: Random) -> Iterator[int]:
    """Seconds of arrival, ascending: one at random within each visitor's equal part of the day's stream."""
    edges = [0, *accumulate(shares)]
    for visitor in range(visitors):
        level = (visitor + random.random()) / visitors * edges[-1]
        hour = bisect(edges, level) - 1
        into_hour = (level - edges[hour]) / shares[hour]
        yield min(int((hour + into_hour) * 3600), _LAST_ARRIVAL)


def _visit(arrival: int, random: Random) -> Visit:
    way, seconds = _way(random)
    last_second = _OPEN_SECONDS - int(random.uniform(*_LEAVING))
    pace = min(1.0, (last_second - arrival) / sum(seconds))
    entered = [arrival, *(arrival + int(after * pace) for after in accumulate(seconds))]
    return Visit(tuple(way), tuple(entered[:-1]), entered[-1])


def _way(random: Random) -> tuple[list[str], list[int]]:
    """The rooms of a visit in order, and the seconds spent in each."""
    way = [CAFE if random.random() < _CAFE_DOOR_SHARE else HALL]
    seconds = [int(random.uniform(*_WALK_SECONDS))]
    for stop in _stops(random):
        for room in _between(way[-1], stop):
            way.append(room)
            seconds.append(int(random.uniform(*_WALK_SECONDS)))
        seconds[-1] += _stay_seconds(stop, random)
    for room in _between(way[-1], way[-1] if way[-1] == CAFE else HALL):
        way.append(room)
        seconds.append(int(random.uniform(*_WALK_SECONDS)))
    return way, seconds


def _stops(random: Random) -> Iterator[str]:
    more = True
    while more:
        (stop,) = random.choices(_STOPS, cum_weights=_STOP_SHARES)
        yield stop
        if stop == FASHION and random.random() < _FITTING_SHARE:
            yield FITTING_ROOM
            yield FASHION
        more = random.random() < _ANOTHER_STOP_SHARE


def _stay_seconds(stop: str, random: Random) -> int:
    return int(random.gammavariate(4, _STAY_MINUTES[stop] * 60 / 4))


@cache
def _between(start: str, goal: str) -> tuple[str, ...]:
    """Rooms to enter on the shortest way from `start` to `goal`, `goal` included."""
    graph: nx.Graph[str] = nx.Graph((one, other) for one, other in PASSAGES.values() if one is not None)
    return tuple(nx.shortest_path(graph, start, goal)[1:])


_WAYS: Final[Mapping[tuple[str | None, str | None], int]] = {
    sides: way
    for way, sides in enumerate(
        chain.from_iterable(((one, other), (other, one)) for one, other in PASSAGES.values())
    )
}
"""(room left, room entered) -> a number: of each passage in turn, first forward, then backward."""


SEED: Final = "headroom"
"""Of the demo: every process simulates the same visits."""


class Crossings(NamedTuple):
    """Parallel."""

    seconds: Numbers
    """Since the epoch."""
    ways: Numbers
    """See `_WAYS`."""


class ShopSimulation:
    """All sensors count at all hours: a minute in which nobody crosses is a row of zeros."""

    history = timedelta(weeks=13)

    def __init__(self, organization_id: str) -> None:
        self.record = shop_record(organization_id)
        self._crossings_of = lru_cache(maxsize=2)(self._simulate)

    def series(self, first: int, end: int) -> Iterator[CountSeries]:
        """Whole minutes of [first, end), all passages; none is missing."""
        minutes = np.arange(first, end)
        for passage, (forward, backward) in zip(PASSAGES, self._counted(first, end), strict=True):
            yield CountSeries(passage, minutes, forward, backward)

    def so_far(self, now: datetime) -> list[PassageCount]:
        """The minute that is running, with everyone who has crossed by `now`."""
        minute = minute_number(now)
        counted = self._counted(minute, minute + 1, int(now.timestamp()))[..., 0].tolist()
        return [
            PassageCount(passage, minute, forward, backward)
            for passage, (forward, backward) in zip(PASSAGES, counted, strict=True)
        ]

    def _counted(self, first: int, end: int, last_second: int | None = None) -> Numbers:
        """How many cross, no later than `last_second`; by passage, by way (forward first), by minute."""
        begin, length = _day_of(first), end - first
        last = end * 60 - 1 if last_second is None else last_second
        table = np.zeros(len(_WAYS) * length, dtype=np.int64)
        for day in range((_day_of(end - 1) - begin).days + 1):
            seconds, ways = self._crossings_of(begin + timedelta(days=day))
            within = (seconds >= first * 60) & (seconds <= last)
            cells = ways[within] * length + seconds[within] // 60 - first
            table += np.bincount(cells, minlength=len(table))
        return table.reshape(len(PASSAGES), 2, length)

    def opening_minute(self, day: date) -> int:
        """Minutes since the epoch at which the shop opens on `day`."""
        return minute_number(datetime.combine(day, OPENS, TIMEZONE))

    def _simulate(self, day: date) -> Crossings:
        crossings = chain.from_iterable(visit.crossings() for visit in visits_of(day, SEED))
        numbers = [(second, _WAYS[left, entered]) for second, left, entered in crossings]
        seconds, ways = np.array(numbers, dtype=np.int64).reshape(-1, 2).T
        return Crossings(self.opening_minute(day) * 60 + seconds, ways)


def _day_of(minute: int) -> date:
    return minute_start(minute).astimezone(TIMEZONE).date()
