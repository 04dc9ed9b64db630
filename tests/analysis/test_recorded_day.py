from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.recorded_day import (
    RecordedDay,
    RecordedPlace,
    Stretch,
    busiest_day,
    busiest_hour,
    empty_day,
    fullest,
    missing_steps,
    needs_what_precedes,
    parts_of,
    recorded_passage,
    recorded_place,
    repeated_times,
    step_of,
    untrusted_times,
)
from analysis.time_range import TimeRange
from contract import MetricKey, MetricPoint
from contract.buckets import local_midnight

ZURICH = ZoneInfo("Europe/Zurich")
LATER = datetime(2027, 1, 1, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
SATURDAY = date(2026, 11, 14)


def day_of(day: date = SATURDAY, now: datetime = LATER) -> RecordedDay:
    return empty_day(day, ZURICH, now)


def point(at: datetime, inside: float, came: float = 0, left: float = 0) -> MetricPoint:
    keys = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS)
    return MetricPoint(timestamp=at, metrics=dict(zip(keys, (inside, came, left), strict=True)))


def counted(start: datetime, moves: Iterable[tuple[int, int]]) -> list[MetricPoint]:
    """A point for each minute; nobody is inside before, and never fewer than none."""
    points, inside = [], 0
    for index, (came, left) in enumerate(moves):
        inside = max(0, inside + came - left)
        points.append(point(start + index * MINUTE, inside, came, left))
    return points


@pytest.mark.parametrize(
    ("day", "hours"), [(SATURDAY, 24), (date(2026, 10, 25), 25), (date(2026, 3, 29), 23)]
)
def test_a_day_has_as_many_steps_as_it_has_minutes(day: date, hours: int) -> None:
    recorded = day_of(day)
    assert recorded.length == timedelta(hours=hours)
    assert len(recorded_place(recorded, []).inside) == 60 * hours
    assert recorded.start_of(60 * hours) == local_midnight(day + timedelta(days=1), ZURICH)


@given(minutes=st.integers(0, 3000))
def test_parts_are_a_day_at_most_and_leave_nothing_out(minutes: int) -> None:
    start = datetime(2026, 10, 24, 22, tzinfo=UTC)
    whole = TimeRange(start, start + minutes * MINUTE)
    parts = parts_of(whole)
    assert all(part.end - part.start <= timedelta(hours=24) for part in parts)
    assert sum((part.end - part.start for part in parts), timedelta()) == whole.end - whole.start
    assert [one.end for one in parts[:-1]] == [one.start for one in parts[1:]]


def test_today_ends_with_what_is_published_and_a_day_to_come_is_empty() -> None:
    noon = datetime(2026, 11, 14, 11, 0, 30, tzinfo=UTC)
    today = day_of(now=noon)
    assert today.counted.start == today.whole.start
    assert noon - timedelta(minutes=5) < today.counted.end <= noon
    assert day_of(date(2026, 11, 15), noon).counted.is_empty


@given(known=st.sets(st.integers(0, 1439)))
def test_a_minute_without_a_point_stays_missing(known: set[int]) -> None:
    day = day_of()
    points = [point(day.whole.start + index * MINUTE, index % 7) for index in sorted(known)]
    place = recorded_place(day, points)
    assert {index for index, value in enumerate(place.inside) if value is not None} == known
    assert all(place.inside[index] == index % 7 for index in known)
    assert missing_steps(place) == 1440 - len(known)


def test_what_lies_outside_the_day_is_left_out() -> None:
    day = day_of()
    points = [point(day.whole.start - MINUTE, 5), point(day.whole.end, 6)]
    assert missing_steps(recorded_place(day, points)) == 1440


def test_a_passage_has_both_directions_minute_by_minute() -> None:
    day = day_of()
    both = recorded_passage(day, {day.whole.start + 61 * MINUTE: (3, 1)})
    assert both[60:63] == (None, (3, 1), None)


@pytest.mark.parametrize(("minutes", "step"), [(1, 1), (15, 15), (60, 60), (7, 1), (5, 5)])
def test_the_step_is_as_long_as_the_service_tells(minutes: int, step: int) -> None:
    day = day_of()
    points = [point(day.whole.start + index * minutes * MINUTE, 1) for index in range(12)]
    assert step_of(points) == step * MINUTE


def test_hours_are_told_one_by_one() -> None:
    day = replace(day_of(), step=HOUR)
    points = [point(day.whole.start + index * HOUR, index) for index in range(24)]
    assert recorded_place(day, points).inside == tuple(range(24))


def test_the_fullest_minute_is_the_first_that_can_be_trusted() -> None:
    day = day_of()
    points = [point(day.whole.start + index * MINUTE, value) for index, value in enumerate((3, 9, 4, 7, 7))]
    place = recorded_place(day, points)
    assert fullest(day, place) == (9, day.start_of(1))
    doubted = place._replace(untrusted=(Stretch(day.start_of(0), day.start_of(2), 20),))
    assert fullest(day, doubted) == (7, day.start_of(3))
    assert fullest(day, recorded_place(day, [])) is None


