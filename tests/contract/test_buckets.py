"""Buckets against a brute force that groups minutes by what a wall clock shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity
from contract.buckets import (
    bucket_start,
    bucket_starts,
    inferred_granularity,
    local_midnight,
    minute_range_is_allowed,
    next_bucket_start,
    offset_pieces,
)

ZURICH = ZoneInfo("Europe/Zurich")

CLOCK_CHANGES = [
    ("Europe/Zurich", datetime(2025, 3, 30, 1, tzinfo=UTC)),
    ("Europe/Zurich", datetime(2025, 10, 26, 1, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2025, 4, 5, 15, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2025, 10, 4, 15, 30, tzinfo=UTC)),
    ("America/Havana", datetime(2025, 11, 2, 5, tzinfo=UTC)),
    ("Asia/Beirut", datetime(2025, 3, 29, 22, tzinfo=UTC)),
    ("America/Santiago", datetime(2025, 4, 6, 3, tzinfo=UTC)),
    ("Africa/Cairo", datetime(2025, 10, 30, 21, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 30, 10, tzinfo=UTC)),
]
STEADY = [(zone, datetime(2025, 6, 30, 12, tzinfo=UTC)) for zone in ("Asia/Kathmandu", "Etc/UTC")]
AT_THE_EPOCH = [
    (zone, datetime(1970, 1, 1, tzinfo=UTC))
    for zone in ("America/New_York", "Asia/Kathmandu", "Pacific/Apia")
]


SHOWN: dict[Granularity, Callable[[datetime], object]] = {
    Granularity.MINUTE: lambda local: local.astimezone(UTC),
    Granularity.HOUR: lambda local: (local.date(), local.hour, local.utcoffset()),
    Granularity.DAY: lambda local: local.date(),
    Granularity.MONTH: lambda local: (local.year, local.month),
}
"""What a wall clock and a calendar show of a minute, by which its bucket is known."""


def wall_clock_starts(
    start: datetime, end: datetime, granularity: Granularity, zone: ZoneInfo
) -> list[datetime]:
    """First minute of every group of minutes that a wall clock would put together."""
    shown = SHOWN[granularity]
    seen: dict[object, datetime] = {}
    minute = start
    while minute < end:
        seen.setdefault(shown(minute.astimezone(zone)), minute)
        minute += timedelta(minutes=1)
    return list(seen.values())


@pytest.mark.parametrize("granularity", Granularity)
@pytest.mark.parametrize(("name", "change"), CLOCK_CHANGES + STEADY + AT_THE_EPOCH)
def test_buckets_are_what_a_wall_clock_shows(name: str, change: datetime, granularity: Granularity) -> None:
    zone = ZoneInfo(name)
    around = timedelta(days=40) if granularity is Granularity.MONTH else timedelta(days=2)
    start = bucket_start(change - around, granularity, zone)
    end = change + around
    expected = wall_clock_starts(start, end, granularity, zone)
    assert list(bucket_starts(start, end, granularity, zone)) == expected
    for bucket, following in pairwise(expected):
        last_second = following - timedelta(seconds=1)
        assert bucket_start(last_second, granularity, zone) == bucket
        assert next_bucket_start(bucket, granularity, zone) == following


@pytest.mark.parametrize(("day", "hours"), [("2025-03-30", 23), ("2025-10-26", 25), ("2025-06-01", 24)])
def test_a_zurich_day_has_as_many_hours_as_the_clock_shows(day: str, hours: int) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=ZURICH).astimezone(UTC)
    end = next_bucket_start(start, Granularity.DAY, ZURICH)
    assert len(list(bucket_starts(start, end, Granularity.HOUR, ZURICH))) == hours


def test_both_hours_called_two_are_kept_apart() -> None:
    first = datetime(2025, 10, 26, 0, 30, tzinfo=UTC)
    second = datetime(2025, 10, 26, 1, 30, tzinfo=UTC)
    assert first.astimezone(ZURICH).hour == second.astimezone(ZURICH).hour == 2
    assert bucket_start(first, Granularity.HOUR, ZURICH) != bucket_start(second, Granularity.HOUR, ZURICH)


def test_the_first_bucket_may_begin_before_the_range() -> None:
    start = datetime(2025, 6, 1, 10, 20, tzinfo=UTC)
    starts = list(bucket_starts(start, start + timedelta(hours=1), Granularity.HOUR, ZURICH))
    assert starts == [start.replace(minute=0), start.replace(hour=11, minute=0)]


def test_an_empty_range_has_no_bucket() -> None:
    instant = datetime(2025, 6, 1, 10, tzinfo=UTC)
    assert list(bucket_starts(instant, instant, Granularity.HOUR, ZURICH)) == []
    assert offset_pieces(instant, instant, ZURICH) == []


def test_a_year_in_zurich_has_three_offset_pieces() -> None:
    pieces = offset_pieces(datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), ZURICH)
    assert [piece.offset for piece in pieces] == [timedelta(hours=h) for h in (1, 2, 1)]
    assert [piece.start for piece in pieces[1:]] == [
        datetime(2025, 3, 30, 1, tzinfo=UTC),
        datetime(2025, 10, 26, 1, tzinfo=UTC),
    ]


@pytest.mark.parametrize(
    ("span", "granularity"),
    [
        (timedelta(hours=6), Granularity.MINUTE),
        (timedelta(hours=6, seconds=1), Granularity.HOUR),
        (timedelta(days=7), Granularity.HOUR),
        (timedelta(days=7, seconds=1), Granularity.DAY),
        (timedelta(days=92), Granularity.DAY),
        (timedelta(days=92, seconds=1), Granularity.MONTH),
    ],
)
def test_the_inferred_granularity_follows_the_length_of_the_range(
    span: timedelta, granularity: Granularity
) -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    assert inferred_granularity(start, start + span) is granularity


def test_minutes_are_allowed_for_one_local_day_also_when_it_has_25_hours() -> None:
    midnight = datetime(2025, 10, 26, tzinfo=ZURICH).astimezone(UTC)
    assert minute_range_is_allowed(midnight, midnight + timedelta(hours=25), ZURICH)
    assert not minute_range_is_allowed(midnight, midnight + timedelta(hours=25, seconds=1), ZURICH)


def test_minutes_are_allowed_for_24_hours_also_when_the_local_day_has_23() -> None:
    midnight = datetime(2025, 3, 30, tzinfo=ZURICH).astimezone(UTC)
    assert minute_range_is_allowed(midnight, midnight + timedelta(hours=24), ZURICH)
    assert not minute_range_is_allowed(midnight, midnight + timedelta(hours=24, minutes=1), ZURICH)


def test_a_date_begins_where_the_first_of_its_minutes_is() -> None:
    assert local_midnight(date(2025, 3, 30), ZURICH) == datetime(2025, 3, 29, 23, tzinfo=UTC)
    # Clocks go from 00:00 to 01:00, and back from 01:00 to 00:00: the date begins the first time.
    assert local_midnight(date(2025, 3, 30), ZoneInfo("Asia/Beirut")) == datetime(2025, 3, 29, 22, tzinfo=UTC)
    assert local_midnight(date(2025, 11, 2), ZoneInfo("America/Havana")) == datetime(
        2025, 11, 2, 4, tzinfo=UTC
    )
