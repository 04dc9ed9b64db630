"""The newest stored minute of every zone and passage, read at start and after each change.

Newest is the newest that has begun. Minutes that lie in the future, stored while a clock was wrong, are as if
they were not there until time reaches them.
"""

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

    def after_counts(self) -> SiteMark:
        """The mark after one more write of counts."""
        return self._replace(revision=self.revision + 1)


@dataclass(frozen=True, slots=True)
class NewestMinutes:
    """What memory holds of one site."""

    mark: SiteMark
    topology: Topology
    zones: Mapping[int, ZoneMinute]
    """By number; zones without a stored minute are absent."""
    passages: Mapping[int, PassageMinute]
    """By number; passages without a stored minute are absent."""
    valid: range
    """While the present minute is one of these, this is what would be read: from the newest minute to the
    next one that is stored already."""


_MARKS: Final = select(SITES.c.id, SITES.c.version, SITES.c.revision)
_NEVER: Final = 2**62
_MARK: Final = _MARKS.where(SITES.c.id == bindparam("site_id"))


def read_marks(connection: Connection) -> dict[str, SiteMark]:
    """Site id -> mark."""
    return {row.id: SiteMark(row.version, row.revision) for row in connection.execute(_MARKS)}


def read_mark(connection: Connection, site_id: str) -> SiteMark:
    _, version, revision = connection.execute(_MARK, {"site_id": site_id}).one()
    return SiteMark(version, revision)


def read_newest(connection: Connection, topology: Topology, present: int) -> NewestMinutes:
    """The newest minutes up to `present`, the minute that is running."""
    site_id = topology.record.site.id
    asked: dict[str, str | int] = {"site_id": site_id, "present": present}
    passages = {
        number: PassageMinute(*values)
        for number, *values in _newest_rows(connection, PASSAGES, PASSAGE_MINUTES, asked)
    }
    newest = max((passage.minute for passage in passages.values()), default=0)
    following = connection.execute(_next_statement(), asked).scalar()
    return NewestMinutes(
        mark=read_mark(connection, site_id),
        topology=topology,
        zones={
            number: ZoneMinute(minute, entrances, exits, inside)
            for number, minute, entrances, exits, inside, _ in _newest_rows(
                connection, ZONES, ZONE_MINUTES, asked
            )
        },
        passages=passages,
        valid=range(newest, _NEVER if following is None else following),
    )


def _newest_rows(
    connection: Connection, owners: Table, minutes: Table, asked: Mapping[str, str | int]
) -> list[tuple[int, ...]]:
    rows = connection.execute(_newest_statement(owners, minutes), asked)
    return [tuple(row) for row in rows]


@cache
def _newest_statement(owners: Table, minutes: Table) -> Select[Any]:
    past = minutes.alias()
    begun = (past.c.number == owners.c.number) & (past.c.minute <= bindparam("present"))
    newest = select(func.max(past.c.minute)).where(begun).scalar_subquery()
    return (
        select(minutes)
        .join_from(owners, minutes, (minutes.c.number == owners.c.number) & (minutes.c.minute == newest))
        .where(owners.c.site_id == bindparam("site_id"))
    )


@cache
def _next_statement() -> Select[Any]:
    """The first minute of the site's passages that has not begun; zones have no others."""
    future = PASSAGE_MINUTES.c.number == PASSAGES.c.number
    first = select(func.min(PASSAGE_MINUTES.c.minute)).where(
        future, PASSAGE_MINUTES.c.minute > bindparam("present")
    )
    return select(func.min(first.scalar_subquery())).where(PASSAGES.c.site_id == bindparam("site_id"))
