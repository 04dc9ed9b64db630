"""Buckets: a checked query asked of the tables, and the rows as the service passes them on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from contract.minutes import minute_ceiling, minute_number
from service.store.bucket_keys import key_reader, pieces
from service.store.bucket_statement import Reach, bucket_statement
from service.store.database import driver
from service.store.protocol import Bucket, BucketQuery
from service.store.reduction import Reduction
from service.store.summed_buckets import summed_buckets
from service.store.summed_series import SummedSeries
from service.store.topology import Topology


def buckets(connection: Connection, query: BucketQuery, topology: Topology) -> list[Bucket]:
    """See `MetricStore.buckets`."""
    metrics = tuple(dict.fromkeys(query.metrics))
    start_of = key_reader(query.granularity, query.timezone)
    found = []
    for key, *row in _rows(connection, query, topology):
        values = dict(zip(metrics, row, strict=True))
        if None in row:
            values = {metric: value for metric, value in values.items() if value is not None}
        found.append(Bucket(start_of(key), values))
    return found


def _rows(connection: Connection, query: BucketQuery, topology: Topology) -> Iterable[tuple[Any, ...]]:
    """Bucket key and values, in order; none when nothing is stored for the query.

    The range is cut to what is stored, so that a query over centuries costs no more than its answer.
    """
    asked = (minute_number(minute_ceiling(query.start)), minute_number(minute_ceiling(query.end)))
    series, first, last = _series(query, topology).stored_within(*asked, connection)
    start, end = max(asked[0], first), min(asked[1], last + 1)
    if start >= end:
        return ()
    reach = Reach(start, end, tuple(pieces(start, end, query.granularity, query.timezone)))
    reduction = Reduction(tuple(dict.fromkeys(query.metrics)), query.granularity, query.aggregation)
    if len(series.zones) == 1:
        statement = bucket_statement(reduction, series.zones[0], reach)
        return driver(connection).execute(statement.text, statement.parameters)
    return summed_buckets(connection, series, reduction, reach)


def _series(query: BucketQuery, topology: Topology) -> SummedSeries:
    if query.passage_ids:
        return SummedSeries(
            topology, flows=tuple(topology.flows_of_passages(query.passage_ids, query.zone_ids))
        )
    zone_ids = topology.asked_zones(query.zone_ids)
    # One that the site lost since the query was checked has nothing to say.
    known = (topology.zones[zone_id] for zone_id in zone_ids if zone_id in topology.zones)
    return SummedSeries(topology, tuple(known))
