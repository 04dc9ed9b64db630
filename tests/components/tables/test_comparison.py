from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isnan
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta

from components.tables.bucket_table import bucket_table, starts_of
from components.tables.comparison import Comparison, earlier_range, laid_over, step_back
from components.tables.time_range import NamedRange, TimeRange, named_range
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
ENTRANCES = MetricKey.ENTRANCES
WEEK = relativedelta(weeks=1)


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
    earlier = earlier_range(range_, step, ZURICH)
    table = bucket_table(local_hours(earlier), [ENTRANCES], earlier, Granularity.HOUR, ZURICH)
    present = list(bucket_starts(range_.start, range_.end, Granularity.HOUR, ZURICH))
    return laid_over(table, present, step, ZURICH)["Shop", ENTRANCES].tolist()


def test_only_the_part_that_has_passed_is_compared() -> None:
    now = at("2026-11-21T10:07:30")
    today = named_range(NamedRange.TODAY, now, ZURICH)
    step = step_back(Comparison.PERIOD, today, NamedRange.TODAY)
    assert step is not None
    assert earlier_range(today, step, ZURICH) == TimeRange(at("2026-11-20T00:00"), at("2026-11-20T10:06"))


@pytest.mark.parametrize("named", [NamedRange.TODAY, NamedRange.DAY, NamedRange.WEEK])
def test_the_same_weekday_is_a_week_before(named: NamedRange) -> None:
    range_ = named_range(named, at("2026-11-21T10:07"), ZURICH)
    assert step_back(Comparison.WEEKDAY, range_, named) == WEEK


def test_a_range_longer_than_a_week_goes_back_whole_weeks() -> None:
    range_ = TimeRange(at("2026-10-01T00:00"), at("2026-10-11T00:00"))
    assert step_back(Comparison.WEEKDAY, range_, None) == relativedelta(weeks=2)


def test_before_a_month_lies_the_month_before() -> None:
    range_ = named_range(NamedRange.LAST_MONTH, at("2026-11-21T10:00"), ZURICH)
    step = step_back(Comparison.PERIOD, range_, NamedRange.LAST_MONTH)
    assert step is not None
    assert earlier_range(range_, step, ZURICH) == TimeRange(at("2026-09-01T00:00"), at("2026-10-01T00:00"))


def test_the_period_before_dates_is_as_long() -> None:
    range_ = TimeRange(at("2026-10-10T00:00"), at("2026-10-13T00:00"))
    assert step_back(Comparison.PERIOD, range_, None) == relativedelta(days=3)
    morning = TimeRange(at("2026-10-10T08:00"), at("2026-10-10T12:00"))
    assert step_back(Comparison.PERIOD, morning, None) == relativedelta(hours=4)


def test_nothing_is_compared_unless_asked() -> None:
    range_ = TimeRange(at("2026-10-10T00:00"), at("2026-10-13T00:00"))
    assert step_back(Comparison.NONE, range_, None) is None


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
    earlier = earlier_range(march, step, ZURICH)
    days = list(bucket_starts(earlier.start, earlier.end, Granularity.DAY, ZURICH))
    points = {"Shop": [MetricPoint(timestamp=day, metrics={ENTRANCES: 1}) for day in days]}
    table = bucket_table(points, [ENTRANCES], earlier, Granularity.DAY, ZURICH)
    present = list(bucket_starts(march.start, march.end, Granularity.DAY, ZURICH))
    laid = laid_over(table, present, step, ZURICH)
    assert laid["Shop", ENTRANCES].notna().sum() == 28
    assert starts_of(laid) == present
    assert present[1] - present[0] == timedelta(days=1)
