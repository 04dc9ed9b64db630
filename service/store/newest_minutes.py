"""The newest stored minute of every zone and passage, read at start and after each change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, Table, bindparam, func, select

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


_MARKS: Final = select(SITES.c.id, SITES.c.version, SITES.c.revision)
_MARK: Final = _MARKS.where(SITES.c.id == bindparam("site_id"))


def read_marks(connection: Connection) -> dict[str, SiteMark]:
    """Site id -> mark."""
    return {row.id: SiteMark(row.version, row.revision) for row in connection.execute(_MARKS)}


def read_newest(connection: Connection, topology: Topology) -> NewestMinutes:
    site_id = topology.record.site.id
    _, version, revision = connection.execute(_MARK, {"site_id": site_id}).one()
    return NewestMinutes(
        mark=SiteMark(version, revision),
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
    rows = connection.execute(_newest_statement(owners, minutes), {"site_id": site_id})
    return [tuple(row) for row in rows]


@cache
def _newest_statement(owners: Table, minutes: Table) -> Select[Any]:
    past = minutes.alias()
    newest = select(func.max(past.c.minute)).where(past.c.number == owners.c.number).scalar_subquery()
    return (
        select(minutes)
        .join_from(owners, minutes, (minutes.c.number == owners.c.number) & (minutes.c.minute == newest))
        .where(owners.c.site_id == bindparam("site_id"))
    )
