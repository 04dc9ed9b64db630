"""The newest stored minute of every zone and passage, read at start and after each change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select

from service.store.schema import PASSAGE_MINUTES, PASSAGES, SITES, ZONE_MINUTES, ZONES
from service.store.topology import Topology


class ZoneMinute(NamedTuple):
    minute: int
    entrances: int
    exits: int
    inside: int


class PassageMinute(NamedTuple):
    minute: int
    forward: int
    backward: int


class SiteMark(NamedTuple):
    """Another mark, another state of the site."""

    version: int
    revision: int


@dataclass(frozen=True, slots=True)
class NewestMinutes:
    """What memory holds of one site."""

    mark: SiteMark
    topology: Topology
    zones: Mapping[int, ZoneMinute]
    """By number; zones without a stored minute are absent."""
    passages: Mapping[int, PassageMinute]
    """By number; passages without a stored minute are absent."""


def read_marks(connection: Connection) -> dict[str, SiteMark]:
    """Site id -> mark."""
    rows = connection.execute(select(SITES.c.id, SITES.c.version, SITES.c.revision))
    return {row.id: SiteMark(row.version, row.revision) for row in rows}


def read_newest(connection: Connection, topology: Topology, mark: SiteMark) -> NewestMinutes:
    site_id = topology.record.site.id
    return NewestMinutes(
        mark=mark,
        topology=topology,
        zones={
            number: ZoneMinute(minute, entrances, exits, inside)
            for number, minute, entrances, exits, inside, _ in _newest_rows(
                connection, ZONES, ZONE_MINUTES, site_id
            )
        },
        passages={
            number: PassageMinute(*values)
            for number, *values in _newest_rows(connection, PASSAGES, PASSAGE_MINUTES, site_id)
        },
    )


def _newest_rows(
    connection: Connection, owners: Table, minutes: Table, site_id: str
) -> list[tuple[int, ...]]:
    past = minutes.alias()
    newest = select(func.max(past.c.minute)).where(past.c.number == owners.c.number).scalar_subquery()
    rows = connection.execute(
        select(minutes)
        .join_from(owners, minutes, (minutes.c.number == owners.c.number) & (minutes.c.minute == newest))
        .where(owners.c.site_id == site_id)
    )
    return [tuple(row) for row in rows]
