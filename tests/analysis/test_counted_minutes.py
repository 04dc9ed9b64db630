from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import AverageInside, Completeness, starts_of
from analysis.comparison import Against, Comparison
from analysis.counted_minutes import (
    average_inside,
    few_earlier_minutes,
    few_minutes,
    is_nearly_all,
    with_minutes,
)
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.rounded_averages import minutes_of
from analysis.subject import Subject, SubjectKind
from analysis.time_range import NamedRange, TimeRange
from components.number_format import Formats
from components.sentences.coverage_words import present_buckets
from components.tables.shown_table import shown_table
from contract import CROSSINGS, Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
DOOR = Subject(SubjectKind.PASSAGE, "door", "Door")
START = datetime(2026, 6, 2, 6, tzinfo=UTC)
MORNING = TimeRange(START, START + timedelta(hours=8))
DAY = timedelta(days=1)


class Door:
    """Two come in each counted minute; ten are of the second hour, and of the third the day before."""

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {one: self._points(query) for one, query in queries.items()}

    def _points(self, query: MetricsQuery) -> list[MetricPoint]:
        ends = (
            parse_instant(text or "", now=MORNING.end, timezone=ZURICH) for text in (query.from_, query.to)
        )
        start, end = ends
        counted: dict[datetime, int] = {}
        for place in range(int((end - start) / timedelta(minutes=1))):
            minute = start + place * timedelta(minutes=1)
            hour = 7 if minute >= START - timedelta(hours=1) else 8
            if minute.hour != hour or minute.minute < 10:
                bucket = bucket_start(minute, query.granularity or Granularity.HOUR, ZURICH)
                counted[bucket] = counted.get(bucket, 0) + 1
        is_average = query.aggregation is Aggregation.AVERAGE
        return [
            MetricPoint(timestamp=at, metrics=dict.fromkeys(query.metrics, 2 if is_average else 2 * minutes))
            for at, minutes in counted.items()
        ]


def request(aggregation: Aggregation | None = None) -> HistoryRequest:
    return HistoryRequest(
        "shop", (DOOR,), CROSSINGS, MORNING, ZURICH, MORNING.end + 9 * DAY, Granularity.HOUR, aggregation
    )


def compared() -> HistoryData:
    """With the day before."""
    asked, door = request(), Door()
    compare = ComparedRange(NamedRange.TODAY, MORNING, Against(Comparison.PERIOD))
    points = door(asked.queries())
    return history_answer(asked, points, Granularity.HOUR, compare, run=door, run_other=door).data


@pytest.mark.parametrize(("counted", "is_enough"), [(95, True), (94, False), (100, True), (0, False)])
def test_nineteen_of_twenty_minutes_are_nearly_all(counted: int, is_enough: bool) -> None:
    assert is_nearly_all(Completeness(counted, 100)) is is_enough


@pytest.mark.parametrize("aggregation", [None, Aggregation.SUM, Aggregation.AVERAGE])
def test_the_minutes_of_entrances_alone_follow_from_their_sum_and_average(
    aggregation: Aggregation | None,
) -> None:
    asked = request(aggregation)
    data = with_minutes(history_data(asked, Door()(asked.queries()), Granularity.HOUR), asked, Door())
    assert list(data.minutes["Door"].values()) == [60, 10, *[60] * 6]
    assert few_minutes(data, "Door") == [None, Completeness(10, 60), *[None] * 6]


def test_the_highest_minute_tells_nothing_of_the_others() -> None:
    asked = request(Aggregation.MAXIMUM)
    data = history_data(asked, Door()(asked.queries()), Granularity.HOUR)
    assert with_minutes(data, asked, Door()).minutes == {}


def test_the_coverage_of_both_periods_stands_in_one_sentence() -> None:
    data = compared()
    assert few_earlier_minutes(data, "Door") == [None, None, Completeness(10, 60), *[None] * 5]
    assert present_buckets(data, Formats(now=MORNING.end)) == (
        "All 8 hours have counts, 1 of them with minutes missing; "
        "in the other period too, 1 of them with minutes missing."
    )


def test_days_whose_nights_are_not_counted_are_counted_in_part_and_miss_nothing_else() -> None:
    data = replace(compared(), granularity=Granularity.DAY)
    few = dict.fromkeys(starts_of(data.table), 10.0)
    said = present_buckets(replace(data, minutes={"Door": few}), Formats(now=MORNING.end))
    assert said == "All 8 days have counts, at least in part; in the other period too."


def test_the_table_notes_few_minutes_beside_the_numbers_of_either_period() -> None:
    table = shown_table(compared())
    assert list(table.columns) == [
        "From", "Compared with", "Entrances", "Entrances, note", "Entrances, compared",
        "Entrances, compared, note", "Exits", "Exits, compared",
    ]  # fmt: skip
    assert table["Entrances, note"].to_list() == ["", "counted in 10 of 60 minutes", *[""] * 6]
    assert table["Entrances, compared, note"].to_list() == ["", "", "counted in 10 of 60 minutes", *[""] * 5]


