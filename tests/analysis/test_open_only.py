from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as any_

from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.open_only import cuts, open_only
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours, OtherDay
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from contract import METRICS, Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import local_midnight
from tests.counting_service import CountingService, Minute

HALL = Subject(SubjectKind.ZONE, "hall", "Hall")
ALL = tuple(METRICS)
MINUTE = timedelta(minutes=1)
ZURICH, KATHMANDU, LORD_HOWE = (
    ZoneInfo(name) for name in ("Europe/Zurich", "Asia/Kathmandu", "Australia/Lord_Howe")
)
PLACES = (
    (ZURICH, date(2026, 3, 28)),
    (ZURICH, date(2026, 10, 24)),
    (KATHMANDU, date(2026, 6, 1)),
    (LORD_HOWE, date(2026, 4, 4)),
    (LORD_HOWE, date(2026, 10, 3)),
)
"""Each with a day before the clocks change, but for Kathmandu, where they never do."""


def hours(text: str, **more: object) -> OpeningHours:
    return OpeningHours(week=(spans_of_text(text),) * 7, **more)


def is_open_by_the_wall_clock(moment: datetime, opening: Opening) -> bool:
    """As somebody reads it from a notice at the door, minute by minute; of hours that the clocks leave be."""
    local = moment.astimezone(opening.timezone)
    minute = 60 * local.hour + local.minute
    others = {one.day: one.spans for one in opening.hours.others}

    def of(day: date) -> list[tuple[int, int]]:
        return [(span.opens, span.closes) for span in others.get(day, opening.hours.week[day.weekday()])]

    today = any(opens <= minute < closes for opens, closes in of(local.date()))
    before = of(local.date() - timedelta(days=1))
    return today or any(opens <= minute + 1440 < closes for opens, closes in before)


def counted(start: datetime, end: datetime, seed: int, *, missing: float = 0.0) -> dict[datetime, Minute]:
    return dict(_counted(start, end, seed, missing))


@lru_cache(64)
def _counted(start: datetime, end: datetime, seed: int, missing: float) -> dict[datetime, Minute]:
    chance, minutes, inside = random.Random(seed), {}, 0
    moment = start
    while moment < end:
        came, went = chance.choice((0, 0, 1, 2)), min(inside, chance.choice((0, 0, 1, 2)))
        inside += came - went
        if chance.random() >= missing:
            minutes[moment] = Minute(came, went, inside)
        moment += MINUTE
    return minutes


def request_of(
    range_: TimeRange, timezone: ZoneInfo, opening: Opening | None, granularity: Granularity, *,
    aggregation: Aggregation | None = None, metrics: tuple[MetricKey, ...] = ALL,
) -> HistoryRequest:  # fmt: skip
    now = range_.end + timedelta(days=9)
    return HistoryRequest(
        "shop", (HALL,), metrics, range_, timezone, now, granularity, aggregation, opening=opening
    )


def answer(request: HistoryRequest, minutes: Mapping[datetime, Minute]) -> list[MetricPoint]:
    service = CountingService(minutes, request.asked_at)
    return list(open_only(request, service.run)(request.queries())[HALL])


def days(first: date, count: int, timezone: ZoneInfo) -> TimeRange:
    return TimeRange(local_midnight(first, timezone), local_midnight(first + timedelta(days=count), timezone))


@settings(max_examples=60, deadline=None)
@given(
    place=any_.sampled_from(PLACES),
    text=any_.sampled_from(
        ("9-18", "09:30-18:10", "9-12:20, 12:40-18", "22-04", "20:15-05:45", "08:05-08:40, 8:45-9", "0-24")
    ),
    granularity=any_.sampled_from(list(Granularity)),
    aggregation=any_.sampled_from([None, *Aggregation]),
    seen_in=any_.sampled_from((None, ZoneInfo("UTC"), KATHMANDU)),
    edges=any_.tuples(any_.integers(0, 400), any_.integers(0, 400)),
    seed=any_.integers(0, 2**32),
)
def test_an_answer_is_what_a_service_would_tell_that_counted_in_open_minutes_alone(
    *,
    place: tuple[ZoneInfo, date],
    text: str,
    granularity: Granularity,
    aggregation: Aggregation | None,
    seen_in: ZoneInfo | None,
    edges: tuple[int, int],
    seed: int,
) -> None:
    zone, day = place
    closed = OtherDay(day=day + timedelta(days=1), spans=(), name="Stocktaking") if seed % 3 == 0 else None
    opening = Opening(hours(text, others=(closed,) if closed else ()), zone)
    start, end = days(day, 1 if granularity is Granularity.MINUTE else 3, zone)
    range_ = TimeRange(start + edges[0] * MINUTE, end - edges[1] * MINUTE)
    # Each minute is counted: of an hour in which nobody was, no answer tells how many of its minutes are.
    minutes = counted(start, end, seed)
    asked = request_of(range_, seen_in or zone, opening, granularity, aggregation=aggregation)
    told = answer(asked, minutes)
    open_minutes = {
        start: minute for start, minute in minutes.items() if is_open_by_the_wall_clock(start, opening)
    }
    expected = CountingService(open_minutes, asked.asked_at).points(asked.query(HALL))
    assert [one.timestamp for one in told] == [one.timestamp for one in expected]
    for one, other in zip(told, expected, strict=True):
        known = {key: value for key, value in one.metrics.items() if key is not MetricKey.TIME_SPENT}
        assert known == pytest.approx({key: other.metrics[key] for key in known})
        if aggregation in {None, Aggregation.AVERAGE}:
            assert one.metrics == pytest.approx(other.metrics)


