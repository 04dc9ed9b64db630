"""Lines of counters as their tables have them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, bindparam, exists, func, select

from service.store.schema import (
    PASSAGES,
    SENSOR_LINES,
    SENSORS,
    WAITING_REPORTS,
)
from service.store.sensor_protocol import (
    Heard,
    LineClock,
    LineTotal,
    Placement,
    SensorLine,
    SensorName,
)
from service.store.topology import Topologies

_WAITING: Final = (
    select(func.count()).where(WAITING_REPORTS.c.line == SENSOR_LINES.c.number).scalar_subquery()
)
LINES: Final = (
    select(
        SENSOR_LINES,
        SENSORS.c.organization_id,
        SENSORS.c.maker,
        SENSORS.c.serial,
        SENSORS.c.last_heard.label("sensor_heard"),
        SENSORS.c.usual_silence,
        SENSORS.c.said_online,
        SENSORS.c.said_at,
        PASSAGES.c.id.label("passage_id"),
        PASSAGES.c.site_id,
        _WAITING.label("waiting"),
    )
    .join(SENSORS, SENSOR_LINES.c.sensor == SENSORS.c.number)
    # One that left its site has no place until it is back.
    .outerjoin(PASSAGES, (SENSOR_LINES.c.passage == PASSAGES.c.number) & PASSAGES.c.present)
)
BY_NAME: Final = LINES.where(
    SENSORS.c.organization_id == bindparam("organization_id"),
    SENSORS.c.maker == bindparam("maker"),
    SENSORS.c.serial == bindparam("serial"),
    SENSOR_LINES.c.line == bindparam("line"),
)
BY_NUMBER: Final = LINES.where(SENSOR_LINES.c.number == bindparam("number"))

SENSOR_OF: Final = (
    select(SENSORS.c.number)
    .join(SENSOR_LINES, SENSOR_LINES.c.sensor == SENSORS.c.number)
    .where(SENSOR_LINES.c.number == bindparam("number"))
    .with_for_update(of=SENSORS, key_share=True)
)
"""Locks the counter of a line, where several processes may write at once."""
UNCOUNTED: Final = (
    select(SENSOR_LINES.c.number)
    .join(PASSAGES, (SENSOR_LINES.c.passage == PASSAGES.c.number) & PASSAGES.c.present)
    .where(exists(select(WAITING_REPORTS.c.number).where(WAITING_REPORTS.c.line == SENSOR_LINES.c.number)))
    .order_by(SENSOR_LINES.c.number)
)


def line_of(connection: Connection, row: Row[Any], topologies: Topologies) -> SensorLine:
    total = None
    if row.total_at is not None:
        total = LineTotal(moment_of(row.total_at), row.total_forward, row.total_backward, row.total_since)
    return SensorLine(
        number=row.number,
        name=SensorName(row.organization_id, row.maker, row.serial, row.line),
        placement=Placement(row.passage_id, row.swapped) if row.passage_id is not None else None,
        site_id=row.site_id,
        timezone=_timezone(connection, row, topologies),
        total=total,
        newest_end=None if row.newest_end is None else moment_of(row.newest_end),
        clock=None if row.clock_ahead is None else LineClock(row.clock_ahead, row.clock_trusted),
        first_heard=moment_of(row.first_heard),
        last_heard=moment_of(row.last_heard),
        sensor=heard_of(row),
        waiting=row.waiting,
        conflicts=row.conflicts,
        is_ignored=bool(row.ignored),
    )


def heard_of(row: Any) -> Heard:
    """Of a row that has the columns of a counter."""
    said = None if row.said_at is None else (row.said_online, moment_of(row.said_at))
    return Heard(moment_of(row.sensor_heard), timedelta(seconds=row.usual_silence), said)


def _timezone(connection: Connection, row: Row[Any], topologies: Topologies) -> ZoneInfo | None:
    return None if row.site_id is None else topologies.read(connection, row.site_id).timezone


def seconds_of(moment: datetime) -> int:
    return int(moment.timestamp())


def moment_of(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
