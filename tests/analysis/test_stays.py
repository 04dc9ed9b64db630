from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from statistics import fmean
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Completeness
from analysis.comparison import Against, Comparison
from analysis.counted_minutes import average_inside
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_data import HistoryData, cut_stay_rows, history_data, missing_rows
from analysis.history_request import HistoryRequest
from analysis.open_hours import read_hours
from analysis.stays import telling_stays, with_stays
from analysis.subject import Subject, SubjectKind
from analysis.time_range import NamedRange, TimeRange
from components.number_format import Formats
from components.sentences.answers import answers_of
from components.sentences.change_words import changes_of
from components.sentences.coverage_words import present_buckets
from components.sentences.stay_words import cut_stay_words
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
MIDNIGHT = datetime(2026, 6, 1, 22, tzinfo=UTC)
NOW = MIDNIGHT + timedelta(days=9)
READ = Formats(now=NOW)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
STAY = 30
"""Minutes."""


@cache
def local(minute: datetime) -> datetime:
    return minute.astimezone(ZURICH)


@cache
def bucket_of(place: int, size: Granularity) -> datetime:
    """Of the minute so many after `MIDNIGHT`."""
    return bucket_start(MIDNIGHT + place * MINUTE, size, ZURICH)


@cache
def metrics_at(minute: datetime) -> Mapping[str, int]:
    """One comes each minute from 09:00 to 19:00 of each day, and stays half an hour."""
    into = (local(minute).hour - 9) * 60 + minute.minute
    came, left = int(0 <= into < 600), int(STAY <= into < 600 + STAY)
    inside = max(0, min(into + 1, STAY, 600 + STAY - 1 - into))
    return {"entrances": came, "exits": left, "visitorsInside": inside}


