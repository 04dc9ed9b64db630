"""Buckets: a query answered from the tables.

What is asked is in `bucket_query`, from which rows in `bucket_rows`; here is how the rows of a bucket become
its values. Those of one zone are summed by a single SQL statement. Several zones, or passages, are summed
minute by minute and then, bucket by bucket, in NumPy, so that minimum, average, maximum and sum of a bucket
are taken over the same summed minutes. Either way it is columns of whole numbers of which the formulas make
values. Missing minutes are never zeros: an average is over the minutes that are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
from sqlalchemy import ColumnElement, Connection, Select, Subquery, cast, func, select

from contract import Aggregation, Granularity, MetricKey
from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.archive_protocol import Archive
from service.store.archived_days import Stretch, kept_minutes, stretches
from service.store.bucket_keys import (
    MinuteRange,
    RangeShape,
    key_of_minute,
    key_of_month,
    keys_of,
    minute_range,
    starts_of,
)
from service.store.bucket_query import Formula, Reduction, extreme_of
from service.store.bucket_rows import SummedSeries, minutes_of_zone, rows_of_zone
from service.store.column_types import WHOLE
from service.store.folded_minutes import answerable
from service.store.former_resets import by_resets
from service.store.prepared import Prepared
from service.store.protocol import Bucket, BucketColumns, BucketQuery
from service.store.series_source import SeriesSource, StoredSeries
from service.store.shipments import void_shipments
from service.store.summed_columns import LOST, Columns
from service.store.topology import Topology
from service.store.zone_columns import zone_columns

_SqlFunction = Callable[[ColumnElement[Any]], ColumnElement[Any]]


def _whole_sum(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """PostgreSQL's sums are decimal."""
    return cast(func.sum(column), WHOLE)


_IN_SQL: Final[Mapping[Aggregation | None, _SqlFunction]] = {
    None: _whole_sum,
    Aggregation.MAXIMUM: func.max,
    Aggregation.MINIMUM: func.min,
}
_IN_NUMPY: Final[Mapping[Aggregation | None, np.ufunc]] = {
    None: np.add,
    Aggregation.MINIMUM: np.minimum,
    Aggregation.MAXIMUM: np.maximum,
}
"""What a column of several rows becomes, by the extreme that it holds."""


def named_buckets(found: BucketColumns) -> list[Bucket]:
    """See `MetricStore.buckets`."""
    starts, rows = found.starts.tolist(), zip(*found.values, strict=True)
    return [
        Bucket(minute_start(start), _known(found.metrics, row))
        for start, row in zip(starts, rows, strict=True)
    ]


def bucket_columns(
    connection: Connection, query: BucketQuery, topology: Topology, archive: Archive
) -> BucketColumns:
    """See `MetricStore.past`; days that lie in the archive are asked of that."""
    reduction = Reduction(tuple(dict.fromkeys(query.metrics)), query.granularity, query.aggregation)
    columns = _columns(connection, query, reduction, topology, archive)
    if columns is None:
        return BucketColumns(reduction.metrics, np.empty(0, dtype=np.int64), [[] for _ in reduction.metrics])
    starts = starts_of(columns["key"], query.granularity, query.timezone)
    values = [_calculated(reduction.formula(metric), columns) for metric in reduction.metrics]
    return BucketColumns(reduction.metrics, starts, values)


def _known(
    metrics: Iterable[MetricKey], values: Iterable[int | float | None]
) -> dict[MetricKey, int | float]:
    return {metric: value for metric, value in zip(metrics, values, strict=True) if value is not None}


def _columns(
    connection: Connection, query: BucketQuery, reduction: Reduction, topology: Topology, archive: Archive
) -> Columns | None:
    """By bucket key, one row each; None when nothing is stored."""
    start, end = minute_number(minute_ceiling(query.start)), minute_number(minute_ceiling(query.end))
    kept, series = kept_minutes(connection, query.site_id), SummedSeries.asked(query, topology)
    asked = _Asked(reduction, query.timezone, kept.folded_until)
    stored = StoredSeries(connection)
    if start < kept.archived_until:
        void = void_shipments(connection, query.site_id)
        archived = archive.series(query.site_id, kept.archived_until, void)
        split = (
            part
            for whole in stretches(connection, query.site_id, start, end, kept.archived_until)
            for stretch, then in by_resets(connection, topology, whole)
            for part in asked.columns(
                replace(series, topology=then), archived if stretch.is_archived else stored, stretch
            )
        )
        return _reduced(split)
    series, minutes = asked.readable(series, stored, start, end, is_one_zone=None)
    if minutes is None:
        return None
    if len(series.zones) == 1:
        return _of_zone(connection, reduction, series.zones[0], minutes)
    parts = series.columns(stored, reduction, minutes, max(kept.folded_until, kept.archived_until))
    return _reduced(_keyed(parts, minutes, reduction))


