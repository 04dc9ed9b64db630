"""`AuditLog` in its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select

from service.store.audit_protocol import AuditAction, AuditEntry, Author, Change
from service.store.database import Database
from service.store.schema import AUDIT_LOG


class SqlAuditLog:
    """`AuditLog` in the same file as what is changed. `clock` gives the present, aware."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def note(self, connection: Connection, author: Author, change: Change) -> None:
        """Write an entry in the transaction of the change; none where nothing changed."""
        if change.before == change.after:
            return
        connection.execute(
            insert(AUDIT_LOG).values(
                organization_id=change.organization_id,
                at=int(self._clock().timestamp()),
                key_id=author.key_id,
                key_name=author.name,
                acting_for=author.acting_for,
                action=change.action.value,
                target=change.target,
                before=_printed(change.before),
                after=_printed(change.after),
            )
        )

    def entries(self, organization_id: str, *, limit: int, before: int | None = None) -> list[AuditEntry]:
        own = select(AUDIT_LOG).where(AUDIT_LOG.c.organization_id == organization_id)
        if before is not None:
            own = own.where(AUDIT_LOG.c.number < before)
        with self._database.reading() as connection:
            rows = connection.execute(own.order_by(AUDIT_LOG.c.number.desc()).limit(limit)).all()
        return [
            AuditEntry(
                row.number,
                datetime.fromtimestamp(row.at, UTC),
                Author(row.key_name, row.key_id, row.acting_for),
                Change(
                    row.organization_id,
                    AuditAction(row.action),
                    row.target,
                    _read(row.before),
                    _read(row.after),
                ),
            )
            for row in rows
        ]


def _printed(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else orjson.loads(text)