class Shop:
    def __init__(
        self,
        shortest: Granularity = Granularity.MINUTE,
        closed: range = range(0),
        is_counted: Callable[[datetime], bool] = lambda _: True,
        metrics: Callable[[datetime], Mapping[str, int]] = metrics_at,
    ) -> None:
        """It answers in `shortest` buckets or longer ones; nothing is stored of the `closed` days, nor of
        minutes that are not counted."""
        self._shortest, self._closed, self._is_counted = shortest, closed, is_counted
        self._metrics = metrics
        self._told: dict[int, Mapping[str, int] | None] = {}
        """By minutes after `MIDNIGHT`, which are found sooner than instants."""

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {subject: self.points(query) for subject, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (parse_instant(text or "", now=NOW, timezone=ZURICH) for text in (query.from_, query.to))
        unit = max(self._shortest, query.granularity or Granularity.HOUR, key=list(Granularity).index)
        buckets: defaultdict[datetime, list[Mapping[str, int]]] = defaultdict(list)
        assert (start - MIDNIGHT) % MINUTE == timedelta(0)
        for place in range((start - MIDNIGHT) // MINUTE, (end - MIDNIGHT) // MINUTE):
            if (told := self._told_of(place)) is not None:
                buckets[bucket_of(place, unit)].append(told)
        reductions: dict[Aggregation | None, Callable[[list[int]], float]] = {
            Aggregation.SUM: sum,
            Aggregation.MINIMUM: min,
        }
        reduce = reductions.get(query.aggregation, fmean)
        is_average = query.aggregation is Aggregation.AVERAGE

        points = []
        for at, minutes in buckets.items():
            sums = {name: sum(told[name] for told in minutes) for name in minutes[0]}
            flows = {name: count / (len(minutes) if is_average else 1) for name, count in sums.items()}
            level = reduce([told["visitorsInside"] for told in minutes])
            points.append(
                MetricPoint(timestamp=at, metrics=flows | self.stay(sums) | {"visitorsInside": level})
            )
        return points

    def _told_of(self, place: int) -> Mapping[str, int] | None:
        """Nothing, where it is not stored."""
        if place not in self._told:
            minute = MIDNIGHT + place * MINUTE
            is_stored = (minute - MIDNIGHT).days not in self._closed and self._is_counted(minute)
            self._told[place] = self._metrics(minute) if is_stored else None
        return self._told[place]

    def stay(self, told: Mapping[str, int]) -> dict[str, float]:
        return {"timeSpent": 60 * told["visitorsInside"] / told["entrances"]} if told["entrances"] else {}


def stay_of(first: float, last: float, service: Shop) -> float | None:
    """Of the hours from `first` to `last` after midnight, in minutes."""
    range_ = TimeRange(MIDNIGHT + timedelta(hours=first), MIDNIGHT + timedelta(hours=last))
    metrics = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)
    asked = HistoryRequest("shop", (SHOP,), metrics, range_, ZURICH, NOW)
    data = history_data(asked, service(asked.queries()), Granularity.HOUR)
    seconds = with_stays(data, asked, read_hours(asked, service), service).stays.get(SHOP.label)
    return None if seconds is None else seconds / 60


@pytest.mark.parametrize("hours", [(0, 24), (8, 22), (0, 7 * 24)])
def test_how_long_people_stay_is_told_of_whole_days(hours: tuple[float, float]) -> None:
    assert stay_of(*hours, Shop()) == STAY


@pytest.mark.parametrize("hours", [(9, 9.5), (0, 10), (18.8, 24), (10, 12)])
def test_it_is_not_told_where_the_range_cuts_visits(hours: tuple[float, float]) -> None:
    assert stay_of(*hours, Shop()) is None


def time_inside(size: Granularity, hours: tuple[float, float], service: Shop) -> HistoryData:
    range_ = TimeRange(*(MIDNIGHT + timedelta(hours=one) for one in hours))
    asked = HistoryRequest("shop", (SHOP,), (MetricKey.TIME_SPENT,), range_, ZURICH, NOW, size)
    data = history_data(asked, service(asked.queries()), size)
    return with_stays(data, asked, read_hours(asked, service), service)


def few_in_the_evening(minute: datetime) -> Mapping[str, int]:
    """Five an hour from 17:00 on."""
    is_one = local(minute).hour < 17 or minute.minute % 12 == 0
    return {**metrics_at(minute), "entrances": metrics_at(minute)["entrances"] * is_one}


def test_an_hour_in_which_nobody_came_is_counted_though_it_has_no_time_inside() -> None:
    """Silent from 11 to 12, closed until 9 and from 19:30."""
    silent = Shop(is_counted=lambda minute: local(minute).hour != 11)
    data = time_inside(Granularity.HOUR, (0, 24), silent)
    assert missing_rows(data) == [(11, 12)]
    assert present_buckets(data, READ).startswith("23 of 24 hours have counts")
    assert missing_rows(time_inside(Granularity.DAY, (0, 24), silent)) == []


def test_of_hours_in_which_few_came_time_inside_is_not_that_of_visits() -> None:
    data = time_inside(Granularity.HOUR, (0, 24), Shop(metrics=few_in_the_evening))
    assert [hour for hour, is_cut in enumerate(cut_stay_rows(data, "Shop")) if is_cut] == [17, 18]
    (said,) = cut_stay_words(data, READ)
    assert "2 of 10 hours" in said
    assert cut_stay_words(time_inside(Granularity.HOUR, (0, 24), Shop()), READ) == []


def test_a_minute_is_shorter_than_a_visit() -> None:
    data = time_inside(Granularity.MINUTE, (9, 12), Shop())
    assert sum(cut_stay_rows(data, "Shop")) == 180
    assert "shorter than a visit" in cut_stay_words(data, READ)[0]
    assert missing_rows(time_inside(Granularity.MINUTE, (7, 12), Shop())) == []


def test_it_is_told_where_hardly_any_visits_are_cut() -> None:
    """20 of 590 are inside already at 09:20."""
    assert stay_of(9 + 20 / 60, 24, Shop()) == pytest.approx(STAY, rel=0.05)


def test_a_day_at_the_edge_without_counts_cuts_no_visits() -> None:
    assert stay_of(0, 7 * 24, Shop(closed=range(6, 7))) == STAY


def test_it_is_not_told_where_nobody_knows_who_was_inside_at_the_edges() -> None:
    assert stay_of(0, 24, Shop(Granularity.HOUR)) is None

    class WithoutMinutes(Shop):
        def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
            is_minutes = any(query.granularity is Granularity.MINUTE for query in queries.values())
            return {} if is_minutes else super().__call__(queries)

    assert stay_of(0, 24, WithoutMinutes()) is None


@pytest.mark.parametrize("days", [1, 3, 7])
@pytest.mark.parametrize(
    "is_counted",
    [
        lambda minute: local(minute).minute < 40,
        lambda minute: local(minute).hour % 2 == 0,
        lambda minute: (local(minute).hour, local(minute).minute) == (9, 26),
        lambda minute: local(minute).hour not in range(12, 14),
        lambda minute: local(minute).minute not in (20, 21),
    ],
    ids=["a third of each hour", "every other hour", "all but a minute", "over noon", "two of an hour"],
)
def test_it_is_not_told_where_the_minutes_of_visits_are_missing(
    days: int, is_counted: Callable[[datetime], bool]
) -> None:
    assert stay_of(0, days * 24, Shop(is_counted=is_counted)) is None


@pytest.mark.parametrize("days", [23 / 24, 1, 7])
@pytest.mark.parametrize(
    "is_counted",
    [
        lambda minute: (local(minute).hour, local(minute).minute) != (13, 7),
        lambda minute: local(minute).hour in range(8, 21),
        lambda minute: (8, 50) <= (local(minute).hour, local(minute).minute) < (19, 40),
        lambda minute: (9, 0) <= (local(minute).hour, local(minute).minute) < (19, 29),
    ],
    ids=["a minute", "the night", "all but the opening hours", "all but the minutes with people"],
)
def test_it_is_told_where_hardly_a_visit_is_in_the_missing_minutes(
    days: float, is_counted: Callable[[datetime], bool]
) -> None:
    assert stay_of(0, days * 24, Shop(is_counted=is_counted)) == pytest.approx(STAY, rel=0.02)


def few_visits(minute: datetime) -> Mapping[str, int]:
    """One comes every ten minutes from 09:00 to 19:00, and stays four of them."""
    is_open, into = local(minute).hour in range(9, 19), minute.minute % 10
    came, left, inside = (int(is_open and now) for now in (into == 0, into == 4, into < 4))
    return {"entrances": came, "exits": left, "visitorsInside": inside}


@pytest.mark.parametrize("hours", [22, 24, 45, 7 * 24])
def test_a_counter_that_stores_crossings_alone_tells_no_time_inside(hours: float) -> None:
    """Of each visit only its first minute has somebody inside: one minute, where people stayed four."""
    assert stay_of(0, hours, Shop(metrics=few_visits)) == pytest.approx(4)
    crossings_alone = Shop(metrics=few_visits, is_counted=lambda minute: minute.minute % 10 in (0, 4))
    assert stay_of(0, hours, crossings_alone) is None


@pytest.mark.parametrize(("hours", "told"), [(22, 4), (24, 4), (45, 4), (7 * 24, None)])
def test_missing_minutes_between_visits_cut_none_where_they_are_known(
    hours: float, told: float | None
) -> None:
    """Of a range of more than two days it is known by the hour how many are missing, and not which."""
    between = Shop(metrics=few_visits, is_counted=lambda minute: minute.minute % 10 not in range(5, 9))
    assert stay_of(0, hours, between) == (told and pytest.approx(told))


def test_missing_hours_cut_visits_also_where_those_beside_have_an_empty_minute() -> None:
    every_other = Shop(metrics=few_visits, is_counted=lambda minute: local(minute).hour % 2 == 0)
    assert stay_of(0, 7 * 24, every_other) is None


def left_over(people: int, since: int = 12) -> Callable[[datetime], Mapping[str, int]]:
    """As many leave uncounted at `since` o'clock of each day, and are inside until the reset at 04:00."""

    def metrics(minute: datetime) -> Mapping[str, int]:
        is_there = local(minute).hour >= since or (local(minute).hour < 4 and minute >= MIDNIGHT + 4 * HOUR)
        came = people if (local(minute).hour, local(minute).minute) == (since, 0) else 0
        told = metrics_at(minute)
        inside = told["visitorsInside"] + people * is_there
        return {**told, "entrances": told["entrances"] + came, "visitorsInside": inside}

    return metrics


@pytest.mark.parametrize("days", [1, 2, 7])
def test_who_is_left_over_spends_no_night_inside(days: int) -> None:
    """One of 601: until the reset he would add a minute and a half to all others' half hour."""
    stay = stay_of(0, 24 * days, Shop(metrics=left_over(1)))
    open_until = 20
    assert stay == pytest.approx((600 * STAY + (open_until - 12) * 60) / 601)


@pytest.mark.parametrize("days", [1, 7])
@pytest.mark.parametrize("is_counted", [lambda _: True, lambda minute: local(minute).hour in range(8, 20)])
def test_no_time_inside_is_told_where_people_left_over_may_have_made_much_of_it(
    days: int, is_counted: Callable[[datetime], bool]
) -> None:
    """They may have been so since the morning, also where the counters are off at night."""
    few, many = (Shop(metrics=left_over(people), is_counted=is_counted) for people in (2, 5))
    assert stay_of(0, 24 * days, few) == pytest.approx(STAY, rel=0.06)
    assert stay_of(0, 24 * days, many) is None


@pytest.mark.parametrize(("people", "told"), [(0, range(9, 19)), (2, range(9, 19)), (5, range(9, 10))])
def test_an_hour_tells_a_time_inside_where_people_left_over_may_have_made_a_tenth_of_it(
    people: int, told: range
) -> None:
    """Of 1800 minutes an hour five of them spend 300; in the first hour only one is inside at first."""
    range_ = TimeRange(MIDNIGHT, MIDNIGHT + timedelta(days=7))
    asked = HistoryRequest("shop", (SHOP,), (MetricKey.TIME_SPENT,), range_, ZURICH, NOW)
    hours = {MIDNIGHT + hour * HOUR for hour in range(7 * 24)}
    telling = telling_stays(asked, Shop(metrics=left_over(people)))
    assert telling == {one for one in hours if local(one).hour in told}


def test_of_hours_that_cannot_be_read_none_tells_a_time_inside() -> None:
    asked = HistoryRequest("shop", (SHOP,), (MetricKey.TIME_SPENT,), TimeRange(MIDNIGHT, NOW), ZURICH, NOW)
    assert telling_stays(asked, lambda _queries: {}) == frozenset()
    assert telling_stays(asked, lambda queries: {subject: [] for subject in queries}) == frozenset()


def test_people_left_over_before_the_range_ends_are_so_too() -> None:
    """The shop has been empty since 19:30, but for them."""
    assert stay_of(0, 21, Shop(metrics=left_over(1))) == pytest.approx(STAY, rel=0.03)
    assert stay_of(0, 21, Shop(metrics=left_over(5))) is None


def test_the_time_inside_does_not_depend_on_where_a_month_ends() -> None:
    """Of a day and of the next two, on which nobody comes; with the people who are left over until 04:00."""

    def until(closed: datetime) -> Shop:
        def metrics(minute: datetime) -> Mapping[str, int]:
            told = left_over(2)(minute)
            return dict.fromkeys(told, 0) if minute >= closed + 4 * HOUR else told

        return Shop(metrics=metrics)

    june = MIDNIGHT - timedelta(days=1)
    assert local(june).day == 1
    from_may = stay_of(-48, 24, until(june))
    assert from_may == stay_of(-24, 48, until(MIDNIGHT))
    assert from_may == pytest.approx(STAY, rel=0.06)


def compared_with_the_day_before(
    first: float,
    last: float,
    service: Shop,
    size: Granularity,
    metrics: tuple[MetricKey, ...] = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES),
) -> HistoryData:
    """The hours from `first` to `last` of the second day."""
    second = MIDNIGHT + timedelta(days=1)
    range_ = TimeRange(second + timedelta(hours=first), second + timedelta(hours=last))
    asked = HistoryRequest("shop", (SHOP,), metrics, range_, ZURICH, NOW, size)
    compare = ComparedRange(NamedRange.TODAY, range_, Against(Comparison.PERIOD))
    points = service(asked.queries())
    return history_answer(asked, points, size, compare, run=service, run_other=service).data


