from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.ahead_answer import (
    Ahead,
    Sound,
    ahead,
    ahead_request,
    closed_ahead,
    evening_before,
    sound_since,
    spoilt_count,
    today_of,
    today_since,
)
from analysis.forecast import BACK_WEEKS, WEEKS, Expected
from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject, SubjectKind
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_starts, local_midnight

ZURICH, KOLKATA = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Kolkata")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
INSIDE, ENTRANCES = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES
MONDAY = date(2026, 6, 29)
OPEN = range(9, 19)
ALL = WEEKS + BACK_WEEKS


def nothing(_queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
    return {}


def request_at(hour: int, minute: int = 2, day: date = MONDAY, zone: ZoneInfo = ZURICH) -> HistoryRequest:
    now = datetime.combine(day, time(hour, minute), zone)
    return ahead_request("shop", SHOP, ENTRANCES, timezone=zone, now=now)


def inside_at(hour: int) -> HistoryRequest:
    now = datetime.combine(MONDAY, time(hour, 2), ZURICH)
    return ahead_request("shop", SHOP, INSIDE, timezone=ZURICH, now=now)


def points_of(request: HistoryRequest, *, without: Sequence[date] = ()) -> Iterator[MetricPoint]:
    """Ten people for each hour of the clock while it is open, nobody else; each hour is counted."""
    for start in bucket_starts(*request.range, Granularity.HOUR, request.timezone):
        local = start.astimezone(request.timezone)
        if local.date() not in without:
            people = 10 * local.hour if local.hour in OPEN else 0
            yield MetricPoint(timestamp=start, metrics=dict.fromkeys(request.metrics, people))


def answer(request: HistoryRequest, **parameters: object) -> Ahead:
    found = ahead(request, {SHOP: list(points_of(request))}, run=nothing, **parameters)  # type: ignore[arg-type]
    assert found is not None
    return found


def clocks(found: Ahead, zone: ZoneInfo = ZURICH) -> list[str]:
    return [f"{one.start.astimezone(zone):%H:%M}" for one in found.to_come]


def test_weeks_before_today_and_today_so_far_are_asked_for() -> None:
    request = request_at(12, 1)
    assert request.range.start == local_midnight(MONDAY - timedelta(weeks=ALL), ZURICH)
    assert request.range.end == datetime.combine(MONDAY, time(12), ZURICH)
    (query,) = request.queries().values()
    assert (query.metrics, query.granularity) == ((ENTRANCES,), Granularity.HOUR)
    assert today_of(request).start == local_midnight(MONDAY, ZURICH)


def test_today_is_told_as_far_as_it_is_over_and_then_expected() -> None:
    found = answer(request_at(14, 20))
    assert len(found.so_far) == 14
    assert found.so_far[-1].value == 130
    assert clocks(found)[0] == "14:00"
    assert len(found.to_come) == 10
    assert found.to_come[1].expected == Expected(150, 150, 150)
    assert found.to_come[-1].expected == Expected(0, 0, 0)
    assert found.forecast.days == WEEKS
    assert found.error is not None
    assert (found.error.mean, found.error.within, found.error.hours) == (0, 28 * 5, 28 * 5)


def test_closed_hours_are_not_still_to_come_and_make_no_error() -> None:
    request = request_at(14, 20)
    hours = OpeningHours(week=(spans_of_text("9-16"),) * 7)
    found = answer(request, closed=closed_ahead(hours, request))
    open_ = [one.start.astimezone(ZURICH).hour for one in found.to_come if not one.is_closed]
    assert open_ == [start.astimezone(ZURICH).hour for start, _ in found.known] == [14, 15]
    assert len(found.to_come) == 10
    assert found.error is not None
    assert found.error.hours == 28 * 2
    assert not found.is_over


def test_what_is_forecast_of_an_open_hour_does_not_hang_on_closed_ones() -> None:
    request = request_at(6)
    hours = OpeningHours(week=(spans_of_text("10-16"),) * 7)
    all_hours, open_ = answer(request), answer(request, closed=closed_ahead(hours, request))
    assert open_.known == [one for one in all_hours.known if 10 <= one[0].astimezone(ZURICH).hour < 16]


def test_a_day_that_is_over_asks_for_no_minutes_of_past_days() -> None:
    """The shop closes at half past four: of the hour that runs, no minute to come is open."""
    request = ahead_request(
        "shop", SHOP, INSIDE, timezone=ZURICH, now=datetime(2026, 6, 29, 16, 40, tzinfo=ZURICH)
    )
    hours = OpeningHours(week=(spans_of_text("9-16:30"),) * 7)
    found = answer(
        request,
        read_sound=lambda days: pytest.fail(f"{days} were asked for"),
        sound_today=local_midnight(MONDAY, ZURICH),
        closed=closed_ahead(hours, request),
    )
    assert (found.is_over, found.known, found.error) == (True, [], None)
    assert found.so_far[9].value == 90


def test_an_hour_whose_last_minute_is_not_published_is_still_to_come() -> None:
    just_over = ahead_request(
        "shop", SHOP, ENTRANCES, timezone=ZURICH, now=datetime(2026, 6, 29, 14, 0, 5, tzinfo=ZURICH)
    )
    assert clocks(answer(just_over))[0] == "13:00"


def test_in_the_first_minute_of_a_day_all_of_it_is_to_come() -> None:
    request = ahead_request(
        "shop", SHOP, ENTRANCES, timezone=ZURICH, now=datetime(2026, 6, 29, 0, 0, 5, tzinfo=ZURICH)
    )
    found = answer(request)
    assert today_of(request).is_empty
    assert found.so_far == ()
    assert clocks(found) == [f"{hour:02}:00" for hour in range(24)]


def test_a_missing_hour_of_today_is_no_hour_without_people() -> None:
    request = request_at(14)
    eleven = datetime.combine(MONDAY, time(11), ZURICH)
    points = [one for one in points_of(request) if one.timestamp != eleven]
    found = ahead(request, {SHOP: points}, run=nothing)
    assert found is not None
    assert [one.value for one in found.so_far[10:13]] == [100, None, 120]
    assert found.to_come[0].expected == Expected(140, 140, 140)


def test_an_hour_of_which_minutes_are_missing_does_not_count() -> None:
    """It tells its average beside its sum: 10 minutes of 11 people each make no 110 in an hour."""
    request = request_at(14)
    eleven = datetime.combine(MONDAY, time(11), ZURICH)

    def averages(
        queries: Mapping[Subject, MetricsQuery],
    ) -> Mapping[Subject, Sequence[MetricPoint]]:
        (query,) = queries.values()
        assert query.aggregation is Aggregation.AVERAGE
        return {
            SHOP: [
                MetricPoint(
                    timestamp=one.timestamp,
                    metrics={ENTRANCES: one.metrics[ENTRANCES] / (10 if one.timestamp == eleven else 60)},
                )
                for one in points_of(request)
            ]
        }

    found = ahead(request, {SHOP: list(points_of(request))}, run=averages)
    assert found is not None
    assert [one.value for one in found.so_far[10:13]] == [100, None, 120]


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 10, 25), 25), (date(2026, 3, 29), 23)])
def test_days_on_which_the_clocks_change_have_their_hours(day: date, hours: int) -> None:
    found = answer(request_at(0, 30, day=day))
    assert len(found.to_come) == hours
    assert clocks(found).count("02:00") == hours - 23
    by_clock = {f"{one.start.astimezone(ZURICH):%H:%M}": one.expected for one in found.to_come}
    assert by_clock["09:00"] == Expected(90, 90, 90)
    assert by_clock["18:00"] == Expected(180, 180, 180)


