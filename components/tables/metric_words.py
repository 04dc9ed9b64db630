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


_COUNTED: Final[Mapping[MetricKey, str]] = MappingProxyType(
    {
        MetricKey.VISITORS_INSIDE: "inside",
        MetricKey.ENTRANCES: "came in",
        MetricKey.EXITS: "went out",
        MetricKey.TIME_SPENT: "min inside per person",
    }
)
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
    is_minute = granularity is Granularity.MINUTE
    chosen = (
        Aggregation.AVERAGE if metric is MetricKey.TIME_SPENT else aggregation or DEFAULT_AGGREGATION[metric]
    )
    each = (
        " a minute"
        if chosen is Aggregation.AVERAGE and metric in {MetricKey.ENTRANCES, MetricKey.EXITS}
        else ""
    )
    return _COUNTED[metric] if is_minute else f"{_COUNTED[metric]}{each} {_COUNTED_AS[chosen]}".strip()