@dataclass(frozen=True, slots=True)
class _Asked:
    reduction: Reduction
    timezone: ZoneInfo
    folded_until: int

    def readable(
        self, series: SummedSeries, source: SeriesSource, start: int, end: int, *, is_one_zone: bool | None
    ) -> tuple[SummedSeries, MinuteRange | None]:
        """The series that have something to say of [start, end), and the minutes of it that can be told.

        The range is cut to what is stored, so that a query over centuries costs no more than its answer.
        """
        series, first, last = series.stored_within(start, end, source)
        start, end = max(start, first), min(end, last + 1)
        if is_one_zone is None:
            is_one_zone = len(series.zones) == 1
        if start < min(end, self.folded_until):
            start, end = answerable(
                start, end, self.folded_until, self.reduction, self.timezone, is_one_zone=is_one_zone
            )
        if start >= end:
            return series, None
        return series, minute_range(start, end, self.reduction.granularity, self.timezone)

    def columns(self, series: SummedSeries, source: SeriesSource, stretch: Stretch) -> Iterator[Columns]:
        """Of one stretch of several, in which others of the series may have something to say: by bucket key,
        a bucket of which another stretch may have the rest.
        """
        is_one_zone = len(series.zones) == 1
        series, minutes = self.readable(series, source, stretch.start, stretch.end, is_one_zone=is_one_zone)
        if minutes is None:
            return
        if len(series.zones) == 1:
            parts = zone_columns(source, series.zones[0], self.reduction, minutes)
        else:
            begin = max(self.folded_until, stretch.begin)
            parts = series.columns(source, self.reduction, minutes, begin)
        yield from _keyed(parts, minutes, self.reduction)


def _of_zone(connection: Connection, reduction: Reduction, zone: int, minutes: MinuteRange) -> Columns:
    statement, parameters = zone_statement(reduction, zone, minutes)
    key, *stored = statement.columns(connection, **parameters)
    columns = {"key": key, "minutes": np.ones_like(key)}
    columns |= zip(_stored_names(reduction), stored, strict=True)
    if "uncounted" in columns:
        columns["counted"] = columns["minutes"] - columns["uncounted"]
    return columns


def _stored_names(reduction: Reduction) -> list[str]:
    """What a statement asks for; a minute is one minute."""
    is_one = reduction.granularity is Granularity.MINUTE
    return [name for name in reduction.stored_names() if not (is_one and name == "minutes")]


def zone_statement(
    reduction: Reduction, zone: int, minutes: MinuteRange
) -> tuple[Prepared, Mapping[str, int]]:
    """What asks for the buckets of one zone, given by its number, and its parameters: rows of the key and of
    what `Reduction.stored_names` has, but for how many minutes a minute is.
    """
    statement = statement_of_shape(reduction, minutes.shape(reduction.granularity))
    return statement, {**minutes.parameters(reduction.granularity), "zone": zone}


@lru_cache(maxsize=128)
def statement_of_shape(reduction: Reduction, shape: RangeShape) -> Prepared:
    """Of `zone_statement`, without what differs between zones and from minute to minute."""
    by_minute = reduction.granularity is Granularity.MINUTE
    return Prepared(_by_minute(reduction) if by_minute else _by_bucket(reduction, shape))


def _by_minute(reduction: Reduction) -> Select[Any]:
    return select(minutes_of_zone(_stored_names(reduction)))


def _by_bucket(reduction: Reduction, shape: RangeShape) -> Select[Any]:
    rows = rows_of_zone(reduction.stored_names(), shape)
    grouped = _grouped(rows, key_of_minute(rows.c.minute, shape, reduction.granularity))
    if reduction.granularity is Granularity.MONTH:
        days = grouped.subquery()
        return _grouped(days, key_of_month(days.c.key, shape))
    return grouped


def _grouped(rows: Subquery, key: ColumnElement[Any]) -> Select[Any]:
    """One row per key: sums, and extremes of the columns named so."""
    names = [name for name in rows.c.keys() if name not in {"minute", "key"}]  # noqa: SIM118 -- no dict
    values = [_IN_SQL[extreme_of(name)](rows.c[name]).label(name) for name in names]
    return select(key.label("key"), *values).group_by(key)


def _keyed(parts: Iterable[Columns], minutes: MinuteRange, reduction: Reduction) -> Iterator[Columns]:
    """One row per bucket of each part."""
    for part in parts:
        yield _by_key(part | {"key": keys_of(part["key"], minutes.pieces, reduction.granularity)})


def _reduced(parts: Iterable[Columns]) -> Columns | None:
    """One row per key of what is summed, in NumPy."""
    found = list(parts)
    if not found:
        return None
    columns = _by_key({name: np.concatenate([part[name] for part in found]) for name in found[0]})
    known = columns[LOST] == 0
    return {name: column[known] for name, column in columns.items()}


def _by_key(columns: Columns) -> Columns:
    """One row per key, in their order: sums, and extremes of the columns named so."""
    order = np.argsort(columns["key"], kind="stable")
    keys = columns["key"][order]
    begins = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    return {"key": keys[begins]} | {
        name: _IN_NUMPY[extreme_of(name)].reduceat(column[order], begins)
        for name, column in columns.items()
        if name != "key"
    }


def _calculated(formula: Formula, columns: Columns) -> list[int | float | None]:
    values, is_absent = columns[formula.column], columns[formula.among] == 0
    if formula.unless:
        is_absent |= columns[formula.unless] > 0
    found: list[int | float | None]
    if formula.per is None:
        found = values.tolist()
    else:
        divisors = columns[formula.per]
        is_absent |= divisors == 0
        found = (formula.factor * values / np.maximum(divisors, 1)).tolist()
    for position in np.flatnonzero(is_absent).tolist():
        found[position] = None
    return found