@given(seed=any_.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_minutes_that_are_missing_weigh_nothing_in_an_average(seed: int) -> None:
    range_ = days(date(2026, 6, 1), 2, ZURICH)
    opening = Opening(hours("09:30-18:10"), ZURICH)
    minutes = counted(*range_, seed, missing=0.4)
    asked = request_of(range_, ZURICH, opening, Granularity.DAY, metrics=(MetricKey.VISITORS_INSIDE,))
    for point in answer(asked, minutes):
        inside = [
            minute.inside
            for start, minute in minutes.items()
            if is_open_by_the_wall_clock(start, opening)
            and start.astimezone(ZURICH).date() == point.timestamp.astimezone(ZURICH).date()
        ]
        assert point.metrics[MetricKey.VISITORS_INSIDE] == pytest.approx(sum(inside) / len(inside))


def test_an_hour_in_which_nobody_was_inside_weighs_as_much_as_it_is_counted() -> None:
    """A counter reports only when somebody passes: 60 minutes of 50, two of nobody."""
    opening = Opening(hours("08:00-10:00"), ZURICH)
    range_ = days(date(2026, 6, 1), 1, ZURICH)
    eight = range_.start + 8 * 60 * MINUTE
    minutes = {eight + number * MINUTE: Minute(1, 0, 50) for number in range(60)}
    minutes |= {eight + number * MINUTE: Minute(0, 25, 0) for number in (70, 80)}
    asked = request_of(range_, ZURICH, opening, Granularity.DAY, metrics=(MetricKey.VISITORS_INSIDE,))
    (day,) = answer(asked, minutes)
    assert day.metrics[MetricKey.VISITORS_INSIDE] == pytest.approx(60 * 50 / 62)


def test_an_hour_that_opens_at_half_past_holds_what_came_from_then_on() -> None:
    range_ = days(date(2026, 6, 1), 1, ZURICH)
    opening = Opening(hours("09:30-11"), ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 0, n) for n in range(1440)}
    asked = request_of(range_, ZURICH, opening, Granularity.HOUR)
    assert [
        (point.timestamp.astimezone(ZURICH).hour, point.metrics[MetricKey.ENTRANCES])
        for point in answer(asked, minutes)
    ] == [(9, 30), (10, 60)]
    by_day = answer(request_of(range_, ZURICH, opening, Granularity.DAY), minutes)
    assert [point.metrics[MetricKey.ENTRANCES] for point in by_day] == [90]
    # 570 to 659 minutes of the day: as many inside, and one came in each.
    assert by_day[0].metrics[MetricKey.VISITORS_INSIDE] == pytest.approx((570 + 659) / 2)
    assert by_day[0].metrics[MetricKey.TIME_SPENT] == pytest.approx(60 * (570 + 659) / 2)


def test_a_public_holiday_is_closed_and_says_nothing() -> None:
    range_ = days(date(2026, 12, 24), 3, ZURICH)
    opening = Opening(hours("9-18", country="CH"), ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 0, 1) for n in range(3 * 1440)}
    told = answer(request_of(range_, ZURICH, opening, Granularity.DAY), minutes)
    found = [(one.timestamp.astimezone(ZURICH).day, one.metrics[MetricKey.ENTRANCES]) for one in told]
    assert (24, 540) in found
    assert 25 not in [day for day, _ in found]


def test_a_metric_that_nobody_asked_for_changes_nothing() -> None:
    """By the day, so that hours are folded."""
    range_, opening = days(date(2026, 6, 1), 2, ZURICH), Opening(hours("08:30-20"), ZURICH)
    minutes = counted(range_.start, range_.end, 4)
    request = request_of(range_, ZURICH, opening, Granularity.DAY)
    service = CountingService(minutes, request.asked_at)

    def run(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, list[MetricPoint]]:
        return {
            key: [replace(one, metrics={**one.metrics, "wifi": 3.0}) for one in points]
            for key, points in service.run(queries).items()
        }

    assert list(open_only(request, run)(request.queries())[HALL]) == answer(request, minutes)


def test_what_is_closed_throughout_asks_nothing() -> None:
    range_ = days(date(2026, 6, 1), 1, ZURICH)
    request = request_of(range_, ZURICH, Opening(hours("closed"), ZURICH), Granularity.HOUR)

    def run(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, list[MetricPoint]]:
        raise AssertionError(queries)

    assert open_only(request, run)(request.queries()) == {HALL: []}


