"""Buckets: a checked query asked of the tables, and the rows as the service passes them on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from contract import MetricKey
from service.store.bucket_keys import minute_of, pieces, start_of_key
from service.store.bucket_statement import BucketStatement, Reach, Reduction, Source, bucket_statements
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
    values: dict[int, dict[MetricKey, int | float]] = {}
    for statement in statements(connection, query, topology):
        rows = connection.execute(statement.select).all()
        if values:
            for key, found in _by_key(statement.metrics, rows):
                values[key] |= found
        else:
            values = dict(_by_key(statement.metrics, rows))
    return [
        Bucket(start_of_key(key, query.granularity, query.timezone), found) for key, found in values.items()
    ]


def _source(query: BucketQuery, topology: Topology) -> Source:
    if not query.passage_ids:
        zone_ids = topology.asked_zones(query.zone_ids)
        return Source(tuple(topology.zones[zone_id] for zone_id in zone_ids))
    flows = topology.flows_of_passages(query.passage_ids, query.zone_ids)
    return Source(tuple(dict.fromkeys(flow.passage for flow in flows)), tuple(flows))


def _extent(connection: Connection, source: Source) -> tuple[int, int] | None:
    """First and last stored minute of the series; None when they have none."""
    table = source.minutes
    # Asked series by series each end is one step down the tree; asked at once it is a scan.
    ends = [
        (
            select(func.min(table.c.minute)).where(table.c.number == number).scalar_subquery(),
            select(func.max(table.c.minute)).where(table.c.number == number).scalar_subquery(),
        )
        for number in source.numbers
    ]
    row = connection.execute(select(*(end for both in ends for end in both))).one()
    firsts = [minute for minute in row[0::2] if minute is not None]
    lasts = [minute for minute in row[1::2] if minute is not None]
    return (min(firsts), max(lasts)) if firsts else None


def _by_key(
    metrics: Sequence[MetricKey], rows: Iterable[Any]
) -> Iterable[tuple[int, dict[MetricKey, int | float]]]:
    for key, *values in rows:
        yield key, {metric: value for metric, value in zip(metrics, values, strict=True) if value is not None}
