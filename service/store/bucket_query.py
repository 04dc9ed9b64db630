"""What a query of buckets asks: which values, and the columns of minutes and quarters they are made of.

A new metric's SQL is one entry of `FORMULAS`; from which rows is in `bucket_rows`, how they are reduced in
`buckets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import ColumnElement

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricKind
from service.store.protocol import Numbers

EXTREMES: Final = frozenset({Aggregation.MINIMUM, Aggregation.MAXIMUM})
_EXTREME_OF_ENDING: Final[Mapping[str, Aggregation]] = {extreme.value: extreme for extreme in EXTREMES}

Column = TypeVar("Column", int, Numbers, ColumnElement[Any])


class Formula(NamedTuple):
    """A value as columns of a bucket (or of a minute): `column`, or `factor * column / per`."""

    column: str
    """A stored column, or the difference of two, minute by minute: `entrances-exits`."""
    per: str | None = None
    """A stored column; where it is 0 there is no value. For means alone, which no aggregation changes."""
    factor: float = 1.0
    among: str = "minutes"
    """How many minutes have a value, as a column: where that is 0 there is none."""
    unless: str | None = None
    """A column; where it is not 0 there is no value."""

    def value(self, columns: Mapping[str, int]) -> int | float | None:
        if not columns[self.among] or (self.unless and columns[self.unless]):
            return None
        value = stored_or_difference(self.column, columns)
        if self.per is None:
            return value
        return self.factor * value / columns[self.per] if columns[self.per] else None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(name for name in (self.column, self.per, self.among, self.unless) if name)


def stored_or_difference(name: str, columns: Mapping[str, Column]) -> Column:
    """The column of that name, out of the stored ones; see `Formula.column`."""
    first, _, second = name.partition("-")
    return columns[first] - columns[second] if second else columns[first]


FORMULAS: Final[Mapping[MetricKey, Formula]] = {
    MetricKey.ENTRANCES: Formula("entrances", among="counted"),
    MetricKey.EXITS: Formula("exits", among="counted"),
    MetricKey.VISITORS_INSIDE: Formula("inside"),
    # Little's law: the seconds that all spent inside, by those who came; `inside` is people in a minute.
    # Where some minutes only have a level, those who came in them are not known.
    MetricKey.TIME_SPENT: Formula("inside", per="entrances", factor=60.0, unless="uncounted"),
}
"""Of a single minute, and of minutes that are summed.

Beside the stored columns there are `minutes`, how many there are, and `counted`, in how many of them at least
one series has counts; `uncounted` is in how many at least one has a row without.
"""


class Reduction(NamedTuple):
    """How the minutes of a bucket become one number per metric."""

    metrics: tuple[MetricKey, ...]
    granularity: Granularity
    aggregation: Aggregation | None
    """None: each metric's default."""

    def formula(self, metric: MetricKey) -> Formula:
        """The metric's formula in a bucket. A column that ends in `_minimum` or `_maximum` is an extreme of
        the bucket's minutes, any other the sum over them; `minutes` is how many there are.
        """
        formula, aggregation = FORMULAS[metric], self._aggregation(metric)
        if METRICS[metric].kind is MetricKind.MEAN:
            # A ratio of sums, whatever the aggregation.
            return formula
        if aggregation in EXTREMES:
            return formula._replace(column=f"{formula.column}_{aggregation}")
        return formula._replace(per=formula.among) if aggregation is Aggregation.AVERAGE else formula

    def column_names(self) -> list[str]:
        """The columns that the metrics are made of, and how many minutes there are, each once."""
        names = (name for metric in self.metrics for name in self.formula(metric).names)
        return list(dict.fromkeys(["minutes", *names]))

    def stored_names(self) -> list[str]:
        """Likewise, of one zone: its counted minutes are those that are not uncounted."""
        names = ("uncounted" if name == "counted" else name for name in self.column_names())
        return list(dict.fromkeys(names))

    @property
    def needs_each_minute(self) -> bool:
        """Whether it takes the sum of every single minute, as the extreme of several series does."""
        return self.granularity is Granularity.MINUTE or any(map(extreme_of, self.column_names()))

    @property
    def has_averages(self) -> bool:
        return any(self.formula(metric).per in {"minutes", "counted"} for metric in self.metrics)

    @property
    def has_averages_of_counts(self) -> bool:
        """Whether a mean is asked over the minutes with counts."""
        return any(self.formula(metric).per == "counted" for metric in self.metrics)

    @property
    def has_levels(self) -> bool:
        """Whether visitorsInside is among what is asked, or part of it."""
        return any("inside" in name for name in self.column_names())

    def _aggregation(self, metric: MetricKey) -> Aggregation:
        if self.granularity is Granularity.MINUTE:
            # A minute is a bucket of one value, which stays a whole number.
            return Aggregation.SUM
        return self.aggregation or METRICS[metric].default_aggregation


def extreme_of(column_name: str) -> Aggregation | None:
    """The extreme that a column of that name holds; None for a sum."""
    return _EXTREME_OF_ENDING.get(column_name.rpartition("_")[2])


def is_of_counts(column_name: str) -> bool:
    """Whether a column of that name says nothing of a minute without counts."""
    return "inside" not in column_name


def without_extreme(column_name: str) -> str:
    """The column of a minute, or the difference of two, whose extreme a column of that name holds; of a sum,
    itself.
    """
    extreme = extreme_of(column_name)
    return column_name.removesuffix(f"_{extreme}") if extreme else column_name
