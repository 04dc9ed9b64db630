"""What an administrator changes of a counter's line, as the audit log has it; and how one is dismissed."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, delete, exists, func, select, update

from service.store.audit import SqlAuditLog
from service.store.audit_protocol import AuditAction, Author, Change
from service.store.schema import SENSOR_LINES, SENSOR_REPORTS, SENSORS, WAITING_REPORTS
from service.store.sensor_protocol import SensorLine

_DAY: Final = SENSOR_REPORTS.c.day
_WITHOUT_LINE: Final = ~exists(select(SENSOR_LINES.c.number).where(SENSOR_LINES.c.sensor == SENSORS.c.number))


def placed(before: SensorLine, after: SensorLine) -> Change:
    was, becomes = (
        None
        if line.placement is None
        else {"passageId": line.placement.passage_id, "isSwapped": line.placement.is_swapped}
        for line in (before, after)
    )
    return _change(AuditAction.SENSOR_PLACED, before, was, becomes)


def dismiss(
    connection: Connection, audit: SqlAuditLog, line: SensorLine, author: Author, *, is_ignored: bool
) -> None:
    """Forget what waits of it, and the line itself unless it is ignored from now on."""
    own = SENSOR_LINES.c.number == line.number
    connection.execute(delete(WAITING_REPORTS).where(WAITING_REPORTS.c.line == line.number))
    if is_ignored:
        connection.execute(update(SENSOR_LINES).where(own).values(ignored=True))
    else:
        _forget_reports(connection, line)
        connection.execute(delete(SENSOR_LINES).where(own))
        # Those that have told a status alone, too: nobody sees them, and they take room.
        of_organization = SENSORS.c.organization_id == line.name.organization_id
        connection.execute(delete(SENSORS).where(of_organization, _WITHOUT_LINE))
    action = AuditAction.SENSOR_IGNORED if is_ignored else AuditAction.SENSOR_DISMISSED
    audit.note(connection, author, _change(action, line, {"waiting": line.waiting}, None))


def _forget_reports(connection: Connection, line: SensorLine) -> None:
    """Another line may get its number: what that tells must not be taken for what came before."""
    oldest, newest = connection.execute(select(func.min(_DAY), func.max(_DAY))).one()
    days = range(oldest, newest + 1) if oldest is not None else ()
    # By the day, which comes first in the table.
    own = _DAY.in_(days) & (SENSOR_REPORTS.c.line == line.number)
    connection.execute(delete(SENSOR_REPORTS).where(own))


def _change(
    action: AuditAction, line: SensorLine, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> Change:
    organization_id, *names = line.name
    return Change(organization_id, action, " ".join(filter(None, names)), before, after)
