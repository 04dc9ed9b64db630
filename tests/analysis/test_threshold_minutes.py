from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from statistics import fmean
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest

from analysis.rhythm_answer import rhythm_request
from analysis.subject import Subject, SubjectKind
from analysis.threshold_minutes import MOST_DAYS, ThresholdMinutes, WeekdayMinutes, threshold_minutes
from components.number_format import Formats
from components.sentences.threshold_words import threshold_words
from contract import METRICS, Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_start

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
INSIDE = MetricKey.VISITORS_INSIDE
NOON = datetime(2026, 6, 29, 12, tzinfo=ZURICH)
Key = TypeVar("Key")


def day_of(people: Sequence[int], *, first: int = 9 * 60) -> dict[int, tuple[int, int, int]]:
    """Minute of the day -> inside, entrances, exits; nobody before and after."""
    found, before = dict.fromkeys(range(24 * 60), (0, 0, 0)), 0
    for minute, inside in enumerate([*people, 0], first):
        found[minute] = (inside, max(0, inside - before), max(0, before - inside))
        before = inside
    return found


def start_of(query: MetricsQuery) -> str:
    assert query.from_
    return query.from_


class Store:
    """Answers from minutes; days are local, minutes elapse."""

    def __init__(self, days: Mapping[date, Mapping[int, tuple[int, int, int]]]) -> None:
        self.asked: list[MetricsQuery] = []
        self.fails: Callable[[MetricsQuery], bool] = lambda _query: False
        self._minutes = {
            datetime.combine(day, time(), ZURICH).astimezone(UTC) + timedelta(minutes=minute): values
            for day, own in days.items()
            for minute, values in own.items()
        }

    def __call__(self, queries: Mapping[Key, MetricsQuery], /) -> Mapping[Key, Sequence[MetricPoint]]:
        self.asked += queries.values()
        return {key: list(self._answer(query)) for key, query in queries.items() if not self.fails(query)}

    def _answer(self, query: MetricsQuery) -> Iterator[MetricPoint]:
        start, end = (
            datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC)
            for text in (start_of(query), str(query.to))
        )
        own = {at: values for at, values in self._minutes.items() if start <= at < end}
        keys = (INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS)
        if query.granularity is Granularity.MINUTE:
            for at, values in sorted(own.items()):
                yield MetricPoint(timestamp=at, metrics=dict(zip(keys, values, strict=True)))
            return
        hours: dict[datetime, list[tuple[int, int, int]]] = {}
        for at, values in sorted(own.items()):
            hours.setdefault(bucket_start(at, Granularity.HOUR, ZURICH), []).append(values)
        reduce: dict[Aggregation, Callable[[Sequence[int]], float]] = {
            Aggregation.MAXIMUM: max, Aggregation.SUM: sum, Aggregation.AVERAGE: fmean
        }  # fmt: skip
        for bucket, counted in hours.items():
            columns = zip(keys, zip(*counted, strict=True), strict=True)
            yield MetricPoint(timestamp=bucket, metrics={
                key: reduce[query.aggregation or METRICS[key].default_aggregation](column)
                for key, column in columns if key in query.metrics
            })  # fmt: skip


def found(store: Store, *people: float, weeks: int = 4) -> ThresholdMinutes:
    told = threshold_minutes(
        rhythm_request("shop", SHOP, INSIDE, weeks, timezone=ZURICH, now=NOON), people, run=store
    )
    assert told is not None
    return told


def test_minutes_at_or_above_each_threshold_are_summed_by_weekday() -> None:
    """22 June is a Monday, 27 June a Saturday."""
    store = Store({
        date(2026, 6, 20): day_of([70] * 30 + [90] * 5),
        date(2026, 6, 27): day_of([69] * 50 + [100] * 3 + [101]),
        date(2026, 6, 22): day_of([69] * 200),
    })  # fmt: skip
    told = found(store, 70, 90, 100)
    assert told.by_weekday == {0: WeekdayMinutes(1, (0, 0, 0)), 5: WeekdayMinutes(2, (39, 9, 4))}
    assert (told.spoilt, told.unread, told.lacking) == (0, 0, ())
    assert told.left_out == {0: 3, 5: 2}


def test_only_days_that_reach_a_threshold_are_read_by_the_minute() -> None:
    store = Store({date(2026, 6, 20): day_of([70]), date(2026, 6, 21): day_of([69])})
    found(store, 70)
    read = [query for query in store.asked if query.granularity is Granularity.MINUTE]
    # Two halves of the day; and its first hour, for the minute in which counting began.
    assert [(start_of(query), query.to) for query in read if start_of(query)[11:13] in {"00", "12"}][-2:] == [
        ("2026-06-20T00:00:00", "2026-06-20T12:00:00"), ("2026-06-20T12:00:00", "2026-06-21T00:00:00"),
    ]  # fmt: skip
    assert {start_of(query)[:10] for query in read} == {"2026-06-20"}
    assert len(read) == 3


def test_a_day_that_drift_spoils_is_left_out_and_said() -> None:
    """A hundred came in and nobody left, until the number began again at four."""
    spoilt = {minute: (100, 100 * (minute == 600), 0) for minute in range(600, 1440)}
    after = dict.fromkeys(range(240), (100, 0, 0)) | dict.fromkeys(range(240, 300), (0, 0, 0))
    store = Store({date(2026, 6, 26): spoilt, date(2026, 6, 27): after, date(2026, 6, 24): day_of([80] * 9)})
    told = found(store, 70)
    assert told.by_weekday[2] == (1, (9,))
    assert told.spoilt >= 1


