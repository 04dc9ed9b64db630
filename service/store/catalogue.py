"""Organizations and their sites."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Select, Table, bindparam, func, select, update

from service.store.audit import SqlAuditLog
from service.store.audit_protocol import SERVICE_ITSELF, AuditAction, Author, Change
from service.store.batched import batched
from service.store.database import Database
from service.store.differences import differences
from service.store.errors import PassageTakenError
from service.store.former_resets import note_former_resets
from service.store.prepared import Prepared
from service.store.protocol import Organization, SiteRecord
from service.store.recompute import rebuild
from service.store.schema import ORGANIZATIONS, PASSAGES, SITES, ZONES
from service.store.topology import RECORD_COLUMNS, derives_alike, read_topology, record_of
from service.store.upsert import insert

_IDS_AT_ONCE: Final = 1_000
"""SQLite bounds the parameters of a statement."""

_IN_ORDER: Final = select(SITES.c.id, SITES.c.version).order_by(SITES.c.name, SITES.c.id)
_RECORDS: Final = select(SITES.c.id, *RECORD_COLUMNS).where(
    SITES.c.id.in_(bindparam("site_ids", expanding=True))
)
_RECORD_OF_SITE: Final = Prepared(select(*RECORD_COLUMNS).where(SITES.c.id == bindparam("site_id")))


class SqlSiteCatalogue:
    """`SiteCatalogue` over the tables.

    `on_change` gets the ids of saved sites after the commit; `known_site` gives a site from memory,
    where it has it, in the asked version if one is asked for.
    """

    def __init__(
        self,
        database: Database,
        audit: SqlAuditLog,
        *,
        on_change: Callable[[frozenset[str]], None],
        known_site: Callable[[str, int | None], SiteRecord | None],
    ) -> None:
        self._database = database
        self._audit = audit
        self._on_change = on_change
        self._known_site = known_site

    def save(
        self, organization: Organization, sites: Sequence[SiteRecord], *, author: Author = SERVICE_ITSELF
    ) -> None:
        self.save_all([(organization, sites)], author=author)

    def save_all(
        self,
        content: Sequence[tuple[Organization, Sequence[SiteRecord]]],
        *,
        author: Author = SERVICE_ITSELF,
    ) -> None:
        with self._database.writing() as connection:
            for organization, sites in content:
                self._save_organization(connection, organization, author)
                for record in sites:
                    self._save_site(connection, record, organization.id, author)
        self._on_change(frozenset(record.site.id for _, sites in content for record in sites))

    def change_site(
        self, site_id: str, decide: Callable[[SiteRecord | None], SiteRecord], *, author: Author
    ) -> SiteRecord:
        with self._database.writing() as connection:
            stored = _stored(connection, site_id)
            record = decide(stored)
            if record == stored:
                return record
            self._save_site(connection, record, record.site.organization_id, author)
        self._on_change(frozenset({site_id}))
        return record

    def organizations(self) -> list[Organization]:
        with self._database.reading() as connection:
            rows = connection.execute(select(ORGANIZATIONS).order_by(ORGANIZATIONS.c.id)).all()
        return [Organization(row.id, row.name) for row in rows]

    def list_sites(
        self, organization_id: str, *, limit: int, offset: int, site_ids: Collection[str] | None = None
    ) -> tuple[list[SiteRecord], int]:
        listed = (SITES.c.organization_id == organization_id) & ~SITES.c.archived
        if site_ids is not None:
            listed &= SITES.c.id.in_(site_ids)
        page = _IN_ORDER.where(listed).limit(limit).offset(offset)
        with self._database.reading() as connection:
            total = connection.execute(select(func.count()).select_from(SITES).where(listed)).scalar_one()
            return self._records(connection, page), total

    def all_sites(self, organization_id: str) -> list[SiteRecord]:
        with self._database.reading() as connection:
            return self._records(connection, _IN_ORDER.where(SITES.c.organization_id == organization_id))

    def _records(self, connection: Connection, listed: Select[tuple[str, int]]) -> list[SiteRecord]:
        """Of the listed ids, those that memory has in the listed version from there: to read thousands of
        sites out of their JSON takes a second, most of which is garbage collection.
        """
        rows = connection.execute(listed).all()
        found = {row.id: record for row in rows if (record := self._known_site(row.id, row.version))}
        for some in batched([row.id for row in rows if row.id not in found], _IDS_AT_ONCE):
            read = connection.execute(_RECORDS, {"site_ids": some}).mappings()
            found |= {row["id"]: record_of(row) for row in read}
        return [found[row.id] for row in rows]

    def find(self, site_id: str) -> SiteRecord | None:
        if known := self.find_at_once(site_id):
            return known
        row = self._database.row(_RECORD_OF_SITE, site_id=site_id)
        return None if row is None else record_of(row)

    def find_at_once(self, site_id: str) -> SiteRecord | None:
        return self._known_site(site_id, None)

    def site_ids_of_passages(
        self, passage_ids: Collection[str], *, with_former: bool = False
    ) -> dict[str, str]:
        statement = select(PASSAGES.c.id, PASSAGES.c.site_id)
        if not with_former:
            statement = statement.where(PASSAGES.c.present)
        with self._database.reading() as connection:
            return {
                row.id: row.site_id
                for some in batched(passage_ids, _IDS_AT_ONCE)
                for row in connection.execute(statement.where(PASSAGES.c.id.in_(some)))
            }

    def _save_organization(self, connection: Connection, organization: Organization, author: Author) -> None:
        stored = select(ORGANIZATIONS.c.name).where(ORGANIZATIONS.c.id == organization.id)
        before: str | None = connection.execute(stored).scalar()
        statement = insert(ORGANIZATIONS).values(id=organization.id, name=organization.name)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["id"], set_={"name": organization.name})
        )
        change = Change(
            organization.id,
            AuditAction.ORGANIZATION_CREATED if before is None else AuditAction.ORGANIZATION_CHANGED,
            organization.id,
            None if before is None else {"name": before},
            {"name": organization.name},
        )
        self._audit.note(connection, author, change)

    def _save_site(
        self, connection: Connection, record: SiteRecord, organization_id: str, author: Author
    ) -> None:
        site_id = record.site.id
        previous = _stored(connection, site_id)
        _save_row(connection, organization_id, record)
        _number(connection, ZONES, site_id, [zone.id for zone in record.site.zones])
        _save_passages(connection, site_id, [passage.id for passage in record.site.passages])
        if previous is not None and not derives_alike(previous, record):
            note_former_resets(connection, previous, record)
            rebuild(connection, read_topology(connection, site_id))
        self._audit.note(connection, author, _change_of_site(organization_id, previous, record))


def site_form(record: SiteRecord) -> dict[str, Any]:
    """The site as JSON, in the form that an import takes."""
    form: dict[str, Any] = record.site.model_dump(mode="json", by_alias=True)
    return form | {"topZoneId": record.top_zone_id, "dailyResetHour": record.daily_reset_hour}


def _change_of_site(organization_id: str, previous: SiteRecord | None, record: SiteRecord) -> Change:
    after = site_form(record)
    if previous is None:
        return Change(organization_id, AuditAction.SITE_CREATED, record.site.id, None, after)
    # When it was changed is when the entry is of.
    was, becomes = differences(site_form(previous) | {"updatedAt": None}, after | {"updatedAt": None})
    return Change(organization_id, AuditAction.SITE_CHANGED, record.site.id, was, becomes)


def _stored(connection: Connection, site_id: str) -> SiteRecord | None:
    row = connection.execute(select(*RECORD_COLUMNS).where(SITES.c.id == site_id)).mappings().first()
    return None if row is None else record_of(row)


def _save_row(connection: Connection, organization_id: str, record: SiteRecord) -> None:
    site = record.site
    values = {
        "organization_id": organization_id,
        "name": site.name,
        "archived": site.archived,
        "top_zone_id": record.top_zone_id,
        "daily_reset_hour": record.daily_reset_hour,
        "resource": site.model_dump_json(by_alias=True),
    }
    statement = insert(SITES).values(id=site.id, **values, version=1, revision=0)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["id"], set_={**values, "version": SITES.c.version + 1}
        )
    )


def _save_passages(connection: Connection, site_id: str, passage_ids: Sequence[str]) -> None:
    of_others = select(PASSAGES.c.id).where(PASSAGES.c.site_id != site_id)
    taken = chain.from_iterable(
        connection.execute(of_others.where(PASSAGES.c.id.in_(some))).scalars()
        for some in batched(passage_ids, _IDS_AT_ONCE)
    )
    if others := sorted(taken):
        raise PassageTakenError(others)
    connection.execute(update(PASSAGES).where(PASSAGES.c.site_id == site_id).values(present=False))
    _number(connection, PASSAGES, site_id, passage_ids, present=True)
    for some in batched(passage_ids, _IDS_AT_ONCE):
        connection.execute(update(PASSAGES).where(PASSAGES.c.id.in_(some)).values(present=True))


def _number(
    connection: Connection, table: Table, site_id: str, ids: Sequence[str], **columns: object
) -> None:
    """Give each id a number, unless it has one."""
    if ids:
        rows = [{"site_id": site_id, "id": text, **columns} for text in ids]
        connection.execute(insert(table).on_conflict_do_nothing(), rows)