@pytest.mark.parametrize("size", [Granularity.MINUTE, Granularity.HOUR])
def test_the_other_period_has_its_average_and_its_time_over_as_much_of_it(size: Granularity) -> None:
    """From 09:00 on one more is inside each minute, until half an hour has passed."""
    until_noon = compared_with_the_day_before(8, 12, Shop(), size)
    average = until_noon.earlier_averages["Shop"]
    assert average.people == pytest.approx((sum(range(1, 31)) + 30 * 150) / 180)
    assert average.minutes == Completeness(180, 180)
    assert until_noon.earlier_stays == {}, "who is inside at noon still stays"
    whole = compared_with_the_day_before(0, 24, Shop(), size)
    assert whole.earlier_stays == whole.stays == {"Shop": STAY * 60}


def test_the_other_period_says_on_how_few_minutes_its_average_rests() -> None:
    def is_counted(minute: datetime) -> bool:
        return minute >= MIDNIGHT + timedelta(days=1) or local(minute).minute < 15

    data = compared_with_the_day_before(0, 24, Shop(is_counted=is_counted), Granularity.HOUR)
    assert data.earlier_averages["Shop"].minutes == Completeness(165, 660)
    (said,) = changes_of(SHOP, data, READ)
    counted = "counted in 660 of 660 minutes of hours in which somebody was there, against 165 of 660"
    assert said == f"Entrances: 600 against 150, {counted}: too unlike for a percentage."
    assert data.earlier_stays == {}
    assert data.stays == {"Shop": STAY * 60}


