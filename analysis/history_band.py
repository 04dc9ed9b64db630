"""Between how many people may really have been inside, laid on the buckets of History: the band of Trust.

Its hours tell who had come in since the day began. Within an hour they are taken to have come evenly; in the
one that runs nothing is told, nor after an hour that is not counted, nor on a day that means nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import isnan
from typing import Final

import numpy as np
import pandas as pd

from analysis.bucket_table import starts_of
from analysis.count_days import Numbers
from analysis.error_part import ErrorPart
from analysis.history_data import HistoryData, InsideBand
from analysis.history_request import HistoryRequest
from analysis.inside_band import error_part
from analysis.subject import SubjectKind
from analysis.trust_grid import Grid, ReadGrid
from analysis.trust_request import trust_request
from analysis.untrusted import untrusted_rows
from contract import Granularity, MetricKey

DAYS: Final = 28
"""That are over; Trust offers as many."""
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = {Granularity.MINUTE: timedelta(minutes=1), Granularity.HOUR: _HOUR}


def with_inside_band(data: HistoryData, request: HistoryRequest, read_grid: ReadGrid) -> HistoryData:
    """`data` with the band, where it is of people inside a whole site in the last weeks, by hour or minute.

    It rests on those weeks by the hour; without them nothing is told.
    """
    site, inside = request.subjects[0], MetricKey.VISITORS_INSIDE
    is_meant = (
        len(request.subjects) == 1
        and site.kind is SubjectKind.SITE
        and data.granularity in _STEPS
        and (site.label, inside) in data.table.columns
        and data.range.end > request.asked_at - timedelta(days=DAYS)
    )
    if not is_meant:
        return data
    asked = trust_request(request.site_id, [site], timezone=request.timezone, now=request.asked_at)
    grid = read_grid(asked)
    if grid is None or site not in grid.hours or not grid.days:
        return data
    hours = grid.hours[site]
    part = error_part(grid.balances[site][-DAYS:])
    if part is None:
        return data
    # Counters that are switched off at night miss nobody then.
    entered = np.where(np.isnan(hours.came) & ~grid.expected[site], 0.0, hours.came)
    came = _came_by(data, grid, entered)
    spoilt = untrusted_rows(data, site.label)
    told = data.table[site.label, inside]
    ends = [
        None if by_then is None or is_spoilt or pd.isna(value) else _ends(float(value), by_then, part)
        for value, by_then, is_spoilt in zip(told, came, spoilt, strict=True)
    ]
    return replace(data, band=InsideBand(part, tuple(ends))) if any(ends) else data


def _ends(inside: float, came: float, part: ErrorPart) -> tuple[float, float]:
    """A count that leaves people over tells too many: the band lies below the number then."""
    return max(0.0, inside - part.high * came), max(0.0, inside - part.low * came)


def _came_by(data: HistoryData, grid: Grid, entered: Numbers) -> list[float | None]:
    """How many had come in by the end of each bucket, since its day began; None where that is not known."""
    begins = _begins(grid)
    first, after = begins[0], len(grid.starts)
    before = np.zeros(after + 1)
    for one, next_one in pairwise([*begins, after]):
        before[one + 1 : next_one + 1] = np.cumsum(entered[one:next_one])
    found: list[float | None] = []
    for start in starts_of(data.table):
        row = bisect_right(grid.starts, start) - 1
        if row < first or start >= grid.starts[-1] + _HOUR:
            found.append(None)
            continue
        part = min(1.0, (start + _STEPS[data.granularity] - grid.starts[row]) / _HOUR)
        earlier = 0.0 if row in begins else float(before[row])
        came = earlier + part * float(entered[row])
        found.append(None if isnan(came) else came)
    return found


def _begins(grid: Grid) -> Sequence[int]:
    """Rows at which a day begins, that of the present one last."""
    return [*(day.first for day in grid.days[-DAYS:]), grid.days[-1].after]
