from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from math import isnan
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta

from analysis.bucket_table import bucket_table, starts_of
from analysis.comparison import (
    Against,
    Comparison,
    counterparts,
    laid_over,
    named_in_sentence,
    offered_comparisons,
    other_range,
    step_back,
    whole_buckets,
)
from analysis.time_range import NamedRange, Step, TimeRange, local_clock, named_range, range_of_dates
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
ENTRANCES = MetricKey.ENTRANCES
WEEK = relativedelta(weeks=1)
LATER = datetime(2027, 6, 1, tzinfo=UTC)


def at(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH, fold=fold).astimezone(UTC)


def local_hours(values_of: TimeRange) -> dict[str, list[MetricPoint]]:
    """Each hour's value is its local hour."""
    starts = bucket_starts(values_of.start, values_of.end, Granularity.HOUR, ZURICH)
    return {
        "Shop": [
            MetricPoint(timestamp=start, metrics={ENTRANCES: start.astimezone(ZURICH).hour})
            for start in starts
        ]
    }


def overlay(range_: TimeRange, step: relativedelta) -> list[float]:
    earlier = other_range(range_, step, LATER, ZURICH)
    table = bucket_table(local_hours(earlier), [ENTRANCES], earlier, Granularity.HOUR, ZURICH)
    present = list(bucket_starts(range_.start, range_.end, Granularity.HOUR, ZURICH))
    beside = counterparts(present, starts_of(table), step, Granularity.HOUR, ZURICH)
    return laid_over(table, present, beside, ZURICH)["Shop", ENTRANCES].tolist()


@pytest.mark.parametrize("named", [None, *NamedRange])
@pytest.mark.parametrize("chosen", ["", "none", "period", "weekday", "4-weeks", "52-weeks"])
def test_no_two_comparisons_that_are_offered_mean_the_same(named: NamedRange | None, chosen: str) -> None:
    """And the chosen one is offered."""
    offered = offered_comparisons(named, chosen)
    assert len(set(offered.values())) == len(offered)
    assert {*offered, "none", ""} > {chosen}
    if named is not None:
        range_ = named_range(named, LATER, ZURICH)
        steps = [back(one, range_, named) for one in Comparison if one.id in offered]
        assert all(step not in steps[:place] for place, step in enumerate(steps) if step)


def test_the_week_before_and_its_weekdays_are_one_choice() -> None:
    for chosen, first in {"": "period", "weekday": "weekday"}.items():
        assert next(iter(offered_comparisons(NamedRange.LAST_WEEK, chosen))) == first
    assert offered_comparisons(NamedRange.LAST_WEEK, "weekday")["weekday"] == "The week before"
    assert offered_comparisons(NamedRange.YESTERDAY, "")["weekday"] == "Same weekday a week before"
    for longer in (NamedRange.THIS_MONTH, NamedRange.THIRTY_DAYS, None):
        assert offered_comparisons(longer, "")["weekday"] == "The same weekdays before"


@pytest.mark.parametrize(
    ("named", "comparison", "said"),
    [
        (NamedRange.LAST_WEEK, Comparison.PERIOD, "the week before"),
        (NamedRange.THIS_WEEK, Comparison.WEEKDAY, "the week before by this time"),
        (NamedRange.TODAY, Comparison.WEEKDAY, "on the same weekday a week before by this time"),
        (NamedRange.DAY, Comparison.PERIOD, "the day before"),
        (NamedRange.THIRTY_DAYS, Comparison.WEEKDAY, "on the same weekdays before"),
        (NamedRange.YESTERDAY, Comparison.FIFTY_TWO_WEEKS, "52 weeks before"),
        (None, Comparison.PERIOD, "in the time before"),
        (NamedRange.TODAY, Comparison.DATE, "in the other period"),
    ],
)
def test_a_sentence_names_the_period_that_a_person_chose(
    named: NamedRange | None, comparison: Comparison, said: str
) -> None:
    assert named_in_sentence(Against(comparison), named) == said


def back(
    comparison: Comparison,
    range_: TimeRange,
    named: NamedRange | None = None,
    *,
    first: date | None = None,
) -> Step | None:
    return step_back(Against(comparison, first), range_, named, ZURICH)


def test_only_the_part_that_has_passed_is_compared() -> None:
    now = at("2026-11-21T10:07:30")
    today = named_range(NamedRange.TODAY, now, ZURICH)
    step = back(Comparison.PERIOD, today, NamedRange.TODAY)
    assert step is not None
    assert other_range(today, step, LATER, ZURICH) == TimeRange(
        at("2026-11-20T00:00"), at("2026-11-20T10:06")
    )


