"""The period that the present one is compared with: queried in the same buckets, laid over the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import pandas as pd

from analysis.bucket_table import starts_of
from analysis.compared_totals import ComparedTotals, Period, unit_of
from analysis.comparison import (
    Against,
    counterparts,
    is_as_long,
    laid_over,
    other_range,
    step_back,
    whole_buckets,
)
from analysis.counted_minutes import average_inside, with_minutes
from analysis.granularity import longer_size
from analysis.history_data import HistoryData, subject_table
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.open_hours import open_by_label, read_hours
from analysis.peak_search import FoundPeak, find_peaks
from analysis.stays import with_stays
from analysis.subject import Subject
from analysis.time_range import NamedRange, TimeRange
from contract import Aggregation, Granularity, MetricKey

Peaks = Mapping[Subject, FoundPeak]


def compared(
    data: HistoryData,
    request: HistoryRequest,
    named: NamedRange | None,
    against: Against,
    read: RunQueries,
    *,
    run: RunQueries,
    run_all: RunQueries | None = None,
    asked_range: TimeRange | None = None,
) -> tuple[HistoryData, Peaks]:
    """`data` with the other period beside it, as `read` answers, and its peaks, as `run` does.

    Of what could not be read, the other period has no column.

    Only as much of the other period is asked for as has passed of the present one. `asked_range` is the whole
    of a range that still runs: which days are compared does not change while it does. `run_all` is as for
    `find_peaks`.
    """
    step = step_back(against, asked_range or request.range, named, request.timezone)
    if step is None:
        return data, {}
    passed = other_range(request.range, step, request.asked_at, request.timezone, named)
    other = whole_buckets(passed, request.range, step, data.granularity, request.timezone)
    present = starts_of(data.table)
    beside = replace(
        data, earlier_range=other, earlier_starts=[None] * len(present),
        earlier_open_time=request.over(other, data.granularity).open_time,
    )  # fmt: skip
    if passed.is_empty:
        return replace(beside, earlier=data.table.mul(float("nan"))), {}
    asked = request.over(other, data.granularity)
    queries = asked.queries()
    points = dict.fromkeys(queries, ()) if other.is_empty else read(queries)
    table = subject_table(asked, points, data.granularity)
    starts = counterparts(present, starts_of(table), step, data.granularity, request.timezone)
    laid = laid_over(table, present, starts, request.timezone)
    known = {(request.range, data.granularity): data.table, (other, data.granularity): table}
    unit = _unit(request, data, run)
    both = (request.over(range_, unit) for range_ in (request.range, passed))
    hours = read_hours(request.over(passed, unit), run)
    opens = (data.open_hours, open_by_label(hours, passed))
    own, others = (_period(one, unit, open_, known, run) for one, open_ in zip(both, opens, strict=True))
    is_over = is_as_long(passed, request.range, step, request.timezone)
    pairs = counterparts(starts_of(own.table), starts_of(others.table), step, unit, request.timezone)
    totals = ComparedTotals(unit, request.timezone, own, others, pairs, is_over)
    alone = table[[start not in set(starts) for start in starts_of(table)]]
    peaks = find_peaks(request.over(passed, data.granularity), data.granularity, run, run_all=run_all)
    beside = replace(beside, earlier=laid, earlier_starts=starts, earlier_alone=alone, totals=totals)
    return _with_means(beside, request.over(passed, unit), others, hours, run), peaks


def _unit(request: HistoryRequest, data: HistoryData, run: RunQueries) -> Granularity:
    """The granularity in which totals are compared; not minutes where the service has none."""
    unit = unit_of(request.range, request.timezone)
    if unit is data.granularity:
        return unit
    asked = request.over(request.range, unit)
    return longer_size(asked, run(asked.queries()), unit) or unit


def _with_means(
    data: HistoryData, request: HistoryRequest, other: Period, hours: Points, run: RunQueries
) -> HistoryData:
    """`data` with what people inside and their time were in the other period."""
    unit = request.granularity or data.granularity
    whole = replace(
        data, table=other.table, range=other.range, granularity=unit, minutes=other.minutes,
        open_hours=other.open_hours, open_time=other.open_time, stays={},
    )  # fmt: skip
    averaged = with_stays(whole, request, hours, run)
    is_average = request.aggregation in {None, Aggregation.AVERAGE}
    zones = [
        label for label, metric in averaged.columns if metric is MetricKey.VISITORS_INSIDE and is_average
    ]
    averages = {label: found for label in zones if (found := average_inside(averaged, label))}
    return replace(data, earlier_averages=averages, earlier_stays=averaged.stays)


def _period(
    request: HistoryRequest,
    unit: Granularity,
    open_hours: Mapping[str, frozenset[datetime]],
    known: Mapping[tuple[TimeRange, Granularity], pd.DataFrame],
    run: RunQueries,
) -> Period:
    """The range of the request in units; `known` are tables that are read already."""
    table = known.get((request.range, unit))
    if table is None:
        table = subject_table(request, run(request.queries()), unit)
    whole = HistoryData(
        table, (), unit, request.timezone, request.range, request.aggregation, open_time=request.open_time
    )
    minutes = with_minutes(whole, request, run).minutes
    return Period(request.range, table, minutes, open_hours, open_time=request.open_time)
