"""What the metrics, granularities and aggregations are called on a page."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from contract import DEFAULT_AGGREGATION, Aggregation, Granularity, MetricKey

LABELS: Final[Mapping[MetricKey, str]] = MappingProxyType(
    {
        MetricKey.VISITORS_INSIDE: "People inside",
        MetricKey.ENTRANCES: "Entrances",
        MetricKey.EXITS: "Exits",
        MetricKey.TIME_SPENT: "Time inside",
    }
)
"""In the order in which pages show them."""

_REDUCED: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.AVERAGE: "average",
        Aggregation.SUM: "sum",
        Aggregation.MAXIMUM: "highest minute",
        Aggregation.MINIMUM: "lowest minute",
    }
)


def reduction(metric: MetricKey, aggregation: Aggregation | None, granularity: Granularity) -> str:
    """How a bucket's minutes become its number: `average per hour`; `minutes` for timeSpent."""
    if metric is MetricKey.TIME_SPENT:
        return f"mean per {granularity}, in minutes"
    if granularity is Granularity.MINUTE:
        return "per minute"
    chosen = aggregation or DEFAULT_AGGREGATION[metric]
    return f"{_REDUCED[chosen]} per {granularity}"
