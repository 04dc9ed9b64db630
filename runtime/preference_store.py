"""What is kept for everybody who opens this dashboard: thresholds by site, and the site that opens first.

In one small SQLite file, or in the database that several dashboards share. The file has no write-ahead log,
so that it can be read in a folder that cannot be written; it is made by the first that keeps something.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Table,
    and_,
    delete,
    func,
    select,
)

from api_client.trouble_log import TroubleLog
from gauge.levels import Thresholds
from keeping import Place, tables_at
from keeping.columns import WORDS, present, put
from keeping.sqlite_file import moment_of

FILE_NAME: Final = "preferences.sqlite"
MOST_SITES: Final = 20_000
"""Whose thresholds are kept, of all services together."""
LONGEST_ID: Final = 500
"""Characters of a site's id."""
_WHAT: Final = "Kept thresholds, and which site opens first,"
"""As the sentence begins that says why they cannot be used."""
FORMAT: Final = 1
"""`PRAGMA user_version`; 0: nothing was kept yet."""

TABLES: Final = MetaData()
_THRESHOLDS: Final = Table(
    "thresholds",
    TABLES,
    Column("service", WORDS, primary_key=True),
    Column("site_id", WORDS, primary_key=True),
    # Percent of the capacity
    Column("filling", Integer, nullable=False),
    Column("full", Integer, nullable=False),
    # ISO 8601, UTC
    Column("updated_at", WORDS, nullable=False),
)
_FIRST_SITE: Final = Table(
    "first_site",
    TABLES,
    Column("service", WORDS, primary_key=True),
    Column("site_id", WORDS, nullable=False),
    Column("updated_at", WORDS, nullable=False),
)

_log = TroubleLog("runtime.preference_store")


class PreferenceStoreError(RuntimeError):
    """They cannot be read or written; the message says where and why."""


class Preferences(NamedTuple):
    """What is kept for one service."""

    thresholds: Mapping[str, Thresholds]
    """By site id; of other sites none are kept."""
    first_site: str | None
    """Id; it may be of a site that is no more."""


class PreferenceStore:
    """Safe to share between threads; what another process writes is seen by the next read.

    `service` tells apart whose sites are meant. Every method raises PreferenceStoreError.
    """

    def __init__(self, place: Place) -> None:
        self._tables = tables_at(place, FILE_NAME, TABLES, FORMAT, what=_WHAT, raised=PreferenceStoreError)
        self._last: dict[str, Preferences] = {}

    def of(self, service: str) -> Preferences:
        with self._tables.reading() as connection:
            if connection is None:
                return Preferences({}, None)
            rows = connection.execute(select(_THRESHOLDS).where(_THRESHOLDS.c.service == service))
            thresholds = dict(filter(None, map(_thresholds_of, rows.mappings())))
            first = select(_FIRST_SITE.c.site_id).where(_FIRST_SITE.c.service == service)
            found = Preferences(thresholds, connection.execute(first).scalar_one_or_none())
        self._last[service] = found
        return found

    def last(self, service: str) -> Preferences | None:
        """As this process has read them last, for while their database is away; None: it never has."""
        return self._last.get(service)

    def keep_thresholds(
        self, service: str, site_id: str, thresholds: Thresholds | None, before: Thresholds | None = None
    ) -> bool:
        """Keep them (None: none) where `before` stood (None: none, or damaged ones), unless others stand
        there by now: then False.
        """
        with self._tables.writing() as connection:
            row = connection.execute(select(_THRESHOLDS).where(_is_of(service, site_id))).mappings().first()
            found = _thresholds_of(row) if row else None
            if (found[1] if found else None) != before:
                return False
            if thresholds is None:
                connection.execute(delete(_THRESHOLDS).where(_is_of(service, site_id)))
                return True
            _check_room(connection, service, site_id)
            values = {"filling": thresholds.filling, "full": thresholds.full, "updated_at": _now(connection)}
            put(connection, _THRESHOLDS, {"service": service, "site_id": site_id}, values)
            return True

    def thresholds_kept_at(self, service: str, site_id: str) -> datetime | None:
        """UTC; None: none are kept, or it does not tell."""
        with self._tables.reading() as connection:
            if connection is None:
                return None
            found = select(_THRESHOLDS.c.updated_at).where(_is_of(service, site_id))
            return moment_of(connection.execute(found).scalar_one_or_none())

    def open_first(self, service: str, site_id: str | None) -> None:
        """None: no site comes first."""
        with self._tables.writing() as connection:
            if site_id is None:
                connection.execute(delete(_FIRST_SITE).where(_FIRST_SITE.c.service == service))
                return
            values = {"site_id": site_id[:LONGEST_ID], "updated_at": _now(connection)}
            put(connection, _FIRST_SITE, {"service": service}, values)


def _is_of(service: str, site_id: str) -> ColumnElement[bool]:
    return and_(_THRESHOLDS.c.service == service, _THRESHOLDS.c.site_id == site_id)


def _check_room(connection: Connection, service: str, site_id: str) -> None:
    if len(site_id) > LONGEST_ID:
        raise PreferenceStoreError("Thresholds of this site cannot be kept: its id is too long.")
    # Those of this site are replaced, not added.
    others = (_THRESHOLDS.c.service != service) | (_THRESHOLDS.c.site_id != site_id)
    kept = connection.execute(select(func.count()).select_from(_THRESHOLDS).where(others)).scalar_one()
    if kept >= MOST_SITES:
        raise PreferenceStoreError(f"Thresholds of {kept:,} sites are kept; there is no room for more.")


def _thresholds_of(row: Mapping[Any, Any]) -> tuple[str, Thresholds] | None:
    """None: somebody has put something else there."""
    try:
        return row["site_id"], Thresholds(filling=row["filling"], full=row["full"])
    except ValidationError:
        _log.warning("kept thresholds are left out: they are damaged", site=row["site_id"])
        return None


def _now(connection: Connection) -> str:
    return present(connection).isoformat()
