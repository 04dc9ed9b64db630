"""Buckets as they travel. Plain dicts: a year of points must not cost more to print than to read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from contract import Granularity
from contract.buckets import bucket_start, next_bucket_start
from service.query.metrics_question import MetricsQuestion
from service.query.time_range import TimeRange
from service.store.protocol import Bucket, BucketQuery, MetricStore

STREAMED_SPAN: Final = timedelta(hours=26)
"""How far back a stream sends again what changed: a day of 25 hours, and one hour more."""

_MINUTE: Final = timedelta(minutes=1)


class RecentPoints(NamedTuple):
    """The points of the recent buckets, as far as they may have changed."""

    oldest: datetime
    """Start of the first bucket that is recent: it holds a minute of `STREAMED_SPAN`."""
    start: datetime
    """Start of the first bucket that was read; `points` has every one from there on."""
    points: list[dict[str, Any]]


def range_points(store: MetricStore, question: MetricsQuestion, asked: TimeRange) -> list[dict[str, Any]]:
    """The points of a range, in chronological order; reads the store."""
    if asked.start >= asked.end:
        return []
    return _points(store.buckets(_bucket_query(question, asked)))


def newest_point(store: MetricStore, question: MetricsQuestion) -> dict[str, Any] | None:
    """The newest bucket as far as it is filled; None before the first count. Reads the store."""
    newest = _newest_minute(store, question)
    if newest is None or question.granularity is Granularity.MINUTE:
        return None if newest is None else _points([newest])[0]
    end = newest.start + _MINUTE
    start = bucket_start(newest.start, question.granularity, question.timezone)
    points = range_points(store, question, TimeRange(start, end, question.granularity))
    return points[-1] if points else None


def history_points(
    store: MetricStore, question: MetricsQuestion, asked: TimeRange, now: datetime
) -> list[dict[str, Any]]:
    """The points of the buckets that a range touches, up to the minute that is running; reads the store.

    Whole buckets, as a stream sends them later: one timestamp has one value, whatever range a reader that
    comes back asks for.
    """
    start = bucket_start(asked.start, asked.granularity, question.timezone)
    end = bucket_start(asked.end, asked.granularity, question.timezone)
    if end != asked.end:
        end = next_bucket_start(end, asked.granularity, question.timezone)
    running = _minute_floor(now) + _MINUTE
    return range_points(store, question, asked._replace(start=start, end=min(end, running)))


def recent_points(
    store: MetricStore, question: MetricsQuestion, first_minute: int, now: datetime
) -> RecentPoints:
    """The recent buckets from the one on that holds `first_minute`, up to the minute that is running.

    When nothing recent is stored, the newest point there is. Reads the store.
    """
    present = _minute_floor(now)
    earliest = present - STREAMED_SPAN
    first = max(datetime.fromtimestamp(first_minute * 60, UTC), earliest)
    oldest, start = (
        bucket_start(moment, question.granularity, question.timezone) for moment in (earliest, first)
    )
    points = range_points(store, question, TimeRange(start, present + _MINUTE, question.granularity))
    if not points and first == earliest and (newest := newest_point(store, question)) is not None:
        points = [newest]
    return RecentPoints(oldest, start, points)


def remembered_points(
    store: MetricStore, question: MetricsQuestion, first_minute: int, now: datetime
) -> RecentPoints | None:
    """`recent_points` from memory; None when that holds too little, as when older minutes changed.

    Only of a single zone or passage, for which there is nothing to sum.
    """
    if question.granularity is not Granularity.MINUTE or len(question.zone_ids + question.passage_ids) != 1:
        return None
    newest = _newest_minute(store, question)
    start = datetime.fromtimestamp(first_minute * 60, UTC)
    if newest is None or newest.start > start:
        return None
    return RecentPoints(_minute_floor(now) - STREAMED_SPAN, start, _points([newest]))


def _newest_minute(store: MetricStore, question: MetricsQuestion) -> Bucket | None:
    return store.latest(
        question.record.site.id,
        zone_ids=question.zone_ids,
        passage_ids=question.passage_ids,
        metrics=question.metrics,
    )


def _minute_floor(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(second=0, microsecond=0)


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
