"""Which ways of making one number of many minutes mean something for a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from components.tables.metric_words import LABELS
from components.tables.subject import FLOWS
from contract import DEFAULT_AGGREGATION, Aggregation, MetricKey

AGGREGATION_LABELS: Final[Mapping[Aggregation, str]] = MappingProxyType(
    {
        Aggregation.SUM: "Total",
        Aggregation.AVERAGE: "Average minute",
        Aggregation.MAXIMUM: "Highest minute",
        Aggregation.MINIMUM: "Lowest minute",
    }
)

_MEANINGFUL: Final[Mapping[MetricKey, frozenset[Aggregation]]] = MappingProxyType(
    {
        MetricKey.ENTRANCES: frozenset(Aggregation),
        MetricKey.EXITS: frozenset(Aggregation),
        # Summed over minutes, whoever stays is counted again each minute.
        MetricKey.VISITORS_INSIDE: frozenset(Aggregation) - {Aggregation.SUM},
        # Already a mean over people, which has no highest and no lowest minute of its own.
        MetricKey.TIME_SPENT: frozenset({Aggregation.AVERAGE}),
    }
)


def means_something(aggregation: Aggregation, metrics: Sequence[MetricKey]) -> bool:
    """For each of the metrics: one query has one aggregation for all of them."""
    return all(aggregation in _MEANINGFUL[metric] for metric in metrics)


def offered_aggregations(metrics: Sequence[MetricKey]) -> list[Aggregation]:
    """Those that mean something, and something else than what is usual for each metric anyway."""
    usual = {DEFAULT_AGGREGATION[metric] for metric in metrics}
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
    if aggregation is Aggregation.SUM and MetricKey.VISITORS_INSIDE in metrics:
        return (
            "A total of people inside would count whoever stays again each minute, so it is not shown. "
            "You see the average of people inside instead."
        )
    odd = " and ".join(LABELS[metric].lower() for metric in metrics if aggregation not in _MEANINGFUL[metric])
    return (
        f"“{AGGREGATION_LABELS[aggregation]}” cannot be told for {odd}, which is a mean already. "
        "You see the usual values instead."
    )
