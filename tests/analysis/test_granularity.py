from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.granularity import (
    allowed_granularities,
    answered_granularity,
    answered_in,
    asked_granularity,
    longer_size,
    past_the_day,
    past_the_hour,
    usual_granularity,
)
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
NOW = datetime(2026, 11, 21, 9, 7, 30, tzinfo=UTC)
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
MIDNIGHT = datetime(2026, 10, 3, 13, 30, tzinfo=UTC)
"""Of the day on which the clocks skip half an hour."""
DAY = TimeRange(MIDNIGHT, MIDNIGHT + timedelta(hours=23, minutes=30))
AFTERNOON = TimeRange(MIDNIGHT + timedelta(hours=14, minutes=6), MIDNIGHT + timedelta(hours=15, minutes=6))
MINUTE = timedelta(minutes=1)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC)


@pytest.mark.parametrize(
    ("first", "last", "usual"),
    [
        ("2026-11-20T10:06", "2026-11-21T10:06", "hour"),
        ("2025-10-20T00:00", "2025-10-27T00:00", "hour"),
        ("2025-08-01T12:00", "2025-11-01T12:00", "day"),
        ("2025-03-24T00:00", "2025-03-31T00:00", "hour"),
    ],
)
def test_usual_granularity_follows_the_local_clock(first: str, last: str, usual: str) -> None:
    range_ = TimeRange(local(first), local(last))
    assert usual_granularity(range_, ZURICH) == usual


def test_granularity_is_asked_for_only_where_the_service_would_infer_another() -> None:
    week = TimeRange(local("2025-10-13T00:00"), local("2025-10-20T00:00"))
    clocks_go_back = TimeRange(local("2025-10-20T00:00"), local("2025-10-27T00:00"))
    assert asked_granularity(week, ZURICH, None) is None
    assert asked_granularity(clocks_go_back, ZURICH, None) is Granularity.HOUR
    assert asked_granularity(week, ZURICH, Granularity.DAY) is Granularity.DAY


def test_minutes_are_offered_up_to_a_day() -> None:
    day = TimeRange(NOW - timedelta(days=1), NOW)
    week = TimeRange(NOW - timedelta(days=7), NOW)
    assert Granularity.MINUTE in allowed_granularities(day, ZURICH)
    assert allowed_granularities(week, ZURICH) == (Granularity.HOUR, Granularity.DAY, Granularity.MONTH)


def size_of(range_: TimeRange, asked: Granularity, starts: list[datetime]) -> Granularity | None:
    request = HistoryRequest("shop", (SHOP,), (MetricKey.ENTRANCES,), range_, LORD_HOWE, DAY.end)
    points = [MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: 1}) for start in starts]
    return longer_size(request, {SHOP: points}, asked)


def buckets(range_: TimeRange, granularity: Granularity) -> list[datetime]:
    return list(bucket_starts(*range_, granularity, LORD_HOWE))


@pytest.mark.parametrize("range_", [DAY, AFTERNOON])
def test_hours_in_the_place_of_minutes_are_noticed(range_: TimeRange) -> None:
    hours = buckets(range_, Granularity.HOUR)
    assert size_of(range_, Granularity.MINUTE, hours) is Granularity.HOUR
    assert size_of(range_, Granularity.HOUR, hours) is None


def test_quarters_in_the_place_of_minutes_are_shown_by_hour() -> None:
    assert size_of(DAY, Granularity.MINUTE, buckets(DAY, Granularity.MINUTE)[::15]) is Granularity.HOUR


def test_days_in_the_place_of_hours_are_noticed() -> None:
    week = TimeRange(DAY.start - timedelta(days=6), DAY.end)
    assert size_of(week, Granularity.HOUR, buckets(week, Granularity.DAY)) is Granularity.DAY


@pytest.mark.parametrize(
    "minutes",
    [[], [7], [0, 120], [0, 1, 300, 600, 900], [7, 61, 333, 712, 800], range(0, 1400, 1)],
    ids=["none", "one", "two", "neighbours", "few", "all"],
)
def test_minutes_of_which_many_are_missing_stay_minutes(minutes: list[int]) -> None:
    assert size_of(DAY, Granularity.MINUTE, [DAY.start + place * MINUTE for place in minutes]) is None


@pytest.mark.parametrize("minutes", [40, 60, 200])
def test_a_point_alone_at_the_start_of_an_hour_is_shown_as_of_the_hour(minutes: int) -> None:
    """It may be all that an hourly service has told: of the hour it is true in either case."""
    hour = DAY.end - timedelta(hours=5)
    range_ = TimeRange(hour, hour + minutes * MINUTE)
    assert size_of(range_, Granularity.MINUTE, [hour]) is Granularity.HOUR
    assert size_of(range_, Granularity.MINUTE, [hour + MINUTE]) is None
    assert size_of(range_, Granularity.HOUR, [hour]) is None


@pytest.mark.parametrize("hours", [1, 2, 3])
def test_one_to_three_whole_hours_in_the_place_of_minutes_are_noticed(hours: int) -> None:
    range_ = TimeRange(DAY.end - timedelta(hours=hours), DAY.end)
    assert size_of(range_, Granularity.MINUTE, buckets(range_, Granularity.HOUR)) is Granularity.HOUR
    begun = TimeRange(range_.start, range_.start + MINUTE)
    assert size_of(begun, Granularity.MINUTE, [range_.start]) is None


def points_at(hour: int, zone: ZoneInfo, days: int = 10) -> list[MetricPoint]:
    """One on each day, over a change of the clocks."""
    starts = [datetime(2026, 10, 20 + day, hour, tzinfo=zone).astimezone(UTC) for day in range(days)]
    return [MetricPoint(timestamp=start, metrics={}) for start in starts]


