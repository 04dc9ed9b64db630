"""Minutes of which counters told a sum alone, in the range and of the passages of a query."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection

from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.prepared import NUMBERS, Prepared
from service.store.protocol import BucketQuery, SpreadMinutes
from service.store.topology import Topology

_LONGEST: Final = 60 * 24 * 32
"""Minutes of one stretch: a total that has grown for longer is not spread."""
_MARKED: Final = Prepared(
    """
    WITH asked(number) AS MATERIALIZED ({numbers})
    SELECT passage, first, "end" FROM asked CROSS JOIN spread_minutes
    WHERE passage = asked.number AND first > :earliest AND first < :end AND "end" > :start
    ORDER BY passage, first""",
    numbers=NUMBERS,
)


def spread_minutes(connection: Connection, query: BucketQuery, topology: Topology) -> Iterator[SpreadMinutes]:
    """By passage and time, within the range; stretches that meet are one."""
    first, end = minute_number(minute_ceiling(query.start)), minute_number(minute_ceiling(query.end))
    ids = {number: passage_id for passage_id, number in topology.passages.items()}
    numbers = json.dumps(list(_passages(query, topology)))
    marked = _MARKED.run(connection, numbers=numbers, earliest=first - _LONGEST, start=first, end=end)
    open_: tuple[int, int, int] | None = None
    for passage, begin, stop in marked:
        start, until = max(begin, first), min(stop, end)
        if open_ and open_[0] == passage and start <= open_[2]:
            open_ = (passage, open_[1], max(open_[2], until))
            continue
        if open_:
            yield _told(ids, *open_)
        open_ = (passage, start, until)
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
