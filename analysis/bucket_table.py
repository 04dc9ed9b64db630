"""Points by bucket, and what such a table says in a few numbers: totals, the highest bucket, what is missing.

Every bucket of the range is a row, so that what is missing shows as missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from analysis.time_range import TimeRange, naive_local
from contract import Granularity, MetricKey, MetricPoint, Number
from contract.buckets import bucket_starts, next_bucket_start
from contract.minutes import MINUTE

BUCKET_START: Final = "bucket start"
"""Name of the index."""


def bucket_table(
    points: Mapping[str, Sequence[MetricPoint]],
    metrics: Sequence[MetricKey],
    range_: TimeRange,
    granularity: Granularity,
    timezone: ZoneInfo,
) -> pd.DataFrame:
    """One row per bucket of the range, one column per label and metric; NaN where nothing was counted.

    `points` maps a label to its points. The index is aware, in `timezone`; the columns are pairs (label,
    metric key). A point outside the expected buckets (another service's rule) keeps a row of its own.
    """
    seen = {point.timestamp for own in points.values() for point in own}
    starts = sorted(seen.union(bucket_starts(range_.start, range_.end, granularity, timezone)))
    values = [_column(own, metric, starts) for own in points.values() for metric in metrics]
    return pd.DataFrame(
        # One block of numbers; pandas would look at each column of lists for what it is.
        np.array(values, dtype=np.float64).reshape(len(values), len(starts)).T,
        index=local_index(starts, timezone),
        columns=_columns(tuple(points), tuple(metrics)),
    )


@lru_cache(maxsize=256)  # an index of words costs as much as a table of a day
def _columns(labels: tuple[str, ...], metrics: tuple[MetricKey, ...]) -> pd.MultiIndex:
    return pd.MultiIndex.from_product([labels, metrics], names=("of", "metric"))


def local_index(starts: Sequence[datetime], timezone: ZoneInfo) -> pd.DatetimeIndex:
    """The index of a table: `starts` (aware) in `timezone`."""
    return pd.DatetimeIndex(pd.to_datetime(list(starts), utc=True), name=BUCKET_START).tz_convert(timezone)


def starts_of(table: pd.DataFrame) -> list[datetime]:
    """First instants of the rows, in UTC: in a local zone a repeated hour would equal its twin."""
    return list(_moments(pd.DatetimeIndex(table.index).as_unit("us").asi8.tobytes()))


@lru_cache(maxsize=16)  # a page asks for those of its few tables again and again, for each zone and sentence
def _moments(microseconds: bytes) -> tuple[datetime, ...]:
    index = pd.DatetimeIndex(np.frombuffer(microseconds, dtype=np.int64).view("M8[us]"), tz=UTC)
    return tuple(index.to_pydatetime())


def cut_buckets(
    starts: Iterable[datetime], range_: TimeRange, granularity: Granularity, timezone: ZoneInfo
) -> list[bool]:
    """Which buckets the range holds only in part: the one that still runs, or one that the range cuts."""
    return [
        start < range_.start or next_bucket_start(start, granularity, timezone) > range_.end
        for start in starts
    ]


@lru_cache(maxsize=2**15)  # asked for each bucket of each zone
def bucket_minutes(start: datetime, granularity: Granularity, range_: TimeRange, timezone: ZoneInfo) -> float:
    """Minutes of a bucket that the range holds."""
    end = min(next_bucket_start(start, granularity, timezone), range_.end)
    return max(1.0, (end - max(start, range_.start)) / MINUTE)


def ends_are_one(starts: Sequence[datetime], range_: TimeRange, timezone: ZoneInfo) -> bool:
    """Whether the first and the last bucket are cut so that both together are one: 24 hours from 18:06 on.

    They begin at the same time of the clock: a part of the hour from 08:00 and one of that from 12:00 are
    two.
    """
    cuts = [
        naive_local(edge, timezone) - naive_local(start, timezone)
        for edge, start in zip(range_, (starts[0], starts[-1]), strict=True)
    ]
    clocks = {naive_local(start, timezone).time() for start in (starts[0], starts[-1])}
    return len(starts) > 1 and len(clocks) == 1 and cuts[0] > timedelta(0) and cuts[0] == cuts[1]


def _column(
    points: Sequence[MetricPoint], metric: MetricKey, starts: Sequence[datetime]
) -> list[float | None]:
    values = {point.timestamp: point.metrics.get(metric) for point in points}
    return [values.get(start) for start in starts]


class Completeness(NamedTuple):
    """How many buckets, or minutes, have counts, of how many that should."""

    present: int
    expected: int

    @property
    def is_complete(self) -> bool:
        return self.present == self.expected


class AverageInside(NamedTuple):
    """Of people inside, over the hours in which somebody was."""

    people: float
    hours: Completeness
    """Those in which somebody was, of those that have counts."""
    minutes: Completeness
    """Those that are counted of the hours in which somebody was, as far as that is known."""
    left_over: int = 0
    """Hours in which those alone are counted inside who had not been counted out: in none of the above."""
    unknown: int = 0
    """Likewise hours that lack minutes: whether anybody came or went in these, nobody knows."""


class Peak(NamedTuple):
    """The highest value of a range, and when it was."""

    start: datetime
    """First instant of the bucket, in UTC."""
    value: float


class Change(NamedTuple):
    """The same number of two periods."""

    present: float
    earlier: float

    @property
    def percent(self) -> float | None:
        """By how many percent the present value is above the earlier; None where that is 0."""
        return 100 * (self.present - self.earlier) / self.earlier if self.earlier else None


def total(column: pd.Series) -> float | None:
    """The sum of a column without its missing values; None where all are missing."""
    return None if column.isna().all() else float(column.sum())


def peak_bucket(table: pd.DataFrame, column: tuple[str, str]) -> Peak | None:
    """The first bucket with the highest value; None where there is none."""
    values = table[column]
    if values.isna().all():
        return None
    index = int(values.argmax())
    return Peak(starts_of(table)[index], float(values.iloc[index]))


def peak_point(points: Sequence[MetricPoint], metric: str) -> Peak | None:
    """As `peak_bucket`, from points."""
    found: list[tuple[datetime, Number]] = [
        (point.timestamp, point.metrics[metric]) for point in points if metric in point.metrics
    ]
    if not found:
        return None
    start, value = max(found, key=lambda pair: pair[1])
    return Peak(start, float(value))


def sum_of(points: Sequence[MetricPoint], metric: str) -> Number | None:
    """None where no point has the metric: missing is never 0."""
    values = [point.metrics[metric] for point in points if metric in point.metrics]
    return sum(values) if values else None


def stretches(rows: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of rows that are true, as pairs [first, after) of row numbers."""
    edges = [
        index for index in range(len(rows) + 1)
        if (index < len(rows) and rows[index]) != (index > 0 and rows[index - 1])
    ]  # fmt: skip
    return list(zip(edges[::2], edges[1::2], strict=True))
