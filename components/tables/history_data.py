"""What the past looked like: the answers to a request, laid out by bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
from dateutil.relativedelta import relativedelta

from components.tables.bucket_table import bucket_table, cut_buckets, starts_of
from components.tables.comparison import laid_over
from components.tables.history_request import HistoryRequest
from components.tables.metric_words import LABELS
from components.tables.subject import Subject
from components.tables.time_range import usual_granularity
from contract import Aggregation, Granularity, MetricKey, MetricPoint

Points = Mapping[Subject, Sequence[MetricPoint]]


@dataclass(frozen=True, slots=True)
class HistoryData:
    table: pd.DataFrame
    """As `bucket_table` makes it; at least one row."""
    cut: Sequence[bool]
    """Which rows the range holds only in part."""
    granularity: Granularity
    timezone: ZoneInfo
    aggregation: Aggregation | None = None
    earlier: pd.DataFrame | None = None
    """The earlier period on the rows of `table`."""
    capacity: float | None = None
    """Drawn in the panel of people inside, where it lies within reach."""

    @property
    def columns(self) -> list[tuple[str, MetricKey]]:
        """Label and metric of each column."""
        labels, metrics = (self.table.columns.get_level_values(level) for level in ("of", "metric"))
        return [(str(label), MetricKey(metric)) for label, metric in zip(labels, metrics, strict=True)]

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(label for label, _ in self.columns))

    @property
    def metrics(self) -> list[MetricKey]:
        there = {metric for _, metric in self.columns}
        return [metric for metric in LABELS if metric in there]


def history_data(request: HistoryRequest, points: Points, granularity: Granularity) -> HistoryData:
    """The answers as one table; the range of the request holds at least one minute."""
    table = _table(request, points, granularity)
    cut = cut_buckets(starts_of(table), request.range, granularity, request.timezone)
    capacity = request.subjects[0].capacity if len(request.subjects) == 1 else None
    return HistoryData(table, cut, granularity, request.timezone, request.aggregation, capacity=capacity)


def earlier_table(
    request: HistoryRequest, points: Points, present: HistoryData, step: relativedelta
) -> pd.DataFrame:
    """Answers to the `request` about an earlier period, on the rows of the present one."""
    earlier = _table(request, points, present.granularity)
    return laid_over(earlier, starts_of(present.table), step, present.timezone)


def answered_granularity(request: HistoryRequest, inferred: Mapping[str, Any]) -> Granularity:
    """What was asked for; else what the service says it inferred; else what its rule would be."""
    if request.granularity is not None:
        return request.granularity
    try:
        return Granularity(inferred["granularity"])
    except (KeyError, ValueError):
        return usual_granularity(request.range)


def _table(request: HistoryRequest, points: Points, granularity: Granularity) -> pd.DataFrame:
    table = bucket_table(
        {subject.label: own for subject, own in points.items()},
        request.metrics,
        request.range,
        granularity,
        request.timezone,
    )
    kept = [(subject.label, metric) for subject in points for metric in subject.metrics(request.metrics)]
    return table[kept]
