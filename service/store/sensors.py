"""`SensorRegistry` over the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, Select, bindparam, case, exists, func, insert, select, update

from service.store import upsert
from service.store.audit import SqlAuditLog
from service.store.audit_protocol import Author
from service.store.database import Database
from service.store.errors import UnknownPassageError, WaitingListFullError
from service.store.known_reports import KnownReports
from service.store.metrics import SqlMetricStore
from service.store.protocol import PassageCount
from service.store.schema import (
    PASSAGES,
    SENSOR_LINES,
    SENSORS,
    SITES,
    SPREAD_MINUTES,
    WAITING_REPORTS,
)
from service.store.sensor_changes import dismiss, placed
from service.store.sensor_protocol import (
    Heard,
    Kept,
    KnownReport,
    LineClock,
    LineTotal,
    Placement,
    SensorLine,
    SensorName,
    SensorRows,
    WaitingReport,
)
from service.store.topology import Topologies
from service.store.unplaced_lines import UnplacedLines
from service.store.waiting_reports import WaitingReports

_WAITING: Final = (
    select(func.count()).where(WAITING_REPORTS.c.line == SENSOR_LINES.c.number).scalar_subquery()
)
_LINES: Final = (
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
_BY_NAME: Final = _LINES.where(
    SENSORS.c.organization_id == bindparam("organization_id"),
    SENSORS.c.maker == bindparam("maker"),
    SENSORS.c.serial == bindparam("serial"),
    SENSOR_LINES.c.line == bindparam("line"),
)
_BY_NUMBER: Final = _LINES.where(SENSOR_LINES.c.number == bindparam("number"))

_UNCOUNTED: Final = (
    select(SENSOR_LINES.c.number)
    .join(PASSAGES, (SENSOR_LINES.c.passage == PASSAGES.c.number) & PASSAGES.c.present)
    .where(exists(select(WAITING_REPORTS.c.number).where(WAITING_REPORTS.c.line == SENSOR_LINES.c.number)))
)


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
                yield _Rows(connection, counts, self._topologies, self._audit, self._reports)
        except WaitingListFullError:
            # Nothing was kept, and what is known holds: to count again for each that is refused would keep
            # all others waiting.
            raise
        except BaseException:
            self._reports.forget()
            raise

    def lines(self, organization_id: str) -> list[SensorLine]:
        own = _LINES.where(SENSORS.c.organization_id == organization_id)
        ordered = own.order_by(SENSORS.c.maker, SENSORS.c.serial, SENSOR_LINES.c.line)
        with self._database.reading() as connection:
            return [_line(connection, row, self._topologies) for row in connection.execute(ordered)]

    def of_site(self, site_id: str) -> list[SensorLine]:
        own = _LINES.where(PASSAGES.c.site_id == site_id).order_by(SENSOR_LINES.c.number)
        with self._database.reading() as connection:
            return [_line(connection, row, self._topologies) for row in connection.execute(own)]

    def find(self, organization_id: str, number: int) -> SensorLine | None:
        own = _BY_NUMBER.where(SENSORS.c.organization_id == organization_id)
        with self._database.reading() as connection:
            row = connection.execute(own, {"number": number}).first()
            return None if row is None else _line(connection, row, self._topologies)

    def uncounted(self) -> list[int]:
        with self._database.reading() as connection:
            return list(connection.execute(_UNCOUNTED).scalars())

    def dismiss(self, organization_id: str, number: int, author: Author, *, is_ignored: bool) -> bool:
        own = _BY_NUMBER.where(SENSORS.c.organization_id == organization_id)
        with self._database.writing() as connection:
            row = connection.execute(own, {"number": number}).first()
            line = None if row is None else _line(connection, row, self._topologies)
            if line is None or line.placement is not None:
                return False
            dismiss(connection, self._audit, line, author, is_ignored=is_ignored)
        self._reports.forget()
        return True


class _Rows:
    """`SensorRows` on one connection."""

    def __init__(
        self,
        connection: Connection,
        counts: list[PassageCount],
        topologies: Topologies,
        audit: SqlAuditLog,
        reports: WaitingReports,
    ) -> None:
        self._connection = connection
        self._counts = counts
        self._topologies = topologies
        self._audit = audit
        self._reports = reports
        self._unplaced = UnplacedLines(connection)
        self._known = KnownReports(connection)

    def heard(self, organization_id: str, maker: str, serial: str) -> Heard | None:
        own = select(
            SENSORS.c.last_heard.label("sensor_heard"), SENSORS.c.usual_silence,
            SENSORS.c.said_online, SENSORS.c.said_at,
        ).filter_by(organization_id=organization_id, maker=maker, serial=serial)  # fmt: skip
        row = self._connection.execute(own).first()
        return None if row is None else _heard(row)

    def note_heard(self, organization_id: str, maker: str, serial: str, heard: Heard) -> None:
        is_online, at = heard.said or (None, None)
        values = {
            "last_heard": _seconds(heard.last),
            "usual_silence": round(heard.usual.total_seconds()),
            "said_online": is_online,
            "said_at": at and _seconds(at),
        }
        made = upsert.insert(SENSORS).values(
            organization_id=organization_id, maker=maker, serial=serial, **values
        )
        self._connection.execute(
            made.on_conflict_do_update(index_elements=["organization_id", "maker", "serial"], set_=values)
        )

    def has_room(self, name: SensorName) -> bool:
        return self._unplaced.has_room(name)

    def line(self, name: SensorName, heard: datetime) -> SensorLine:
        at = _seconds(heard)
        row = self._connection.execute(_BY_NAME, name._asdict()).first()
        if row is None:
            self._make(name, at)
            return self._read(_BY_NAME, name._asdict())
        self._set(row.number, last_heard=at)
        return replace(_line(self._connection, row, self._topologies), last_heard=_moment(at))

    def known(self, line: SensorLine, days: Sequence[int], identity: str) -> KnownReport | None:
        return self._known.find(line, days, identity)

    def remember(self, line: SensorLine, day: int, identity: str, report: KnownReport) -> None:
        self._known.remember(line, day, identity, report)

    def keep_waiting(self, line: SensorLine, report: WaitingReport) -> Kept:
        return self._reports.keep(self._connection, line, report)

    def waiting(self, line: SensorLine, most: int) -> Iterator[WaitingReport]:
        return self._reports.of_line(self._connection, line, most)

    def forget_waiting(self, line: SensorLine, number: int) -> None:
        self._reports.forget_oldest(self._connection, line, number)

    def numbered(self, number: int) -> SensorLine | None:
        row = self._connection.execute(_BY_NUMBER, {"number": number}).first()
        return None if row is None else _line(self._connection, row, self._topologies)

    def place(self, line: SensorLine, placement: Placement | None, author: Author) -> SensorLine:
        passage = None if placement is None else self._passage(line, placement.passage_id)
        is_swapped = placement is not None and placement.is_swapped
        before = self._read(_BY_NUMBER, {"number": line.number})
        self._set(line.number, passage=passage, swapped=is_swapped, ignored=None)
        after = self._read(_BY_NUMBER, {"number": line.number})
        self._audit.note(self._connection, author, placed(before, after))
        return after

    def note(
        self,
        line: SensorLine,
        *,
        total: LineTotal | None,
        newest_end: datetime | None,
        clock: LineClock | None,
        conflicts: int,
    ) -> None:
        self._set(
            line.number,
            total_at=total and _seconds(total.at),
            total_forward=total and total.forward,
            total_backward=total and total.backward,
            total_since=total and total.since,
            newest_end=newest_end and _seconds(newest_end),
            clock_ahead=clock and clock.ahead_seconds,
            clock_trusted=clock and clock.is_trusted,
            conflicts=conflicts,
        )

    def append(self, passage_id: str, first: int, forward: Sequence[int], backward: Sequence[int]) -> None:
        people = enumerate(zip(forward, backward, strict=True), first)
        self._counts += [PassageCount(passage_id, minute, *both) for minute, both in people]

    @property
    def minutes(self) -> int:
        return len(self._counts)

    def mark_spread(self, passage_id: str, first: int, end: int) -> None:
        passage = select(PASSAGES.c.number).where(PASSAGES.c.id == passage_id).scalar_subquery()
        marked = upsert.insert(SPREAD_MINUTES).values(passage=passage, first=first, end=end)
        ends = SPREAD_MINUTES.c.end, marked.excluded.end
        longest = {"end": case((ends[0] > ends[1], ends[0]), else_=ends[1])}
        self._connection.execute(
            marked.on_conflict_do_update(index_elements=["passage", "first"], set_=longest)
        )

    def _make(self, name: SensorName, at: int) -> None:
        values = {"organization_id": name.organization_id, "maker": name.maker, "serial": name.serial}
        sensor = select(SENSORS.c.number).filter_by(**values).scalar_subquery()
        self._connection.execute(
            insert(SENSOR_LINES).values(sensor=sensor, line=name.line, first_heard=at, last_heard=at)
        )
        self._unplaced.made(name)

    def _set(self, number: int, **values: object) -> None:
        self._connection.execute(update(SENSOR_LINES).where(SENSOR_LINES.c.number == number).values(**values))

    def _read(self, statement: Select[Any], asked: dict[str, Any]) -> SensorLine:
        row = self._connection.execute(statement, asked).one()
        return _line(self._connection, row, self._topologies)

    def _passage(self, line: SensorLine, passage_id: str) -> int:
        own = (
            select(PASSAGES.c.number)
            .join(SITES, PASSAGES.c.site_id == SITES.c.id)
            .where(
                PASSAGES.c.id == passage_id,
                PASSAGES.c.present,
                SITES.c.organization_id == line.name.organization_id,
            )
        )
        found: int | None = self._connection.execute(own).scalar()
        if found is None:
            raise UnknownPassageError({passage_id})
        return found


def _line(connection: Connection, row: Row[Any], topologies: Topologies) -> SensorLine:
    total = None
    if row.total_at is not None:
        total = LineTotal(_moment(row.total_at), row.total_forward, row.total_backward, row.total_since)
    return SensorLine(
        number=row.number,
        name=SensorName(row.organization_id, row.maker, row.serial, row.line),
        placement=Placement(row.passage_id, row.swapped) if row.passage_id is not None else None,
        site_id=row.site_id,
        timezone=_timezone(connection, row, topologies),
        total=total,
        newest_end=None if row.newest_end is None else _moment(row.newest_end),
        clock=None if row.clock_ahead is None else LineClock(row.clock_ahead, row.clock_trusted),
        first_heard=_moment(row.first_heard),
        last_heard=_moment(row.last_heard),
        sensor=_heard(row),
        waiting=row.waiting,
        conflicts=row.conflicts,
        is_ignored=bool(row.ignored),
    )


def _heard(row: Any) -> Heard:
    """Of a row that has the columns of a counter."""
    said = None if row.said_at is None else (row.said_online, _moment(row.said_at))
    return Heard(_moment(row.sensor_heard), timedelta(seconds=row.usual_silence), said)


def _timezone(connection: Connection, row: Row[Any], topologies: Topologies) -> ZoneInfo | None:
    return None if row.site_id is None else topologies.read(connection, row.site_id).timezone


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
