"""Which ways of making one number of many minutes mean something for a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from contract import FLOWS, METRICS, Aggregation, MetricKey, MetricKind

AGGREGATION_LABELS: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.SUM: "Total",
        Aggregation.AVERAGE: "Average minute",
        Aggregation.MAXIMUM: "Highest minute",
        Aggregation.MINIMUM: "Lowest minute",
    }
)


def means_something(aggregation: Aggregation, metrics: Sequence[MetricKey]) -> bool:
    """For each of the metrics: one query has one aggregation for all of them."""
    return all(aggregation in METRICS[metric].aggregations for metric in metrics)


def offered_aggregations(metrics: Sequence[MetricKey]) -> list[Aggregation]:
    """Those that mean something, and something else than what is usual for each metric anyway."""
    usual = {METRICS[metric].default_aggregation for metric in metrics}
    return [one for one in AGGREGATION_LABELS if means_something(one, metrics) and usual - {one}]


def usual_label(metrics: Sequence[MetricKey]) -> str:
    """What is shown unless another aggregation is chosen."""
    flows = [metric for metric in metrics if metric in FLOWS]
    if len(flows) == len(metrics):
        return "Usual: total"
    return "Usual: total, of people inside the average" if flows else "Usual: average"


def why_not(aggregation: Aggregation, metrics: Sequence[MetricKey]) -> str | None:
    """Why the usual is shown where a link asks for what means nothing; None where it means something."""
    if means_something(aggregation, metrics):
        return None
    specs = [METRICS[metric] for metric in metrics]
    level = next((spec.label.lower() for spec in specs if spec.kind is MetricKind.LEVEL), None)
    if aggregation is Aggregation.SUM and level:
        return (
            f"A total of {level} would count whoever stays again each minute, so it is not shown. "
            f"You see the average of {level} instead."
        )
    odd = " and ".join(spec.label.lower() for spec in specs if aggregation not in spec.aggregations)
    return (
        f"“{AGGREGATION_LABELS[aggregation]}” cannot be told for {odd}, which is a mean already. "
        "You see the usual values instead."
    )
