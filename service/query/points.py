"""Buckets as they travel. Plain dicts: a year of points must not cost more to print than to read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from contract import Granularity
from contract.buckets import bucket_start
from service.query.metrics_question import MetricsQuestion
from service.query.time_range import TimeRange
from service.store.protocol import Bucket, BucketQuery, MetricStore


def range_points(store: MetricStore, question: MetricsQuestion, asked: TimeRange) -> list[dict[str, Any]]:
    """The points of a range, in chronological order; reads the store."""
    if asked.start >= asked.end:
        return []
    return _points(store.buckets(_bucket_query(question, asked)))


def newest_point(store: MetricStore, question: MetricsQuestion) -> dict[str, Any] | None:
    """The newest bucket as far as it is filled; None before the first count. Reads the store."""
    newest = store.latest(
        question.record.site.id,
        zone_ids=question.zone_ids,
        passage_ids=question.passage_ids,
        metrics=question.metrics,
    )
    if newest is None or question.granularity is Granularity.MINUTE:
        return None if newest is None else _points([newest])[0]
    end = newest.start + timedelta(minutes=1)
    start = bucket_start(newest.start, question.granularity, question.timezone)
    points = range_points(store, question, TimeRange(start, end, question.granularity))
    return points[-1] if points else None


def _points(buckets: Iterable[Bucket]) -> list[dict[str, Any]]:
    # Values and keys stay as they are, and a datetime in UTC is printed in the very form of the
    # specification: this loop is most of what an answer costs beside its statement.
    return [{"timestamp": start, "metrics": values} for start, values in buckets]


def _bucket_query(question: MetricsQuestion, asked: TimeRange) -> BucketQuery:
    return BucketQuery(
        site_id=question.record.site.id,
        metrics=question.metrics,
        start=asked.start,
        end=asked.end,
        granularity=asked.granularity,
        timezone=question.timezone,
        zone_ids=question.zone_ids,
        passage_ids=question.passage_ids,
        aggregation=question.aggregation,
    )
