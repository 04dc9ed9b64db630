from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import (
    Change,
    Peak,
    bucket_table,
    cut_buckets,
    local_index,
    peak_bucket,
    starts_of,
    stretches,
    total,
)
from analysis.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts, next_bucket_start

ZURICH = ZoneInfo("Europe/Zurich")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
ENTRANCES = MetricKey.ENTRANCES


def point(start: datetime, **metrics: float) -> MetricPoint:
    return MetricPoint(timestamp=start, metrics=metrics)


def local_day(date: str, zone: ZoneInfo) -> TimeRange:
    first = datetime.fromisoformat(date)
    start, end = first.replace(tzinfo=zone), (first + timedelta(days=1)).replace(tzinfo=zone)
    return TimeRange(start.astimezone(UTC), end.astimezone(UTC))


def hourly(range_: TimeRange, zone: ZoneInfo) -> pd.DataFrame:
    starts = list(bucket_starts(range_.start, range_.end, Granularity.HOUR, zone))
    points = {"Shop": [point(start, entrances=place) for place, start in enumerate(starts)]}
    return bucket_table(points, [ENTRANCES], range_, Granularity.HOUR, zone)


@pytest.mark.parametrize(
    ("date", "zone", "clocks"),
    [
        ("2025-03-30", ZURICH, ["00:00+01:00", "01:00+01:00", "03:00+02:00", "04:00+02:00"]),
        ("2025-10-26", ZURICH, ["00:00+02:00", "01:00+02:00", "02:00+02:00", "02:00+01:00", "03:00+01:00"]),
        ("2025-10-05", LORD_HOWE, ["00:00+10:30", "01:00+10:30", "02:30+11:00", "03:00+11:00"]),
        ("2025-04-06", LORD_HOWE, ["00:00+11:00", "01:00+11:00", "01:30+10:30", "02:00+10:30"]),
    ],
)
def test_the_hours_of_a_day_on_which_the_clocks_change(date: str, zone: ZoneInfo, clocks: list[str]) -> None:
    table = hourly(local_day(date, zone), zone)
    assert [f"{stamp:%H:%M}{stamp.isoformat()[-6:]}" for stamp in table.index[: len(clocks)]] == clocks
    assert table["Shop", ENTRANCES].tolist() == list(range(len(table)))


@pytest.mark.parametrize(("date", "hours"), [("2025-03-30", 23), ("2025-10-26", 25), ("2025-06-01", 24)])
def test_a_day_has_as_many_rows_as_hours(date: str, hours: int) -> None:
    assert len(hourly(local_day(date, ZURICH), ZURICH)) == hours


def test_the_two_hours_of_one_name_stay_apart() -> None:
    starts = starts_of(hourly(local_day("2025-10-26", ZURICH), ZURICH))
    assert len(set(starts)) == 25
    assert all(after - before == timedelta(hours=1) for before, after in pairwise(starts))


def test_a_bucket_without_a_point_is_a_row_that_says_missing() -> None:
    range_ = TimeRange(datetime(2025, 6, 1, 10, tzinfo=UTC), datetime(2025, 6, 1, 13, tzinfo=UTC))
    points = [point(datetime(2025, 6, 1, 11, tzinfo=UTC), entrances=0)]
    table = bucket_table({"Shop": points}, [ENTRANCES], range_, Granularity.HOUR, ZURICH)
    assert table["Shop", ENTRANCES].isna().tolist() == [True, False, True]
    assert table["Shop", ENTRANCES].sum() == 0


def test_a_metric_without_a_value_in_the_bucket_is_missing() -> None:
    range_ = TimeRange(datetime(2025, 6, 1, 10, tzinfo=UTC), datetime(2025, 6, 1, 11, tzinfo=UTC))
    points = {"Shop": [point(range_.start, entrances=0)]}
    table = bucket_table(points, [ENTRANCES, MetricKey.TIME_SPENT], range_, Granularity.HOUR, ZURICH)
    assert table["Shop", MetricKey.TIME_SPENT].isna().all()


