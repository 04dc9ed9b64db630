"""Whether a service answers in longer buckets than it was asked for."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from analysis.history_data import Points
from analysis.history_request import HistoryRequest
from contract import Granularity
from contract.buckets import bucket_start, bucket_starts, next_bucket_start

_FEWEST: Final = 4
"""Fewer may lie on a coarse grid by chance."""
_LENGTH: Final = {
    Granularity.MINUTE: timedelta(minutes=1),
    Granularity.HOUR: timedelta(hours=1),
    Granularity.DAY: timedelta(days=1),
}
_GRID: Final = 300
"""Seconds: no service tells minutes and leaves out all but each fifth."""


def longer_size(request: HistoryRequest, points: Points, asked: Granularity) -> Granularity | None:
    """What to ask for instead of `asked`, where `points`, the answer to it, are longer; else None.

    They are where no two are neighbours, and the first begins before the range does or all lie on a grid, or
    they are most of the longer buckets of the range, the last of them whole. One point alone, at the start of
    an hour, may be of the minute or of the hour: said of the hour, it is true of both.
    """
    units, known = list(Granularity), sorted({one.timestamp for own in points.values() for one in own})
    if asked is units[-1] or not known:
        return None
    if any(after - start < 2 * _LENGTH[asked] for start, after in pairwise(known)):
        return None
    longer = units[units.index(asked) + 1]
    start, end = request.range
    if known[0] < bucket_start(start, asked, request.timezone):
        return longer
    if len(known) == 1:
        is_either = asked is Granularity.MINUTE and end - start > _LENGTH[asked]
        return longer if is_either and bucket_start(known[0], longer, request.timezone) == known[0] else None
    ends = next_bucket_start(known[-1], longer, request.timezone)
    buckets = set(bucket_starts(start, end, longer, request.timezone))
    if buckets.issuperset(known) and ends <= end and 2 * len(known) > len(buckets):
        return longer
    is_grid = len(known) >= _FEWEST and all(_is_on_grid(start, asked, longer, request) for start in known)
    return longer if is_grid else None


def _is_on_grid(start: datetime, asked: Granularity, longer: Granularity, request: HistoryRequest) -> bool:
    if asked is Granularity.MINUTE:
        return start.timestamp() % _GRID == 0
    return bucket_start(start, longer, request.timezone) == start
