"""What the metrics and their aggregations are called on a page, and which aggregations are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricKind, Unit

_REDUCED: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.AVERAGE: "average",
        Aggregation.SUM: "sum",
        Aggregation.MAXIMUM: "highest minute",
        Aggregation.MINIMUM: "lowest minute",
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
AGGREGATION_LABELS: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.SUM: "Total",
        Aggregation.AVERAGE: "Average minute",
        Aggregation.MAXIMUM: "Highest minute",
        Aggregation.MINIMUM: "Lowest minute",
    }
)


def reduction(metric: MetricKey, aggregation: Aggregation | None, granularity: Granularity) -> str:
    """How a bucket's minutes become its number, and in what it is told: `average per hour`."""
    spec = METRICS[metric]
    if spec.kind is MetricKind.MEAN:
        return f"mean per {granularity}" + (", in minutes" if spec.unit is Unit.SECONDS else "")
    if granularity is Granularity.MINUTE:
        return "per minute"
    chosen = aggregation or spec.default_aggregation
    return f"{_REDUCED[chosen]} per {granularity}"


def number_words(metric: MetricKey, aggregation: Aggregation | None, granularity: Granularity) -> str:
    """Unit and reduction of a number: `people, average per hour`, `minutes, mean per hour`."""
    reduced = reduction(metric, aggregation, granularity).removesuffix(", in minutes")
    return f"{'minutes' if METRICS[metric].unit is Unit.SECONDS else 'people'}, {reduced}"


def quantity(metric: MetricKey, aggregation: Aggregation | None, granularity: Granularity) -> str:
    """What a bucket's number is a number of, after it: `24 inside on average`, `31 came in`."""
    spec = METRICS[metric]
    if granularity is Granularity.MINUTE:
        return spec.counted
    asked = None if spec.kind is MetricKind.MEAN else aggregation
    chosen = asked or spec.default_aggregation
    each = " a minute" if chosen is Aggregation.AVERAGE and spec.kind is MetricKind.FLOW else ""
    return f"{spec.counted}{each} {_COUNTED_AS[chosen]}".strip()


def means_something(aggregation: Aggregation, metrics: Sequence[MetricKey]) -> bool:
    """Whether an aggregation means something for each of the metrics: one query has one for all."""
    return all(aggregation in METRICS[metric].aggregations for metric in metrics)


def offered_aggregations(metrics: Sequence[MetricKey]) -> list[Aggregation]:
    """Those that mean something, and something else than what is usual for each metric anyway."""
    usual = {METRICS[metric].default_aggregation for metric in metrics}
    return [one for one in AGGREGATION_LABELS if means_something(one, metrics) and usual - {one}]


def usual_label(metrics: Sequence[MetricKey]) -> str:
    """What is shown unless another aggregation is chosen."""
    others = [METRICS[metric] for metric in metrics if METRICS[metric].kind is not MetricKind.FLOW]
    if not others:
        return "Usual: total"
    if len(others) == len(metrics):
        return "Usual: average"
    levels = [spec for spec in others if spec.kind is MetricKind.LEVEL]  # a mean could be nothing else
    names = (spec.label.lower().removeprefix("people ") for spec in levels or others)
    return f"Usual: total; {' and '.join(names)}: average"


def why_not(aggregation: Aggregation, metrics: Sequence[MetricKey]) -> str | None:
    """Why the usual is shown where a link asks for what means nothing; None where it means something."""
    if means_something(aggregation, metrics):
        return None
    odd = [METRICS[metric] for metric in metrics if aggregation not in METRICS[metric].aggregations]
    level = next((spec.label.lower() for spec in odd if spec.kind is MetricKind.LEVEL), None)
    if aggregation is Aggregation.SUM and level:
        return (
            f"A total of {level} would count whoever stays again each minute, so it is not shown. "
            f"You see the average of {level} instead."
        )
    names = " and ".join(spec.label.lower() for spec in odd)
    reason = ", which is a mean already" if all(spec.kind is MetricKind.MEAN for spec in odd) else ""
    return (
        f"“{AGGREGATION_LABELS[aggregation]}” cannot be told for {names}{reason}. "
        "You see the usual values instead."
    )
