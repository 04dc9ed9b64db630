"""Buckets: a checked query asked of the tables, and the rows as the service passes them on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlalchemy import Connection, Table, bindparam, func, select
from sqlalchemy.dialects.sqlite import dialect

from contract import MetricKey
from service.store.bucket_keys import key_reader, minute_of, pieces
from service.store.bucket_statement import BucketStatement, Reach, Reduction, Source, bucket_statements
from service.store.database import driver
from service.store.protocol import Bucket, BucketQuery
from service.store.topology import Topology


def statements(connection: Connection, query: BucketQuery, topology: Topology) -> Sequence[BucketStatement]:
    """The statements that answer a query; none when nothing is stored for it.

    The range is cut to what is stored, so that a query over centuries costs no more than its answer.
    """
    source = _source(query, topology)
    extent = _extent(connection, source) if source.numbers else None
    if extent is None:
        return ()
    start = max(minute_of(query.start), extent[0])
    end = min(minute_of(query.end), extent[1] + 1)
    if start >= end:
        return ()
    reach = Reach(start, end, tuple(pieces(start, end, query.granularity, query.timezone)))
    reduction = Reduction(tuple(dict.fromkeys(query.metrics)), query.granularity, query.aggregation)
    return bucket_statements(reduction, source, reach)


def buckets(connection: Connection, query: BucketQuery, topology: Topology) -> list[Bucket]:
    """See `MetricStore.buckets`."""
    found: dict[int, dict[MetricKey, int | float]] = {}
    for statement in statements(connection, query, topology):
        for row in driver(connection).execute(statement.text, statement.parameters):
            key = row[0]
            values = dict(zip(statement.metrics, row[1:], strict=True))
            if None in row:
                values = {metric: value for metric, value in values.items() if value is not None}
            found[key] = found[key] | values if key in found else values
    start_of = key_reader(query.granularity, query.timezone)
    return [Bucket(start_of(key), values) for key, values in found.items()]


def _source(query: BucketQuery, topology: Topology) -> Source:
    if not query.passage_ids:
        zone_ids = topology.asked_zones(query.zone_ids)
        # One that the site lost since the query was checked has nothing to say.
        known = (topology.zones[zone_id] for zone_id in zone_ids if zone_id in topology.zones)
        return Source(tuple(known))
    flows = topology.flows_of_passages(query.passage_ids, query.zone_ids)
    return Source(tuple(dict.fromkeys(flow.passage for flow in flows)), tuple(flows))


def _extent(connection: Connection, source: Source) -> tuple[int, int] | None:
    """First and last stored minute of the series; None when they have none."""
    statement = _extent_statement(source.minutes, len(source.numbers))
    row = (
        driver(connection)
        .execute(statement, [number for number in source.numbers for _ in ("first", "last")])
        .fetchone()
    )
    firsts = [minute for minute in row[0::2] if minute is not None]
    lasts = [minute for minute in row[1::2] if minute is not None]
    return (min(firsts), max(lasts)) if firsts else None


@cache
def _extent_statement(table: Table, series: int) -> str:
    """First and last minute of so many series, whose numbers are the parameters, each twice."""
    # Asked series by series each end is one step down the tree; asked at once it is a scan.
    ends = [
        select(end(table.c.minute)).where(table.c.number == bindparam(None)).scalar_subquery()
        for _ in range(series)
        for end in (func.min, func.max)
    ]
    return str(select(*ends).compile(dialect=dialect()))
