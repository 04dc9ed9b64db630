"""Zone and hour: who came in, who went out, and what the number inside changed by beside them.

A number inside that is entrances minus exits changes by their difference and by nothing else. What remains
is what a service added where the number would have gone below 0 (more had left than had come), took away
where the count began again (somebody was still inside), or corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.drift import MinutePoint
from contract import CROSSINGS, Granularity, MetricKey, Number
from contract.buckets import bucket_start, next_bucket_start
from contract.minutes import MINUTE


class ReconciledHour(NamedTuple):
    """The minutes of an hour whose minute before is counted, too."""

    start: datetime
    came: float
    went: float
    change: float
    """Of the number inside."""
    added: float
    """People whom the number inside gained beside who came and went; who left uncounted, mostly."""
    taken: float
    """Likewise lost; who was still inside as a count began again, mostly."""
    minutes: Completeness
    """Those that could be judged."""

    @property
    def residual(self) -> float:
        """By how much the change differs from who came minus who went."""
        return self.change - (self.came - self.went)


def reconciled(points: Sequence[MinutePoint], timezone: ZoneInfo) -> list[ReconciledHour]:
    """The hours of `points`, which ascend and are minutes; those without all three metrics are left out.

    The first minute has none before it, so that its hour lacks it.
    """
    counted = [(start, found) for start, values in points if (found := _counted(values))]
    hours: dict[datetime, list[tuple[float, float, float]]] = {}
    for (before, earlier), (start, (inside, came, went)) in pairwise(counted):
        if start - before == MINUTE:
            own = hours.setdefault(bucket_start(start, Granularity.HOUR, timezone), [])
            own.append((came, went, inside - earlier[0]))
    return [_hour(start, own, timezone) for start, own in sorted(hours.items())]


def _counted(values: Mapping[MetricKey, Number] | Mapping[str, Number]) -> tuple[float, float, float] | None:
    inside, came, went = (values.get(key) for key in (MetricKey.VISITORS_INSIDE, *CROSSINGS))
    return None if inside is None or came is None or went is None else (inside, came, went)


def _hour(start: datetime, own: Sequence[tuple[float, float, float]], timezone: ZoneInfo) -> ReconciledHour:
    beside = [change - (came - went) for came, went, change in own]
    held = (next_bucket_start(start, Granularity.HOUR, timezone) - start) // MINUTE
    return ReconciledHour(
        start,
        sum(came for came, _, _ in own),
        sum(went for _, went, _ in own),
        sum(change for _, _, change in own),
        sum(one for one in beside if one > 0),
        -sum(one for one in beside if one < 0),
        Completeness(len(own), held),
    )
