from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.minutes import minute_number
from service.sensors.crossings import (
    Growth,
    Minutes,
    Times,
    by_arrival,
    clock_of,
    growth,
    minute_of,
    minutes_of,
    times_of,
)
from service.sensors.told_count import Kind, ReportError, ToldCount
from service.store.sensor_protocol import LineClock, LineTotal

ZURICH = ZoneInfo("Europe/Zurich")
NINE = datetime(2026, 3, 28, 9, tzinfo=UTC)
FIRST = minute_number(NINE)
LATER = NINE + timedelta(days=1)


def told(start: datetime | None, end: datetime) -> ToldCount:
    return ToldCount("serial", "", Kind.INTERVAL, start, end, 3, 2, "identity")


def total(forward: int, backward: int, since: str = "") -> ToldCount:
    return ToldCount("serial", "", Kind.CUMULATIVE, None, NINE, forward, backward, "identity", since)


def local(text: str) -> datetime:
    """Without an offset, as a counter tells it."""
    return datetime.fromisoformat(text)


def minutes(count: int) -> datetime:
    return NINE + timedelta(minutes=count)


def test_people_of_a_quarter_are_spread_evenly_and_the_others_are_zeros() -> None:
    found = minutes_of(NINE, minutes(15), 3, 0, LATER)
    # At 2.5, 7.5 and 12.5 minutes.
    assert found == Minutes(FIRST, [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0], [0] * 15, is_spread=False)


def test_a_longer_stretch_is_marked() -> None:
    assert minutes_of(NINE, minutes(16), 1, 1, LATER).is_spread


def test_an_interval_that_begins_within_a_minute_counts_in_all_that_it_touches() -> None:
    found = minutes_of(NINE + timedelta(seconds=50), NINE + timedelta(seconds=110), 6, 0, LATER)
    # At 5, 15, ... 55 s after 09:00:50: one before 09:01.
    assert found == Minutes(FIRST, [1, 5], [0, 0], is_spread=False)


def test_nobody_is_counted_in_a_minute_that_has_not_begun() -> None:
    found = minutes_of(NINE, minutes(3), 6, 3, NINE + timedelta(seconds=130))
    assert found == Minutes(FIRST, [2, 2, 2], [1, 1, 1], is_spread=False)
    found = minutes_of(NINE, minutes(3), 6, 3, NINE + timedelta(seconds=110))
    assert found == Minutes(FIRST, [2, 4], [1, 2], is_spread=False)


def test_a_crossing_has_the_minute_of_its_moment() -> None:
    assert minute_of(minutes(1), 1, 0, LATER) == Minutes(FIRST + 1, [1], [0], is_spread=False)
    assert minute_of(minutes(1), 1, 0, NINE) == Minutes(FIRST, [1], [0], is_spread=False)


@given(
    begin=st.integers(0, 59),
    seconds=st.integers(1, 3 * 3600),
    forward=st.integers(0, 5000),
    backward=st.integers(0, 5000),
)
def test_nobody_is_lost_or_doubled_and_every_minute_is_there(
    begin: int, seconds: int, forward: int, backward: int
) -> None:
    start = NINE + timedelta(seconds=begin)
    end = start + timedelta(seconds=seconds)
    found = minutes_of(start, end, forward, backward, LATER)
    assert (sum(found.forward), sum(found.backward)) == (forward, backward)
    assert found.first == FIRST
    assert found.end - 1 == minute_number(end - timedelta(seconds=1))
    assert max(found.forward) - min(found.forward[1:-1], default=0) <= max(forward, 1)


def test_a_total_tells_what_it_has_grown_by() -> None:
    before = LineTotal(NINE, 100, 90, "")
    assert growth(before, total(107, 90)) == Growth(7, 0, is_anew=False)


@pytest.mark.parametrize("lower", [total(3, 95), total(104, 2), total(3, 2)])
def test_a_lower_total_has_begun_again(lower: ToldCount) -> None:
    before = LineTotal(NINE, 100, 90, "")
    assert growth(before, lower) == Growth(lower.forward, lower.backward, is_anew=True)


def test_a_counter_says_by_itself_that_it_began_again() -> None:
    before = LineTotal(NINE, 100, 90, "2026-03-27")
    assert growth(before, total(120, 110, "2026-03-28")) == Growth(120, 110, is_anew=True)


def test_what_no_line_counts_is_no_growth() -> None:
    assert growth(LineTotal(NINE, 0, 0, ""), total(1_000_001, 0)) is None


def test_local_times_are_those_of_the_site() -> None:
    told_here = told(local("2026-03-28T10:00"), local("2026-03-28T10:15"))
    assert times_of(told_here, ZURICH, LATER) == Times(NINE, minutes(15))


def test_of_an_hour_that_comes_twice_the_last_that_has_begun_is_meant() -> None:
    twice = told(local("2026-10-25T02:00"), local("2026-10-25T02:15"))
    summer = datetime(2026, 10, 25, 0, 15, tzinfo=UTC)
    assert times_of(twice, ZURICH, summer + timedelta(minutes=1)).end == summer
    winter = summer + timedelta(hours=1)
    assert times_of(twice, ZURICH, winter).end == winter


def test_an_interval_over_the_change_of_the_clocks_is_as_long_as_it_was() -> None:
    over = told(local("2026-10-25T02:45"), local("2026-10-25T02:00"))
    begin = datetime(2026, 10, 25, 0, 45, tzinfo=UTC)
    assert times_of(over, ZURICH, begin + timedelta(hours=3)) == Times(begin, begin + timedelta(minutes=15))
    first = told(local("2026-10-25T02:45"), local("2026-10-25T03:00"))
    ended = begin + timedelta(minutes=15)
    assert times_of(first, ZURICH, ended + timedelta(seconds=5)) == Times(begin, ended)
    skipped = told(local("2026-03-29T01:00"), local("2026-03-29T02:00"))
    one = datetime(2026, 3, 29, 0, tzinfo=UTC)
    assert times_of(skipped, ZURICH, one + timedelta(hours=3)) == Times(one, one + timedelta(hours=1))


@pytest.mark.parametrize("end", [NINE, minutes(-1), NINE + timedelta(hours=26)])
def test_an_interval_ends_after_it_begins_and_within_a_day(end: datetime) -> None:
    with pytest.raises(ReportError, match="interval from 2026-03-28T09:00:00"):
        times_of(told(NINE, end), ZURICH, LATER)


def test_a_clock_is_trusted_with_a_month_back_and_a_minute_ahead() -> None:
    for ahead, is_trusted in (
        (timedelta(minutes=1), True),
        (timedelta(seconds=61), False),
        (-timedelta(days=30), True),
        (-timedelta(days=30, seconds=1), False),
    ):
        assert clock_of(NINE + ahead, NINE) == LineClock(round(ahead.total_seconds()), is_trusted)


def test_without_it_a_stretch_ends_when_it_arrives() -> None:
    wrong = Times(datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 15, tzinfo=UTC))
    assert by_arrival(wrong, NINE) == Times(minutes(-15), NINE)
