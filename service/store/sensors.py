"""`SensorRegistry` over the tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.store.audit import SqlAuditLog
from service.store.audit_protocol import Author
from service.store.database import Database
from service.store.errors import WaitingListFullError
from service.store.metrics import SqlMetricStore
from service.store.schema import (
    PASSAGES,
    SENSOR_LINES,
    SENSORS,
)
from service.store.sensor_changes import dismiss
from service.store.sensor_lines import (
    BY_NUMBER,
    LINES,
    UNCOUNTED,
    line_of,
)
from service.store.sensor_protocol import (
    SensorLine,
    SensorRows,
)
from service.store.sensor_rows import SqlSensorRows
from service.store.topology import Topologies
from service.store.waiting_reports import WaitingReports


class SqlSensorRegistry:
    """`SensorRegistry` in the same file as the counts."""

    def __init__(self, database: Database, metrics: SqlMetricStore, audit: SqlAuditLog) -> None:
        self._database = database
        self._metrics = metrics
        self._audit = audit
        self._topologies = Topologies()
        self._reports = WaitingReports()

    @contextmanager
    def writing(self) -> Iterator[SensorRows]:
        try:
            with self._metrics.appending() as (connection, counts):
                yield SqlSensorRows(connection, counts, self._topologies, self._audit, self._reports)
        except WaitingListFullError:
            # Nothing was kept, and what is known holds: to count again for each that is refused would keep
            # all others waiting.
            raise
        except BaseException:
            self._reports.forget()
            raise

    def lines(self, organization_id: str) -> list[SensorLine]:
        own = LINES.where(SENSORS.c.organization_id == organization_id)
        ordered = own.order_by(SENSORS.c.maker, SENSORS.c.serial, SENSOR_LINES.c.line)
        with self._database.reading() as connection:
            return [line_of(connection, row, self._topologies) for row in connection.execute(ordered)]

    def of_site(self, site_id: str) -> list[SensorLine]:
        own = LINES.where(PASSAGES.c.site_id == site_id).order_by(SENSOR_LINES.c.number)
        with self._database.reading() as connection:
            return [line_of(connection, row, self._topologies) for row in connection.execute(own)]

    def find(self, organization_id: str, number: int) -> SensorLine | None:
        own = BY_NUMBER.where(SENSORS.c.organization_id == organization_id)
        with self._database.reading() as connection:
            row = connection.execute(own, {"number": number}).first()
            return None if row is None else line_of(connection, row, self._topologies)

    def uncounted(self) -> list[int]:
        with self._database.reading() as connection:
            return list(connection.execute(UNCOUNTED).scalars())

    def dismiss(self, organization_id: str, number: int, author: Author, *, is_ignored: bool) -> bool:
        own = BY_NUMBER.where(SENSORS.c.organization_id == organization_id)
        with self._database.writing() as connection:
            row = connection.execute(own, {"number": number}).first()
            line = None if row is None else line_of(connection, row, self._topologies)
            if line is None or line.placement is not None:
                return False
            dismiss(connection, self._audit, line, author, is_ignored=is_ignored)
        self._reports.forget()
        return True
