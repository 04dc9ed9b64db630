"""What a counter gives when it is asked, where that is another form than what it pushes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from service.sensors.told_count import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A form that is pulled."""

    name: str
    """In the settings of pulled sources."""
    title: str
    """Maker, models and what is asked, for people."""
    maker: str
    """Whose counters these are; those that push are called the same."""
    read: Callable[[bytes, str, ZoneInfo], Report]
    """Pure, of a body, the counter's serial, which the body lacks, and the zone of its clock. Raises
    ReportError."""


def in_zone(moments: Iterable[datetime], zone: ZoneInfo) -> Iterator[datetime]:
    """Moments that follow one another, in UTC; of an hour that the clocks repeat, which of both follows.

    Those that have an offset keep it.
    """
    before: datetime | None = None
    for moment in moments:
        if moment.tzinfo:
            before = moment.astimezone(UTC)
        else:
            first = moment.replace(tzinfo=zone).astimezone(UTC)
            second = moment.replace(tzinfo=zone, fold=1).astimezone(UTC)
            before = second if before and first < before <= second else first
        yield before
