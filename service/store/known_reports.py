"""Which reports of counters came before: remembered by day, line and a hash of their identity."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select

from contract.minutes import MINUTES_A_DAY
from service.store.schema import BELIEVED_TIME, SENSOR_REPORTS
from service.store.sensor_protocol import DAYS_REMEMBERED, KnownReport, SensorLine
from service.store.upsert import insert

_SECONDS_A_DAY: Final = 60 * MINUTES_A_DAY

_KNOWN: Final = select(SENSOR_REPORTS.c.forward, SENSOR_REPORTS.c.backward).where(
    SENSOR_REPORTS.c.day.in_(bindparam("days", expanding=True)),
    SENSOR_REPORTS.c.line == bindparam("line"),
    SENSOR_REPORTS.c.identity == bindparam("identity"),
)
_REMEMBER: Final = insert(SENSOR_REPORTS).on_conflict_do_nothing()
_BELIEVED: Final = select(BELIEVED_TIME.c.at)
_FORGET: Final = delete(SENSOR_REPORTS).where(SENSOR_REPORTS.c.day < bindparam("oldest"))


class KnownReports:
    """On one connection, within one transaction that writes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._newest = -1
        """The last day on which what is too old was forgotten."""

    def find(self, line: SensorLine, days: Sequence[int], identity: str) -> KnownReport | None:
        asked = {"days": list(days), "line": line.number, "identity": _hashed(identity)}
        row = self._connection.execute(_KNOWN, asked).first()
        return None if row is None else KnownReport(*row)

    def remember(self, line: SensorLine, day: int, identity: str, report: KnownReport) -> None:
        if day > self._newest:
            self._forget(day)
        told = {"day": day, "line": line.number, "identity": _hashed(identity), **report._asdict()}
        self._connection.execute(_REMEMBER, told)

    def _forget(self, day: int) -> None:
        believed = self._connection.execute(_BELIEVED).scalar()
        # A clock that is years ahead for an hour must not make new what came before.
        newest = day if believed is None else min(day, believed // _SECONDS_A_DAY)
        # Days come first in the table: where none is so old, this looks at one row.
        self._connection.execute(_FORGET, {"oldest": newest - DAYS_REMEMBERED})
        self._newest = day


def _hashed(identity: str) -> int:
    """63 bits: of all reports of a line within 40 days, two share one in a billion years."""
    return int.from_bytes(blake2b(identity.encode(), digest_size=8).digest()) >> 1
