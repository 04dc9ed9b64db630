"""`AuditLog` in its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, Row, func, insert, or_, select

from service.store.audit_protocol import (
    EVERYTHING,
    AuditAction,
    AuditEntry,
    AuditFilter,
    Author,
    Change,
)
from service.store.database import Database
from service.store.json_text import JsonText
from service.store.schema import AUDIT_LOG, PASSAGES

_MOST_CHARACTERS: Final = 4_000_000
"""Of what was before and after, in one page: a site of ten thousand zones that is made has two million."""


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

    def entries(
        self,
        organization_id: str,
        *,
        limit: int,
        before: int | None = None,
        only: AuditFilter = EVERYTHING,
    ) -> list[AuditEntry]:
        own = select(AUDIT_LOG).where(AUDIT_LOG.c.organization_id == organization_id, *_conditions(only))
        if before is not None:
            own = own.where(AUDIT_LOG.c.number < before)
        with self._database.reading() as connection:
            found = connection.execute(own.order_by(AUDIT_LOG.c.number.desc()).limit(limit))
            rows = list(_together(found))
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


def _conditions(only: AuditFilter) -> Iterator[ColumnElement[bool]]:
    log = AUDIT_LOG.c
    if only.site_id:
        passages = select(PASSAGES.c.id).where(PASSAGES.c.site_id == only.site_id)
        placed = (JsonText(told, "passageId").in_(passages) for told in (log.before, log.after))
        of_site = log.action.startswith("site.") | log.action.startswith("level.")
        yield (of_site & (log.target == only.site_id)) | (
            (log.action == AuditAction.SENSOR_PLACED.value) & or_(*placed)
        )
    if only.kind:
        yield log.action.startswith(f"{only.kind}.", autoescape=True)
    if only.person:
        person = only.person.casefold()
        yield or_(
            *(_folded(name).contains(person, autoescape=True) for name in (log.acting_for, log.key_name))
        )


def _folded(name: ColumnElement[str | None]) -> ColumnElement[str]:
    return func.lower(func.coalesce(name, ""))


def _together(rows: Iterable[Row[Any]]) -> Iterator[Row[Any]]:
    """The first rows, one at least, as long as they are not too much for one answer."""
    size = 0
    for row in rows:
        own = len(row.before or "") + len(row.after or "")
        if size and size + own > _MOST_CHARACTERS:
            return
        size += own
        yield row


def _printed(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else orjson.loads(text)
