"""A checked query as SQL: what is additive from the rollup, the rest from minutes.

Pure. Sums, averages and the extremes of a single zone come from quarters, with minutes at the ragged edges
of the range. Missing minutes are never zeros: averages are taken zone by zone over the minutes that zone has,
and an extreme looks only at minutes in which as many zones reported as in the best-covered minute of the
bucket.

Extremes of a sum of zones, and of passages, need the sum of every minute: their cost grows with the stored
minutes of the range and has no other bound. Over a year of eight zones, two million rows, it is a second and
a half of processor time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Float,
    Select,
    Subquery,
    Table,
    case,
    cast,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.compiler import SQLCompiler

from contract import DEFAULT_AGGREGATION, Aggregation, Granularity, MetricKey
from service.store.bucket_keys import Piece, key_of_minute, key_of_month
from service.store.rollup import QUARTER, quarter_ceiling, quarter_floor
from service.store.schema import PASSAGE_MINUTES, PASSAGE_QUARTERS, ZONE_MINUTES, ZONE_QUARTERS
from service.store.topology import Flow

_COLUMN: Final[Mapping[MetricKey, str]] = {
    MetricKey.ENTRANCES: "entrances",
    MetricKey.EXITS: "exits",
    MetricKey.VISITORS_INSIDE: "inside",
}
_Reduction = Callable[[ColumnElement[Any]], ColumnElement[Any]]
_EXTREME: Final[Mapping[Aggregation | None, _Reduction]] = {
    Aggregation.MAXIMUM: func.max,
    Aggregation.MINIMUM: func.min,
}
_SECONDS_A_MINUTE: Final = 60.0


class Reach(NamedTuple):
    """The minutes [start, end) that a query reads."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    """By UTC offset, from the start of the first bucket on."""


@dataclass(frozen=True, slots=True)
class Source:
    """The series a query reads: zones, or passages seen as ways in."""

    numbers: tuple[int, ...]
    flows: tuple[Flow, ...] = ()
    """Empty: the numbers are zones."""

    @property
    def minutes(self) -> Table:
        return PASSAGE_MINUTES if self.flows else ZONE_MINUTES

    @property
    def quarters(self) -> Table:
        return PASSAGE_QUARTERS if self.flows else ZONE_QUARTERS

    def column(self, table: Table, name: str) -> ColumnElement[Any]:
        """The named value in a row of `minutes` or `quarters`."""
        if name in table.c:
            return table.c[name]
        if name == "minutes":
            return literal(1)
        if self.flows:
            return _through(self.flows, table, entering=name == "entrances")
        # the extreme of a single minute
        return table.c[name.partition("_")[0]]


@dataclass(frozen=True, slots=True)
class BucketStatement:
    """Rows of a bucket key and one value, or none, for each of `metrics`, in the order of the keys.

    When a key comes twice, the later row holds.
    """

    metrics: tuple[MetricKey, ...]
    text: str
    parameters: tuple[Any, ...]


class Reduction(NamedTuple):
    """What becomes of the minutes."""

    metrics: tuple[MetricKey, ...]
    granularity: Granularity
    aggregation: Aggregation | None
    """None: each metric's default."""

    def of(self, metric: MetricKey) -> Aggregation:
        return self.aggregation or DEFAULT_AGGREGATION[metric]

    def needs_minute_sums(self, metric: MetricKey, source: Source) -> bool:
        extreme = self.of(metric) in _EXTREME and metric is not MetricKey.TIME_SPENT
        return extreme and (bool(source.flows) or len(source.numbers) > 1)