@pytest.mark.parametrize("size", [Granularity.MINUTE, Granularity.HOUR])
def test_one_who_is_left_over_opens_no_hour(size: Granularity) -> None:
    """Since noon of the second day: the shop is open from nine to half past seven on both."""

    def metrics(minute: datetime) -> Mapping[str, int]:
        return left_over(1)(minute) if minute >= MIDNIGHT + timedelta(days=1) else metrics_at(minute)

    data = compared_with_the_day_before(0, 24, Shop(metrics=metrics), size)
    present, earlier = average_inside(data, "Shop"), data.earlier_averages["Shop"]
    assert present is not None
    assert present.hours == earlier.hours == Completeness(11, 24)
    assert present.people == pytest.approx((600 * STAY + 8 * 60) / 660)
    (level,) = (said for said in answers_of(SHOP, data, None, READ) if said.startswith("On average"))
    assert level == (
        "On average 28 inside over the 11 of 24 hours in which somebody was, "
        "not counting those left over in 8 hours when nobody came or went, "
        "against 27.3 over 11 of 24 hours (3\N{NO-BREAK SPACE}% more)."
    )


@pytest.mark.parametrize(
    "metrics", [(MetricKey.ENTRANCES,), (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)]
)
def test_one_who_is_left_over_makes_no_night_missing_in_the_other_period(
    metrics: tuple[MetricKey, ...],
) -> None:
    """Its counters were off from 20:00 on, when the shop had been closed for half an hour."""
    second = MIDNIGHT + timedelta(days=1)

    def is_counted(minute: datetime) -> bool:
        return minute >= second or local(minute).hour < 20

    shop = Shop(metrics=left_over(1), is_counted=is_counted)
    data = compared_with_the_day_before(0, 24, shop, Granularity.HOUR, metrics)
    assert changes_of(SHOP, data, READ) == [
        "Entrances: 601 against 601 (as many), counted in all hours in which somebody was there, in both."
    ]