@pytest.mark.parametrize("named", [NamedRange.TODAY, NamedRange.DAY, NamedRange.SEVEN_DAYS])
def test_the_same_weekday_is_a_week_before(named: NamedRange) -> None:
    range_ = named_range(named, at("2026-11-21T10:07"), ZURICH)
    assert back(Comparison.WEEKDAY, range_, named) == WEEK


def test_the_same_weekdays_lie_four_and_fifty_two_weeks_before() -> None:
    today = named_range(NamedRange.TODAY, at("2026-11-21T10:07"), ZURICH)
    for comparison, day in (
        (Comparison.FOUR_WEEKS, "2026-10-24"),
        (Comparison.FIFTY_TWO_WEEKS, "2025-11-22"),
    ):
        step = back(comparison, today, NamedRange.TODAY)
        assert step is not None
        assert other_range(today, step, LATER, ZURICH) == TimeRange(at(f"{day}T00:00"), at(f"{day}T10:06"))
    longer = TimeRange(at("2026-10-01T00:00"), at("2026-11-10T00:00"))
    assert back(Comparison.FOUR_WEEKS, longer, None) == relativedelta(weeks=4)


def test_a_range_longer_than_a_week_goes_back_whole_weeks() -> None:
    range_ = TimeRange(at("2026-10-01T00:00"), at("2026-10-11T00:00"))
    assert back(Comparison.WEEKDAY, range_, None) == relativedelta(weeks=2)


def test_before_a_month_lies_the_month_before() -> None:
    range_ = named_range(NamedRange.LAST_MONTH, at("2026-11-21T10:00"), ZURICH)
    step = back(Comparison.PERIOD, range_, NamedRange.LAST_MONTH)
    assert step is not None
    assert other_range(range_, step, LATER, ZURICH) == TimeRange(
        at("2026-09-01T00:00"), at("2026-10-01T00:00")
    )


def test_the_period_before_dates_is_as_long() -> None:
    range_ = TimeRange(at("2026-10-10T00:00"), at("2026-10-13T00:00"))
    assert back(Comparison.PERIOD, range_, None) == relativedelta(days=3)
    morning = TimeRange(at("2026-10-10T08:00"), at("2026-10-10T12:00"))
    assert back(Comparison.PERIOD, morning, None) == timedelta(hours=4)


def test_nothing_is_compared_unless_asked() -> None:
    range_ = TimeRange(at("2026-10-10T00:00"), at("2026-10-13T00:00"))
    assert back(Comparison.NONE, range_, None) is None


def test_the_local_clock_decides_across_a_change_of_clocks() -> None:
    monday = TimeRange(at("2025-10-27T00:00"), at("2025-10-28T00:00"))
    assert overlay(monday, WEEK) == list(range(24))


def test_the_second_of_two_hours_has_no_counterpart() -> None:
    values = overlay(TimeRange(at("2025-10-26T00:00"), at("2025-10-27T00:00")), WEEK)
    assert len(values) == 25
    assert values[:3] == [0, 1, 2]
    assert isnan(values[3])
    assert values[4:] == list(range(3, 24))


def test_an_hour_that_was_skipped_is_compared_with_nothing() -> None:
    values = overlay(TimeRange(at("2025-03-31T00:00"), at("2025-04-01T00:00")), relativedelta(days=1))
    assert values[:2] == [0, 1]
    assert isnan(values[2])
    assert values[3:] == list(range(3, 24))


def test_the_31st_has_no_counterpart_in_a_shorter_month() -> None:
    step = relativedelta(months=1)
    march = TimeRange(at("2026-03-01T00:00"), at("2026-04-01T00:00"))
    earlier = other_range(march, step, LATER, ZURICH)
    days = list(bucket_starts(earlier.start, earlier.end, Granularity.DAY, ZURICH))
    points = {"Shop": [MetricPoint(timestamp=day, metrics={ENTRANCES: 1}) for day in days]}
    table = bucket_table(points, [ENTRANCES], earlier, Granularity.DAY, ZURICH)
    present = list(bucket_starts(march.start, march.end, Granularity.DAY, ZURICH))
    laid = laid_over(table, present, counterparts(present, days, step, Granularity.DAY, ZURICH), ZURICH)
    assert laid["Shop", ENTRANCES].notna().sum() == 28
    assert starts_of(laid) == present
    assert present[1] - present[0] == timedelta(days=1)


def test_the_week_before_a_week_in_which_the_clocks_go_back_is_one_week_back() -> None:
    week = TimeRange(at("2025-10-20T00:00"), at("2025-10-27T00:00"))
    assert back(Comparison.WEEKDAY, week) == WEEK
    assert back(Comparison.PERIOD, week) == relativedelta(days=7)


