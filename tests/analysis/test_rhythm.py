from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from statistics import fmean
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Completeness, bucket_table, cut_buckets, starts_of
from analysis.history_data import HistoryData
from analysis.rhythm import Hour, Rhythm, power_hours, rhythm
from analysis.time_range import TimeRange
from contract import METRICS, Granularity, MetricKey, MetricPoint
from contract.buckets import local_midnight

ZURICH = ZoneInfo("Europe/Zurich")
INSIDE, ENTRANCES, TIME = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT
MONDAY = date(2026, 6, 1)


def hours(
    values: Mapping[datetime, Mapping[MetricKey, float]],
    *,
    first: date = MONDAY,
    days: int = 28,
    timezone: ZoneInfo = ZURICH,
) -> HistoryData:
    """Of whole days; local hours -> metrics."""
    range_ = TimeRange(
        local_midnight(first, timezone), local_midnight(first + timedelta(days=days), timezone)
    )
    points = [
        MetricPoint(timestamp=at.astimezone(UTC), metrics={str(one): value for one, value in metrics.items()})
        for at, metrics in sorted(values.items(), key=lambda item: item[0].astimezone(UTC))
    ]
    metrics = [one for one in METRICS if any(one in point.metrics for point in points)] or [ENTRANCES]
    table = bucket_table({"Shop": points}, metrics, range_, Granularity.HOUR, timezone)
    cut = cut_buckets(starts_of(table), range_, Granularity.HOUR, timezone)
    return HistoryData(table, cut, Granularity.HOUR, timezone, range_)


def at(day: int, hour: int) -> datetime:
    """`day` days after MONDAY."""
    return datetime.combine(MONDAY + timedelta(days=day), time(hour), ZURICH)


def of_entrances(values: Mapping[datetime, float]) -> Rhythm:
    return rhythm(hours({at: {ENTRANCES: value} for at, value in values.items()}), "Shop", ENTRANCES)


def test_a_cell_is_the_mean_of_the_days_that_are_counted() -> None:
    found = of_entrances({at(0, 9): 10, at(7, 9): 20, at(14, 9): 60, at(1, 9): 5})
    assert found.cells[Hour(0, 9)].value == 30
    assert found.cells[Hour(0, 9)].days == Completeness(3, 4)
    assert found.cells[Hour(1, 9)].days == Completeness(1, 4)
    assert found.cells[Hour(0, 10)].value is None
    assert found.cells[Hour(0, 10)].days == Completeness(0, 4)


def test_a_counted_zero_is_no_missing_hour() -> None:
    found = of_entrances({at(0, 9): 0, at(7, 9): 8})
    assert found.cells[Hour(0, 9)].value == 4