def test_the_busiest_hour_is_that_in_which_most_came() -> None:
    day = day_of()
    moves = [
        (2, 0) if 600 <= minute < 640 else (1, 0) if minute >= 1380 else (0, 0) for minute in range(1440)
    ]
    assert busiest_hour(day, recorded_place(day, counted(day.whole.start, moves))) == day.start_of(600)
    assert busiest_hour(day, recorded_place(day, [])) is None


def test_a_count_that_more_left_than_came_is_not_trusted_until_the_next() -> None:
    """Thirty come at ten, sixty leave at eleven, and nobody is inside for hours; at four, ten come."""
    day = day_of()
    moves = [
        {600: (30, 0), 660: (0, 60), 960: (10, 0), 1020: (0, 10)}.get(one, (0, 0)) for one in range(1440)
    ]
    place = recorded_place(day, counted(day.whole.start, moves))
    assert len(place.untrusted) == 1
    assert place.untrusted[0].people == 30
    assert place.untrusted[0].start <= day.start_of(660) < place.untrusted[0].end <= day.start_of(960)


def last_evening(*, is_held: bool) -> tuple[list[MetricPoint], list[MetricPoint]]:
    """Points of the day before and of the day: twenty are inside and thirty leave at eleven in the evening;
    six come before midnight, one an hour later, and all are forgotten at four. `is_held`: none come before.
    """
    start = day_of().whole.start - 24 * HOUR
    moves = {600: (20, 0), 1380: (0, 30), 1430: (0 if is_held else 6, 0), 1500: (1, 0)}
    points = counted(start, (moves.get(one, (0, 0)) for one in range(1440 + 240)))
    own = [*points[1440:], *counted(points[-1].timestamp + MINUTE, [(0, 0)] * 1200)]
    return points[:1440], own


@pytest.mark.parametrize("is_held", [False, True])
def test_the_evening_before_tells_whether_the_number_at_midnight_can_be_trusted(is_held: bool) -> None:
    day = day_of()
    before, points = last_evening(is_held=is_held)
    assert needs_what_precedes(day, points)
    assert fullest(day, recorded_place(day, points)) is not None
    (stretch,) = recorded_place(day, points, before=before).untrusted
    assert (stretch.start, stretch.people) == (day.whole.start, 10)
    assert day.start_of(60) < stretch.end <= day.start_of(240)
    assert fullest(day, recorded_place(day, points, before=before)) is None


def test_of_a_place_that_is_empty_for_hours_after_midnight_the_day_before_is_not_needed() -> None:
    day = day_of()
    moves = [{540: (30, 0), 1200: (0, 30)}.get(one, (0, 0)) for one in range(1440)]
    assert not needs_what_precedes(day, counted(day.whole.start, moves))
    assert not needs_what_precedes(day, [])


def test_a_count_that_ended_the_day_before_spoils_no_minute_of_the_day() -> None:
    day = day_of()
    moves = [{600: (20, 0), 1000: (0, 60)}.get(one, (0, 0)) for one in range(1440)]
    points = counted(day.whole.start, [(20, 0), *[(0, 0)] * 60, (0, 20), *[(0, 0)] * 300])
    assert not recorded_place(day, points, before=counted(day.whole.start - 24 * HOUR, moves)).untrusted


def test_stretches_that_touch_are_one_time() -> None:
    a, b, c, d = (datetime(2026, 11, 14, hour, tzinfo=UTC) for hour in (1, 4, 8, 9))
    place = RecordedPlace((), (), (), (Stretch(a, b, 20), Stretch(b, c, 30), Stretch(d, d + HOUR, 9)))
    assert untrusted_times(place) == [(a, c), (d, d + HOUR)]


def test_the_busiest_day_is_that_on_which_most_came() -> None:
    first = date(2026, 11, 2)
    points = [
        point(local_midnight(first + timedelta(days=index), ZURICH), 0, came)
        for index, came in enumerate((50, 90, 10, 0, 0, 70, 0, 0, 0, 0, 0, 0, 80))
    ]
    assert busiest_day(points, ZURICH) == date(2026, 11, 3)
    assert busiest_day(points, ZURICH, weekday=5) == date(2026, 11, 14)
    assert busiest_day([], ZURICH) is None
    assert busiest_day([point(local_midnight(first, ZURICH), 0, 0)], ZURICH) is None


def test_a_day_of_25_hours_tells_both_of_the_times_that_its_clocks_show_twice() -> None:
    one, two, three = (datetime(2026, 10, 25, hour, tzinfo=UTC) for hour in (0, 1, 2))
    assert repeated_times(day_of(date(2026, 10, 25))) == [
        (one, two, "+02:00"),
        (two, three, "+01:00"),
    ]
    assert repeated_times(day_of(date(2026, 3, 29))) == []
    assert repeated_times(day_of()) == []


def test_a_change_of_half_an_hour_repeats_half_an_hour() -> None:
    first, second = repeated_times(empty_day(date(2026, 4, 5), ZoneInfo("Australia/Lord_Howe"), LATER))
    assert (first.end - first.start, second.end - second.start) == (HOUR / 2, HOUR / 2)
    assert (first.end, first.offset, second.offset) == (second.start, "+11:00", "+10:30")
