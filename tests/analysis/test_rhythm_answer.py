from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bands import Band
from analysis.bucket_table import Completeness
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.reporting_rate import EACH_MINUTE
from analysis.rhythm import Hour
from analysis.rhythm_answer import (
    HourOfDay,
    RhythmAnswer,
    counted_weeks,
    hours_of_day,
    rhythm_answer,
    rhythm_request,
    today_request,
    usual_today,
)
from analysis.subject import Subject, SubjectKind
from components.number_format import Formats
from components.sentences.rhythm_words import usual_words
from contract import Aggregation, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import local_midnight
from contract.minutes import MINUTE
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
INSIDE, ENTRANCES, TIME = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT
MONDAY = date(2026, 6, 29)
NOON = datetime.combine(MONDAY, time(12, 20), ZURICH)


def nothing(_queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
    return {}


def answered(request: HistoryRequest, points: Points, metric: MetricKey, *, run: RunQueries) -> RhythmAnswer:
    answer = rhythm_answer(request, points, metric, run=run)
    assert answer
    return answer


def point(day: date, hour: int, **metrics: float) -> MetricPoint:
    start = datetime.combine(day, time(hour), ZURICH).astimezone(UTC)
    return MetricPoint(timestamp=start, metrics={MetricKey(key): value for key, value in metrics.items()})


def test_weeks_are_whole_local_days_before_today() -> None:
    request = rhythm_request("shop", SHOP, INSIDE, 4, timezone=ZURICH, now=NOON)
    assert request.range.start == local_midnight(date(2026, 6, 1), ZURICH)
    assert request.range.end == local_midnight(MONDAY, ZURICH)
    assert request.metrics == (INSIDE, ENTRANCES)
    assert rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON).metrics == (ENTRANCES,)


@pytest.mark.parametrize("today", [date(2026, 3, 30), date(2026, 10, 26)])
def test_weeks_in_which_clocks_change_are_as_many_days(today: date) -> None:
    now = datetime.combine(today, time(9), ZURICH)
    start, end = rhythm_request("shop", SHOP, INSIDE, 1, timezone=ZURICH, now=now).range
    assert [moment.astimezone(ZURICH).time() for moment in (start, end)] == [time(), time()]
    assert abs((end - start) - timedelta(days=7)) == timedelta(hours=1)


def test_today_goes_on_until_the_last_minute_that_is_counted() -> None:
    today = today_request(rhythm_request("shop", SHOP, INSIDE, 4, timezone=ZURICH, now=NOON))
    assert today is not None
    assert today.range.start == local_midnight(MONDAY, ZURICH)
    assert timedelta() <= NOON - today.range.end <= timedelta(minutes=2)
    midnight = local_midnight(MONDAY, ZURICH) + timedelta(seconds=5)
    assert today_request(rhythm_request("shop", SHOP, INSIDE, 4, timezone=ZURICH, now=midnight)) is None


def test_the_hour_that_runs_is_not_told() -> None:
    today = today_request(rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON))
    assert today is not None
    points = {SHOP: [point(MONDAY, hour, entrances=hour) for hour in (9, 11, 12)]}
    told = hours_of_day(today, points, ENTRANCES, run=nothing)
    assert told[-3:] == [HourOfDay(9, 9), HourOfDay(10, None), HourOfDay(11, 11)]
    assert len(told) == 12


def test_an_hour_that_comes_twice_is_told_twice_and_a_skipped_one_not() -> None:
    for day, hours in ((date(2026, 10, 25), 25), (date(2026, 3, 29), 23)):
        late = datetime.combine(day, time(23, 59, 59), ZURICH) + timedelta(seconds=1)
        request = rhythm_request("shop", SHOP, ENTRANCES, 1, timezone=ZURICH, now=late - timedelta(seconds=1))
        today = today_request(request)
        assert today is not None
        told = [one.hour for one in hours_of_day(today, {SHOP: []}, ENTRANCES, run=nothing)]
        assert len(told) == hours - 1  # the last one runs
        assert told.count(2) == hours - 23


