"""How many reports an organization keeps of lines that nobody has placed, so that a key that leaked does not
fill the disk with them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, select

from service.store.schema import SENSOR_LINES, SENSORS, WAITING_REPORTS
from service.store.sensor_protocol import MOST_WAITING, MOST_WAITING_OF_ALL, Kept, SensorLine, WaitingReport

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

    def keep(self, connection: Connection, line: SensorLine, report: WaitingReport) -> Kept:
        # One that is placed has its room soon, and must lose nothing meanwhile.
        has_place = line.placement is not None
        if line.waiting >= MOST_WAITING and not has_place:
            return Kept.LINE_IS_FULL
        if not self._has_room(connection, line.name.organization_id, is_promised=has_place):
            return Kept.ALL_IS_FULL
        arrived = int(report.arrived.timestamp())
        told = {"line": line.number, "arrived": arrived, "told": report.told}
        connection.execute(insert(WAITING_REPORTS), told)
        return Kept.YES

    def of_line(self, connection: Connection, line: SensorLine, most: int) -> Iterator[WaitingReport]:
        """The oldest, in the order in which they came."""
        for row in connection.execute(_oldest(line, most, WAITING_REPORTS)).all():
            yield WaitingReport(datetime.fromtimestamp(row.arrived, UTC), row.told)

    def forget_oldest(self, connection: Connection, line: SensorLine, number: int) -> None:
        own = _oldest(line, number, WAITING_REPORTS.c.number)
        connection.execute(delete(WAITING_REPORTS).where(WAITING_REPORTS.c.number.in_(own)))
        if known := self._known.get(line.name.organization_id):
            known.reports -= number

    def _has_room(self, connection: Connection, organization_id: str, *, is_promised: bool) -> bool:
        """Whether one more may be kept; it is counted as if it were. What is promised is kept in any case."""
        known = self._known.get(organization_id)
        if known is None or (known.reports >= MOST_WAITING_OF_ALL and _now() - known.counted > _COUNTED_FOR):
            counted = connection.execute(_COUNTED, {"organization_id": organization_id}).scalar_one()
            known = self._known[organization_id] = _Known(int(counted), _now())
        if known.reports >= MOST_WAITING_OF_ALL and not is_promised:
            return False
        known.reports += 1
        return True

    def forget(self) -> None:
        """Some were taken away, or what was kept was undone: they are counted anew."""
        self._known.clear()


def _oldest(line: SensorLine, most: int, *columns: Any) -> Select[Any]:
    own = select(*columns).where(WAITING_REPORTS.c.line == line.number)
    return own.order_by(WAITING_REPORTS.c.number).limit(most)


def _now() -> float:
    return time.monotonic()
