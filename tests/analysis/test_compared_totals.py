from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Change, bucket_table, starts_of
from analysis.compared_totals import ComparedTotals, Period, Verdict
from analysis.open_rows import Shared
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


def on_days(first: int, days: Sequence[int]) -> Period:
    """A week from that day of June on; on so many of its days from 0, four people in each of two hours."""
    start = datetime(2026, 6, first, tzinfo=ZURICH)
    points = [
        MetricPoint(timestamp=start + timedelta(days=day, hours=hour), metrics={CAME: 4})
        for day in days
        for hour in (9, 10)
    ]
    range_ = TimeRange(start.astimezone(UTC), (start + timedelta(days=7)).astimezone(UTC))
    table = bucket_table({HALL: points}, [CAME], range_, Granularity.HOUR, ZURICH)
    return Period(range_, table, {HALL: {one.timestamp: 60.0 for one in points}})


def week_beside(own: Sequence[int], other: Sequence[int], *, shift: int = 7) -> Verdict:
    """`shift` days lie between the two weeks."""
    earlier = on_days(15 - shift, other)
    present = on_days(15, own)
    totals = ComparedTotals(
        Granularity.HOUR, ZURICH, present, earlier, starts_of(earlier.table), is_over=True
    )
    found = totals.verdict((HALL, CAME))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("own", "other", "is_fair"),
    [
        ([1, 3, 5], [0, 2, 4], False),
        ([0, 2, 4], [0, 2, 4], True),
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 5], False),
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], True),
        ([], [0], False),
    ],
)
def test_as_many_minutes_of_other_days_are_not_held_against_each_other(
    own: Sequence[int], other: Sequence[int], is_fair: bool
) -> None:
    found = week_beside(own, other)
    assert found.is_fair is is_fair
    assert (found.minutes.present, found.minutes_earlier.present) == (120 * len(own), 120 * len(other))


@pytest.mark.parametrize("missing", [15, 8])
def test_a_week_without_its_fullest_hour_is_not_held_against_one_that_has_it(missing: int) -> None:
    """It is one of 46 in minutes, and more than a third of the people. Else both weeks are the same."""

    def week(first: int) -> Period:
        start = datetime(2026, 6, first, tzinfo=ZURICH)
        people = {timedelta(days=day, hours=hour): 4 for day in range(5) for hour in range(9, 18)}
        people |= {} if first == missing else {timedelta(days=5, hours=12): 100}
        points = [MetricPoint(timestamp=start + at, metrics={CAME: came}) for at, came in people.items()]
        range_ = TimeRange(start.astimezone(UTC), (start + timedelta(days=7)).astimezone(UTC))
        table = bucket_table({HALL: points}, [CAME], range_, Granularity.HOUR, ZURICH)
        return Period(range_, table, {HALL: {one.timestamp: 60.0 for one in points}})

    earlier, present = week(8), week(15)
    beside = starts_of(earlier.table)
    found = ComparedTotals(Granularity.HOUR, ZURICH, present, earlier, beside, is_over=True).verdict(
        (HALL, CAME)
    )
    assert found is not None
    assert not found.is_fair
    assert found.shared == Shared(Change(180, 180), 45)


def test_where_weekdays_meet_others_a_closed_day_without_counts_is_no_other_hour() -> None:
    """The same Sunday is closed in both, and meets a Saturday and a Monday."""
    found = week_beside([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 6], shift=6)
    assert found.is_fair
    assert found.counted == found.counted_earlier == (12, 12)


def test_where_weekdays_meet_others_a_silent_day_is_missing() -> None:
    """Of the earlier week, which begins on a Tuesday, its Wednesday: about a seventh of its people."""
    found = week_beside([0, 1, 2, 3, 4, 5], [0, 2, 3, 4, 6], shift=6)
    assert (found.counted, found.counted_earlier, found.lacking) == ((12, 12), (10, 12), (0, 8))
    assert found.shared == Shared(Change(40, 40), 10)
    assert not found.is_fair
