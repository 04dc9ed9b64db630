"""The answers to a request about the past, laid out by bucket, with what is known of their counts."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.bands import Band
from analysis.bucket_table import (
    AverageInside,
    bucket_table,
    cut_buckets,
    starts_of,
    stretches,
)
from analysis.compared_totals import ComparedTotals
from analysis.error_part import ErrorPart
from analysis.history_request import HistoryRequest, Points
from analysis.made_once import made_once
from analysis.notes import Note
from analysis.open_time import OpenTime
from analysis.time_range import TimeRange
from analysis.told_levels import ToldLevel
from contract import METRICS, Aggregation, Granularity, MetricKey
from contract.buckets import next_bucket_start


class InsideBand(NamedTuple):
    part: ErrorPart
    ends: tuple[tuple[float, float] | None, ...]
    """Of each row: the fewest and the most who may have been inside; None: not told."""


@dataclass(frozen=True, slots=True)
class HistoryData:
    """A table of numbers by bucket, the other period on the same rows, and what qualifies both."""

    table: pd.DataFrame
    """As `bucket_table` makes it; at least one row."""
    cut: Sequence[bool]
    """Which rows the range holds only in part: of open time alone, where it is open beyond the range, too."""
    granularity: Granularity
    timezone: ZoneInfo
    range: TimeRange
    aggregation: Aggregation | None = None
    earlier: pd.DataFrame | None = None
    """The period it is compared with, on the rows of `table`."""
    earlier_range: TimeRange | None = None
    """From when to when that period is."""
    earlier_starts: Sequence[datetime | None] = ()
    """When each row of `earlier` began, in UTC; None for a row without a counterpart."""
    earlier_alone: pd.DataFrame | None = None
    """Rows of the other period that lie beside none of these, as an hour that the clocks skip here."""
    minutes: Mapping[str, Mapping[datetime, float]] = field(default_factory=dict)
    """Label -> start of a bucket -> in how many minutes people inside are counted, where that is known."""
    unseen: Mapping[str, Mapping[datetime, float]] = field(default_factory=dict)
    """Likewise how many of them may be missing, as averages are rounded: `analysis/rounded_averages.py`."""
    open_hours: Mapping[str, frozenset[datetime]] = field(default_factory=dict)
    """Label -> starts of the hours in which it is open, where that is known: `analysis/open_hours.py`."""
    closed: Sequence[TimeRange] = ()
    """When the site is closed, ascending, as far as somebody has said when it is open."""
    open_time: OpenTime | None = None
    """What of the range counts, and so is to have counts; None: all of it."""
    earlier_open_time: OpenTime | None = None
    """Likewise of the other period."""
    since: datetime | None = None
    """Start of the first minute in which anything of the site was counted, where that is within the range:
    what was before lacks nothing (`analysis/first_count.py`).
    """
    notes: Mapping[str, Note] = field(default_factory=dict)
    """What people have written on times of the range, ascending, by the names under which it is kept."""
    levels: Mapping[str, Sequence[ToldLevel]] = field(default_factory=dict)
    """Label -> what was set by hand of people inside, in the range, ascending, as the service tells it."""
    folded_until: datetime | None = None
    """Of what lies before, the service keeps quarters of an hour alone; None: of nothing in the range."""
    held_from: datetime | None = None
    """What lies before is in an archive that the service cannot read now; None: nothing of the range."""
    stays: Mapping[str, float] = field(default_factory=dict)
    """Label -> mean time inside over the whole range, in seconds, where that is known."""
    untold_stays: frozenset[str] = frozenset()
    """Labels of which that does not follow from the counts, though these are there."""
    counted: Mapping[str, frozenset[datetime]] = field(default_factory=dict)
    """Label -> starts of rows in which something is counted, where hours or minutes tell it: time inside has
    no value where nobody came.
    """
    cut_stays: Mapping[str, frozenset[datetime]] = field(default_factory=dict)
    """Label -> starts of rows whose time inside is not that of visits (`time_inside.telling_hours`)."""
    earlier_averages: Mapping[str, AverageInside] = field(default_factory=dict)
    """Label -> average of people inside of the other period as a whole; without those of whom nobody was."""
    earlier_stays: Mapping[str, float] = field(default_factory=dict)
    """As `stays`, of the other period."""
    untrusted: Mapping[str, Sequence[TimeRange]] = field(default_factory=dict)
    """Label -> when the number inside means nothing, as far as that is known."""
    earlier_untrusted: Mapping[str, Sequence[TimeRange]] = field(default_factory=dict)
    """Likewise of the other period."""
    unchecked: Mapping[str, Sequence[TimeRange]] = field(default_factory=dict)
    """Label -> when nobody knows whether the number inside means anything."""
    begun: Mapping[str, Sequence[TimeRange]] = field(default_factory=dict)
    """Label -> the day in which counting began, where it is no whole one, within the range."""
    checked_by_hours: frozenset[str] = frozenset()
    """Labels of which that was told for the hours of the range: `analysis/hourly_verdict.py`."""
    totals: ComparedTotals | None = None
    """Both periods as wholes."""
    band: InsideBand | None = None
    """Between how many people may have been inside a whole site, where that is known."""
    estimates: Mapping[tuple[str, MetricKey], Mapping[datetime, Band]] = field(default_factory=dict)
    """Label and metric -> start of a row -> what is estimated of its missing minutes; in no number."""
    capacity: float | None = None
    """Drawn in the panel of people inside, where it lies within the range of the axis."""
    made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What is made of it: `analysis/made_once.py`."""

    @property
    def columns(self) -> list[tuple[str, MetricKey]]:
        """Label and metric of each column."""
        columns = self.table.columns
        assert isinstance(columns, pd.MultiIndex)
        return [(str(label), MetricKey(metric)) for label, metric in columns]

    @property
    def marked(self) -> list[datetime]:
        """Times that are numbered on the chart, from 1 on: of the notes, then of what was set by hand."""
        by_hand = (level.at for levels in self.levels.values() for level in levels)
        return [*(note.at for note in self.notes.values()), *by_hand]

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(label for label, _ in self.columns))

    @property
    def metrics(self) -> list[MetricKey]:
        there = {metric for _, metric in self.columns}
        return [metric for metric in METRICS if metric in there]


