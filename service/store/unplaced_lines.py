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


class UnplacedLines:
    """Of one transaction, in which they are counted once: a body may name hundreds that are new."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._counted: dict[str, int] = {}
        """By organization, with those that the transaction has made."""

    def has_room(self, name: SensorName) -> bool:
        """Whether the line is known, or one more may be."""
        asked, owner = name._asdict(), name.organization_id
        if self._connection.execute(_NAMED, asked).first() is not None:
            return True
        if owner not in self._counted:
            self._counted[owner] = int(self._connection.execute(_COUNTED, asked).scalar_one())
        return self._counted[owner] < MOST_UNPLACED

    def made(self, name: SensorName) -> None:
        """One more of its organization is there."""
        if name.organization_id in self._counted:
            self._counted[name.organization_id] += 1
