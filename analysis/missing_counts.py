"""When counts are missing in the open hours of either of two periods that are compared."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from statistics import median
from typing import Final, NamedTuple

from analysis.compared_totals import ComparedTotals, OpenBucket
from analysis.time_range import TimeRange
from contract import MetricKey

_NEARLY_ALL: Final = 0.95
"""Of as many minutes as other buckets have: a service may count in quarters of an hour."""


class MissingCounts(NamedTuple):
    range: TimeRange
    minutes: int
    """So many of its minutes are missing."""


class MissingOfBoth(NamedTuple):
    """Ascending; what meets is one."""

    present: tuple[MissingCounts, ...]
    earlier: tuple[MissingCounts, ...]


def missing_counts(totals: ComparedTotals, column: tuple[str, MetricKey]) -> MissingOfBoth | None:
    """Of a column (label, metric); None where it was not read of both periods."""
    both = totals.open_buckets(column)
    if both is None:
        return None
    rows = [sorted(one) for one in both]
    usual = max((_usual(one) for one in rows if any(row.counted for row in one)), default=1.0)
    return MissingOfBoth(*(tuple(_missing(one, usual)) for one in rows))


def _usual(rows: Iterable[OpenBucket]) -> float:
    """Part of its minutes that a bucket has counts of: a service may count by quarters, in both periods."""
    return median(row.counted / row.held for row in rows if row.counted)


def _missing(rows: Iterable[OpenBucket], usual: float) -> list[MissingCounts]:
    found: list[MissingCounts] = []
    for row in rows:
        if row.counted >= _NEARLY_ALL * usual * row.held:
            continue
        end, lacks = row.start + timedelta(minutes=row.held), round(usual * row.held - row.counted)
        if found and found[-1].range.end == row.start:
            before = found.pop()
            found.append(MissingCounts(TimeRange(before.range.start, end), before.minutes + lacks))
        else:
            found.append(MissingCounts(TimeRange(row.start, end), lacks))
    return found


def whole_minutes(missing: Iterable[MissingCounts]) -> int:
    return sum(one.minutes for one in missing)
