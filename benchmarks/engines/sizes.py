"""What is loaded: one site with a whole year, which is asked, and all others with the last days of it.

A store grows from step to step: what was loaded for one stays for the next, which adds days, or sites.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.store import OPEN_HOURS, TIMEZONE, ZONES
from contract.minutes import MINUTES_A_DAY, minute_number
from service.store.protocol import Numbers

ASKED: Final = 0
"""Number of the site with a year; the others follow it."""
YEAR: Final = 365
_DAYS_TOGETHER: Final = 30


class Step(NamedTuple):
    sites: int
    days: int
    """Of each site, but of the one that is asked."""


class Piece(NamedTuple):
    """Minutes of a site that are stored together."""

    site: int
    minutes: Numbers

    @property
    def rows(self) -> int:
        """Minute rows of zones; as many of passages belong to them."""
        return ZONES * len(self.minutes)


@dataclass(frozen=True)
class Calendar:
    """The last day is yesterday's, local."""

    year: int = YEAR
    """Days of the site that is asked, with all their minutes."""
    hours: int = 3
    """Of a day of the others, from 08:00 on."""
    today: date = field(default_factory=lambda: datetime.now(TIMEZONE).date())

    def day(self, ago: int) -> datetime:
        """Its first instant, local."""
        return datetime.combine(self.today - timedelta(days=ago), time(), TIMEZONE)

    def minutes(self, site: int, first: int, last: int) -> Numbers:
        """Of the days from `first` days ago up to `last` days ago."""
        if site == ASKED:
            return np.arange(minute_number(self.day(first)), minute_number(self.day(last)), dtype=np.int64)
        opened = [minute_number(self.day(ago).replace(hour=OPEN_HOURS[0])) for ago in range(first, last, -1)]
        return (np.array(opened, dtype=np.int64)[:, None] + np.arange(60 * self.hours)).ravel()

    def span(self, first: int, days: int) -> tuple[datetime, datetime]:
        return self.day(first).astimezone(UTC), self.day(first - days).astimezone(UTC)


@dataclass
class Growth:
    """How much each site has."""

    calendar: Calendar
    days: dict[int, int] = field(default_factory=dict)
    rows: int = 0

    def up_to(self, step: Step) -> Iterator[Piece]:
        """What is missing, the oldest first of each site; the site that is asked before all others."""
        for site in range(step.sites):
            wanted = self.calendar.year if site == ASKED else step.days
            have = self.days.get(site, 0)
            if wanted <= have:
                continue
            bounds = [*range(wanted, have, -_DAYS_TOGETHER), have]
            for first, last in pairwise(bounds):
                piece = Piece(site, self.calendar.minutes(site, first, last))
                self.rows += piece.rows
                yield piece
            self.days[site] = wanted


def rows_after(steps: Sequence[Step], calendar: Calendar) -> int:
    """Minute rows that there are at the end of these steps, but for an hour of a change of the clocks."""
    days: dict[int, int] = {}
    for step in steps:
        days |= {site: max(step.days, days.get(site, 0)) for site in range(1, step.sites)}
    return ZONES * (calendar.year * MINUTES_A_DAY + 60 * calendar.hours * sum(days.values()))


def people(piece: Piece) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Who passes each of the eight doors in each minute, forward and backward."""
    chance = np.random.default_rng((piece.site, int(piece.minutes[0])))
    return chance.poisson(1.5, size=(2, ZONES, len(piece.minutes))).astype(np.int64)
