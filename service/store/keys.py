"""API keys in their table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, insert, select, update
from sqlalchemy.dialects.sqlite import dialect

from service.store.database import Database
from service.store.errors import UnknownOrganizationError
from service.store.key_secret import check_name, hashed, key_id_in, new_secret, opens
from service.store.protocol import KeyRecord, KeyScope
from service.store.schema import KEYS, ORGANIZATIONS

# Built once: to build a statement takes longer than SQLite takes to answer it.
_BY_ID: Final = str(select(KEYS).where(KEYS.c.id == bindparam("id")).compile(dialect=dialect()))


class SqlKeyRing:
    """`KeyRing` over the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, organization_id: str, name: str, scope: KeyScope) -> tuple[KeyRecord, str]:
        check_name(name)
        key_id, secret = new_secret()
        salt, digest = hashed(secret)
        created_at = datetime.now(UTC).replace(microsecond=0)
        record = KeyRecord(key_id, organization_id, name, scope, created_at, revoked_at=None)
        with self._database.writing() as connection:
            organization = select(ORGANIZATIONS.c.id).where(ORGANIZATIONS.c.id == organization_id)
            if connection.execute(organization).first() is None:
                raise UnknownOrganizationError(f"no such organization: {organization_id}")
            connection.execute(
                insert(KEYS).values(
                    id=record.id,
                    organization_id=organization_id,
                    name=name,
                    scope=scope.value,
                    salt=salt,
                    digest=digest,
                    created_at=int(created_at.timestamp()),
                )
            )
        return record, secret

    def verify(self, secret: str) -> KeyRecord | None:
        key_id = key_id_in(secret)
        row = None if key_id is None else self._read(key_id)
        return _record(row) if row and opens(secret, row["salt"], row["digest"]) else None

    def find(self, key_id: str) -> KeyRecord | None:
        row = self._read(key_id)
        return None if row is None else _record(row)

    def list_keys(self) -> list[KeyRecord]:
        with self._database.reading() as connection:
            rows = connection.execute(select(KEYS).order_by(KEYS.c.created_at, KEYS.c.id)).mappings().all()
        return [_record(row) for row in rows]

    def revoke(self, key_id: str) -> bool:
        with self._database.writing() as connection:
            found = connection.execute(select(KEYS.c.id).where(KEYS.c.id == key_id)).first()
            connection.execute(
                update(KEYS)
                .where(KEYS.c.id == key_id, KEYS.c.revoked_at.is_(None))
                .values(revoked_at=int(datetime.now(UTC).timestamp()))
            )
        return found is not None

    def _read(self, key_id: str) -> Mapping[str, Any] | None:
        return self._database.row(_BY_ID, key_id)


def _record(row: RowMapping | Mapping[str, Any]) -> KeyRecord:
    revoked_at = row["revoked_at"]
    return KeyRecord(
        id=row["id"],
        organization_id=row["organization_id"],
        name=row["name"],
        scope=KeyScope(row["scope"]),
        created_at=datetime.fromtimestamp(row["created_at"], UTC),
        revoked_at=None if revoked_at is None else datetime.fromtimestamp(revoked_at, UTC),
    )
