"""API keys: made, told once, checked, revoked.

A secret reads `hr_<key id>_<43 characters>`. What is stored is SHA-256 over a salt and the secret. A slow
hash protects passwords, which can be guessed; 43 characters of `secrets.token_urlsafe` are 256 random bits,
which cannot, and every request pays for the check.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, insert, select, update
from sqlalchemy.dialects.sqlite import dialect

from service.store.database import Database
from service.store.errors import KeyNameError, UnknownOrganizationError
from service.store.protocol import KeyRecord, KeyScope
from service.store.schema import KEYS, ORGANIZATIONS

# Built once: to build a statement takes longer than SQLite takes to answer it.
_BY_ID: Final = str(select(KEYS).where(KEYS.c.id == bindparam("id")).compile(dialect=dialect()))
_CONTROLS: Final = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode's categories of control characters, lone surrogates, and separators of lines and paragraphs."""
_SECRET: Final = re.compile(r"hr_(?P<id>[0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)


class SqlKeyRing:
    """`KeyRing` over the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, organization_id: str, name: str, scope: KeyScope) -> tuple[KeyRecord, str]:
        _check_name(name)
        created_at = datetime.now(UTC).replace(microsecond=0)
        record = KeyRecord(secrets.token_hex(6), organization_id, name, scope, created_at, revoked_at=None)
        secret = f"hr_{record.id}_{secrets.token_urlsafe(32)}"
        salt = secrets.token_hex(16)
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
                    digest=_digest(salt, secret),
                    created_at=int(created_at.timestamp()),
                )
            )
        return record, secret

    def verify(self, secret: str) -> KeyRecord | None:
        key_id = _id_in(secret)
        row = None if key_id is None else self._read(key_id)
        return None if row is None or not _opens(secret, row) else _record(row)

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


def is_control(sign: str) -> bool:
    """Whether a terminal would obey the sign, or break the line at it, instead of showing it."""
    return unicodedata.category(sign) in _CONTROLS


def _check_name(name: str) -> None:
    if not name.strip():
        raise KeyNameError("its name is empty: give one that says what the key is for")
    if any(map(is_control, name)):
        raise KeyNameError(f"the name {name!a} has line breaks or control characters: leave them out")


def _id_in(secret: str) -> str | None:
    parts = _SECRET.fullmatch(secret)
    return parts["id"] if parts else None


def _opens(secret: str, row: Mapping[str, Any]) -> bool:
    return compare_digest(row["digest"], _digest(row["salt"], secret))


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest()


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
