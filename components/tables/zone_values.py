"""What each zone holds right now, as far as it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from components.theme import Occupancy, Thresholds, occupancy, share_of
from contract import MetricKey, MetricPoint, Zone


@dataclass(frozen=True, slots=True)
class ZoneValue:
    inside: float | None = None
    """People inside; None: no count yet, or it could not be read."""
    measured_at: datetime | None = None
    """Start of the minute it was measured in, UTC."""

    def level(self, zone: Zone, thresholds: Thresholds) -> Occupancy:
        return occupancy(share_of(self.inside, zone.capacity), thresholds)


UNKNOWN_VALUE: Final = ZoneValue()


def zone_value(points: Sequence[MetricPoint]) -> ZoneValue:
    """From the points of a question for the latest value: at most one, none before the first count."""
    if not points or (inside := points[-1].metrics.get(MetricKey.VISITORS_INSIDE)) is None:
        return UNKNOWN_VALUE
    return ZoneValue(inside, points[-1].timestamp)
