"""The metrics worked out the slow way: row by row, from local wall clocks, without the store's arithmetic.

Several zones are summed minute by minute first; every aggregation is taken over those sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricKind
from service.store.protocol import BucketQuery, PassageCount, SiteRecord

Counts = Mapping[tuple[str, int], tuple[int, int]]
"""(passage id, minute) -> forward, backward."""

Told = Mapping[tuple[str, int], int | None]
"""(zone id, minute) -> visitorsInside as it was told; None: that was taken back, and the minute is there."""

NOTHING_TOLD: Told = {}


@dataclass
class PlainMinute:
    entrances: int = 0
    exits: int = 0
    inside: int = 0
    hidden: int = 0
    is_counted: bool = True
    """Whether at least one zone has counts."""
    is_whole: bool = True
    """Whether no zone has a level alone."""


OfAMinute = Callable[[PlainMinute], int]

OF_A_MINUTE: dict[MetricKey, tuple[OfAMinute, OfAMinute]] = {
    MetricKey.ENTRANCES: (lambda row: row.entrances, lambda _: 1),
    MetricKey.EXITS: (lambda row: row.exits, lambda _: 1),
    MetricKey.VISITORS_INSIDE: (lambda row: row.inside, lambda _: 1),
    MetricKey.TIME_SPENT: (lambda row: 60 * row.inside, lambda row: row.entrances),
}
"""What a minute adds to the metric, and, of a mean, to what it is divided by."""

PlainBucket = tuple[datetime, dict[MetricKey, dict[Aggregation, int | float]]]
"""Start, and of each metric what it is by every aggregation; nothing, where it has no value."""


@dataclass
class PlainSeries:
    """Minutes of zones, or of passages (which have nobody inside)."""

    minutes: dict[int, PlainMinute] = field(default_factory=dict)
    worked_out: dict[object, list[PlainBucket]] = field(default_factory=dict)
    """Buckets that were asked for before, by what was asked but for the aggregation."""


def counts_of(counts: Iterable[PassageCount]) -> dict[tuple[str, int], tuple[int, int]]:
    return {(count.passage_id, count.minute): (count.forward, count.backward) for count in counts}


def plain_zone(record: SiteRecord, counts: Counts, zone_id: str, told: Told = NOTHING_TOLD) -> PlainSeries:
    series = _flows(record, counts, [zone_id], [passage.id for passage in record.site.passages])
    own = {minute: level for (zone, minute), level in told.items() if zone == zone_id}
    for minute in own.keys() - series.minutes.keys():
        series.minutes[minute] = PlainMinute(is_counted=False, is_whole=False)
    timezone = _timezone(record)
    inside, day = 0, None
    for minute in sorted(series.minutes):
        values = series.minutes[minute]
        if _reset_day(minute, timezone, record.daily_reset_hour) != day:
            inside, day = 0, _reset_day(minute, timezone, record.daily_reset_hour)
        inside += values.entrances - values.exits
        values.hidden = max(0, -inside)
        inside = max(0, inside)
        if (level := own.get(minute)) is not None:
            values.hidden, inside = 0, level
        values.inside = inside
    return series


def plain_buckets(
    record: SiteRecord, counts: Counts, query: BucketQuery, told: Told = NOTHING_TOLD
) -> list[tuple[datetime, dict[MetricKey, int | float]]]:
    """Start and values of each bucket that holds a stored minute."""
    return plain_reduction(plain_series(record, counts, query.zone_ids, query.passage_ids, told), query)


def plain_series(
    record: SiteRecord,
    counts: Counts,
    zone_ids: Sequence[str],
    passage_ids: Sequence[str],
    told: Told = NOTHING_TOLD,
) -> PlainSeries:
    """The zones, or the passages that lead into them, summed minute by minute."""
    if passage_ids:
        return _flows(record, counts, zone_ids, passage_ids)
    return _summed(
        [plain_zone(record, counts, zone_id, told) for zone_id in zone_ids or [record.top_zone_id]], record
    )


def _summed(zones: Sequence[PlainSeries], record: SiteRecord) -> PlainSeries:
    """A zone without a row in a minute adds the level of its last row since the reset, and no flows."""
    total, day = PlainSeries(), None
    levels = [0 for _ in zones]
    for minute in sorted({minute for zone in zones for minute in zone.minutes}):
        if _reset_day(minute, _timezone(record), record.daily_reset_hour) != day:
            levels, day = [0 for _ in zones], _reset_day(minute, _timezone(record), record.daily_reset_hour)
        there = [zone.minutes[minute] for zone in zones if minute in zone.minutes]
        row = total.minutes[minute] = PlainMinute(
            is_counted=any(one.is_counted for one in there), is_whole=all(one.is_whole for one in there)
        )
        for position, zone in enumerate(zones):
            if minute in zone.minutes:
                row.entrances += zone.minutes[minute].entrances
                row.exits += zone.minutes[minute].exits
                levels[position] = zone.minutes[minute].inside
        row.inside = sum(levels)
    return total


def plain_reduction(
    series: PlainSeries, query: BucketQuery
) -> list[tuple[datetime, dict[MetricKey, int | float]]]:
    """The buckets of a series that was worked out before."""
    assert set(query.metrics) <= set(OF_A_MINUTE), f"each metric is to be worked out in {__name__}, too"
    ways = tuple((metric, OF_A_MINUTE[metric]) for metric in query.metrics)
    asked = (query.start, query.end, query.granularity, query.timezone, ways)
    if asked not in series.worked_out:
        series.worked_out[asked] = _worked_out(series, query)
    return [
        (
            start,
            {
                metric: values[query.aggregation or METRICS[metric].default_aggregation]
                for metric, values in of_metrics.items()
                if values
            },
        )
        for start, of_metrics in series.worked_out[asked]
    ]


def _worked_out(series: PlainSeries, query: BucketQuery) -> list[PlainBucket]:
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for minute in series.minutes:
        if query.start <= _instant(minute) < query.end:
            groups[_local_name(minute, query.granularity, query.timezone)].append(minute)
    starts = {
        name: _first_minute(name, min(minutes), query.granularity, query.timezone)
        for name, minutes in groups.items()
    }
    return [
        (_instant(starts[name]), _values([series.minutes[minute] for minute in groups[name]], query))
        for name in sorted(groups, key=starts.__getitem__)
    ]


def _flows(
    record: SiteRecord, counts: Counts, zone_ids: Sequence[str], passage_ids: Sequence[str]
) -> PlainSeries:
    series = PlainSeries()
    for passage in record.site.passages:
        if passage.id not in passage_ids:
            continue
        ends = (passage.from_zone_id, passage.to_zone_id)
        into: list[bool] = []
        if not zone_ids:
            into = [passage.to_zone_id is not None]
        for zone_id in zone_ids:
            if zone_id == record.top_zone_id:
                into += [ends[0] is None] if (ends[0] is None) != (ends[1] is None) else []
            else:
                into += [True] * (ends[1] == zone_id) + [False] * (ends[0] == zone_id)
        for (passage_id, minute), (forward, backward) in counts.items():
            if passage_id == passage.id and into:
                values = series.minutes.setdefault(minute, PlainMinute())
                values.entrances += sum(forward if ahead else backward for ahead in into)
                values.exits += sum(backward if ahead else forward for ahead in into)
    return series


def _timezone(record: SiteRecord) -> ZoneInfo:
    return ZoneInfo(record.site.timezone or "Etc/UTC")


@cache
def _instant(minute: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)


def _reset_day(minute: int, timezone: ZoneInfo, reset_hour: int) -> date:
    local = _instant(minute).astimezone(timezone)
    return local.date() if local.hour >= reset_hour else local.date() - timedelta(days=1)


@cache
def _local_name(minute: int, granularity: Granularity, timezone: ZoneInfo) -> tuple[object, ...]:
    """What wall clock and calendar call the bucket of a minute."""
    local = _instant(minute).astimezone(timezone)
    return {
        Granularity.MINUTE: (minute,),
        Granularity.HOUR: (local.year, local.month, local.day, local.hour, local.utcoffset()),
        Granularity.DAY: (local.year, local.month, local.day),
        Granularity.MONTH: (local.year, local.month),
    }[granularity]


@cache
def _first_minute(name: object, minute: int, granularity: Granularity, timezone: ZoneInfo) -> int:
    """The first minute, stored or not, that has the name."""
    for step in (60, 1):
        while _local_name(minute - step, granularity, timezone) == name:
            minute -= step
    return minute


def _values(
    rows: Sequence[PlainMinute], query: BucketQuery
) -> dict[MetricKey, dict[Aggregation, int | float]]:
    values: dict[MetricKey, dict[Aggregation, int | float]] = {}
    for metric in query.metrics:
        dividend, divisor = OF_A_MINUTE[metric]
        column = [dividend(row) for row in rows if row.is_counted or metric is MetricKey.VISITORS_INSIDE]
        if METRICS[metric].kind is MetricKind.MEAN:
            total = sum(map(divisor, rows)) if all(row.is_whole for row in rows) else 0
            values[metric] = dict.fromkeys(Aggregation, sum(column) / total) if total else {}
            continue
        if not column:
            values[metric] = {}
            continue
        values[metric] = {
            Aggregation.SUM: sum(column),
            Aggregation.AVERAGE: sum(column) / len(column),
            Aggregation.MAXIMUM: max(column),
            Aggregation.MINIMUM: min(column),
        }
    return values
