"""What a table says in a few numbers: totals, the busiest bucket, completeness, a change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import pandas as pd

from analysis.bucket_table import starts_of
from contract import MetricPoint, Number


class Completeness(NamedTuple):
    present: int
    expected: int

    @property
    def is_complete(self) -> bool:
        return self.present == self.expected


class AverageInside(NamedTuple):
    """Of people inside, over the hours in which somebody was."""

    people: float
    hours: Completeness
    """Those in which somebody was, of those that have counts."""
    minutes: Completeness
    """Those that are counted of the hours in which somebody was, as far as that is known."""


class Peak(NamedTuple):
    start: datetime
    """First instant of the bucket, in UTC."""
    value: float


class Change(NamedTuple):
    present: float
    earlier: float

    @property
    def percent(self) -> float | None:
        """None where the earlier value is 0: no change in percent is defined."""
        return 100 * (self.present - self.earlier) / self.earlier if self.earlier else None


def total(column: pd.Series) -> float | None:
    """The sum of what is there; None where nothing is."""
    return None if column.isna().all() else float(column.sum())


def peak_bucket(table: pd.DataFrame, column: tuple[str, str]) -> Peak | None:
    """The first bucket with the highest value; None where there is none."""
    values = table[column]
    if values.isna().all():
        return None
    place = int(values.argmax())
    return Peak(starts_of(table)[place], float(values.iloc[place]))


def peak_point(points: Sequence[MetricPoint], metric: str) -> Peak | None:
    """As `peak_bucket`, from points."""
    found: list[tuple[datetime, Number]] = [
        (point.timestamp, point.metrics[metric]) for point in points if metric in point.metrics
    ]
    if not found:
        return None
    start, value = max(found, key=lambda pair: pair[1])
    return Peak(start, float(value))


def missing_stretches(table: pd.DataFrame) -> list[tuple[int, int]]:
    """Runs of rows in which no column has a value, as pairs [first, after) of row numbers."""
    empty = table.isna().all(axis="columns").to_list()
    edges = [
        place for place in range(len(empty) + 1)
        if (place < len(empty) and empty[place]) != (place > 0 and empty[place - 1])
    ]  # fmt: skip
    return list(zip(edges[::2], edges[1::2], strict=True))