def test_after_a_change_of_the_clocks_the_same_hour_of_the_clock_is_usual() -> None:
    """Four weeks of five lie on the other side of it."""
    found = answer(request_at(8, day=date(2026, 4, 5)))
    assert found.to_come[1].expected == Expected(90, 90, 90)


def test_a_zone_of_half_hours_has_its_own_hours() -> None:
    found = answer(request_at(14, 20, zone=KOLKATA))
    assert clocks(found, KOLKATA)[0] == "14:00"
    assert found.to_come[0].start.minute == 30
    assert found.to_come[1].expected == Expected(150, 150, 150)


def test_half_an_hour_that_a_change_cuts_is_no_hour() -> None:
    """Lord Howe's clocks go back by half an hour at 02:00 on 5 April."""
    found = answer(request_at(12, day=date(2026, 4, 5), zone=LORD_HOWE))
    assert [f"{one.start.astimezone(LORD_HOWE):%H:%M}" for one in found.so_far[:3]] == [
        "00:00", "01:00", "02:00",
    ]  # fmt: skip


def test_days_whose_number_means_nothing_are_left_out_and_counted() -> None:
    request = inside_at(14)
    spoilt = MONDAY - timedelta(weeks=1)

    def read(days: Sequence[date]) -> Sound:
        return {day: None if day == spoilt else local_midnight(day, ZURICH) for day in days}

    found = answer(request, read_sound=read, sound_today=local_midnight(MONDAY, ZURICH))
    assert (found.spoilt, found.unread, found.forecast.days) == (1, 0, WEEKS - 1)
    assert found.to_come[1].expected == Expected(150, 150, 150)


def test_a_day_that_could_not_be_read_is_left_out_and_told_apart() -> None:
    request = inside_at(14)
    unread = MONDAY - timedelta(days=3)

    def read(days: Sequence[date]) -> Sound:
        return {day: local_midnight(day, ZURICH) for day in days if day != unread}

    found = answer(request, read_sound=read, sound_today=local_midnight(MONDAY, ZURICH))
    assert (found.spoilt, found.unread) == (0, 1)


