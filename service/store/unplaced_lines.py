"""How many lines of counters an organization has that nobody has placed, so that a key that leaked does not
fill the list, and the disk, with counters that are none.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, func, or_, select

from service.store.schema import SENSOR_LINES, SENSORS
from service.store.sensor_protocol import MOST_UNPLACED, SensorName

_UNPLACED: Final = (
    select(SENSORS.c.number)
    .outerjoin(SENSOR_LINES, SENSOR_LINES.c.sensor == SENSORS.c.number)
    .where(
        SENSORS.c.organization_id == bindparam("organization_id"),
        SENSOR_LINES.c.passage.is_(None),
        or_(SENSOR_LINES.c.number.is_not(None), SENSORS.c.serial != bindparam("serial")),
    )
    .limit(MOST_UNPLACED)
)
"""Counters that have told no line among them, but for the one of that serial: its line is asked for."""
_COUNTED: Final = select(func.count()).select_from(_UNPLACED.subquery())
_NAMED: Final = (
    select(SENSOR_LINES.c.number)
    .join(SENSORS, SENSOR_LINES.c.sensor == SENSORS.c.number)
    .where(
        SENSORS.c.organization_id == bindparam("organization_id"),
        SENSORS.c.maker == bindparam("maker"),
        SENSORS.c.serial == bindparam("serial"),
        SENSOR_LINES.c.line == bindparam("line"),
    )
)


def has_room(connection: Connection, name: SensorName) -> bool:
    """Whether the line is known, or one more may be."""
    if connection.execute(_NAMED, name._asdict()).first() is not None:
        return True
    counted = connection.execute(_COUNTED, name._asdict()).scalar_one()
    return int(counted) < MOST_UNPLACED
