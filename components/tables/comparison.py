"""An earlier period laid over the present one, bucket by bucket and by the local clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
from dateutil.relativedelta import relativedelta

from components.tables.bucket_table import local_index, starts_of
from components.tables.time_range import NamedRange, TimeRange, instant_of

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)


class Comparison(Enum):
    """What a period is held against: its id in links and its label."""

    NONE = ("none", "Nothing")
    PERIOD = ("period", "The period before")
    WEEKDAY = ("weekday", "Same weekday, a week before")

    def __init__(self, id_: str, label: str) -> None:
        self.id = id_
        self.label = label


_PERIOD: Final = {
    NamedRange.HOUR: relativedelta(hours=1),
    NamedRange.TODAY: relativedelta(days=1),
    NamedRange.YESTERDAY: relativedelta(days=1),
    NamedRange.DAY: relativedelta(days=1),
    NamedRange.WEEK: relativedelta(weeks=1),
    NamedRange.FOUR_WEEKS: relativedelta(weeks=4),
    NamedRange.THREE_MONTHS: relativedelta(months=3),
    NamedRange.THIS_MONTH: relativedelta(months=1),
    NamedRange.LAST_MONTH: relativedelta(months=1),
    NamedRange.YEAR: relativedelta(years=1),
}


def step_back(comparison: Comparison, range_: TimeRange, named: NamedRange | None) -> relativedelta | None:
    """How far the earlier period lies back on the local clock; None when nothing is compared.

    `named` is None for a range given by its dates: then the period before is as long as the range, in whole
    days from a day on. The weekday of a range longer than a week is kept by going back whole weeks.
    """
    if comparison is Comparison.NONE:
        return None
    span = range_.end - range_.start
    if comparison is Comparison.WEEKDAY:
        return relativedelta(weeks=max(1, -(-span // _WEEK)))
    if named is not None:
        return _PERIOD[named]
    return (
        relativedelta(seconds=int(span.total_seconds()))
        if span < _DAY
        else relativedelta(days=-(-span // _DAY))
    )


def earlier_range(range_: TimeRange, step: relativedelta, timezone: ZoneInfo) -> TimeRange:
    """The same local clock times, `step` earlier: only as much of it as has passed of the present one."""
    return TimeRange(
        _stepped(range_.start, -step, timezone),
        _stepped(range_.end, -step, timezone),
    )


def laid_over(
    earlier: pd.DataFrame, present: Sequence[datetime], step: relativedelta, timezone: ZoneInfo
) -> pd.DataFrame:
    """The earlier values on the present buckets: the row of a bucket is its counterpart's.

    A bucket without a counterpart (31 March against February, the second of two 02:00 hours) is NaN.
    """
    by_start = {start: place for place, start in enumerate(starts_of(earlier))}
    counterparts = [_counterpart(start, step, timezone) for start in present]
    places = [-1 if start is None else by_start.get(start, -1) for start in counterparts]
    return pd.DataFrame(
        {
            column: [values[place] if place >= 0 else float("nan") for place in places]
            for column, values in ((name, earlier[name].to_list()) for name in earlier.columns)
        },
        index=local_index(present, timezone),
    )


def _counterpart(start: datetime, step: relativedelta, timezone: ZoneInfo) -> datetime | None:
    """The instant that is `step` earlier, unless the way back leads elsewhere."""
    before = _stepped(start, -step, timezone)
    return before if _stepped(before, step, timezone) == start else None


def _stepped(instant: datetime, step: relativedelta, timezone: ZoneInfo) -> datetime:
    return instant_of(instant.astimezone(timezone).replace(tzinfo=None) + step, timezone)
