"""How many reports an organization keeps of lines that nobody has placed, so that a key that leaked does not
fill the disk with them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from service.store.schema import SENSOR_LINES, SENSORS, WAITING_REPORTS
from service.store.sensor_protocol import MOST_WAITING_OF_ALL

_COUNTED_FOR: Final = 5.0
"""Seconds in which a list that was full is not counted again, which takes a tenth of one: other processes
may have made room.
"""
_COUNTED: Final = (
    select(func.count())
    .select_from(WAITING_REPORTS)
    .join(SENSOR_LINES, WAITING_REPORTS.c.line == SENSOR_LINES.c.number)
    .join(SENSORS, SENSOR_LINES.c.sensor == SENSORS.c.number)
    .where(SENSORS.c.organization_id == bindparam("organization_id"))
)


@dataclass
class _Known:
    reports: int
    """At least as many as there are."""
    counted: float
    """Seconds, monotonic."""


class WaitingReports:
    """Counts those of each organization once, and then what is kept; only where they seem too many again.

    Used within transactions that write, of which a process has one at a time.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def has_room(self, connection: Connection, organization_id: str) -> bool:
        """Whether one more may be kept; it is counted as if it were."""
        known = self._known.get(organization_id)
        if known is None or (known.reports >= MOST_WAITING_OF_ALL and _now() - known.counted > _COUNTED_FOR):
            counted = connection.execute(_COUNTED, {"organization_id": organization_id}).scalar_one()
            known = self._known[organization_id] = _Known(int(counted), _now())
        if known.reports >= MOST_WAITING_OF_ALL:
            return False
        known.reports += 1
        return True

    def forget(self) -> None:
        """Some were taken away, or what was kept was undone: they are counted anew."""
        self._known.clear()


def _now() -> float:
    return time.monotonic()
