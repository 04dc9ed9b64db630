"""What is measured of each engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from benchmarks.engines.sizes import Calendar, Piece
from tests.running_service import RunningService

Post = Callable[[int, int], None]
"""Stores 8 counts of a site, given by its number, and a minute; returns once they are on the disk."""


class Asked(NamedTuple):
    """Of the site that is asked, in local days."""

    name: str
    unit: str
    first: int
    """Days ago."""
    days: int
    zones: int


def asked_of(calendar: Calendar) -> list[Asked]:
    year = calendar.year
    ninety = min(90, year)
    return [
        Asked("a day by minute", "minute", year // 2, 1, 1),
        Asked(f"{year} days by day, Europe/Zurich", "day", year, year, 1),
        Asked(f"8 zones x {ninety} days by hour", "hour", (year + ninety) // 2, ninety, 8),
    ]


class Poster(Protocol):
    """Goes to another process, and opens there what it needs."""

    def opened(self) -> AbstractContextManager[Post]: ...


class Served(NamedTuple):
    service: RunningService
    read_key: str
    ingest_key: str


class Engine(Protocol):
    name: str

    @property
    def poster(self) -> Poster: ...

    def add_sites(self, first: int, end: int) -> None: ...

    def load(self, piece: Piece) -> None: ...

    @property
    def post(self) -> Post: ...

    def settle(self) -> Mapping[str, float]:
        """What an engine does by itself in the hours after so much was loaded; figures of that."""

    def asks(self, asked: Asked, start: datetime, end: datetime) -> Callable[[], Any]: ...

    def latest(self, sites: int) -> Callable[[], Any]:
        """The newest values of all sites, asked without a service."""

    def served(self) -> AbstractContextManager[Served] | None:
        """A service that reads and writes it; None: there is none."""

    def bytes_used(self) -> int: ...

    def close(self) -> None: ...
