"""`SensorRows` over the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, case, insert, select, update

from service.store import upsert
from service.store.audit import SqlAuditLog
from service.store.audit_protocol import Author
from service.store.errors import UnknownLineError, UnknownPassageError
from service.store.known_reports import KnownReports
from service.store.protocol import PassageCount
from service.store.schema import (
    PASSAGES,
    SENSOR_LINES,
    SENSORS,
    SITES,
    SPREAD_MINUTES,
)
from service.store.sensor_changes import placed
from service.store.sensor_lines import (
    BY_NAME,
    BY_NUMBER,
    SENSOR_OF,
    heard_of,
    line_of,
    moment_of,
    seconds_of,
)
from service.store.sensor_protocol import (
    Heard,
    Kept,
    KnownReport,
    LineClock,
    LineTotal,
    Placement,
    SensorLine,
    SensorName,
    WaitingReport,
)
from service.store.topology import Topologies
from service.store.unplaced_lines import UnplacedLines
from service.store.waiting_reports import WaitingReports


class SqlSensorRows:
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
        # Of two processes that a counter reports to, one has it until its transaction ends, with its lines.
        row = self._connection.execute(own.with_for_update(key_share=True)).first()
        return None if row is None else heard_of(row)

    def note_heard(self, organization_id: str, maker: str, serial: str, heard: Heard) -> None:
        is_online, at = heard.said or (None, None)
        values = {
            "last_heard": seconds_of(heard.last),
            "usual_silence": round(heard.usual.total_seconds()),
            "said_online": is_online,
            "said_at": at and seconds_of(at),
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
        at = seconds_of(heard)
        row = self._connection.execute(BY_NAME, name._asdict()).first()
        if row is None:
            self._make(name, at)
            return self._read(BY_NAME, name._asdict())
        self._set(row.number, last_heard=at)
        return replace(line_of(self._connection, row, self._topologies), last_heard=moment_of(at))

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
        self._connection.execute(SENSOR_OF, {"number": number}).all()
        row = self._connection.execute(BY_NUMBER, {"number": number}).first()
        return None if row is None else line_of(self._connection, row, self._topologies)

    def place(self, line: SensorLine, placement: Placement | None, author: Author) -> SensorLine:
        passage = None if placement is None else self._passage(line, placement.passage_id)
        is_swapped = placement is not None and placement.is_swapped
        if self._connection.execute(SENSOR_OF, {"number": line.number}).first() is None:
            raise UnknownLineError(f"no such line of a counter: {line.number}")
        before = self._read(BY_NUMBER, {"number": line.number})
        self._set(line.number, passage=passage, swapped=is_swapped, ignored=None)
        after = self._read(BY_NUMBER, {"number": line.number})
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
            total_at=total and seconds_of(total.at),
            total_forward=total and total.forward,
            total_backward=total and total.backward,
            total_since=total and total.since,
            newest_end=newest_end and seconds_of(newest_end),
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
        return line_of(self._connection, row, self._topologies)

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