@made_once
def closed_rows(data: HistoryData) -> list[bool]:
    """Which rows lie wholly in closed time."""
    if not data.closed:
        return [False] * len(data.table)
    begins = [one.start for one in data.closed]
    rows = []
    for start in starts_of(data.table):
        index = bisect(begins, max(start, data.range.start)) - 1
        end = min(next_bucket_start(start, data.granularity, data.timezone), data.range.end)
        rows.append(index >= 0 and data.closed[index].end >= end)
    return rows


@made_once
def rows_that_count(data: HistoryData) -> list[bool]:
    """Which rows hold a minute that counts: all since anything is counted, or those in which it is open."""
    starts, since = starts_of(data.table), data.since
    return [
        counts and (since is None or next_bucket_start(start, data.granularity, data.timezone) > since)
        for start, counts in zip(starts, _that_count(starts, data.open_time, data), strict=True)
    ]


@made_once
def earlier_rows_that_count(data: HistoryData) -> list[bool]:
    """Likewise of the other period, on the same rows; not those without a counterpart."""
    return _that_count(data.earlier_starts, data.earlier_open_time, data)


def with_all_earlier(data: HistoryData) -> HistoryData:
    """`data` whose other period has all of its rows: at the end, those that lie beside none."""
    alone = data.earlier_alone
    if data.earlier is None or alone is None or alone.empty:
        return data
    return replace(
        data,
        earlier=pd.concat([data.earlier, alone]),
        earlier_starts=[*data.earlier_starts, *starts_of(alone)],
    )


def _that_count(
    starts: Sequence[datetime | None], open_time: OpenTime | None, data: HistoryData
) -> list[bool]:
    return [
        start is not None
        and (open_time is None or open_time.of_bucket(start, data.granularity, data.timezone) > 0)
        for start in starts
    ]


def holds_nights(data: HistoryData) -> bool:
    """Whether a row holds nights that count, in which minutes may be missing because nobody counts."""
    return data.granularity in {Granularity.DAY, Granularity.MONTH} and data.open_time is None


def rows_with_counts(data: HistoryData, labels: Collection[str]) -> list[bool]:
    """Which rows any of these has counts of, whether or not a number is made of them."""
    return _rows_with_counts(data, frozenset(labels))


@made_once
def _rows_with_counts(data: HistoryData, labels: frozenset[str]) -> list[bool]:
    told = data.table[[column for column in data.columns if column[0] in labels]].notna().any(axis="columns")
    counted = frozenset().union(*(data.counted.get(label, frozenset()) for label in labels))
    return [is_told or start in counted for start, is_told in zip(starts_of(data.table), told, strict=True)]


@made_once
def cut_stay_rows(data: HistoryData, label: str) -> list[bool]:
    """Which rows have a time inside that is not that of visits."""
    cut = data.cut_stays.get(label, frozenset())
    return [start in cut for start in starts_of(data.table)]


@made_once
def missing_rows(data: HistoryData) -> list[tuple[int, int]]:
    """Runs of rows that should have counts and have none, [first, after) each."""
    return stretches([
        counts and not is_there
        for counts, is_there in zip(rows_that_count(data), rows_with_counts(data, data.labels), strict=True)
    ])  # fmt: skip


def history_data(request: HistoryRequest, points: Points, granularity: Granularity) -> HistoryData:
    """The answers as one table; the range of the request holds at least one minute."""
    table = subject_table(request, points, granularity)
    cut = _cut_rows(starts_of(table), request, granularity)
    capacity = request.subjects[0].capacity if len(request.subjects) == 1 else None
    return HistoryData(
        table, cut, granularity, request.timezone, request.range, request.aggregation,
        open_time=request.open_time, capacity=capacity,
    )  # fmt: skip


def _cut_rows(starts: Sequence[datetime], request: HistoryRequest, granularity: Granularity) -> list[bool]:
    cut, opening = cut_buckets(starts, request.range, granularity, request.timezone), request.opening
    if opening is None:
        return cut
    ends = (next_bucket_start(start, granularity, request.timezone) for start in starts)
    return [
        is_cut and opening.of(TimeRange(start, end)).minutes(start, end) > request.held(start, granularity)
        for start, end, is_cut in zip(starts, ends, cut, strict=True)
    ]


def subject_table(request: HistoryRequest, points: Points, granularity: Granularity) -> pd.DataFrame:
    """As `bucket_table`, with a column for each metric that a subject has."""
    table = bucket_table(
        {subject.label: own for subject, own in points.items()},
        request.metrics,
        request.range,
        granularity,
        request.timezone,
    )
    kept = [(subject.label, metric) for subject in points for metric in subject.metrics(request.metrics)]
    return table if kept == list(table) else table[kept]