def test_zones_are_columns_side_by_side() -> None:
    range_ = TimeRange(datetime(2025, 6, 1, 10, tzinfo=UTC), datetime(2025, 6, 1, 12, tzinfo=UTC))
    points = {"Hall": [point(range_.start, entrances=3)], "Café": []}
    table = bucket_table(points, [ENTRANCES], range_, Granularity.HOUR, ZURICH)
    assert list(table.columns.get_level_values("of")) == ["Hall", "Café"]
    assert table["Café", ENTRANCES].isna().all()


def test_a_point_of_another_bucket_rule_is_not_lost() -> None:
    range_ = TimeRange(datetime(2025, 6, 1, 10, tzinfo=UTC), datetime(2025, 6, 1, 11, tzinfo=UTC))
    odd = point(datetime(2025, 6, 1, 10, 30, tzinfo=UTC), entrances=7)
    table = bucket_table({"Shop": [odd]}, [ENTRANCES], range_, Granularity.HOUR, ZURICH)
    assert table["Shop", ENTRANCES].sum() == 7


def test_only_the_buckets_at_the_edges_can_be_cut() -> None:
    range_ = TimeRange(datetime(2025, 6, 1, 10, 20, tzinfo=UTC), datetime(2025, 6, 1, 13, 5, tzinfo=UTC))
    starts = list(bucket_starts(range_.start, range_.end, Granularity.HOUR, ZURICH))
    assert cut_buckets(starts, range_, Granularity.HOUR, ZURICH) == [True, False, False, True]


def test_no_bucket_of_a_whole_day_is_cut() -> None:
    day = local_day("2025-10-26", ZURICH)
    assert cut_buckets([day.start], day, Granularity.DAY, ZURICH) == [False]


@given(
    start=st.datetimes(datetime(2024, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001 - bounds
    minutes=st.integers(1, 60 * 24 * 70),
    granularity=st.sampled_from([Granularity.HOUR, Granularity.DAY, Granularity.MONTH]),
    zone=st.sampled_from([ZURICH, LORD_HOWE, ZoneInfo("Asia/Kathmandu"), ZoneInfo("America/New_York")]),
)
def test_part_buckets_and_whole_ones_add_up_to_the_range(
    start: datetime, minutes: int, granularity: Granularity, zone: ZoneInfo
) -> None:
    """Whatever the clocks do: each minute of the range is in one bucket, and only the ends may be cut."""
    start = start.replace(second=0, microsecond=0)
    range_ = TimeRange(start, start + timedelta(minutes=minutes))
    starts = list(bucket_starts(*range_, granularity, zone))
    ends = [*starts[1:], next_bucket_start(starts[-1], granularity, zone)]
    held = [min(end, range_.end) - max(first, range_.start) for first, end in zip(starts, ends, strict=True)]
    assert sum(held, timedelta()) == range_.end - range_.start
    cut = cut_buckets(starts, range_, granularity, zone)
    assert not any(cut[1:-1])
    whole = [end - first for first, end in zip(starts, ends, strict=True)]
    assert cut == [part < all_ for part, all_ in zip(held, whole, strict=True)]


NAN = float("nan")
HOURS = [datetime(2026, 6, 1, hour, tzinfo=UTC) for hour in range(4)]
COLUMN = ("Shop", "entrances")


def table(*values: float) -> pd.DataFrame:
    return pd.DataFrame({COLUMN: values}, index=local_index(HOURS[: len(values)], UTC))  # type: ignore[arg-type]


def test_a_total_is_of_what_is_there() -> None:
    assert total(table(1, NAN, 2)[COLUMN]) == 3
    assert total(table(0, 0)[COLUMN]) == 0


def test_nothing_has_no_total() -> None:
    assert total(table(NAN, NAN)[COLUMN]) is None


def test_the_peak_is_the_first_of_the_highest() -> None:
    assert peak_bucket(table(1, 5, NAN, 5), COLUMN) == Peak(HOURS[1], 5)


def test_nothing_has_no_peak() -> None:
    assert peak_bucket(table(NAN), COLUMN) is None


def test_a_change_from_nothing_has_no_percent() -> None:
    assert Change(3, 0).percent is None
    assert Change(30, 20).percent == 50


def test_stretches_are_runs_of_rows() -> None:
    assert stretches([True, False, True, True]) == [(0, 1), (2, 4)]
    assert stretches([False, False]) == []
    assert stretches([True, True]) == [(0, 2)]
