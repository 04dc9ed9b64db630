"""The buckets of several zones, or of passages: summed minute by minute, then reduced in NumPy.

Minimum, average, maximum and sum of a bucket are taken over the same summed minutes. What sums and averages
need of a quarter-hour is in the rollup when its minutes are those of every series; where they differ, and
for an extreme, which is not the sum of the extremes, minutes are read. The cost of extremes grows with the
stored minutes of the range and has no other bound: over a year of eight zones, two million rows, it is about
a second of processor time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from contract import Aggregation, MetricKey
from service.store.bucket_keys import keys_of
from service.store.bucket_statement import Reach
from service.store.protocol import Numbers
from service.store.reduction import COLUMN, SECONDS_A_MINUTE, Reduction, extreme_of
from service.store.rollup import QUARTER
from service.store.summed_series import SummedMinutes, SummedQuarters, SummedSeries

Choice = npt.NDArray[np.bool_]

_Columns = dict[str, Numbers]
"""Parallel, by name (see `Reduction.column_names`); `key` is the bucket's."""

_EXTREME: Final[Mapping[Aggregation, np.ufunc]] = {
    Aggregation.MINIMUM: np.minimum,
    Aggregation.MAXIMUM: np.maximum,
}


def summed_buckets(
    connection: Connection, series: SummedSeries, reduction: Reduction, reach: Reach
) -> Iterator[tuple[int | float | None, ...]]:
    """Rows of a bucket key and one value, or none, for each metric, in the order of the keys."""
    parts = [
        _by_key(part | {"key": keys_of(part["key"], reach.pieces, reduction.granularity)})
        for part in _columns(connection, series, reduction, reach)
    ]
    if not parts:
        return iter(())
    columns = _by_key({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    values = [_values(metric, columns, reduction.of(metric)) for metric in reduction.metrics]
    return zip(columns["key"].tolist(), *values, strict=True)


def _columns(
    connection: Connection, series: SummedSeries, reduction: Reduction, reach: Reach
) -> Iterator[_Columns]:
    """Every minute of the reach once, within a quarter or alone; the key is the first minute."""
    names = reduction.column_names()

    def by_minute(start: int, end: int) -> Iterator[_Columns]:
        for minutes in series.minutes(connection, start, end):
            yield _of_minutes(minutes, names)

    first, last = (reach.end, reach.end) if reduction.needs_each_minute else reach.whole_quarters
    yield from by_minute(reach.start, first)
    for quarters in series.quarters(connection, first, last):
        even = _even(quarters, series, reduction)
        if even.any():
            yield _of_quarters(quarters, even, names)
        for start, end in _stretches(quarters, ~even):
            yield from by_minute(start, end)
    yield from by_minute(last, reach.end)


def _of_minutes(minutes: SummedMinutes, names: list[str]) -> _Columns:
    each = {
        "minutes": np.ones_like(minutes.minutes),
        "entrances": minutes.entrances,
        "exits": minutes.exits,
        "inside": minutes.inside,
    }
    return {"key": minutes.minutes} | {name: each[name.partition("_")[0]] for name in names}


def _of_quarters(quarters: SummedQuarters, even: Choice, names: list[str]) -> _Columns:
    each = {
        "minutes": quarters.most,
        "entrances": quarters.entrances,
        "exits": quarters.exits,
        "inside": quarters.inside,
    }
    return {"key": quarters.minutes[even]} | {name: each[name][even] for name in names}


def _even(quarters: SummedQuarters, series: SummedSeries, reduction: Reduction) -> Choice:
    """Which quarters hold all that is needed: the sums over all their minutes, and how many those are."""
    if reduction.has_levels:
        # A series that is silent in one of the minutes would add its level to it.
        even: Choice = (quarters.reported == len(series.numbers)) & (quarters.fewest == QUARTER)
    elif reduction.has_averages:
        even = (quarters.most == QUARTER) | (quarters.reported == 1)
    else:
        even = np.ones_like(quarters.minutes, dtype=np.bool_)
    return even


def _stretches(quarters: SummedQuarters, chosen: Choice) -> Iterator[tuple[int, int]]:
    """[start, end) of the chosen quarters, neighbours together."""
    positions = np.flatnonzero(chosen)
    for together in np.split(positions, np.flatnonzero(np.diff(positions) > 1) + 1):
        if len(together):
            yield int(quarters.minutes[together[0]]), int(quarters.minutes[together[-1]]) + QUARTER


def _by_key(columns: _Columns) -> _Columns:
    """One row per key, in their order: sums, and extremes of the columns named so."""
    order = np.argsort(columns["key"], kind="stable")
    keys = columns["key"][order]
    begins = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    return {"key": keys[begins]} | {
        name: _reducing(name).reduceat(column[order], begins)
        for name, column in columns.items()
        if name != "key"
    }


def _reducing(name: str) -> np.ufunc:
    extreme = extreme_of(name)
    return _EXTREME[extreme] if extreme else np.add


def _values(
    metric: MetricKey, columns: _Columns, aggregation: Aggregation
) -> list[int | float] | list[float | None]:
    """The value of each bucket; none for timeSpent without entrances (Little's law)."""
    if metric is MetricKey.TIME_SPENT:
        return [
            inside * SECONDS_A_MINUTE / entrances if entrances else None
            for inside, entrances in zip(
                columns["inside"].tolist(), columns["entrances"].tolist(), strict=True
            )
        ]
    name = COLUMN[metric]
    if aggregation is Aggregation.AVERAGE:
        averages: list[int | float] = (columns[name] / columns["minutes"]).tolist()
        return averages
    extreme = "" if aggregation is Aggregation.SUM else f"_{aggregation}"
    values: list[int | float] = columns[f"{name}{extreme}"].tolist()
    return values
