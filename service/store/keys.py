"""API keys in their table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson
from sqlalchemy import Connection, RowMapping, bindparam, func, insert, or_, select, update

from service.store.audit import SqlAuditLog
from service.store.audit_protocol import SERVICE_ITSELF, AuditAction, Author, Change
from service.store.database import Database
from service.store.errors import (
    KeyRotationError,
    KeyTermsError,
    LastAdminKeyError,
    UnknownOrganizationError,
)
from service.store.key_protocol import KeyRecord, KeyScope, KeyTerms, KeyUse
from service.store.key_secret import hashed, key_id_in, new_secret, opens
from service.store.key_terms import MOST_SITES, faults_of_terms, unknown_sites
from service.store.prepared import Prepared
from service.store.schema import KEYS, ORGANIZATIONS, SITES

_BY_ID: Final = Prepared(select(KEYS).where(KEYS.c.id == bindparam("key_id")))

_NOTE_USE: Final = (
    update(KEYS)
    .where(
        KEYS.c.id == bindparam("key_id"),
        or_(KEYS.c.last_used_at.is_(None), KEYS.c.last_used_at <= bindparam("used_at")),
    )
    .values(last_used_at=bindparam("used_at"), last_used_from=bindparam("used_from"))
)


class SqlKeyRing:
    """`KeyRing` over the tables. `clock` gives the present, aware."""

    def __init__(self, database: Database, audit: SqlAuditLog, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._audit = audit
        self._clock = clock

    def create(
        self,
        organization_id: str,
        name: str,
        scope: KeyScope | None,
        *,
        expires_at: datetime | None = None,
        site_ids: Collection[str] | None = None,
        author: Author = SERVICE_ITSELF,
    ) -> tuple[KeyRecord, str]:
        terms = KeyTerms(name, scope, expires_at, None if site_ids is None else frozenset(site_ids))
        with self._database.writing() as connection:
            if faults := self._faults(connection, organization_id, terms):
                raise KeyTermsError(faults)
            organization = select(ORGANIZATIONS.c.id).where(ORGANIZATIONS.c.id == organization_id)
            if connection.execute(organization).first() is None:
                raise UnknownOrganizationError(f"no such organization: {organization_id}")
            return self._insert(connection, organization_id, terms, author)

    def faults(self, organization_id: str, terms: KeyTerms) -> dict[str, str]:
        with self._database.reading() as connection:
            return self._faults(connection, organization_id, terms)

    def verify(self, secret: str) -> KeyRecord | None:
        key_id = key_id_in(secret)
        row = None if key_id is None else self._read(key_id)
        return _record(row) if row and opens(secret, row["salt"], row["digest"]) else None

    @property
    def verifies_at_once(self) -> bool:
        return not self._database.is_elsewhere

    def find(self, key_id: str) -> KeyRecord | None:
        row = self._read(key_id)
        return None if row is None else _record(row)

    def list_keys(self, organization_id: str | None = None) -> list[KeyRecord]:
        listed = select(KEYS).order_by(KEYS.c.created_at, KEYS.c.id)
        if organization_id is not None:
            listed = listed.where(KEYS.c.organization_id == organization_id)
        with self._database.reading() as connection:
            rows = connection.execute(listed).mappings().all()
        return [_record(row) for row in rows]

    def revoke(
        self, key_id: str, *, organization_id: str | None = None, author: Author = SERVICE_ITSELF
    ) -> KeyRecord | None:
        with self._database.writing() as connection:
            key = _found(connection, key_id, organization_id)
            if key is None or key.revoked_at is not None:
                return key
            if organization_id is not None and self._is_last_admin(connection, key):
                raise LastAdminKeyError(
                    f"{key.name!r} is the only key of scope admin that still opens: make another one first"
                )
            now = int(self._clock().timestamp())
            self._set(connection, key, AuditAction.KEY_REVOKED, author, revoked_at=now)
            return _found(connection, key_id, organization_id)

    def rotate(
        self,
        key_id: str,
        overlap: timedelta,
        *,
        organization_id: str | None = None,
        author: Author = SERVICE_ITSELF,
    ) -> tuple[KeyRecord, str] | None:
        with self._database.writing() as connection:
            key = _found(connection, key_id, organization_id)
            if key is None:
                return None
            now = self._clock()
            if fault := _fault_of_rotation(key, now):
                raise KeyRotationError(fault)
            expires_at = None if key.expires_at is None else now + (key.expires_at - key.created_at)
            terms = KeyTerms(key.name, key.scope, expires_at, key.site_ids)
            made = self._insert(connection, key.organization_id, terms, author)
            end = int((now + overlap).timestamp())
            if key.expires_at is not None:
                end = min(end, int(key.expires_at.timestamp()))
            changes = {"expires_at": end, "replaced_by": made[0].id}
            self._set(connection, key, AuditAction.KEY_ROTATED, author, **changes)
            return made

    def note_uses(self, uses: Mapping[str, KeyUse]) -> None:
        if not uses:
            return
        rows = [
            {"key_id": key_id, "used_at": int(use.at.timestamp()), "used_from": use.address}
            # In one order: two who note the same keys would wait for each other.
            for key_id, use in sorted(uses.items())
        ]
        with self._database.storing() as connection:
            connection.execute(_NOTE_USE, rows)

    def _faults(self, connection: Connection, organization_id: str, terms: KeyTerms) -> dict[str, str]:
        faults = faults_of_terms(terms, self._clock())
        asked = terms.site_ids or frozenset()
        if asked and len(asked) <= MOST_SITES:
            own = select(SITES.c.id).where(SITES.c.organization_id == organization_id, SITES.c.id.in_(asked))
            if unknown := asked - set(connection.execute(own).scalars()):
                reasons = (faults.get("siteIds"), unknown_sites(unknown))
                faults["siteIds"] = "; ".join(filter(None, reasons))
        return faults

    def _insert(
        self, connection: Connection, organization_id: str, terms: KeyTerms, author: Author
    ) -> tuple[KeyRecord, str]:
        name, scope, site_ids = terms.name, terms.scope, terms.site_ids
        assert scope is not None
        key_id, secret = new_secret()
        salt, digest = hashed(secret)
        record = KeyRecord(
            key_id,
            organization_id,
            name,
            scope,
            created_at=_whole_seconds(self._clock()),
            revoked_at=None,
            expires_at=None if terms.expires_at is None else _whole_seconds(terms.expires_at),
            site_ids=site_ids,
        )
        connection.execute(
            insert(KEYS).values(
                id=key_id,
                organization_id=organization_id,
                name=name,
                scope=scope.value,
                salt=salt,
                digest=digest,
                created_at=int(record.created_at.timestamp()),
                expires_at=None if record.expires_at is None else int(record.expires_at.timestamp()),
                site_ids=None if site_ids is None else orjson.dumps(sorted(site_ids)).decode(),
            )
        )
        after = {
            "name": name,
            "scope": scope.value,
            "expiresAt": _written(record.expires_at),
            "siteIds": None if site_ids is None else sorted(site_ids),
        }
        created = Change(organization_id, AuditAction.KEY_CREATED, key_id, None, after)
        self._audit.note(connection, author, created)
        return record, secret

    def _set(
        self, connection: Connection, key: KeyRecord, action: AuditAction, author: Author, **values: object
    ) -> None:
        connection.execute(update(KEYS).where(KEYS.c.id == key.id).values(**values))
        changed = _found(connection, key.id, key.organization_id)
        assert changed is not None
        change = Change(key.organization_id, action, key.id, _told(key), _told(changed))
        self._audit.note(connection, author, change)

    def _is_last_admin(self, connection: Connection, key: KeyRecord) -> bool:
        """Whether no other key of scope admin opens the organization now."""
        if key.scope is not KeyScope.ADMIN:
            return False
        now = int(self._clock().timestamp())
        others = select(func.count()).where(
            KEYS.c.organization_id == key.organization_id,
            KEYS.c.scope == KeyScope.ADMIN.value,
            KEYS.c.id != key.id,
            KEYS.c.revoked_at.is_(None),
            or_(KEYS.c.expires_at.is_(None), KEYS.c.expires_at > now),
        )
        return key.opens(self._clock()) and not connection.execute(others).scalar_one()

    def _read(self, key_id: str) -> Mapping[str, Any] | None:
        return self._database.row(_BY_ID, key_id=key_id)


def _found(connection: Connection, key_id: str, organization_id: str | None) -> KeyRecord | None:
    row = connection.execute(select(KEYS).where(KEYS.c.id == key_id)).mappings().first()
    if row is None or organization_id not in (None, row["organization_id"]):
        return None
    return _record(row)


def _fault_of_rotation(key: KeyRecord, now: datetime) -> str | None:
    if key.replaced_by is not None:
        return f"{key.name!r} was rotated already: rotate the key that came in its place, {key.replaced_by}"
    if not key.opens(now):
        state = "expired" if key.revoked_at is None else "was revoked"
        return f"{key.name!r} {state} and opens nothing that could be kept open: make a new key"
    return None


def _told(key: KeyRecord) -> dict[str, object]:
    """What a change of a key may change of it, in the audit log."""
    return {
        "name": key.name,
        "revokedAt": _written(key.revoked_at),
        "expiresAt": _written(key.expires_at),
        "replacedBy": key.replaced_by,
    }


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


def _whole_seconds(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _record(row: RowMapping | Mapping[str, Any]) -> KeyRecord:
    site_ids = row["site_ids"]
    used_at = row["last_used_at"]
    return KeyRecord(
        id=row["id"],
        organization_id=row["organization_id"],
        name=row["name"],
        scope=KeyScope(row["scope"]),
        created_at=datetime.fromtimestamp(row["created_at"], UTC),
        revoked_at=_moment(row["revoked_at"]),
        expires_at=_moment(row["expires_at"]),
        site_ids=None if site_ids is None else frozenset(orjson.loads(site_ids)),
        replaced_by=row["replaced_by"],
        last_used=None
        if used_at is None
        else KeyUse(datetime.fromtimestamp(used_at, UTC), row["last_used_from"]),
    )