def test_entrances_of_today_are_held_against_the_same_hours_of_whole_days() -> None:
    """The day of which an hour is missing would look as if fewer came."""
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    days = [MONDAY - timedelta(weeks=week) for week in range(1, 5)]
    points = [point(day, hour, entrances=10 * week) for week, day in enumerate(days, 1) for hour in (9, 10)]
    points.remove(point(days[3], 10, entrances=40))
    points.sort(key=lambda one: one.timestamp)
    answer = answered(request, {SHOP: points}, ENTRANCES, run=nothing)
    usual = usual_today(answer, [HourOfDay(9, 1), HourOfDay(10, 2), HourOfDay(11, None)], ENTRANCES, 0)
    assert usual == Band(20, 40, 60, 3)
    assert usual_today(answer, [HourOfDay(8, None)], ENTRANCES, 0) is None
    assert usual_today(answer, [HourOfDay(9, 1)], ENTRANCES, 1) is None


def test_people_inside_are_held_against_the_last_hour_with_counts() -> None:
    request = rhythm_request("shop", SHOP, INSIDE, 4, timezone=ZURICH, now=NOON)
    days = [MONDAY - timedelta(weeks=week) for week in (4, 3, 2, 1)]
    points = [point(day, hour, visitorsInside=hour, entrances=5) for day in days for hour in (9, 10)]
    answer = answered(request, {SHOP: points}, INSIDE, run=nothing)
    day = [HourOfDay(9, 1), HourOfDay(10, 2), HourOfDay(11, None)]
    assert usual_today(answer, day, INSIDE, 0) == answer.week.bands[Hour(0, 10)] == Band(10, 10, 10, 4)


