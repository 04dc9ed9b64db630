"""What may be asked of a store about counters: which there are, where they hang, what of them came before.

A `SensorRegistry` says nothing of what a report means: whoever takes it (`service/sensors/taking.py`) reads
and writes what is remembered of its line within one transaction, together with the counts that follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

from service.store.audit_protocol import Author

MOST_WAITING = 20_000
"""Reports of one line that nobody has placed: half a year of quarters of an hour. One more is not kept."""
MOST_WAITING_OF_ALL = 1_000_000
"""Reports of one organization that wait, of whichever lines. One more is not kept."""
MOST_UNPLACED = 10_000
"""Lines of one organization that nobody has placed. Of one more, nothing is kept."""
DAYS_REMEMBERED = 40
"""For which a report is known again: longer than any count may be late."""


class SensorName(NamedTuple):
    """A line of a counter as its reports name it."""

    organization_id: str
    maker: str
    serial: str
    line: str


class LineTotal(NamedTuple):
    """The last running total of a line."""

    at: datetime
    forward: int
    backward: int
    since: str
    """What said when it began; empty where nothing did."""


class Placement(NamedTuple):
    """At which passage a line counts."""

    passage_id: str
    is_swapped: bool
    """Whether what the counter calls forward goes from `toZoneId` to `fromZoneId`."""


class LineClock(NamedTuple):
    """How the clock of a counter stood at its newest report."""

    ahead_seconds: int
    """From the arrival to the end of what was told: negative for a clock that is behind, and where it came
    late."""
    is_trusted: bool
    """Whether it said when people crossed; else the arrival did."""


class Heard(NamedTuple):
    """When a counter was heard, whichever of its lines it told of."""

    last: datetime
    usual: timedelta
    """How long it is silent as a rule, at most."""
    said: tuple[bool, datetime] | None
    """Whether it was said to be online when that was said last, and when; None where counts came since."""


@dataclass(frozen=True, slots=True)
class SensorLine:
    """What is remembered of a line."""

    number: int
    name: SensorName
    placement: Placement | None
    site_id: str | None
    timezone: ZoneInfo | None
    """Both of the site in which it is placed."""
    total: LineTotal | None
    newest_end: datetime | None
    """The latest time that it has told, by its own clock, UTC."""
    clock: LineClock | None
    first_heard: datetime
    last_heard: datetime
    sensor: Heard
    waiting: int
    """Reports that are kept until it is placed, and then until they are counted."""
    conflicts: int
    """Reports that told other numbers than one before of the same time; the first was kept."""
    is_ignored: bool = False
    """Whether its reports are neither counted nor kept, until it is placed."""


class KnownReport(NamedTuple):
    """What a report told that came before."""

    forward: int
    backward: int


class WaitingReport(NamedTuple):
    arrived: datetime
    told: str
    """As whoever kept it wrote it."""


class Kept(Enum):
    """Whether a report is kept until its line is placed."""

    YES = auto()
    LINE_IS_FULL = auto()
    """`MOST_WAITING` of its line are."""
    ALL_IS_FULL = auto()
    """`MOST_WAITING_OF_ALL` are."""


class SensorRows(Protocol):
    """What is remembered of lines, within a transaction that writes. All or nothing of it is kept."""

    def heard(self, organization_id: str, maker: str, serial: str) -> Heard | None:
        """Of a counter; None where it was never heard of."""

    def note_heard(self, organization_id: str, maker: str, serial: str, heard: Heard) -> None:
        """Remember this instead; the counter is made if it was never heard of."""

    def has_room(self, name: SensorName) -> bool:
        """Whether the line was heard of, or there is room for it: `MOST_UNPLACED` may wait to be placed."""

    def line(self, name: SensorName, heard: datetime) -> SensorLine:
        """The line, made if it was never heard of; heard at this time. Its counter was noted before."""

    def known(self, line: SensorLine, days: Sequence[int], identity: str) -> KnownReport | None:
        """What was remembered under `identity` on one of these days since the epoch."""

    def remember(self, line: SensorLine, day: int, identity: str, report: KnownReport) -> None:
        """For `DAYS_REMEMBERED` from `day` on, by the time that is believed.

        What is remembered under it already stays.
        """

    def keep_waiting(self, line: SensorLine, report: WaitingReport) -> Kept:
        """Whether there was room for it; of a line that is placed there always is."""

    def waiting(self, line: SensorLine, most: int) -> Iterator[WaitingReport]:
        """The oldest, in the order in which they came."""

    def forget_waiting(self, line: SensorLine, number: int) -> None:
        """So many of the oldest."""

    def numbered(self, number: int) -> SensorLine | None:
        """The line as it is now; None where it is none any more."""

    def place(self, line: SensorLine, placement: Placement | None, author: Author) -> SensorLine:
        """The line at its new place. Raises UnknownPassageError where its organization has none such, and
        UnknownLineError where the line was dismissed meanwhile.
        """

    def note(
        self,
        line: SensorLine,
        *,
        total: LineTotal | None,
        newest_end: datetime | None,
        clock: LineClock | None,
        conflicts: int,
    ) -> None:
        """Remember these instead."""

    def append(self, passage_id: str, first: int, forward: Sequence[int], backward: Sequence[int]) -> None:
        """Add who crossed in each minute from `first` on, since the epoch, to what is stored."""

    @property
    def minutes(self) -> int:
        """How many were appended in this transaction."""

    def mark_spread(self, passage_id: str, first: int, end: int) -> None:
        """Of the minutes [first, end) only a sum was told."""


class SensorRegistry(Protocol):
    def writing(self) -> AbstractContextManager[SensorRows]:
        """A transaction: durable when the block is left, undone where it fails. Raises StoreError."""

    def lines(self, organization_id: str) -> list[SensorLine]:
        """All lines that were heard of, by maker, serial and line. Raises StoreError."""

    def of_site(self, site_id: str) -> list[SensorLine]:
        """Those that are placed at passages of the site. Raises StoreError."""

    def find(self, organization_id: str, number: int) -> SensorLine | None: ...

    def uncounted(self) -> list[int]:
        """Numbers of the lines, of all organizations, that are placed while reports of them wait. Raises
        StoreError.
        """

    def dismiss(self, organization_id: str, number: int, author: Author, *, is_ignored: bool) -> bool:
        """Forget a line that nobody has placed, with what waits of it; False where there is none such.

        When it reports again it is a new one; with `is_ignored` it stays and its reports are forgotten, too.
        Raises StoreError.
        """