def test_parts_sum_to_the_whole_and_the_order_of_weeks_changes_nothing() -> None:
    chance = random.Random(7)
    weeks = [[chance.randint(0, 90) for _ in range(7 * 24)] for _ in range(4)]

    def found(order: list[list[int]]) -> Rhythm:
        return of_entrances({
            at(7 * week + hour // 24, hour % 24): value
            for week, values in enumerate(order) for hour, value in enumerate(values)
        })  # fmt: skip

    own = found(weeks)
    assert sum(cell.value or 0 for cell in own.cells.values()) * 4 == pytest.approx(sum(map(sum, weeks)))
    chance.shuffle(weeks)
    assert found(weeks).cells == own.cells


def test_time_inside_is_weighted_by_who_came() -> None:
    data = hours({at(0, 9): {TIME: 600, ENTRANCES: 1}, at(7, 9): {TIME: 60, ENTRANCES: 99}})
    assert rhythm(data, "Shop", TIME).cells[Hour(0, 9)].value == pytest.approx((600 + 60 * 99) / 100)


def test_an_hour_that_comes_twice_is_of_one_day_and_a_skipped_one_of_none() -> None:
    autumn, spring = date(2026, 10, 25), date(2026, 3, 29)
    two = datetime(2026, 10, 25, 0, tzinfo=UTC)
    again = two + timedelta(hours=1)
    twice = hours({two: {ENTRANCES: 4}, again: {ENTRANCES: 8}}, first=autumn - timedelta(days=6), days=7)
    cell = rhythm(twice, "Shop", ENTRANCES).cells[Hour(6, 2)]
    assert (cell.value, cell.days) == (6, Completeness(1, 1))
    skipped = hours({}, first=spring - timedelta(days=6), days=7)
    assert rhythm(skipped, "Shop", ENTRANCES).cells[Hour(6, 2)].days == Completeness(0, 0)


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Australia/Lord_Howe", "America/Santiago"])
def test_a_week_has_each_hour_once_in_odd_zones(zone: str) -> None:
    timezone = ZoneInfo(zone)
    data = hours({}, first=date(2026, 6, 1), days=7, timezone=timezone)
    assert {cell.days.expected for cell in rhythm(data, "Shop", ENTRANCES).cells.values()} == {1}


def test_hours_whose_minutes_are_missing_are_left_out() -> None:
    data = hours({at(0, 9): {ENTRANCES: 60}, at(7, 9): {ENTRANCES: 10}})
    known = replace(data, minutes={"Shop": {at(0, 9).astimezone(UTC): 60.0, at(7, 9).astimezone(UTC): 10.0}})
    cell = rhythm(known, "Shop", ENTRANCES).cells[Hour(0, 9)]
    assert (cell.value, cell.days) == (60, Completeness(1, 4))


def test_hours_whose_number_inside_means_nothing_are_left_out_and_told() -> None:
    data = hours({at(0, 9): {INSIDE: 60, ENTRANCES: 5}, at(7, 9): {INSIDE: 10, ENTRANCES: 7}})
    spoilt = {at(7, hour).astimezone(UTC) for hour in range(8, 12)}
    inside = rhythm(data, "Shop", INSIDE, spoilt=spoilt).cells[Hour(0, 9)]
    came = rhythm(data, "Shop", ENTRANCES).cells[Hour(0, 9)]
    assert (inside.value, inside.days, inside.spoilt) == (60, Completeness(1, 4), 1)
    assert (came.value, came.spoilt) == (6, 0)


def test_a_part_of_an_hour_is_no_hour() -> None:
    data = hours({at(0, 9): {ENTRANCES: 60}})
    cut = replace(data, cut=[start == at(0, 9).astimezone(UTC) for start in starts_of(data.table)])
    assert rhythm(cut, "Shop", ENTRANCES).cells[Hour(0, 9)].days == Completeness(0, 3)


@pytest.mark.parametrize(
    ("days", "band"),
    [(4, (0, 1.5, 3)), (8, (0, 3.5, 7)), (9, (0, 4, 8)), (18, (0, 8.5, 17)), (19, (1, 9, 17))],
)
def test_a_band_is_as_wide_as_eight_of_ten_further_days_need(
    days: int, band: tuple[float, float, float]
) -> None:
    """A further day lies with the same chance in each of the n + 1 gaps that n days leave."""
    data = {at(7 * week, 9): {ENTRANCES: float(week)} for week in range(days)}
    found = rhythm(hours(data, days=7 * days), "Shop", ENTRANCES).bands[Hour(0, 9)]
    assert (found.low, found.median, found.high, found.days) == (*band, days)


def test_one_day_makes_no_band_and_no_busiest_hour() -> None:
    found = of_entrances({at(0, 9): 90, at(1, 9): 5, at(8, 9): 7})
    assert set(found.bands) == {Hour(1, 9)}
    assert found.extreme(busiest=True) == (Hour(1, 9), 6)


def test_the_busiest_and_the_quietest_hour_are_those_by_brute_force() -> None:
    chance = random.Random(3)
    values = {at(day, hour): chance.randint(0, 40) for day in range(28) for hour in range(8, 20)}
    found = of_entrances(values)
    means = {
        (day, hour): fmean(values[at(day + 7 * week, hour)] for week in range(4))
        for day in range(7) for hour in range(8, 20)
    }  # fmt: skip
    busiest, quietest = found.extreme(busiest=True), found.extreme(busiest=False)
    assert busiest is not None
    assert quietest is not None
    assert busiest[1] == max(means.values()) == means[busiest[0]]
    assert quietest[1] == min(filter(None, means.values())) == means[quietest[0]]


def test_power_hours_are_the_fewest_that_hold_four_fifths() -> None:
    people = (50, 30, 10, 5, 3, 1, 1)
    values = {at(day, 9 + day % 7): float(people[day % 7]) for day in range(28)}
    found = power_hours(of_entrances(values))
    assert found is not None
    assert (found.hours, found.open_hours) == ((Hour(0, 9), Hour(1, 10)), 7)
    assert found.share == pytest.approx(0.8)


def test_no_fewer_hours_would_do() -> None:
    chance = random.Random(11)
    own = of_entrances({at(day, hour): chance.randint(0, 99) for day in range(28) for hour in range(24)})
    found = power_hours(own)
    assert found is not None
    means = sorted((cell.value or 0 for cell in own.cells.values()), reverse=True)
    assert sum(means[: len(found.hours)]) >= 0.8 * sum(means) > sum(means[: len(found.hours) - 1])
    chosen = [own.cells[hour].value or 0 for hour in found.hours]
    assert all(first >= second for first, second in pairwise(chosen))


def test_hours_of_too_few_days_are_no_power_hours() -> None:
    three_days = {at(day, hour): 9.0 for day in range(3) for hour in range(9, 18)}
    assert power_hours(of_entrances(three_days)) is None
    often = {at(7 * week, 9): 5.0 for week in range(4)}
    found = power_hours(of_entrances({**often, at(1, 9): 90.0}))
    assert found is not None
    assert (found.hours, found.open_hours) == ((Hour(0, 9),), 1)


def test_hours_of_which_most_days_are_left_out_are_not_hours_in_which_nobody_comes() -> None:
    """As many come in each of twelve hours of seven days; on three of four Tuesdays the counter was dead."""
    values = {at(day, hour): 10.0 for day in range(28) for hour in range(8, 20)}
    known = {moment: people for moment, people in values.items() if moment.weekday() != 1 or moment.day == 2}
    found = power_hours(of_entrances(known))
    assert found is not None
    assert (found.open_hours, len(found.hours)) == (72, 58)
    assert found.left_out == tuple(Hour(1, hour) for hour in range(8, 20))
    assert found.are_told
    of_a_day = {
        moment: people for moment, people in values.items() if moment.weekday() == 0 or moment.day < 7
    }
    few = power_hours(of_entrances(of_a_day))
    assert few is not None
    assert (few.open_hours, len(few.left_out), few.are_told) == (12, 60, False)


def test_an_open_hour_that_never_has_counts_is_left_out_and_a_closed_one_is_not() -> None:
    values = {at(day, 9): {ENTRANCES: 5.0} for day in range(28) if day % 7 < 5}
    open_ = [at(day, 9).astimezone(UTC) for day in range(28) if day % 7 < 6]
    found = rhythm(hours(values), "Shop", ENTRANCES, open_=open_)
    assert found.left_out == (Hour(5, 9),)
    assert rhythm(hours(values), "Shop", ENTRANCES).left_out == ()


def test_where_nobody_came_there_are_no_power_hours() -> None:
    assert power_hours(of_entrances({at(0, 9): 0.0})) is None
    assert of_entrances({at(0, 9): 0.0, at(7, 9): 0.0}).extreme(busiest=True) is None
