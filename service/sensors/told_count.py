"""What a counter tells of one of its lines, whoever made it: the words that all adapters share.

An adapter reads a maker's body and gives these; it knows neither passages nor minutes, has no clock and keeps
nothing. Where a count belongs, whether it came before and what a running total has grown by is decided from
them alone, in one place for all makers.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    INTERVAL = "interval"
    """People who crossed in a stretch of time."""
    CUMULATIVE = "cumulative"
    """A running total: who crossed since the last one is what it has grown by. A lower one has begun again at
    0, and is itself what has crossed since."""
    EVENT = "event"
    """People who crossed at one moment."""


class ToldCount(NamedTuple):
    """People who crossed one line of a counter, both ways as the counter names them."""

    serial: str
    """Of the counter, as its maker prints it."""
    line: str
    """Which of its lines, by the id that the counter gives it; empty for one that has a single line."""
    kind: Kind
    start: datetime | None
    """Of an interval; None of other kinds. Aware, or naive where the counter says no offset: then it is local
    to the site in which the counter hangs. `end` likewise."""
    end: datetime
    """End of an interval, moment of a total or of a crossing."""
    forward: int
    """What the counter calls in, forward or entering; not negative."""
    backward: int
    identity: str
    """The same for the same count of this line each time it is sent, and for no other."""
    since: str = ""
    """Of a running total: changes when it begins again, where the counter says so; else empty."""
    counted: float | None = None
    """Part of an interval in which the counter counted, from 0 to 1; None where it does not say."""


class ToldStatus(NamedTuple):
    """What a counter says of itself."""

    serial: str
    is_online: bool


class Report(NamedTuple):
    """One body of a counter."""

    counts: tuple[ToldCount, ...]
    statuses: tuple[ToldStatus, ...] = ()
    left_out: tuple[str, ...] = ()
    """What stands in the body and is not counted, for people: who sees no counts learns what to change at the
    counter."""


class ReportError(ValueError):
    """The body is none that the maker's counters send; the message says what is wrong, and where."""