def test_before_a_month_of_dates_lies_the_month_before() -> None:
    october = TimeRange(at("2026-10-01T00:00"), at("2026-11-01T00:00"))
    assert back(Comparison.PERIOD, october) == relativedelta(months=1)
    assert back(Comparison.DATE, october, first=date(2026, 2, 1)) == relativedelta(months=8)


def test_any_day_can_be_the_first_of_the_other_period() -> None:
    morning = TimeRange(at("2026-11-21T08:00"), at("2026-11-21T12:00"))
    before, after = (back(Comparison.DATE, morning, first=date(2026, 11, day)) for day in (3, 28))
    assert before == relativedelta(days=18)
    assert after == relativedelta(days=-7)
    assert other_range(morning, relativedelta(days=-7), LATER, ZURICH) == TimeRange(
        at("2026-11-28T08:00"), at("2026-11-28T12:00")
    )


def test_without_a_day_nothing_is_compared() -> None:
    assert back(Comparison.DATE, TimeRange(at("2026-10-10T00:00"), at("2026-10-13T00:00"))) is None


def test_what_begins_on_a_chosen_day_begins_on_it_whatever_the_size_of_the_bars() -> None:
    year = TimeRange(at("2025-11-21T18:00"), at("2026-11-21T18:00"))
    step = back(Comparison.DATE, year, first=date(2024, 3, 5))
    assert step is not None
    assert other_range(year, step, LATER, ZURICH).start == at("2024-03-05T18:00")
    months, others = (
        list(bucket_starts(*range_, Granularity.MONTH, ZURICH))
        for range_ in (year, other_range(year, step, LATER, ZURICH))
    )
    assert counterparts(months, others, step, Granularity.MONTH, ZURICH) == others


def test_months_of_dates_are_held_against_months() -> None:
    spring = TimeRange(at("2026-03-12T00:00"), at("2026-06-20T00:00"))
    assert back(Comparison.PERIOD, spring) == relativedelta(months=4)


def test_a_year_before_has_the_same_dates() -> None:
    day = TimeRange(at("2026-11-21T00:00"), at("2026-11-22T00:00"))
    assert back(Comparison.YEAR, day) == relativedelta(years=1)


def test_the_end_of_a_longer_month_is_held_against_a_whole_shorter_one() -> None:
    """On 31 March at 18:00 all of February has passed: its last day is not cut at 18:00."""
    march = TimeRange(at("2026-03-01T00:00"), at("2026-03-31T18:00"))
    february = other_range(march, relativedelta(months=1), LATER, ZURICH)
    assert february == TimeRange(at("2026-02-01T00:00"), at("2026-03-01T00:00"))


def test_a_later_period_is_compared_up_to_its_last_whole_bucket() -> None:
    last_week = TimeRange(at("2026-11-09T00:00"), at("2026-11-16T00:00"))
    now = at("2026-11-18T10:30")
    step = relativedelta(weeks=-1)
    this_week = other_range(last_week, step, now, ZURICH)
    assert this_week.end == at("2026-11-18T10:29")
    whole = whole_buckets(this_week, last_week, step, Granularity.DAY, ZURICH)
    assert whole == TimeRange(at("2026-11-16T00:00"), at("2026-11-18T00:00"))


def test_what_has_passed_of_both_is_compared_to_the_minute() -> None:
    today = TimeRange(at("2026-11-21T00:00"), at("2026-11-21T10:06"))
    yesterday = other_range(today, relativedelta(days=1), LATER, ZURICH)
    step = relativedelta(days=1)
    assert whole_buckets(yesterday, today, step, Granularity.HOUR, ZURICH) == yesterday
    assert yesterday.end == at("2026-11-20T10:06")


@pytest.mark.parametrize(
    ("day", "local", "has_other"),
    [
        (date(2026, 10, 4), time(2, 30), False),
        (date(2026, 10, 4), time(3), True),
        (date(2026, 10, 5), time(2), False),
        (date(2026, 4, 5), time(1, 30), False),
        (date(2026, 4, 6), time(2), True),
    ],
)
def test_an_hour_that_half_is_skipped_is_held_against_none(day: date, local: time, has_other: bool) -> None:
    """On Lord Howe Island the clocks change by half an hour at 02:00."""
    zone, step = ZoneInfo("Australia/Lord_Howe"), relativedelta(days=1)
    own = range_of_dates(
        datetime.combine(day, time()), datetime.combine(day, time()) + timedelta(days=1), zone
    )
    earlier = other_range(own, step, LATER, zone)
    present, before = (list(bucket_starts(*one, Granularity.HOUR, zone)) for one in (own, earlier))
    beside = dict(zip(present, counterparts(present, before, step, Granularity.HOUR, zone), strict=True))
    # Of a time that comes twice, the second bucket is the one that begins at the change.
    own_start = max(start for start in present if start.astimezone(zone).time() == local)
    assert (beside[own_start] is not None) == has_other
    assert {start for start in beside.values() if start} <= set(before)


