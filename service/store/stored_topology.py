"""Topologies out of the tables, kept in memory for as long as the site is not saved again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, select

from contract import Site
from service.store.errors import UnknownSiteError
from service.store.protocol import SiteRecord
from service.store.schema import PASSAGES, SITES, ZONES
from service.store.topology import Topology, topology

RECORD_COLUMNS = (SITES.c.resource, SITES.c.top_zone_id, SITES.c.daily_reset_hour)

_VERSION = select(SITES.c.version).where(SITES.c.id == bindparam("site_id"))


class Topologies:
    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Topology]] = {}

    def read(self, connection: Connection, site_id: str) -> Topology:
        """The topology that the connection sees.

        Raises UnknownSiteError.
        """
        version = connection.execute(_VERSION, {"site_id": site_id}).scalar()
        if version is None:
            raise UnknownSiteError(f"no such site: {site_id}")
        known = self._known.get(site_id)
        if known is None or known[0] != version:
            known = (version, read_topology(connection, site_id))
            self._known[site_id] = known
        return known[1]


def read_topology(connection: Connection, site_id: str) -> Topology:
    """The topology of a site that exists."""
    row = connection.execute(select(*RECORD_COLUMNS).where(SITES.c.id == site_id)).mappings().one()
    zones = connection.execute(select(ZONES.c.id, ZONES.c.number).where(ZONES.c.site_id == site_id))
    passages = connection.execute(
        select(PASSAGES.c.id, PASSAGES.c.number).where(PASSAGES.c.site_id == site_id)
    )
    return topology(
        record_of(row),
        {row.id: row.number for row in zones},
        {row.id: row.number for row in passages},
    )


def record_of(row: RowMapping | Mapping[str, Any]) -> SiteRecord:
    """The record in a row that has `RECORD_COLUMNS`."""
    return SiteRecord(
        site=Site.model_validate_json(row["resource"]),
        top_zone_id=row["top_zone_id"],
        daily_reset_hour=row["daily_reset_hour"],
    )
