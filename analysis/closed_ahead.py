"""When sites are closed from now on, as a browser is told it: it notices when one opens. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from analysis.time_range import TimeRange

AHEAD: Final = timedelta(days=14)
"""At least: what cannot be read again goes on for so long by what it has."""
ClosedSpans = list[tuple[float, float | None]]
"""[begin, end] in epoch seconds, ascending. An end of None lies beyond what is looked at: it is not known."""

ClosedAhead = Mapping[str, ClosedSpans]
"""By the name of a site's own feed."""


def range_ahead(now: datetime) -> TimeRange:
    """From the last midnight in UTC on, so that it is the same all day."""
    start = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return TimeRange(start, start + timedelta(days=1) + AHEAD)


def closed_spans(closed: Sequence[TimeRange], range_: TimeRange) -> ClosedSpans:
    """`closed` within `range_`, ascending."""
    return [(one.start.timestamp(), None if one.end >= range_.end else one.end.timestamp()) for one in closed]


def is_closed_at(now: datetime, closed: Collection[tuple[float, float | None]]) -> bool:
    moment = now.timestamp()
    return any(start <= moment and (end is None or moment < end) for start, end in closed)