def test_what_cannot_be_read_is_said_and_counts_for_nothing() -> None:
    store = Store({date(2026, 6, 20): day_of([80] * 9), date(2026, 6, 27): day_of([80] * 5)})
    store.fails = lambda query: start_of(query).startswith("2026-06-20T12")
    assert found(store, 70) == ThresholdMinutes({5: WeekdayMinutes(1, (5,))}, 0, 1, (), {5: 3})
    store.fails = lambda _query: True
    assert (
        threshold_minutes(rhythm_request("shop", SHOP, INSIDE, 4, timezone=ZURICH, now=NOON), [70], run=store)
        is None
    )


def test_of_too_many_days_the_newest_are_read() -> None:
    days = [date(2026, 6, 28) - timedelta(days=ago) for ago in range(MOST_DAYS + 4)]
    # Two minutes of each day: many days of all minutes would take long.
    told = found(Store({day: {540: (80, 80, 0), 541: (0, 0, 80)} for day in days}), 70, weeks=13)
    assert (sum(own.days for own in told.by_weekday.values()), told.unread) == (MOST_DAYS, 4)


def test_an_hour_that_comes_twice_counts_twice() -> None:
    """On 25 October 2026 the day has 25 hours."""
    now = datetime(2026, 10, 27, 9, tzinfo=ZURICH)
    store = Store(
        {
            date(2026, 10, 25): dict.fromkeys(range(25 * 60), (0, 0, 0))
            | {minute: (80, 80 * (minute == 100), 0) for minute in range(100, 300)}
            | {300: (0, 0, 80)}
        }
    )
    told = threshold_minutes(
        rhythm_request("shop", SHOP, INSIDE, 1, timezone=ZURICH, now=now), [70], run=store
    )
    assert told is not None
    assert told.by_weekday[6] == (1, (200,))


SUNDAYS = [date(2026, 6, 28) - timedelta(weeks=week) for week in range(4)]
SATURDAYS = [day - timedelta(days=1) for day in SUNDAYS]


def test_a_minute_without_counts_is_not_one_below() -> None:
    """On three of four Sundays the counter is dead from ten to six, the fullest hours: of these it is not
    known how long they were full. On the fourth it was 8 h, which is held against no other weekday.
    """
    dead = range(10 * 60, 18 * 60)
    days = {day: day_of([20] * 60 + [80] * 8 * 60 + [20] * 60) for day in SUNDAYS}
    lossy = {
        day: {minute: one for minute, one in own.items() if day == SUNDAYS[0] or minute not in dead}
        for day, own in days.items()
    }
    told = found(Store(lossy | {day: day_of([80] * 5 * 60) for day in SATURDAYS}), 70)
    assert told.by_weekday == {5: WeekdayMinutes(4, (4 * 300,)), 6: WeekdayMinutes(1, (480,))}
    assert told.lacking == tuple(sorted(SUNDAYS[1:]))
    assert threshold_words(told, [70], [70], Formats(now=NOON)) == [
        "70\u00a0% (70 inside) or more: longest on Saturdays, 5 h 0 min a day on average.",
        "Not in this: Sundays, of which too few days can be used.",
        "3 days are left out because minutes of theirs have no counts: Sun 7 Jun; Sun 14 Jun; Sun 21 Jun.",
    ]  # fmt: skip


def test_days_without_any_count_are_left_out_where_counts_were_to_be_expected() -> None:
    """Of two of four Sundays nothing at all is stored, and of no Monday, on which it is closed."""
    counted = {day: day_of([80] * 60) for day in [*SUNDAYS[:2], *SATURDAYS]}
    told = found(Store(counted), 70)
    assert told.by_weekday == {5: WeekdayMinutes(4, (240,)), 6: WeekdayMinutes(2, (120,))}
    assert (told.lacking, told.left_out) == (tuple(sorted(SUNDAYS[2:])), {6: 2})
    assert told.is_told(6)
    told = found(Store({day: own for day, own in counted.items() if day != SUNDAYS[1]}), 70)
    assert not told.is_told(6), "one of four is no rhythm, were the others closed or not"


def test_a_day_that_lacks_an_hour_in_which_nobody_ever_is_lacks_nothing() -> None:
    days = {day: day_of([80] * 60) for day in SUNDAYS}
    days[SUNDAYS[2]] = {minute: one for minute, one in days[SUNDAYS[2]].items() if not 120 <= minute < 240}
    assert found(Store(days), 70) == ThresholdMinutes({6: WeekdayMinutes(4, (240,))}, 0, 0)


@pytest.mark.parametrize(("every", "minutes"), [(7, 301), (60, 300)])
def test_a_report_every_few_minutes_stands_for_as_many(every: int, minutes: int) -> None:
    """Brute force: of the 300 minutes above, as many reports as fall into them, of `every` minutes each."""
    people = [40] * 60 + [80] * 300 + [40] * 60
    days = {
        day: {
            minute: (one[0], 0, 0)
            for minute, one in day_of(people).items()
            if (24 * 60 * number + minute) % every == 1
        }
        for number, day in enumerate(sorted(SATURDAYS + SUNDAYS))
    }
    told = found(Store(days), 70)
    assert not told.lacking
    for weekday, own in ((5, SATURDAYS), (6, SUNDAYS)):
        reports = sum(values[0] >= 70 for day in own for values in days[day].values())
        assert told.by_weekday[weekday].minutes[0] == pytest.approx(reports * every, rel=0.02)
        assert reports * every == pytest.approx(4 * minutes, rel=0.02)