def test_days_in_the_place_of_hours_cannot_be_told_and_are_left_out() -> None:
    range_ = days(date(2026, 6, 1), 14, ZURICH)
    request = request_of(range_, ZURICH, Opening(hours("9-18"), ZURICH), Granularity.DAY)
    service = CountingService(counted(*range_, 1), request.asked_at)

    def longer(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, list[MetricPoint]]:
        return {
            key: service.points(query.model_copy(update={"granularity": Granularity.DAY}))
            for key, query in queries.items()
        }

    assert open_only(request, longer)(request.queries()) == {}


@pytest.mark.parametrize("text", ["9-18", "09:30-18"])
def test_one_day_in_the_place_of_its_hours_cannot_be_told_either(text: str) -> None:
    range_ = days(date(2026, 6, 1), 1, ZURICH)
    request = request_of(range_, ZURICH, Opening(hours(text), ZURICH), Granularity.HOUR)
    service = CountingService(counted(*range_, 1), request.asked_at)

    def longer(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, list[MetricPoint]]:
        return {
            key: service.points(query.model_copy(update={"granularity": Granularity.DAY}))
            for key, query in queries.items()
        }

    assert open_only(request, longer)(request.queries()) == {}


def test_one_hour_of_another_zone_is_no_hour_of_the_clock() -> None:
    range_ = days(date(2026, 6, 1), 1, KATHMANDU)
    request = request_of(range_, KATHMANDU, Opening(hours("09:30-09:40"), KATHMANDU), Granularity.HOUR)
    service = CountingService(counted(*range_, 1), request.asked_at)

    def in_utc(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, list[MetricPoint]]:
        """From 08:45 on, which is three o'clock there."""
        told = service.points(request.queries()[HALL].model_copy(update={"timezone": "UTC"}))
        return {key: [one for one in told if one.timestamp.hour == 3] for key in queries}

    assert open_only(request, in_utc)(request.queries()) == {}


def test_the_first_hour_of_each_day_alone_cannot_be_told_from_days() -> None:
    range_ = days(date(2026, 6, 1), 7, ZURICH)
    request = request_of(range_, ZURICH, Opening(hours("0-6"), ZURICH), Granularity.DAY)
    minutes = {at: one for at, one in counted(*range_, 1).items() if at.astimezone(ZURICH).hour == 0}
    service = CountingService(minutes, request.asked_at)
    assert open_only(request, service.run)(request.queries()) == {}
    two = {at: one for at, one in counted(*range_, 1).items() if at.astimezone(ZURICH).hour in {0, 1}}
    assert len(answer(request, two)) == 7


def test_hours_are_told_over_the_night_in_which_the_clocks_move_by_half_an_hour() -> None:
    range_ = days(date(2026, 4, 2), 6, LORD_HOWE)
    opening = Opening(hours("01:10-02:20"), LORD_HOWE)
    minutes = {range_.start + n * MINUTE: Minute(1, 0, 1) for n in range(6 * 1440 + 30)}
    told = answer(request_of(range_, LORD_HOWE, opening, Granularity.DAY), minutes)
    # On the 5th the half hour until two o'clock comes twice.
    assert [(one.timestamp.astimezone(LORD_HOWE).day, one.metrics[MetricKey.ENTRANCES]) for one in told] == [
        (2, 70), (3, 70), (4, 70), (5, 100), (6, 70), (7, 70),
    ]  # fmt: skip
    by_hour = answer(request_of(range_, LORD_HOWE, opening, Granularity.HOUR), minutes)
    assert [one.metrics[MetricKey.ENTRANCES] for one in by_hour] == [
        50, 20, 50, 20, 50, 20, 50, 30, 20, 50, 20, 50, 20,
    ]  # fmt: skip


def test_without_hours_all_is_asked_as_it_is() -> None:
    range_ = days(date(2026, 6, 1), 1, ZURICH)
    service = CountingService({}, range_.end)
    request = request_of(range_, ZURICH, None, Granularity.HOUR)
    assert open_only(request, service.run) == service.run


def test_stretches_are_counted_that_open_or_close_within_an_hour_of_the_clock_one_looks_at() -> None:
    range_ = days(date(2026, 6, 1), 7, ZURICH)
    assert cuts(Opening(hours("9-18"), ZURICH), range_, ZURICH) == 0
    assert cuts(Opening(hours("9-12:30, 14-18"), ZURICH), range_, ZURICH) == 7
    assert cuts(Opening(hours("9-18"), ZURICH), range_, KATHMANDU) == 7


def test_in_the_second_pass_of_an_hour_that_comes_twice_the_right_one_is_asked() -> None:
    range_ = days(date(2026, 10, 25), 1, ZURICH)
    opening = Opening(hours("02:30-05"), ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 0, 1) for n in range(25 * 60)}
    told = answer(request_of(range_, ZURICH, opening, Granularity.HOUR), minutes)
    # What opens within it opens when the clock shows it first.
    assert [(one.timestamp.astimezone(UTC).hour, one.metrics[MetricKey.ENTRANCES]) for one in told] == [
        (0, 30), (1, 60), (2, 60), (3, 60),
    ]  # fmt: skip
