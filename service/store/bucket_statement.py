"""The buckets of one zone as a single SQL statement over the quarter-hour rollup.

Pure. Whole quarters are read from the rollup, the ragged edges of the range from minutes. Missing minutes are
never zeros: an average is taken over the minutes that are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Float, Select, Subquery, Table, cast, func, literal, select, union_all
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.compiler import SQLCompiler

from contract import Aggregation, Granularity, MetricKey
from service.store.bucket_keys import Piece, key_of_minute, key_of_month
from service.store.reduction import COLUMN, SECONDS_A_MINUTE, Reduction, extreme_of
from service.store.rollup import QUARTER, quarter_ceiling, quarter_floor
from service.store.schema import ZONE_MINUTES, ZONE_QUARTERS

_Function = Callable[[ColumnElement[Any]], ColumnElement[Any]]
_EXTREME: Final[Mapping[Aggregation, _Function]] = {
    Aggregation.MAXIMUM: func.max,
    Aggregation.MINIMUM: func.min,
}


class Reach(NamedTuple):
    """The minutes [start, end) that a query reads."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    """By UTC offset, from the start of the first bucket on."""

    @property
    def whole_quarters(self) -> tuple[int, int]:
        """The stretch [first, last) that is made of quarters; empty when a quarter may lie in two buckets."""
        first, last = quarter_ceiling(self.start), quarter_floor(self.end)
        # As when clocks changed at one minute past midnight.
        fits = all(piece.offset % QUARTER == 0 and piece.start % QUARTER == 0 for piece in self.pieces)
        return (first, last) if fits and first < last else (self.end, self.end)


@dataclass(frozen=True, slots=True)
class BucketStatement:
    """Rows of a bucket key and one value, or none, for each of the metrics, in the order of the keys."""

    text: str
    parameters: tuple[Any, ...]


@lru_cache(maxsize=128)
def bucket_statement(reduction: Reduction, zone: int, reach: Reach) -> BucketStatement:
    """What to ask for a zone, given by its number.

    Kept for when it is asked again: to build a statement can take as long as SQLite takes to answer it.
    """
    if reduction.granularity is Granularity.MINUTE:
        return _compiled(_by_minute(reduction, zone, reach))
    return _compiled(_by_bucket(reduction, zone, reach))


def _compiled(statement: Select[Any]) -> BucketStatement:
    compiled = statement.compile(dialect=dialect(), compile_kwargs={"render_postcompile": True})
    assert isinstance(compiled, SQLCompiler)
    names = compiled.positiontup or ()
    return BucketStatement(str(compiled), tuple(compiled.params[name] for name in names))


def _chosen(table: Table, zone: int, start: int, end: int) -> ColumnElement[bool]:
    return (table.c.number == zone) & (table.c.minute >= start) & (table.c.minute < end)


def _by_minute(reduction: Reduction, zone: int, reach: Reach) -> Select[Any]:
    values = [_value(metric, ZONE_MINUTES.c, reduction.of(metric)) for metric in reduction.metrics]
    return (
        select(ZONE_MINUTES.c.minute, *values)
        .where(_chosen(ZONE_MINUTES, zone, reach.start, reach.end))
        .order_by(ZONE_MINUTES.c.minute)
    )


def _by_bucket(reduction: Reduction, zone: int, reach: Reach) -> Select[Any]:
    rows = _rows(zone, reduction.column_names(), reach)
    grouped = _grouped(rows, key_of_minute(rows.c.minute, reach.pieces, reduction.granularity))
    if reduction.granularity is Granularity.MONTH:
        grouped = _grouped(grouped, key_of_month(grouped.c.key, reach.pieces))
    values = [_value(metric, grouped.c, reduction.of(metric)) for metric in reduction.metrics]
    return select(grouped.c.key, *values).order_by(grouped.c.key)


def _rows(zone: int, names: Sequence[str], reach: Reach) -> Subquery:
    """Quarters where whole ones fit, minutes elsewhere."""
    first, last = reach.whole_quarters
    parts = [
        (ZONE_MINUTES, reach.start, first),
        (ZONE_QUARTERS, first, last),
        (ZONE_MINUTES, last, reach.end),
    ]
    selects = [
        select(table.c.minute, *(_column(table, name).label(name) for name in names)).where(
            _chosen(table, zone, start, end)
        )
        for table, start, end in parts
        if start < end
    ]
    return union_all(*selects).subquery() if len(selects) > 1 else selects[0].subquery()


def _column(table: Table, name: str) -> ColumnElement[Any]:
    """The named value in a row of minutes or quarters."""
    if name in table.c:
        return table.c[name]
    # A minute is one minute, and each extreme of it its only value.
    return literal(1) if name == "minutes" else table.c[name.partition("_")[0]]


def _grouped(rows: Subquery, key: ColumnElement[Any]) -> Subquery:
    """One row per key: sums, and extremes of the columns named so."""
    names = [name for name in rows.c.keys() if name not in {"minute", "key"}]  # noqa: SIM118 -- no dict
    values = [_reducing(name)(rows.c[name]).label(name) for name in names]
    return select(key.label("key"), *values).group_by(key).subquery()


def _reducing(name: str) -> _Function:
    extreme = extreme_of(name)
    return _EXTREME[extreme] if extreme else func.sum


def _value(
    metric: MetricKey, columns: ReadOnlyColumnCollection[str, Any], aggregation: Aggregation
) -> ColumnElement[Any]:
    """The value of a bucket; none for timeSpent without entrances (Little's law)."""
    if metric is MetricKey.TIME_SPENT:
        inside: ColumnElement[Any] = columns["inside"]
        return inside * literal(SECONDS_A_MINUTE) / func.nullif(columns["entrances"], 0)
    name = COLUMN[metric] + (f"_{aggregation}" if aggregation in _EXTREME else "")
    value: ColumnElement[Any] = columns[name]
    return cast(value, Float) / columns["minutes"] if aggregation is Aggregation.AVERAGE else value
