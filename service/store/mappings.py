"""`MappingStore` in its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Row, bindparam, delete, func, select

from service.store.audit import SqlAuditLog
from service.store.audit_protocol import AuditAction, Author, Change
from service.store.database import Database
from service.store.errors import TooManyMappingsError
from service.store.mapping_protocol import MOST_MAPPINGS, Check, StoredMapping
from service.store.prepared import Prepared
from service.store.schema import MAPPINGS
from service.store.upsert import insert

_OWN: Final = MAPPINGS.c.organization_id == bindparam("organization_id")
_ONE: Final = select(MAPPINGS).where(_OWN, MAPPINGS.c.name == bindparam("name"))
_AT_ONCE: Final = Prepared(_ONE)
"""Asked for each report."""


class SqlMappingStore:
    """In the same file as the counts. `clock` gives the present, aware."""

    def __init__(self, database: Database, audit: SqlAuditLog, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._audit = audit
        self._clock = clock

    def of_organization(self, organization_id: str) -> list[StoredMapping]:
        own = select(MAPPINGS).where(_OWN).order_by(MAPPINGS.c.name)
        with self._database.reading() as connection:
            return [_read(row) for row in connection.execute(own, {"organization_id": organization_id})]

    def written(self, organization_id: str, name: str) -> str | None:
        row = self._database.row(_AT_ONCE, organization_id=organization_id, name=name)
        return None if row is None else str(row["written"])

    def keep(
        self, organization_id: str, name: str, written: Mapping[str, Any], check: Check, author: Author
    ) -> StoredMapping:
        with self._database.writing() as connection:
            before = _found(connection, organization_id, name)
            check(before)
            if before is not None and before.written == written:
                return before
            own = select(func.count()).select_from(MAPPINGS).where(_OWN)
            kept = connection.execute(own, {"organization_id": organization_id}).scalar_one()
            if before is None and kept >= MOST_MAPPINGS:
                raise TooManyMappingsError
            values = {"written": orjson.dumps(written).decode(), "changed_at": int(self._clock().timestamp())}
            names = {"organization_id": organization_id, "name": name}
            added = insert(MAPPINGS).values(**names, **values)
            connection.execute(
                added.on_conflict_do_update(index_elements=list(MAPPINGS.primary_key), set_=values)
            )
            was = None if before is None else before.written
            change = Change(organization_id, AuditAction.MAPPING_KEPT, name, was, written)
            self._audit.note(connection, author, change)
            after = _found(connection, organization_id, name)
            assert after is not None
            return after

    def remove(self, organization_id: str, name: str, check: Check, author: Author) -> StoredMapping | None:
        with self._database.writing() as connection:
            before = _found(connection, organization_id, name)
            check(before)
            if before is not None:
                own = MAPPINGS.c.organization_id == organization_id
                connection.execute(delete(MAPPINGS).where(own, MAPPINGS.c.name == name))
                change = Change(organization_id, AuditAction.MAPPING_REMOVED, name, before.written, None)
                self._audit.note(connection, author, change)
            return before


def _found(connection: Connection, organization_id: str, name: str) -> StoredMapping | None:
    row = connection.execute(_ONE, {"organization_id": organization_id, "name": name}).first()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> StoredMapping:
    return StoredMapping(row.name, orjson.loads(row.written), datetime.fromtimestamp(row.changed_at, UTC))
