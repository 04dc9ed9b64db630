"""What becomes of the minutes of a bucket: the aggregation of each metric, and the columns it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from contract import METRICS, Aggregation, Granularity, MetricKey

COLUMN: Final[Mapping[MetricKey, str]] = {
    MetricKey.ENTRANCES: "entrances",
    MetricKey.EXITS: "exits",
    MetricKey.VISITORS_INSIDE: "inside",
}
"""Name of the metric's column in minutes and quarters. timeSpent has none: it is made of two."""

EXTREMES: Final = frozenset({Aggregation.MINIMUM, Aggregation.MAXIMUM})

SECONDS_A_MINUTE: Final = 60.0


class Reduction(NamedTuple):
    """Which metrics are asked, by which buckets, and how the minutes of a bucket become one number."""

    metrics: tuple[MetricKey, ...]
    granularity: Granularity
    aggregation: Aggregation | None
    """None: each metric's default."""

    def of(self, metric: MetricKey) -> Aggregation:
        if self.granularity is Granularity.MINUTE:
            # A minute is a bucket of one value, which stays a whole number.
            return Aggregation.SUM
        return self.aggregation or METRICS[metric].default_aggregation

    def column_names(self) -> list[str]:
        """The columns that the metrics are made of, and how many minutes there are.

        A name that ends in `_minimum` or `_maximum` is an extreme, any other a sum.
        """
        names = ["minutes"]
        for metric in self.metrics:
            if metric is MetricKey.TIME_SPENT:
                names += ["inside", "entrances"]
            elif self.of(metric) in EXTREMES:
                names.append(f"{COLUMN[metric]}_{self.of(metric)}")
            else:
                names.append(COLUMN[metric])
        return list(dict.fromkeys(names))

    @property
    def needs_each_minute(self) -> bool:
        """Whether it takes the sum of every single minute, as the extreme of several series does."""
        return self.granularity is Granularity.MINUTE or any(map(extreme_of, self.column_names()))

    @property
    def has_averages(self) -> bool:
        return any(self.of(metric) is Aggregation.AVERAGE for metric in self.metrics)

    @property
    def has_levels(self) -> bool:
        """Whether visitorsInside is among what is asked, or part of it."""
        return bool({MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT} & set(self.metrics))


def extreme_of(column_name: str) -> Aggregation | None:
    """The extreme that a column of that name holds; None for a sum."""
    _, _, extreme = column_name.partition("_")
    return Aggregation(extreme) if extreme else None
