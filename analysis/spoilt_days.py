"""On which days the number inside of a place means nothing, told by the hour: a lower bound, at one question.

The rule is decision 19's; days go from the quietest hour to the next, as on the page Trust. By minutes, which
tell more and cost a question a day, `runtime/sound_days.py` judges the few days that Ahead rests on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

import numpy as np

from analysis.count_days import Hours
from analysis.drift import is_large
from analysis.history_request import HistoryRequest, RunQueries
from analysis.open_hours import METRICS_OF_HOURS
from analysis.time_range import TimeRange
from analysis.trust_grid import Grid, place_grid
from analysis.trust_request import whole_hours_until
from contract import Granularity

_DAY: Final = timedelta(days=1)


class SpoiltDays(NamedTuple):
    dates: frozenset[date]
    """Local; each is that of most hours of its day."""
    hours: frozenset[datetime]
    """Starts of all hours of these days, and of today's where more went out than can have been inside."""
    judged: frozenset[datetime] = frozenset()
    """Starts of all hours of which this is known: of days that are counted whole, and of today."""
    begun: frozenset[datetime] = frozenset()
    """Starts of all hours of the day in which the counts of the site begin, where it is no whole one."""


def spoilt_days(request: HistoryRequest, run: RunQueries) -> SpoiltDays | None:
    """Of the one zone or site of `request`, in its range and until now; None: it cannot be told."""
    asked = judged_hours(request)
    return None if asked.range.is_empty else spoilt_of(asked, place_grid(asked, run))


def judged_hours(request: HistoryRequest) -> HistoryRequest:
    """The hours that tell it, for `place_grid`: since the day before, whose count may go on."""
    begin = request.range.start - _DAY
    range_ = TimeRange(begin, max(begin, whole_hours_until(request.asked_at, request.timezone)))
    return replace(request.over(range_, Granularity.HOUR), metrics=METRICS_OF_HOURS, aggregation=None)


def spoilt_of(asked: HistoryRequest, grid: Grid | None) -> SpoiltDays | None:
    """Likewise of the one zone or site whose hours are on the grid, as `asked` asks for them."""
    (zone,) = asked.subjects
    if grid is None or zone not in grid.hours:
        return None
    hours, days = grid.hours[zone], list(zip(grid.days, grid.balances[zone], strict=True))
    spoilt = [day for day, balance in days if balance.is_spoilt]
    rows = [row for day in spoilt for row in range(day.first, day.after)]
    last = grid.days[-1].after if grid.days else 0
    today = range(last, len(grid.starts))
    if _is_spoilt_so_far(hours, slice(today.start, today.stop)):
        rows += today
    known = [row for day, balance in days if balance.is_whole for row in range(day.first, day.after)]
    dates = frozenset(day.date for day in spoilt)
    begun = (
        []
        if grid.since is None
        else [
            row
            for day, balance in days
            if day.first <= grid.first < day.after and not balance.is_whole
            for row in range(day.first, day.after)
        ]
    )
    return SpoiltDays(dates, _starts(grid, rows), _starts(grid, [*known, *today]), _starts(grid, begun))


def _starts(grid: Grid, rows: Iterable[int]) -> frozenset[datetime]:
    return frozenset(grid.starts[row] for row in rows)


def _is_spoilt_so_far(hours: Hours, rows: slice) -> bool:
    """Of a day that is not over, who is inside may still leave; who left without having come never does."""
    net, inside = hours.net[rows], hours.inside[rows]
    if not net.size:
        return False
    wrong = max(0.0, -float(np.cumsum(net).min()))
    highest = 0.0 if np.isnan(inside).all() else float(np.nanmax(inside))
    return is_large(wrong, highest)