@pytest.mark.parametrize("zone", [ZURICH, ZoneInfo("UTC")])
def test_days_begin_at_midnight_in_the_zone_that_was_asked_for_or_in_utc(zone: ZoneInfo) -> None:
    assert answered_in(points_at(0, zone), Granularity.HOUR, ZURICH) is Granularity.DAY


def test_what_is_counted_in_one_hour_a_day_is_told_by_the_hour() -> None:
    assert answered_in(points_at(10, ZURICH), Granularity.HOUR, ZURICH) is Granularity.HOUR
    weekly = [point for point in points_at(10, ZURICH, 11) if point.timestamp.day % 2]
    assert answered_in(weekly, Granularity.HOUR, ZURICH) is Granularity.HOUR


def test_months_are_months_in_either_zone() -> None:
    starts = [datetime(2026, month, 1, tzinfo=ZURICH).astimezone(UTC) for month in range(5, 12)]
    months = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert answered_in(months, Granularity.HOUR, ZURICH) is Granularity.MONTH


@pytest.mark.parametrize(
    ("zone", "minutes"), [("Asia/Kathmandu", 45), ("Asia/Kolkata", 30), ("Europe/Zurich", 0)]
)
def test_hours_of_utc_begin_past_those_of_some_zones(zone: str, minutes: int) -> None:
    starts = [datetime(2026, 6, 1, hour, tzinfo=UTC) for hour in range(24)]
    points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert past_the_hour(points, ZoneInfo(zone)) == minutes
    assert past_the_hour(points[:1], ZoneInfo(zone)) == 0


def test_hours_of_a_zone_that_moves_by_half_an_hour_are_its_own() -> None:
    starts = bucket_starts(
        MIDNIGHT - timedelta(days=2), MIDNIGHT + timedelta(days=2), Granularity.HOUR, LORD_HOWE
    )
    points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert past_the_hour(points, LORD_HOWE) == 0


def test_an_hour_that_a_change_of_the_clocks_cuts_is_no_shifted_one_however_few_there_are() -> None:
    # Of 01:10 to 02:20 the hour from 01:00 on, and from the change the half hour that comes twice.
    back = datetime(2026, 4, 4, 15, tzinfo=UTC)
    starts = (back - timedelta(hours=1), back, back + timedelta(minutes=30))
    points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert past_the_hour(points[:2], LORD_HOWE) == past_the_hour(points, LORD_HOWE) == 0
    # Hours of UTC are half an hour off from then on.
    shifted = [MetricPoint(timestamp=back + timedelta(hours=n), metrics={}) for n in range(1, 5)]
    assert past_the_hour(shifted, LORD_HOWE) == 30


def test_minutes_are_no_hours_that_begin_at_another_minute() -> None:
    points = [MetricPoint(timestamp=MIDNIGHT + one * MINUTE, metrics={}) for one in range(7, 40)]
    assert past_the_hour(points, ZURICH) == 0


def test_hours_may_begin_at_any_minute_but_a_few_may_by_chance() -> None:
    starts = [datetime(2026, 6, 1, hour, 3, 17, tzinfo=UTC) for hour in range(24)]
    points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert past_the_hour(points, ZURICH) == 3
    assert past_the_hour(points[:4], ZURICH) == 0


@pytest.mark.parametrize(("zone", "minutes"), [("Asia/Kathmandu", 345), ("Europe/Zurich", 120), ("UTC", 0)])
def test_days_of_utc_begin_past_local_midnight(zone: str, minutes: int) -> None:
    starts = [datetime(2026, 6, day, tzinfo=UTC) for day in range(1, 8)]
    points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
    assert past_the_day(points, Granularity.DAY, ZoneInfo(zone)) == minutes
    assert past_the_day(points[:2], Granularity.DAY, ZoneInfo(zone)) == 0


@pytest.mark.parametrize(
    "zone", ["Asia/Kathmandu", "Europe/Zurich", "America/Santiago", "Australia/Lord_Howe"]
)
def test_days_and_months_of_the_local_clock_are_its_own_all_year(zone: str) -> None:
    timezone = ZoneInfo(zone)
    for unit in (Granularity.DAY, Granularity.MONTH):
        starts = bucket_starts(MIDNIGHT - timedelta(days=200), MIDNIGHT + timedelta(days=200), unit, timezone)
        points = [MetricPoint(timestamp=start, metrics={}) for start in starts]
        assert past_the_day(points, unit, timezone) == 0


@pytest.mark.parametrize("unit", [Granularity.MINUTE, Granularity.HOUR, Granularity.DAY])
def test_what_a_service_infers_and_does_not_tell_shows_in_how_close_its_buckets_are(
    unit: Granularity,
) -> None:
    """Its rule is its own. The first of a range is cut, and those of a closed night are left out."""
    range_ = TimeRange(MIDNIGHT + timedelta(minutes=50), MIDNIGHT + timedelta(days=40))
    starts = [start for start in bucket_starts(*range_, unit, LORD_HOWE) if start.hour in {0, 1, 13, 14}]
    points = {SHOP: [MetricPoint(max(start, range_.start), {}) for start in starts]}
    request = HistoryRequest("shop", (SHOP,), (MetricKey.ENTRANCES,), range_, LORD_HOWE, NOW)
    assert answered_granularity(request, {}, points) is unit
    assert answered_granularity(request, {}, {}) is Granularity.DAY
    assert answered_granularity(request, {"granularity": "month"}, points) is Granularity.MONTH
