"""Minutes of which counters told a sum alone, in the range and of the passages of a query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, select

from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.protocol import BucketQuery, SpreadMinutes
from service.store.schema import SPREAD_MINUTES
from service.store.topology import Topology

_LONGEST: Final = 60 * 24 * 32
"""Minutes of one stretch: a total that has grown for longer is not spread."""


def spread_minutes(connection: Connection, query: BucketQuery, topology: Topology) -> Iterator[SpreadMinutes]:
    """By passage and time, within the range; stretches that meet are one."""
    first, end = minute_number(minute_ceiling(query.start)), minute_number(minute_ceiling(query.end))
    ids = {number: passage_id for passage_id, number in topology.passages.items()}
    table = SPREAD_MINUTES.c
    marked = (
        select(SPREAD_MINUTES)
        .where(
            table.passage.in_(_passages(query, topology)),
            table.first > first - _LONGEST,
            table.first < end,
            table.end > first,
        )
        .order_by(table.passage, table.first)
    )
    open_: tuple[int, int, int] | None = None
    for row in connection.execute(marked):
        start, until = max(row.first, first), min(row.end, end)
        if open_ and open_[0] == row.passage and start <= open_[2]:
            open_ = (row.passage, open_[1], max(open_[2], until))
            continue
        if open_:
            yield _told(ids, *open_)
        open_ = (row.passage, start, until)
    if open_:
        yield _told(ids, *open_)


def _told(ids: dict[int, str], passage: int, first: int, end: int) -> SpreadMinutes:
    return SpreadMinutes(ids[passage], minute_start(first), minute_start(end))


def _passages(query: BucketQuery, topology: Topology) -> set[int]:
    """Numbers of those that the query's values are made of."""
    zones = topology.asked_zones(query.zone_ids)
    if query.passage_ids:
        return {flow.passage for flow in topology.flows_of_passages(query.passage_ids, query.zone_ids)}
    return {flow.passage for zone in zones for flow in topology.flows.get(zone, ())}