CHANGES = [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)]


@pytest.mark.parametrize("named", [NamedRange.HOUR, NamedRange.DAY])
@pytest.mark.parametrize("change", CHANGES)
def test_before_hours_lie_as_many_also_where_the_clocks_change(named: NamedRange, change: datetime) -> None:
    for minutes in range(0, 60 * 60, 23):
        now = change + timedelta(minutes=minutes)
        range_ = named_range(named, now, ZURICH)
        step = back(Comparison.PERIOD, range_, named)
        assert step is not None
        other = other_range(range_, step, LATER, ZURICH, named)
        assert (other.end, other.end - other.start) == (range_.start, range_.end - range_.start)


@pytest.mark.parametrize("named", [NamedRange.HOUR, NamedRange.DAY])
@pytest.mark.parametrize("change", CHANGES)
def test_hours_of_a_week_before_are_as_many_and_end_at_the_same_clock_time(
    named: NamedRange, change: datetime
) -> None:
    for minutes in range(0, 60 * 60, 23):
        range_ = named_range(named, change + timedelta(minutes=minutes), ZURICH)
        other = other_range(range_, WEEK, LATER, ZURICH, named)
        assert other.end - other.start == range_.end - range_.start
        ends = (one.end.astimezone(ZURICH).replace(tzinfo=None, fold=0) for one in (other, range_))
        assert next(ends) + timedelta(weeks=1) == next(ends)


def test_an_hour_bar_of_the_last_day_stands_beside_that_of_24_hours_earlier() -> None:
    """Where the clocks changed between the two, their clock times differ by that."""
    range_ = TimeRange(at("2026-03-29T00:00"), at("2026-03-29T12:00"))
    step = timedelta(hours=24)
    present, before = (
        list(bucket_starts(*one, Granularity.HOUR, ZURICH))
        for one in (range_, other_range(range_, step, LATER, ZURICH))
    )
    assert counterparts(present, before, step, Granularity.HOUR, ZURICH) == before
    assert len(before) == len(present) == 11


SANTIAGO = ZoneInfo("America/Santiago")
"""On 6 September 2026 its clocks go from 24:00 to 01:00."""


@pytest.mark.parametrize(
    ("first", "last", "comparison", "other_first", "other_last"),
    [
        (5, 6, Comparison.PERIOD, "2026-09-04", "2026-09-05"),
        (6, 7, Comparison.PERIOD, "2026-09-05", "2026-09-06"),
        (6, 7, Comparison.WEEKDAY, "2026-08-30", "2026-08-31"),
        (7, 8, Comparison.PERIOD, "2026-09-06", "2026-09-07"),
        (4, 6, Comparison.PERIOD, "2026-09-02", "2026-09-04"),
        (1, 6, Comparison.WEEKDAY, "2026-08-25", "2026-08-30"),
        (6, 13, Comparison.WEEKDAY, "2026-08-30", "2026-09-06"),
        (6, 13, Comparison.PERIOD, "2026-08-30", "2026-09-06"),
    ],
)
def test_a_day_whose_midnight_the_clocks_skip_is_one_day(
    first: int, last: int, comparison: Comparison, other_first: str, other_last: str
) -> None:
    begin, end = (datetime.combine(date(2026, 9, day), time()) for day in (first, last))
    range_ = range_of_dates(begin, end, SANTIAGO)
    step = step_back(Against(comparison), range_, None, SANTIAGO)
    assert step is not None
    other = other_range(range_, step, LATER, SANTIAGO)
    assert [str(local_clock(edge, SANTIAGO)) for edge in other] == [
        f"{other_first} 00:00:00",
        f"{other_last} 00:00:00",
    ]
    present, before = (list(bucket_starts(*one, Granularity.DAY, SANTIAGO)) for one in (range_, other))
    assert counterparts(present, before, step, Granularity.DAY, SANTIAGO) == before


def test_the_day_before_a_day_that_begins_at_one_is_asked_for_whole() -> None:
    now = datetime(2026, 9, 6, 18, tzinfo=UTC)
    yesterday = named_range(NamedRange.YESTERDAY, now, SANTIAGO)
    step = step_back(Against(Comparison.PERIOD), yesterday, NamedRange.YESTERDAY, SANTIAGO)
    assert step is not None
    other = other_range(yesterday, step, LATER, SANTIAGO, NamedRange.YESTERDAY)
    assert other.end - other.start == timedelta(hours=24)
    assert other.end == yesterday.start