def test_a_mean_over_people_counts_by_how_many_came() -> None:
    request = rhythm_request("shop", SHOP, TIME, 2, timezone=ZURICH, now=NOON)
    hours = [
        point(
            MONDAY - timedelta(weeks=week), hour, timeSpent=stay, entrances=came, exits=came, visitorsInside=5
        )
        for week, stay, came in ((2, 600, 30), (1, 1200, 10))
        for hour in (9, 10)
    ]

    def hourly(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        """All sixty minutes are counted, and in one of them nobody is inside."""
        factors: dict[Aggregation | None, float] = {
            Aggregation.MINIMUM: 0,
            Aggregation.SUM: 60,
            Aggregation.AVERAGE: 1 / 60,
        }
        told = {}
        for subject, query in queries.items():
            factor = factors.get(query.aggregation, 1)
            told[subject] = [
                MetricPoint(
                    timestamp=one.timestamp,
                    metrics={metric: factor * value for metric, value in one.metrics.items()},
                )
                for one in hours
            ]
        return told

    answer = answered(request, {SHOP: hours}, TIME, run=hourly)
    assert answer.week.cells[Hour(0, 9)].value == 750


def test_entrances_do_not_rest_on_the_number_inside_and_are_not_judged_by_it() -> None:
    request = rhythm_request("shop", SHOP, ENTRANCES, 1, timezone=ZURICH, now=NOON)
    answer = answered(
        request, {SHOP: [point(MONDAY - timedelta(weeks=1), 9, entrances=3)]}, ENTRANCES, run=nothing
    )
    assert answer.spoilt is None


def test_no_time_inside_is_told_where_nothing_says_who_was_left_over() -> None:
    request = rhythm_request("shop", SHOP, TIME, 1, timezone=ZURICH, now=NOON)
    points = [point(MONDAY - timedelta(weeks=1), 9, timeSpent=600, entrances=30)]
    cell = answered(request, {SHOP: points}, TIME, run=nothing).week.cells[Hour(0, 9)]
    assert (cell.value, cell.days) == (None, (0, 1))
    today = today_request(request)
    assert today
    late = [point(MONDAY, 9, timeSpent=600, entrances=30)]
    assert {one.value for one in hours_of_day(today, {SHOP: late}, TIME, run=nothing)} == {None}


def test_a_place_that_is_counted_in_one_hour_a_day_has_a_rhythm() -> None:
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    days = [date(2026, 6, 1) + timedelta(days=ago) for ago in range(28)]
    points = {SHOP: [point(day, 10, entrances=30 + day.weekday()) for day in days]}
    found = answered(request, points, ENTRANCES, run=nothing)
    assert found.week.extreme(busiest=True) == (Hour(6, 10), 36)


def test_weeks_begin_at_the_first_count_of_all() -> None:
    request = rhythm_request("shop", SHOP, ENTRANCES, 13, timezone=ZURICH, now=NOON)
    first = date(2026, 6, 3)
    points = [point(first + timedelta(days=ago), 10, entrances=9) for ago in range(26)]
    asked: list[MetricsQuery] = []

    def nothing_before(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        asked.extend(queries.values())
        return dict.fromkeys(queries, ())

    counted = counted_weeks(request, points, nothing_before)
    assert counted.range == (points[0].timestamp, request.range.end), "what was that morning lacks nothing"
    assert [query.granularity for query in asked] == ["day", "month", "minute"]
    before = [point(date(2024, 1, 1), 0, entrances=9)]
    longer = counted_weeks(request, points, lambda queries: dict.fromkeys(queries, before))
    assert longer == request  # a time without counts is not the beginning
    answer = answered(counted, {SHOP: points}, ENTRANCES, run=nothing)
    cells = [cell.days for hour, cell in answer.week.cells.items() if hour.weekday == 2]
    assert cells[9:11] == [Completeness(0, 3), Completeness(4, 4)], "of the first none before ten"


def test_weeks_that_begin_with_counts_ask_for_no_first_one() -> None:
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    points = [point(date(2026, 6, 1), 0, entrances=9)]
    assert counted_weeks(request, points, lambda _: pytest.fail("it was asked for")) == request


FOUR_WEEKS = [MONDAY - timedelta(days=ago) for ago in range(28, 0, -1)]


def minutes_of(days: Sequence[date], *, is_counted: Callable[[int], bool]) -> dict[datetime, Minute]:
    """One comes in and stays in each minute from nine to five of the minutes that are counted, of Mondays
    two; a report tells those who came since the last one.
    """
    found, came, inside = {}, 0, 0
    for day in days:
        start = local_midnight(day, ZURICH)
        for minute in range(24 * 60):
            came += (1 + (day.weekday() == 0)) * (9 <= minute // 60 < 17)
            if is_counted(int((start - local_midnight(days[0], ZURICH)) / MINUTE) + minute):
                inside = inside + came if 9 <= minute // 60 < 17 else 0
                found[start + minute * MINUTE], came = Minute(came, 0, inside), 0
    return found


@pytest.mark.parametrize("every", [7, 60])
def test_an_hour_of_few_reports_is_whole_where_all_hours_have_as_few(every: int) -> None:
    """By hand: 480 come on a day, two of a minute on Mondays, wherever within it reports are."""
    minutes = minutes_of([*FOUR_WEEKS, MONDAY], is_counted=lambda minute: minute % every == every - 1)
    service = CountingService(minutes, NOON)
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    answer = answered(request, service.run(request.queries()), ENTRANCES, run=service.run)
    assert {cell.days for cell in answer.week.cells.values()} == {Completeness(4, 4)}
    for weekday, people in ((0, 960), (1, 480)):
        own = [cell.value or 0 for hour, cell in answer.week.cells.items() if hour.weekday == weekday]
        assert sum(own) == pytest.approx(people, abs=2)
        assert max(own) == pytest.approx(people / 8, abs=0.2 * people / 8), "within seven minutes"
    assert answer.power
    assert answer.power.open_hours == 7 * 8 + (every == 7) * sum(
        answer.week.cells[Hour(weekday, 17)].value != 0 for weekday in range(7)
    )
    today = today_request(request)
    assert today
    told = hours_of_day(today, service.run(today.queries()), ENTRANCES, run=service.run, week=answer)
    assert [one.value is not None for one in told] == [True] * 12, "by what is usual of the weeks before"


def test_hours_that_lack_other_minutes_each_day_tell_nothing_and_that_is_no_empty_day() -> None:
    chance = random.Random(3)
    parts = [chance.random() for _ in range(24 * 30)]
    minutes = minutes_of(FOUR_WEEKS, is_counted=lambda minute: chance.random() < parts[minute // 60])
    service = CountingService(minutes, NOON)
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    answer = answered(request, service.run(request.queries()), ENTRANCES, run=service.run)
    assert answer.rate == EACH_MINUTE
    left_out = answer.week.left_out_on(1)
    assert len(left_out) >= 6, "of the eight in which people come"
    said = usual_words(1, answer.week.bands_of(1), ENTRANCES, Formats(), left_out=range(9, 17))
    assert said.startswith("Too little is known of Tuesdays")