@lru_cache(maxsize=128)
def bucket_statements(reduction: Reduction, source: Source, reach: Reach) -> tuple[BucketStatement, ...]:
    """What to ask; one statement, or two when some metrics need the sum of every minute.

    Kept for when it is asked again: to build a statement can take as long as SQLite takes to answer it.
    """
    if reduction.granularity is Granularity.MINUTE:
        by_minute = _by_minute(reduction.metrics, source, reach)
        return (_compiled(reduction.metrics, by_minute),)
    by_minute_sums = tuple(
        metric for metric in reduction.metrics if reduction.needs_minute_sums(metric, source)
    )
    additive = tuple(metric for metric in reduction.metrics if metric not in by_minute_sums)
    statements = []
    if additive:
        sums = _sums(additive, reduction, source, reach)
        statements.append(_compiled(additive, sums))
    if by_minute_sums:
        extremes = _extremes_of_sums(by_minute_sums, reduction, source, reach)
        statements.append(_compiled(by_minute_sums, extremes))
    return tuple(statements)


def _compiled(metrics: tuple[MetricKey, ...], statement: Select[Any]) -> BucketStatement:
    compiled = statement.compile(dialect=dialect(), compile_kwargs={"render_postcompile": True})
    assert isinstance(compiled, SQLCompiler)
    names = compiled.positiontup or ()
    return BucketStatement(metrics, str(compiled), tuple(compiled.params[name] for name in names))


def _through(flows: Sequence[Flow], table: Table, *, entering: bool) -> ColumnElement[Any]:
    """People entering (or leaving) through a passage; one that leads into two zones counts for both."""
    forward = Counter(flow.passage for flow in flows if flow.forward_enters is entering)
    backward = Counter(flow.passage for flow in flows if flow.forward_enters is not entering)
    terms = [
        column * case(dict(weights), value=table.c.number, else_=0)
        for column, weights in ((table.c.forward, forward), (table.c.backward, backward))
        if weights
    ]
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _chosen(source: Source, table: Table, start: int, end: int) -> ColumnElement[bool]:
    # Equality lets SQLite read one series in the order of its minutes, where IN makes it sort.
    one, *others = source.numbers
    series = table.c.number.in_(source.numbers) if others else table.c.number == one
    return series & (table.c.minute >= start) & (table.c.minute < end)


def _by_minute(metrics: Sequence[MetricKey], source: Source, reach: Reach) -> Select[Any]:
    """A minute is a bucket of one value: every aggregation of it is that value."""
    table = source.minutes
    total = {name: func.sum(source.column(table, name)) for name in _names(metrics, None)}
    values = [
        _time_spent(total["inside"], total["entrances"])
        if metric is MetricKey.TIME_SPENT
        else total[_COLUMN[metric]]
        for metric in metrics
    ]
    return (
        select(table.c.minute, *values)
        .where(_chosen(source, table, reach.start, reach.end))
        .group_by(table.c.minute)
        .order_by(table.c.minute)
    )


def _names(metrics: Sequence[MetricKey], aggregation: Aggregation | None) -> list[str]:
    """The columns that the values of the metrics are made of."""
    names = ["minutes"]
    for metric in metrics:
        if metric is MetricKey.TIME_SPENT:
            names += ["inside", "entrances"]
        elif aggregation in _EXTREME:
            names.append(f"{_COLUMN[metric]}_{aggregation}")
        else:
            names.append(_COLUMN[metric])
    return list(dict.fromkeys(names))


def _rows(source: Source, names: Sequence[str], reach: Reach) -> Subquery:
    """Quarters where whole ones fit, minutes elsewhere, with the key of their hour or date."""
    first, last = quarter_ceiling(reach.start), quarter_floor(reach.end)
    if first >= last or not _fits_quarters(reach.pieces):
        first = last = reach.end
    parts = [
        (source.minutes, reach.start, first),
        (source.quarters, first, last),
        (source.minutes, last, reach.end),
    ]
    selects = [
        select(
            table.c.number,
            table.c.minute,
            *(source.column(table, name).label(name) for name in names),
        ).where(_chosen(source, table, part_start, part_end))
        for table, part_start, part_end in parts
        if part_start < part_end
    ]
    return union_all(*selects).subquery("parts") if len(selects) > 1 else selects[0].subquery("parts")


