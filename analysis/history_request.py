"""A request about the past (which site, zones, metrics, range), and the metrics queries that answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from analysis.bucket_table import bucket_minutes
from analysis.open_time import Opening, OpenTime
from analysis.subject import Subject
from analysis.time_range import TimeRange, time_text
from contract import CROSSINGS, Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery

Points = Mapping[Subject, Sequence[MetricPoint]]
"""The points that answer the query about each subject, ascending."""
RunQueries = Callable[[Mapping[Any, MetricsQuery]], Mapping[Any, Sequence[MetricPoint]]]
"""Runs several queries; one that fails is absent from the answer."""


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """What a person wants to see; one metrics query per subject answers it."""

    site_id: str
    subjects: tuple[Subject, ...]
    metrics: tuple[MetricKey, ...]
    range: TimeRange
    timezone: ZoneInfo
    asked_at: datetime
    """Aware; what `ago` counts from."""
    granularity: Granularity | None = None
    """None: the service infers it."""
    aggregation: Aggregation | None = None
    """None: each metric's own."""
    opening: Opening | None = None
    """None: all hours count; else open time alone does. Queries ask for all: `analysis/open_only.py`."""

    @property
    def open_time(self) -> OpenTime | None:
        """What of the range counts; None: all of it."""
        return self.opening.of(self.range) if self.opening else None

    def held(self, start: datetime, granularity: Granularity) -> float:
        """Minutes of a bucket that count."""
        if self.opening:
            return self.opening.of(self.range).of_bucket(start, granularity, self.timezone)
        return bucket_minutes(start, granularity, self.range, self.timezone)

    def queries(self) -> dict[Subject, MetricsQuery]:
        """One query per subject, since the service sums the zones of a filter.

        A passage is left out when only metrics of zones are asked.
        """
        return {subject: self.query(subject) for subject in self.subjects if subject.metrics(self.metrics)}

    def over(self, range_: TimeRange, granularity: Granularity) -> HistoryRequest:
        """The same request about another range, in the buckets of this one."""
        return replace(self, range=range_, granularity=granularity)

    def peak(self, subject: Subject, range_: TimeRange, granularity: Granularity) -> MetricsQuery:
        """Query for the fullest minute within each bucket."""
        asked = replace(
            self,
            metrics=(MetricKey.VISITORS_INSIDE,),
            range=range_,
            granularity=granularity,
            aggregation=Aggregation.MAXIMUM,
        )
        return asked.query(subject)

    def minutes(self, subject: Subject, range_: TimeRange) -> MetricsQuery:
        """Query for people inside, entrances and exits of each minute; of a day at most."""
        asked = replace(
            self,
            metrics=(MetricKey.VISITORS_INSIDE, *CROSSINGS),
            range=range_,
            granularity=Granularity.MINUTE,
            aggregation=None,
        )
        return asked.query(subject)

    def query(self, subject: Subject) -> MetricsQuery:
        """The query about one subject; a passage has flows alone."""
        return MetricsQuery(
            metrics=subject.metrics(self.metrics),
            site_id=self.site_id,
            from_=time_text(self.range.start, self.asked_at, self.timezone),
            to=time_text(self.range.end, self.asked_at, self.timezone),
            granularity=self.granularity,
            aggregation=self.aggregation,
            timezone=self.timezone.key,
            filter=subject.filter,
        )
