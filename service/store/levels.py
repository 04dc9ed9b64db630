"""`LevelStore` over the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Row, bindparam, insert, select, update

from contract.minutes import EPOCH, MINUTE, MINUTES_A_DAY, minute_ceiling, minute_number, minute_start
from service.store.archived_days import kept_minutes
from service.store.audit import SqlAuditLog
from service.store.audit_protocol import AuditAction, Author, Change
from service.store.database import Database
from service.store.errors import ArchivedMinutesError, FoldedCountsError, UnknownSiteError, UnknownZoneError
from service.store.idempotency_keys import IdempotencyKeys
from service.store.level_protocol import Correction, LevelSet, ZoneLevel
from service.store.metrics import SqlMetricStore
from service.store.passage_counts import SiteChange
from service.store.prepared import Prepared
from service.store.protocol import BucketQuery, WriteMode
from service.store.schema import CORRECTIONS, ZONE_LEVELS, ZONE_MINUTES, ZONES
from service.store.series_rows import write_rows
from service.store.site_lock import lock_sites
from service.store.topology import Topologies

_CORRECTIONS: Final = select(CORRECTIONS, ZONES.c.id.label("zone_id"), ZONES.c.site_id).join(
    ZONES, CORRECTIONS.c.zone == ZONES.c.number
)
_BY_NUMBER: Final = _CORRECTIONS.where(
    CORRECTIONS.c.number == bindparam("number"), ZONES.c.site_id == bindparam("site_id")
)
_WITHIN: Final = _CORRECTIONS.where(
    ZONES.c.site_id == bindparam("site_id"),
    CORRECTIONS.c.minute >= bindparam("start"),
    CORRECTIONS.c.minute < bindparam("end"),
).order_by(CORRECTIONS.c.minute, CORRECTIONS.c.number)
_IN_FORCE: Final = Prepared(
    _WITHIN.where(CORRECTIONS.c.withdrawn_at.is_(None)).with_only_columns(
        CORRECTIONS.c.minute, ZONES.c.id, CORRECTIONS.c.inside, CORRECTIONS.c.reason
    )
)
_ALWAYS: Final = 2**53
_INSIDE: Final = (
    select(ZONE_MINUTES.c.inside)
    .where(
        ZONE_MINUTES.c.number == bindparam("zone"),
        ZONE_MINUTES.c.minute.between(bindparam("reset"), bindparam("minute")),
    )
    .order_by(ZONE_MINUTES.c.minute.desc())
    .limit(1)
)
"""The last number of a zone since a reset."""


class SqlLevelStore:
    """In the same file as the counts."""

    def __init__(
        self,
        database: Database,
        metrics: SqlMetricStore,
        audit: SqlAuditLog,
        idempotency_keys: IdempotencyKeys,
    ) -> None:
        self._database = database
        self._audit = audit
        self._metrics = metrics
        self._idempotency_keys = idempotency_keys
        self._topologies = Topologies()

    def append(
        self,
        levels: Sequence[ZoneLevel],
        *,
        organization_id: str,
        idempotency: tuple[str, str] | None = None,
    ) -> bool:
        with self._metrics.changing() as (connection, changes):
            if idempotency is not None and not self._idempotency_keys.remember(connection, *idempotency):
                return False
            numbers = self._zones(connection, levels, organization_id)
            lock_sites(connection, {level.site_id for level in levels})
            firsts: dict[tuple[str, int], int] = {}
            for level in levels:
                day = level.site_id, level.minute // MINUTES_A_DAY
                firsts[day] = min(firsts.get(day, level.minute), level.minute)
            _check_folded(
                connection, ((site_id, minute) for (site_id, _), minute in firsts.items()), "levels"
            )
            rows = [(numbers[level[:2]], level.minute, level.inside) for level in levels]
            write_rows(connection, ZONE_LEVELS, np.array(rows, dtype=np.int64).reshape(-1, 3), WriteMode.SET)
            for (site_id, _), number in numbers.items():
                changes[site_id].zones.add(number)
            for (site_id, _), minute in firsts.items():
                changes[site_id].first_changes.add(minute)
        return True

    def correct(self, level: ZoneLevel, reason: str, author: Author, now: datetime) -> Correction:
        with self._metrics.changing() as (connection, changes):
            [zone] = self._zones(connection, [level], None).values()
            lock_sites(connection, [level.site_id])
            _check_folded(connection, [(level.site_id, level.minute)], "corrections")
            first = self._topologies.read(connection, level.site_id).reset_minutes(level.minute, level.minute)
            until = {"zone": zone, "reset": first[0], "minute": level.minute}
            made = insert(CORRECTIONS).values(
                zone=zone,
                minute=level.minute,
                inside=level.inside,
                inside_before=connection.execute(_INSIDE, until).scalar(),
                reason=reason,
                made_at=int(now.timestamp()),
                **_columns(author),
            )
            number = connection.execute(made.returning(CORRECTIONS.c.number)).scalar_one()
            _note_change(changes[level.site_id], zone, level.minute)
            asked = {"site_id": level.site_id, "number": number}
            corrected = _correction(connection.execute(_BY_NUMBER, asked).one())
            self._note(connection, author, level.site_id, None, corrected)
            return corrected

    def corrections(
        self, site_id: str, start: datetime | None, end: datetime | None, *, limit: int
    ) -> list[Correction]:
        asked = {
            "site_id": site_id,
            # Up to the ends of the calendar, beyond which there is no UTC.
            "start": 0 if start is None else -((EPOCH - start) // MINUTE),
            "end": _ALWAYS if end is None else -((EPOCH - end) // MINUTE),
        }
        with self._database.reading() as connection:
            return [_correction(row) for row in connection.execute(_WITHIN.limit(limit), asked)]

    def withdraw(self, site_id: str, number: int, author: Author, now: datetime) -> Correction | None:
        asked = {"site_id": site_id, "number": number}
        with self._metrics.changing() as (connection, changes):
            lock_sites(connection, [site_id])
            row = connection.execute(_BY_NUMBER, asked).first()
            if row is None or row.withdrawn_at is not None:
                return None if row is None else _correction(row)
            _check_folded(connection, [(site_id, row.minute)], "corrections")
            values = {f"withdrawn_{name}": value for name, value in _columns(author).items()}
            withdrawn = update(CORRECTIONS).where(CORRECTIONS.c.number == number)
            connection.execute(withdrawn.values(withdrawn_at=int(now.timestamp()), **values))
            _note_change(changes[site_id], row.zone, row.minute)
            self._note(connection, author, site_id, _correction(row), None)
            return _correction(connection.execute(_BY_NUMBER, asked).one())

    def set_by_hand(self, query: BucketQuery) -> list[LevelSet]:
        asked = {
            "site_id": query.site_id,
            "start": minute_number(minute_ceiling(query.start)),
            "end": minute_number(minute_ceiling(query.end)),
        }
        with self._database.reading() as connection:
            rows = _IN_FORCE.run(connection, **asked).fetchall()
            if not rows or query.passage_ids:
                return []
            zones = frozenset(self._topologies.read(connection, query.site_id).asked_zones(query.zone_ids))
        # In the order of their numbers: the last stays.
        last = {(minute, zone_id): told for minute, zone_id, *told in rows if zone_id in zones}
        return [LevelSet(zone_id, minute_start(minute), *told) for (minute, zone_id), told in last.items()]

    def _note(
        self,
        connection: Connection,
        author: Author,
        site_id: str,
        before: Correction | None,
        after: Correction | None,
    ) -> None:
        was = _told(before)
        if after is not None and after.inside_before is not None:
            was = {"visitorsInside": after.inside_before}
        action = AuditAction.LEVEL_WITHDRAWN if after is None else AuditAction.LEVEL_SET
        organization_id = self._topologies.read(connection, site_id).record.site.organization_id
        told = Change(organization_id, action, site_id, was, _told(after))
        self._audit.note(connection, author, told)

    def _zones(
        self, connection: Connection, levels: Sequence[ZoneLevel], organization_id: str | None
    ) -> Mapping[tuple[str, str], int]:
        """(Site id, zone id) -> number; None: of whichever organization. Raises UnknownZoneError."""
        asked = defaultdict[str, set[str]](set)
        for level in levels:
            asked[level.site_id].add(level.zone_id)
        found: dict[tuple[str, str], int] = {}
        for site_id, zone_ids in asked.items():
            try:
                topology = self._topologies.read(connection, site_id)
            except UnknownSiteError:
                continue
            if organization_id in {None, topology.record.site.organization_id}:
                known = topology.zones
                found |= {(site_id, zone_id): known[zone_id] for zone_id in zone_ids & known.keys()}
        if unknown := {level[:2] for level in levels} - found.keys():
            raise UnknownZoneError(unknown)
        return found


def _check_folded(connection: Connection, minutes: Iterable[tuple[str, int]], told: str) -> None:
    """Raise FoldedCountsError where something is told of a minute that is folded, or of a day that lies in
    the archive; of sites, by their ids.
    """
    for site_id, minute in minutes:
        kept = kept_minutes(connection, site_id)
        if minute < kept.folded_until:
            raise FoldedCountsError(site_id, kept.folded_until, told)
        if minute < kept.archived_until:
            raise ArchivedMinutesError(site_id, kept.archived_until, told)


def _note_change(change: SiteChange, zone: int, minute: int) -> None:
    change.zones.add(zone)
    change.first_changes.add(minute)


def _correction(row: Row[Any]) -> Correction:
    withdrawn = None
    if row.withdrawn_at is not None:
        withdrawn = Author(row.withdrawn_key_name, row.withdrawn_key_id, row.withdrawn_acting_for)
    return Correction(
        number=row.number,
        zone_id=row.zone_id,
        at=minute_start(row.minute),
        inside=row.inside,
        inside_before=row.inside_before,
        reason=row.reason,
        made_at=_moment(row.made_at),
        made_by=Author(row.key_name, row.key_id, row.acting_for),
        withdrawn_at=None if row.withdrawn_at is None else _moment(row.withdrawn_at),
        withdrawn_by=withdrawn,
    )


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _columns(author: Author) -> dict[str, str | None]:
    return {"key_id": author.key_id, "key_name": author.name, "acting_for": author.acting_for}


def _told(one: Correction | None) -> dict[str, Any] | None:
    """For the audit log, in the field names of the API."""
    if one is None:
        return None
    at = one.at.isoformat()
    return {"zoneId": one.zone_id, "timestamp": at, "visitorsInside": one.inside, "reason": one.reason}