def _fits_quarters(pieces: Sequence[Piece]) -> bool:
    """Whether no quarter lies in two buckets, as when clocks change at one minute past midnight."""
    return all(piece.offset % QUARTER == 0 and piece.start % QUARTER == 0 for piece in pieces)


def _by_series(rows: Subquery, granularity: Granularity, pieces: Sequence[Piece]) -> Subquery:
    """One row per series and bucket: sums, and extremes of the columns named so."""
    key = key_of_minute(rows.c.minute, pieces, granularity).label("key")
    grouped = _grouped(rows, key)
    if granularity is not Granularity.MONTH:
        return grouped
    return _grouped(grouped, key_of_month(grouped.c.key, pieces).label("key"))


def _grouped(rows: Subquery, key: ColumnElement[Any]) -> Subquery:
    names = [name for name in rows.c.keys() if name not in {"number", "minute", "key"}]  # noqa: SIM118 -- no dict
    values = [_reduction(name)(rows.c[name]).label(name) for name in names]
    return select(rows.c.number, key, *values).group_by(rows.c.number, key).subquery()


def _reduction(name: str) -> _Reduction:
    _, _, extreme = name.partition("_")
    return _EXTREME[Aggregation(extreme)] if extreme else func.sum


def _sums(metrics: Sequence[MetricKey], reduction: Reduction, source: Source, reach: Reach) -> Select[Any]:
    rows = _rows(source, _names(metrics, reduction.aggregation), reach)
    by_series = _by_series(rows, reduction.granularity, reach.pieces)
    values = [_additive(metric, by_series, reduction.of(metric)) for metric in metrics]
    return select(by_series.c.key, *values).group_by(by_series.c.key).order_by(by_series.c.key)


def _additive(metric: MetricKey, by_series: Subquery, aggregation: Aggregation) -> ColumnElement[Any]:
    """The value of a bucket out of one row per series."""
    columns = by_series.c
    if metric is MetricKey.TIME_SPENT:
        return _time_spent(func.sum(columns.inside), func.sum(columns.entrances))
    name = _COLUMN[metric]
    if aggregation is Aggregation.AVERAGE:
        return func.sum(cast(columns[name], Float) / columns.minutes)
    if aggregation is Aggregation.SUM:
        return func.sum(columns[name])
    return _EXTREME[aggregation](columns[f"{name}_{aggregation}"])


def _time_spent(inside: ColumnElement[Any], entrances: ColumnElement[Any]) -> ColumnElement[Any]:
    """Person-seconds inside per entrance (Little's law); nothing without entrances."""
    return inside * literal(_SECONDS_A_MINUTE) / func.nullif(entrances, 0)


def _extremes_of_sums(
    metrics: Sequence[MetricKey],
    reduction: Reduction,
    source: Source,
    reach: Reach,
) -> Select[Any]:
    """Extremes by bucket and by how many series reported, so that the best-covered minutes come last."""
    table = source.minutes
    names = [_COLUMN[metric] for metric in metrics]
    sums = (
        select(
            table.c.minute,
            func.count().label("reported"),
            *(func.sum(source.column(table, name)).label(name) for name in names),
        )
        .where(_chosen(source, table, reach.start, reach.end))
        .group_by(table.c.minute)
        .subquery()
    )
    key = key_of_minute(sums.c.minute, reach.pieces, reduction.granularity).label("key")
    keyed = select(key, sums.c.reported, *(sums.c[name] for name in names)).subquery()
    bucket = (
        key_of_month(keyed.c.key, reach.pieces).label("bucket")
        if reduction.granularity is Granularity.MONTH
        else keyed.c.key
    )
    values = [
        _EXTREME[reduction.of(metric)](keyed.c[name]) for metric, name in zip(metrics, names, strict=True)
    ]
    return select(bucket, *values).group_by(bucket, keyed.c.reported).order_by(bucket, keyed.c.reported)