INSIDE = MetricKey.VISITORS_INSIDE
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
NOON = datetime(2026, 6, 2, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LAST_DAY = TimeRange(NOON - timedelta(hours=24) + 6 * MINUTE, NOON + 6 * MINUTE)
OPENS = NOON - timedelta(hours=2, minutes=30)
"""Counted from then on: 10 people for half an hour, then 40, and 100 in the six minutes of the last hour."""


def inside(minute: datetime) -> int:
    if minute < OPENS + 30 * MINUTE:
        return 10
    return 40 if minute < NOON else 100


def points(granularity: Granularity, aggregation: Aggregation | None) -> list[MetricPoint]:
    values: dict[datetime, list[int]] = defaultdict(list)
    for ago in range(1, int((LAST_DAY.end - OPENS) / MINUTE) + 1):
        minute = LAST_DAY.end - ago * MINUTE
        values[bucket_start(minute, granularity, ZURICH)].append(inside(minute))
    return [
        MetricPoint(
            timestamp=start,
            metrics={INSIDE: sum(own) if aggregation is Aggregation.SUM else round(sum(own) / len(own), 1)},
        )
        for start, own in sorted(values.items())
    ]


def day(granularity: Granularity) -> tuple[HistoryRequest, HistoryData]:
    request = HistoryRequest("shop", (SHOP,), (INSIDE,), LAST_DAY, ZURICH, LAST_DAY.end, granularity)
    return request, history_data(request, {SHOP: points(granularity, None)}, granularity)


def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, list[MetricPoint]]:
    return {
        one: points(query.granularity or Granularity.HOUR, query.aggregation)
        for one, query in queries.items()
    }


def test_the_average_is_that_of_the_counted_minutes_by_hour_as_by_minute() -> None:
    mean = (30 * 10 + 120 * 40 + 6 * 100) / 156
    for granularity in (Granularity.MINUTE, Granularity.HOUR):
        request, data = day(granularity)
        found = average_inside(with_minutes(data, request, ask), "Shop")
        assert found is not None
        assert found.people == pytest.approx(mean)
        assert found.hours == Completeness(4, 4)
        assert found.minutes == Completeness(156, 186)


def test_without_the_sums_an_hour_weighs_as_much_as_the_range_has_of_it() -> None:
    request, data = day(Granularity.HOUR)
    found = average_inside(with_minutes(data, request, lambda _: {}), "Shop")
    assert found is not None
    assert found.people == pytest.approx((60 * 10 + 120 * 40 + 6 * 100) / 186)


def test_hours_in_which_nobody_was_are_left_out() -> None:
    _, data = day(Granularity.HOUR)
    data.table["Shop", INSIDE] = [0.0] * 20 + [30.0, 30.0, float("nan"), 0.0, 0.0]
    assert average_inside(data, "Shop") == AverageInside(30, Completeness(2, 23), Completeness(120, 120))
    assert average_inside(replace(data, table=data.table.mul(0)), "Shop") is None


@pytest.mark.parametrize(
    ("granularity", "few"),
    [(Granularity.HOUR, [Completeness(30, 60)]), (Granularity.DAY, [Completeness(156, 846)])],
)
def test_a_bucket_of_which_few_minutes_are_counted_says_how_many(
    granularity: Granularity, few: list[Completeness]
) -> None:
    request, data = day(granularity)
    told = few_minutes(with_minutes(data, request, ask), "Shop")
    assert [one for one in told if one] == few
    assert not any(few_minutes(data, "Shop")), "it is not known before it is asked for"


def test_a_rounded_average_makes_no_minutes_missing() -> None:
    """60 minutes with 19 people in all are 0.3 on average, rounded, and 19 by 0.3 are 63 minutes."""
    request, data = day(Granularity.HOUR)
    hour = starts_of(data.table)[5]
    data.table["Shop", INSIDE] = [0.3 if start == hour else float("nan") for start in starts_of(data.table)]

    def sums(total: int) -> HistoryData:
        point = MetricPoint(timestamp=hour, metrics={INSIDE: total})
        return with_minutes(data, request, lambda queries: {one: [point] for one in queries})

    assert [sums(total).minutes["Shop"][hour] for total in (16, 19, 9)] == [60, 60, 30]


def test_minutes_are_not_asked_for_their_minutes() -> None:
    request, data = day(Granularity.MINUTE)
    assert with_minutes(data, request, ask) is data


def test_a_part_hour_of_the_morning_is_not_one_with_another_of_noon() -> None:
    """Nobody is inside from 07:01 to 08:00; 60 are, in the one minute from 12:00."""
    morning = TimeRange(NOON - timedelta(hours=5) + MINUTE, NOON + MINUTE)
    request = HistoryRequest("shop", (SHOP,), (INSIDE,), morning, ZURICH, LAST_DAY.end, Granularity.HOUR)
    data = history_data(request, {SHOP: []}, Granularity.HOUR)
    data.table["Shop", INSIDE] = [0.0, 0.0, 0.0, 0.0, 0.0, 60.0]
    assert average_inside(data, "Shop") == AverageInside(60, Completeness(1, 6), Completeness(1, 1))