def test_hours_of_a_spoilt_count_of_the_evening_before_are_left_out_alone() -> None:
    request = inside_at(14)
    at_ten = datetime.combine(MONDAY, time(10), ZURICH)

    def read(days: Sequence[date]) -> Sound:
        return {day: local_midnight(day, ZURICH) for day in days}

    found = answer(request, read_sound=read, sound_today=at_ten)
    assert [one.value for one in found.so_far[8:12]] == [None, None, 100, 110]
    assert found.to_come[1].expected == Expected(150, 150, 150)


def test_where_the_weekday_has_no_sound_days_no_others_are_asked_for() -> None:
    asked: list[date] = []

    def read(days: Sequence[date]) -> Sound:
        asked.extend(days)
        return dict.fromkeys(days)

    found = answer(inside_at(14), read_sound=read, sound_today=local_midnight(MONDAY, ZURICH))
    assert {day.weekday() for day in asked} == {MONDAY.weekday()}
    assert len(asked) == ALL
    assert found.known == []
    assert (found.spoilt, found.unread, found.error) == (ALL, 0, None)
    assert found.is_of_weekday


def test_where_today_means_nothing_nothing_is_expected_of_it() -> None:
    def read(days: Sequence[date]) -> Sound:
        return {day: local_midnight(day, ZURICH) for day in days}

    found = answer(inside_at(14), read_sound=read, sound_today=None)
    assert found.is_today_spoilt
    assert found.known == []
    assert {one.value for one in found.so_far} == {None}


def test_a_service_that_answers_by_the_day_tells_no_hours() -> None:
    request = request_at(14)
    days = [
        MetricPoint(timestamp=start, metrics={ENTRANCES: 500})
        for start in bucket_starts(*request.range, Granularity.DAY, ZURICH)
    ]
    assert ahead(request, {SHOP: days}, run=nothing) is None


def test_a_place_that_is_counted_in_one_hour_a_day_is_told() -> None:
    request = request_at(14)
    points = [one for one in points_of(request) if one.timestamp.astimezone(ZURICH).hour == 17]
    found = ahead(request, {SHOP: points}, run=nothing)
    assert found is not None
    assert [band.median for _, band in found.known] == [170]


def minute(start: datetime, inside: int, came: int, went: int) -> MetricPoint:
    keys = (INSIDE, ENTRANCES, MetricKey.EXITS)
    return MetricPoint(timestamp=start, metrics=dict(zip(keys, (inside, came, went), strict=True)))


def test_a_day_whose_people_leave_again_means_something_from_its_beginning() -> None:
    start = local_midnight(MONDAY, ZURICH)
    nine = start + timedelta(hours=9)
    came = [minute(nine + timedelta(minutes=one), 2 * one + 2, 2, 0) for one in range(60)]
    went = [minute(nine + timedelta(minutes=60 + one), 118 - 2 * one, 0, 2) for one in range(60)]
    assert sound_since([*came, *went], (), start) == start
    assert sound_since([], (), start) == start


def test_a_day_that_hides_many_who_left_means_nothing() -> None:
    start = local_midnight(MONDAY, ZURICH)
    nine = start + timedelta(hours=9)
    quiet = [minute(start + timedelta(minutes=one), 0, 0, 0) for one in range(9 * 60)]
    came = [minute(nine + timedelta(minutes=one), 2 * one + 2, 2, 0) for one in range(20)]
    went = [minute(nine + timedelta(minutes=20 + one), max(0, 36 - 4 * one), 0, 4) for one in range(20)]
    assert sound_since([*quiet, *came, *went], (), start) is None


def test_a_count_that_goes_on_since_yesterday_is_judged_by_all_of_it() -> None:
    """A hundred went the evening before who had not come: after midnight nobody sees that, until it ends."""
    request = inside_at(2)
    midnight = local_midnight(MONDAY, ZURICH)
    evening = evening_before(request)
    assert (evening.start, evening.end) == (midnight - timedelta(hours=24), midnight)
    four = midnight - timedelta(hours=20)
    before = [minute(four - timedelta(minutes=one), 5, 0, 0) for one in range(240, 0, -1)]
    before += [minute(four + timedelta(minutes=one), 20, 20 * (one == 0), 0) for one in range(900)]
    before += [minute(four + timedelta(minutes=900), 0, 0, 120)]
    before += [minute(four + timedelta(minutes=one), 10, 10 * (one == 901), 0) for one in range(901, 1200)]
    night = [minute(midnight + timedelta(minutes=one), 10, 0, 0) for one in range(120)]
    count = spoilt_count(before, night)
    assert count is not None
    assert (count.since, count.people) == (four, 100)
    assert today_since(night, count, request) == request.range.end
    assert today_since(night, None, request) == midnight
    reset = [minute(midnight + timedelta(hours=4, minutes=one), 0, 0, 0) for one in range(60)]
    more = [minute(midnight + timedelta(minutes=one), 10, 0, 0) for one in range(120, 240)]
    assert spoilt_count(before, [*night, *more, *reset]) is None
    assert evening_before(inside_at(14)).is_empty
