"""What the metrics, granularities and aggregations are called on a page."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricKind

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
    if METRICS[metric].kind is MetricKind.MEAN:
        return f"mean per {granularity}, in minutes"
    if granularity is Granularity.MINUTE:
        return "per minute"
    chosen = aggregation or METRICS[metric].default_aggregation
    return f"{_REDUCED[chosen]} per {granularity}"


_COUNTED_AS: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.AVERAGE: "on average",
        Aggregation.SUM: "",
        Aggregation.MAXIMUM: "in the highest minute",
        Aggregation.MINIMUM: "in the lowest minute",
    }
)


def quantity(metric: MetricKey, aggregation: Aggregation | None, granularity: Granularity) -> str:
    """What a bucket's number is a number of, after it: `24 inside on average`, `31 came in`."""
    spec = METRICS[metric]
    if granularity is Granularity.MINUTE:
        return spec.counted
    asked = None if spec.kind is MetricKind.MEAN else aggregation
    chosen = asked or spec.default_aggregation
    each = " a minute" if chosen is Aggregation.AVERAGE and spec.kind is MetricKind.FLOW else ""
    return f"{spec.counted}{each} {_COUNTED_AS[chosen]}".strip()
