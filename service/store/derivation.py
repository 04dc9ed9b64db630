"""Zone minutes and quarters, made again from passage minutes wherever those changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.sqlite import dialect, insert

from service.store.reset_days import reset_minutes
from service.store.rollup import roll_up_passages, roll_up_zones
from service.store.schema import (
    PASSAGE_MINUTES,
    PASSAGE_QUARTERS,
    PASSAGES,
    ZONE_MINUTES,
    ZONE_QUARTERS,
    ZONES,
)
from service.store.topology import Flow, Topology
from service.store.zone_series import Numbers, PassageMinutes, ZoneMinutes, zone_minutes

MINUTES_A_DAY: Final = 24 * 60

_DAYS_AT_ONCE: Final = 32
"""Bounds the memory of a large import or rebuild."""


class Span(NamedTuple):
    """Minutes [start, end)."""

    start: int
    end: int


def _replacement() -> str:
    statement = insert(ZONE_MINUTES)
    names = ("entrances", "exits", "inside", "hidden")
    statement = statement.on_conflict_do_update(set_={name: statement.excluded[name] for name in names})
    return str(statement.compile(dialect=dialect()))


# Given to the driver as text: SQLAlchemy's parameter handling would cost as much as the insert itself.
_REPLACE_ZONE_MINUTE: Final = _replacement()


def derive(
    connection: Connection, topology: Topology, passages: Collection[int], first_changes: Iterable[int]
) -> None:
    """Make all that depends on these passages again.

    `first_changes` has, for every UTC day in which one of the passages changed, the first changed minute.
    """
    zone_ids = topology.zones_fed_by(passages)
    for span in _spans(topology, first_changes):
        roll_up_passages(connection, passages, *span)
        _derive_zones(connection, topology, zone_ids, span)


def rebuild(connection: Connection, topology: Topology) -> None:
    """Forget all that is derived for the site and make it again from its passage minutes."""
    site_id, passages = topology.record.site.id, list(topology.passages.values())
    for table, owner in ((ZONE_MINUTES, ZONES), (ZONE_QUARTERS, ZONES), (PASSAGE_QUARTERS, PASSAGES)):
        numbers = select(owner.c.number).where(owner.c.site_id == site_id)
        connection.execute(delete(table).where(table.c.number.in_(numbers)))
    minute = PASSAGE_MINUTES.c.minute
    day = minute // MINUTES_A_DAY
    firsts = select(func.min(minute)).where(PASSAGE_MINUTES.c.number.in_(passages)).group_by(day)
    derive(connection, topology, passages, connection.execute(firsts).scalars().all())


def _spans(topology: Topology, first_changes: Iterable[int]) -> Iterator[Span]:
    """What to derive again: from each change to the daily reset after its UTC day, in pieces, no overlaps.

    Changes less than a day apart share a span: closing hours would cut an import into single days.
    """
    current: Span | None = None
    for first in sorted(first_changes):
        day_end = first - first % MINUTES_A_DAY + MINUTES_A_DAY
        end = _resets(topology, first, day_end - 1)[-1]
        if current is None or first > current.end + MINUTES_A_DAY:
            if current is not None:
                yield from _pieces(topology, current)
            current = Span(first, end)
        else:
            current = Span(current.start, max(current.end, end))
    if current is not None:
        yield from _pieces(topology, current)


def _pieces(topology: Topology, span: Span) -> Iterator[Span]:
    """The span in stretches of some days; all but the first begin at a reset, where nothing is carried on."""
    cuts = _resets(topology, span.start, span.end - 1)[_DAYS_AT_ONCE::_DAYS_AT_ONCE]
    edges = [span.start, *(cut for cut in cuts if cut < span.end), span.end]
    return (Span(start, end) for start, end in pairwise(edges))


def _resets(topology: Topology, first: int, last: int) -> list[int]:
    return reset_minutes(first, last, topology.timezone, topology.record.daily_reset_hour)


def _derive_zones(connection: Connection, topology: Topology, zone_ids: Sequence[str], span: Span) -> None:
    if not zone_ids:
        return
    flows = {zone_id: topology.flows[zone_id] for zone_id in zone_ids}
    counts = _read_counts(connection, {flow.passage for ways in flows.values() for flow in ways}, span)
    resets = _resets(topology, span.start, span.end - 1)
    numbers = [topology.zones[zone_id] for zone_id in zone_ids]
    inside_before = _read_inside(connection, numbers, Span(resets[0], span.start))
    for zone_id, number in zip(zone_ids, numbers, strict=True):
        ways = [_as_seen(flow, counts[flow.passage]) for flow in flows[zone_id] if flow.passage in counts]
        series = zone_minutes(ways, *span, resets=resets, inside_before=inside_before.get(number, 0))
        _write(connection, number, series)
    roll_up_zones(connection, numbers, *span)


def _read_counts(connection: Connection, passages: Collection[int], span: Span) -> dict[int, Numbers]:
    """Passage -> rows of minute, forward, backward, as a matrix of three columns."""
    columns = PASSAGE_MINUTES.c
    counts = {}
    for passage in passages:
        rows = connection.execute(
            select(columns.minute, columns.forward, columns.backward).where(
                columns.number == passage, columns.minute >= span.start, columns.minute < span.end
            )
        )
        if found := rows.cursor.fetchall() if rows.cursor is not None else []:
            counts[passage] = np.array(found, dtype=np.int64)
    return counts


def _read_inside(connection: Connection, zones: Collection[int], since_reset: Span) -> Mapping[int, int]:
    """Zone -> who was inside at the end of the span, for zones with a minute in it."""
    columns = ZONE_MINUTES.c
    newest = (
        select(columns.number, func.max(columns.minute).label("minute"))
        .where(
            columns.number.in_(zones),
            columns.minute >= since_reset.start,
            columns.minute < since_reset.end,
        )
        .group_by(columns.number)
        .subquery()
    )
    rows = connection.execute(
        select(columns.number, columns.inside).join(
            newest, (columns.number == newest.c.number) & (columns.minute == newest.c.minute)
        )
    )
    return {row.number: row.inside for row in rows}


def _as_seen(flow: Flow, counts: Numbers) -> PassageMinutes:
    minutes, forward, backward = counts.T
    entrances, exits = (forward, backward) if flow.forward_enters else (backward, forward)
    return PassageMinutes(minutes, entrances, exits)


def _write(connection: Connection, number: int, series: ZoneMinutes) -> None:
    columns = [column.tolist() for column in series]
    rows = [(number, *values) for values in zip(*columns, strict=True)]
    if rows:
        connection.exec_driver_sql(_REPLACE_ZONE_MINUTE, rows)
