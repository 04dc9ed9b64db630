from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import bucket_table, starts_of
from analysis.compared_totals import ComparedTotals, Period, Verdict
from analysis.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint

ZURICH, HALL, CAME = ZoneInfo("Europe/Zurich"), "Hall", MetricKey.ENTRANCES
START = datetime(2026, 6, 2, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)


def period(start: datetime, came: Sequence[int], minutes: int | None) -> Period:
    """One hour after the other; so many minutes are counted in each, known where somebody came."""
    range_ = TimeRange(start, start + len(came) * HOUR)
    points = [
        MetricPoint(timestamp=start + place * HOUR, metrics={CAME: count}) for place, count in enumerate(came)
    ]
    table = bucket_table({HALL: points}, [CAME], range_, Granularity.HOUR, ZURICH)
    known = {one.timestamp: float(minutes) for one in points if minutes and one.metrics[CAME]}
    return Period(range_, table, {HALL: known})


def verdict(came: Sequence[int], before: Sequence[int], minutes: int | None) -> Verdict:
    own, other = period(START, came, minutes), period(START - timedelta(days=7), before, minutes)
    totals = ComparedTotals(Granularity.HOUR, ZURICH, own, other, starts_of(other.table), is_over=True)
    found = totals.verdict((HALL, CAME))
    assert found is not None
    return found


@pytest.mark.parametrize(("minutes", "counted"), [(4, 16), (60, 240), (None, 240)])
def test_an_hour_in_which_nobody_came_counts_for_as_many_minutes_as_its_neighbours(
    minutes: int | None, counted: int
) -> None:
    """A door that counts every quarter of an hour opens an hour later than a week ago."""
    found = verdict([0, 5, 7, 6], [4, 5, 7, 6], minutes)
    assert found.minutes == found.minutes_earlier == (counted, 240)
    assert found.is_fair


def test_no_minutes_are_counted_in_an_hour_that_is_missing() -> None:
    own = period(START, [0, 5, 7, 6], 60)
    own.table.iloc[0] = float("nan")
    other = period(START - timedelta(days=7), [4, 5, 7, 6], 60)
    totals = ComparedTotals(Granularity.HOUR, ZURICH, own, other, starts_of(other.table), is_over=True)
    found = totals.verdict((HALL, CAME))
    assert found is not None
    assert found.minutes == (180, 240)
    assert not found.is_fair