def test_averages_that_are_rounded_to_whole_people_make_no_minutes_missing() -> None:
    """84 people in 60 minutes are 1.4 on average, told as 1: no hour has 84 minutes, so all are rounded."""
    request, data = day(Granularity.HOUR)
    first, second = starts_of(data.table)[5:7]
    known = {first: 1.0, second: 2.0}
    data.table["Shop", INSIDE] = [known.get(start, float("nan")) for start in starts_of(data.table)]

    def sums(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, list[MetricPoint]]:
        totals = {first: 84, second: 105}
        return {
            one: [MetricPoint(timestamp=start, metrics={INSIDE: own}) for start, own in totals.items()]
            for one in queries
        }

    assert with_minutes(data, request, sums).minutes["Shop"] == {first: 60, second: 60}


def test_averages_that_are_all_rounded_up_to_whole_people_make_no_minutes_missing() -> None:
    """107 people in 60 minutes are 1.78 on average, told as 2: 107 are not two a minute, however many."""
    request, data = day(Granularity.HOUR)
    first, second = starts_of(data.table)[5:7]
    data.table["Shop", INSIDE] = [
        2.0 if start in {first, second} else float("nan") for start in starts_of(data.table)
    ]

    def sums(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, list[MetricPoint]]:
        totals = {first: 107, second: 96}
        return {
            one: [MetricPoint(timestamp=start, metrics={INSIDE: own}) for start, own in totals.items()]
            for one in queries
        }

    assert with_minutes(data, request, sums).minutes["Shop"] == {first: 60, second: 60}


def test_an_average_that_happens_to_be_whole_is_no_rounded_one() -> None:
    request, data = day(Granularity.HOUR)
    first, second = starts_of(data.table)[5:7]
    known = {first: 1.0, second: 0.567}
    data.table["Shop", INSIDE] = [known.get(start, float("nan")) for start in starts_of(data.table)]

    def sums(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, list[MetricPoint]]:
        totals = {first: 57, second: 34}
        return {
            one: [MetricPoint(timestamp=start, metrics={INSIDE: own}) for start, own in totals.items()]
            for one in queries
        }

    assert with_minutes(data, request, sums).minutes["Shop"] == {first: 57, second: 60}


@dataclass(frozen=True)
class DeafService(CountingService):
    """Reduces as it always does, whatever is asked for."""

    always: Aggregation | None = None

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        return super().points(query.model_copy(update={"aggregation": self.always}))


@pytest.mark.parametrize("always", [None, *Aggregation])
@pytest.mark.parametrize("metric", [MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE])
def test_of_a_service_that_heeds_no_aggregation_nothing_is_said_of_minutes(
    metric: MetricKey, always: Aggregation | None
) -> None:
    """Every minute of seven hours is counted; told were one of 60, as sums are averages."""
    hall = Subject(SubjectKind.ZONE, "hall", "Hall")
    first = START + timedelta(hours=1)
    counted = {first + n * timedelta(minutes=1): Minute(2 + n % 3, 2, 9 + n % 7) for n in range(7 * 60)}
    request = HistoryRequest("shop", (hall,), (metric,), MORNING, ZURICH, MORNING.end, Granularity.HOUR)
    compare = ComparedRange(None, MORNING, Against(Comparison.NONE))

    def told(service: CountingService) -> HistoryData:
        points = service.run(request.queries())
        answer = history_answer(
            request, points, Granularity.HOUR, compare, run=service.run, run_other=service.run
        )
        return answer.data

    heeding = told(CountingService(counted, MORNING.end))
    heedless = told(DeafService(counted, MORNING.end, always))
    assert [*heeding.minutes["Hall"].values()] == [60] * 7
    assert heedless.minutes == {"Hall": {}}
    assert few_minutes(heedless, "Hall") == [None] * 8
    untold = " This service does not tell how many minutes its counts are of: missing ones do not show."
    assert untold in present_buckets(heedless, Formats())
    assert present_buckets(heedless, Formats()).replace(untold, "") == present_buckets(heeding, Formats())
    if metric is MetricKey.VISITORS_INSIDE:
        assert average_inside(heedless, "Hall") is not None


def test_where_one_bucket_has_more_than_a_minute_of_counts_those_with_one_are_said() -> None:
    held = dict.fromkeys((START, START + timedelta(hours=1)), 60.0)
    sums, averages = dict(zip(held, (4, 120), strict=True)), dict(zip(held, (4, 2), strict=True))
    assert [*minutes_of(sums, averages, held.__getitem__).values()] == [1, 60]
    alone = {START: 4}
    assert minutes_of(alone, alone, held.__getitem__) == {}
    assert minutes_of(alone, alone, lambda _: 1.0) == {START: 1}
