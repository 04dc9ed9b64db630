"""Metric points of a query, as dicts for JSON: a year of points must not cost more to print than to read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from contract import Granularity, MetricKey
from contract.buckets import bucket_start, next_bucket_start
from contract.minutes import MINUTE, minute_floor, minute_start
from service.query.checked_query import CheckedQuery
from service.query.time_range import TimeRange
from service.store.errors import ArchiveAwayError
from service.store.protocol import Bucket, BucketColumns, BucketQuery, MetricStore

STREAMED_SPAN: Final = timedelta(hours=26)
"""How far back a stream sends again what changed: a day of 25 hours, and one hour more."""


class RecentPoints(NamedTuple):
    """The points of the recent buckets, as far as they may have changed."""

    oldest: datetime
    """Start of the first bucket that is recent: it holds a minute of `STREAMED_SPAN`."""
    start: datetime
    """Start of the first bucket that was read; `points` has every one from there on."""
    points: list[dict[str, Any]]
    is_whole: bool = True
    """False: the newest is to be read later, since a part of it lies in an archive that is away."""


def range_points(store: MetricStore, query: CheckedQuery, asked: TimeRange) -> list[dict[str, Any]]:
    """The points of a range, in chronological order; reads the store."""
    if asked.start >= asked.end:
        return []
    return _points(store.buckets(bucket_query(query, asked)))


def past_points(
    store: MetricStore, query: CheckedQuery, asked: TimeRange
) -> tuple[orjson.Fragment, timedelta]:
    """The points of a range as JSON, which may lack what was stored in the last moments, and how long those
    are at most; reads the store.
    """
    if asked.start >= asked.end:
        return orjson.Fragment(b"[]"), timedelta(0)
    found, behind = store.past(bucket_query(query, asked))
    return _printed(found), behind


def _printed(found: BucketColumns) -> orjson.Fragment:
    """No object for each point, which would cost more than to read them."""
    stamps = np.datetime_as_string(found.starts.astype("datetime64[m]"), unit="s").tolist()
    rows = zip(stamps, *found.values, strict=True)
    if any(None in column for column in found.values):
        printed = [_printed_known(found.metrics, stamp, values) for stamp, *values in rows]
    else:
        form = _form(found.metrics)
        printed = [form % row for row in rows]
    return orjson.Fragment(f"[{','.join(printed)}]")


def _printed_known(metrics: Iterable[MetricKey], stamp: str, values: Iterable[int | float | None]) -> str:
    known = [(metric, value) for metric, value in zip(metrics, values, strict=True) if value is not None]
    return _form(metric for metric, _ in known) % (stamp, *(value for _, value in known))


def _form(metrics: Iterable[MetricKey]) -> str:
    """Of a point: whole numbers and others are written in JSON as Python does."""
    values = ",".join(f'"{metric.value}":%r' for metric in metrics)
    return f'{{"timestamp":"%s+00:00","metrics":{{{values}}}}}'


def newest_point(store: MetricStore, query: CheckedQuery) -> dict[str, Any] | None:
    """The newest bucket as far as it is filled; None before the first count. Reads the store.

    Raises ArchiveAwayError where it is longer than a minute and a part of it lies there.
    """
    newest = _newest_minute(store, query)
    if newest is None or query.granularity is Granularity.MINUTE:
        return None if newest is None else _points([newest])[0]
    end = newest.start + MINUTE
    start = bucket_start(newest.start, query.granularity, query.timezone)
    points = range_points(store, query, TimeRange(start, end, query.granularity))
    return points[-1] if points else None


def history_points(
    store: MetricStore, query: CheckedQuery, asked: TimeRange, now: datetime
) -> list[dict[str, Any]]:
    """The points of the buckets that a range touches, up to the minute that is running; reads the store.

    Whole buckets, as a stream sends them later: one timestamp has one value, whatever range a reader that
    comes back asks for.
    """
    start = bucket_start(asked.start, asked.granularity, query.timezone)
    end = bucket_start(asked.end, asked.granularity, query.timezone)
    if end != asked.end:
        end = next_bucket_start(end, asked.granularity, query.timezone)
    running = minute_floor(now) + MINUTE
    return range_points(store, query, asked._replace(start=start, end=min(end, running)))


def recent_points(store: MetricStore, query: CheckedQuery, first_minute: int, now: datetime) -> RecentPoints:
    """The recent buckets from the one on that holds `first_minute`, up to the minute that is running.

    When nothing recent is stored, the newest point there is, if that can be read. Reads the store.
    """
    present = minute_floor(now)
    earliest = present - STREAMED_SPAN
    first = max(minute_start(first_minute), earliest)
    oldest, start = (bucket_start(moment, query.granularity, query.timezone) for moment in (earliest, first))
    points = range_points(store, query, TimeRange(start, present + MINUTE, query.granularity))
    if points or first > earliest:
        return RecentPoints(oldest, start, points)
    try:
        newest = newest_point(store, query)
    except ArchiveAwayError:
        return RecentPoints(oldest, start, [], is_whole=False)
    return RecentPoints(oldest, start, [] if newest is None else [newest])


def remembered_points(
    store: MetricStore, query: CheckedQuery, first_minute: int, now: datetime
) -> RecentPoints | None:
    """`recent_points` from memory; None when that holds too little, as when older minutes changed.

    Only of a single zone or passage, for which there is nothing to sum.
    """
    if query.granularity is not Granularity.MINUTE or len(query.zone_ids + query.passage_ids) != 1:
        return None
    newest = _newest_minute(store, query)
    start = minute_start(first_minute)
    if newest is None or newest.start > start:
        return None
    return RecentPoints(minute_floor(now) - STREAMED_SPAN, start, _points([newest]))


def _newest_minute(store: MetricStore, query: CheckedQuery) -> Bucket | None:
    return store.newest(
        query.record.site.id,
        zone_ids=query.zone_ids,
        passage_ids=query.passage_ids,
        metrics=query.metrics,
    )


def _points(buckets: Iterable[Bucket]) -> list[dict[str, Any]]:
    # Values and keys stay as they are, and a datetime in UTC is printed in the very form of the
    # specification: this loop is most of what an answer costs beside its statement.
    return [{"timestamp": start, "metrics": values} for start, values in buckets]


def bucket_query(query: CheckedQuery, asked: TimeRange) -> BucketQuery:
    """What a store is asked for a range of the query."""
    return BucketQuery(
        site_id=query.record.site.id,
        metrics=query.metrics,
        start=asked.start,
        end=asked.end,
        granularity=asked.granularity,
        timezone=query.timezone,
        zone_ids=query.zone_ids,
        passage_ids=query.passage_ids,
        aggregation=query.aggregation,
    )
