from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from analysis.bucket_table import Peak, bucket_table, starts_of
from analysis.compared_totals import ComparedTotals, Period, Verdict
from analysis.comparison import Against, Comparison
from analysis.history_data import history_data
from analysis.history_request import HistoryRequest
from analysis.other_period import compared
from analysis.peak_search import FoundPeak
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange, range_of_dates
from components.number_format import Formats
from components.sentences.answers import answers_of
from components.sentences.change_words import changes_of
from components.sentences.range_words import other_period_text
from components.tables.shown_table import shown_table
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start, bucket_starts, next_bucket_start

ZURICH = ZoneInfo("Europe/Zurich")
HALL, CAFE = (Subject(SubjectKind.ZONE, name.lower(), name) for name in ("Hall", "Cafe"))
SUNDAY = 6
ENTRANCES, INSIDE = MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE
START = datetime(2026, 6, 2, 6, tzinfo=UTC)
MORNING = TimeRange(START, START + timedelta(hours=2))
METRICS = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)
REQUEST = HistoryRequest("shop", (HALL, CAFE), METRICS, MORNING, ZURICH, MORNING.end + timedelta(days=9))
PERIOD_BEFORE = Against(Comparison.PERIOD)

Points = Mapping[Subject, list[MetricPoint]]


def points(start: datetime, value: int) -> list[MetricPoint]:
    return [
        MetricPoint(timestamp=start + timedelta(hours=n), metrics=dict.fromkeys(METRICS, value))
        for n in (0, 1)
    ]


def sums_among(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, MetricsQuery]:
    """Without those for averages, which tell how many minutes are counted: here that stays unknown."""
    return {one: query for one, query in queries.items() if query.aggregation is not Aggregation.AVERAGE}


def every_minute(start: datetime, entrances: int) -> list[MetricPoint]:
    """Two hours, in whose first minute all of `entrances` come."""
    return [
        MetricPoint(timestamp=start + timedelta(minutes=n), metrics={ENTRANCES: 0 if n else entrances})
        for n in range(120)
    ]


def test_what_could_not_be_read_of_the_other_period_is_not_called_empty() -> None:
    data = history_data(REQUEST, {HALL: points(START, 8), CAFE: points(START, 5)}, Granularity.HOUR)
    before = START - timedelta(hours=2)

    def read(queries: Mapping[Subject, MetricsQuery]) -> Points:
        assert {query.from_ for query in queries.values()} == {"2026-06-02T06:00:00"}
        return {HALL: points(before, 4)}

    def minutes(queries: Mapping[Subject, MetricsQuery]) -> Points:
        """For the totals, and nothing of the Cafe."""
        first = queries.get(HALL)
        if first is None or first.aggregation is not None:
            return {}
        start = START if first.from_ == "2026-06-02T08:00:00" else before
        return {HALL: every_minute(start, 16 if start == START else 8)}

    beside, peaks = compared(data, REQUEST, None, PERIOD_BEFORE, read, run=minutes)
    assert peaks == {}
    all_ = "counted in all minutes of hours in which somebody was there, in both"
    assert changes_of(HALL, beside, Formats()) == [
        f"Entrances: 16 against 8 (100\N{NO-BREAK SPACE}% more), {all_}."
    ]
    assert changes_of(CAFE, beside, Formats()) == []
    found = FoundPeak(Peak(START, 5), Granularity.MINUTE)
    assert "against" not in answers_of(CAFE, beside, found, Formats())[0]
    assert "Hall: Entrances, compared" in shown_table(beside).columns
    assert "Cafe: Entrances, compared" not in shown_table(beside).columns


SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
ASKED_AT = datetime(2026, 4, 1, 9, tzinfo=UTC)


def is_open(day: date) -> bool:
    """Closed, and without counts, on Sundays."""
    return day.weekday() != SUNDAY


def asked_of(
    first: str, last: str, granularity: Granularity, counted: Callable[[date], bool] = is_open
) -> list[str]:
    """What is said of the days from `first` to before `last` against the period before.

    Ten people come in an hour from 10 to 12 on weekdays, and a hundred on Saturdays.
    """
    start, end = (datetime.fromisoformat(one).replace(tzinfo=ZURICH).astimezone(UTC) for one in (first, last))
    request = HistoryRequest("shop", (SHOP,), (ENTRANCES,), TimeRange(start, end), ZURICH, ASKED_AT)

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
        return {subject: answer(query) for subject, query in sums_among(queries).items()}

    def answer(query: MetricsQuery) -> list[MetricPoint]:
        start, end = (
            datetime.fromisoformat(text or "").replace(tzinfo=ZURICH).astimezone(UTC)
            for text in (query.from_, query.to)
        )
        totals: Counter[datetime] = Counter()
        for hour in bucket_starts(start, end, Granularity.HOUR, ZURICH):
            local = hour.astimezone(ZURICH)
            if local.hour in {10, 11} and counted(local.date()):
                size = query.granularity or granularity
                totals[bucket_start(hour, size, ZURICH)] += 100 if local.weekday() == SUNDAY - 1 else 10
        return [MetricPoint(timestamp=at, metrics={ENTRANCES: n}) for at, n in sorted(totals.items())]

    asked = replace(request, granularity=granularity)
    data = history_data(asked, ask(asked.queries()), granularity)
    beside, _ = compared(data, asked, None, PERIOD_BEFORE, ask, run=ask)
    return changes_of(SHOP, beside, Formats(now=ASKED_AT))


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
def test_two_periods_compare_alike_whatever_the_size_of_the_bars(granularity: Granularity) -> None:
    """A day that is closed in one of them costs the other none of its people; a Sunday lacks nothing."""
    counted = (
        "counted in all hours of the week in which somebody was there, in both, 48 such hours against 54"
    )
    assert asked_of("2026-02-01", "2026-03-01", granularity) == [
        f"Entrances: 1,200 against 1,440 (17\N{NO-BREAK SPACE}% fewer), {counted}."
    ]


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
def test_a_period_that_was_hardly_counted_has_no_percentage(granularity: Granularity) -> None:
    said = asked_of("2026-02-01", "2026-03-01", granularity, lambda day: day >= date(2026, 1, 29))
    counted = "counted in 56 of 56 hours of the week in which somebody was there, against 6 of 62"
    assert said == [f"Entrances: 1,280 against 240, {counted}: too unlike for a percentage."]


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
@pytest.mark.parametrize(
    ("missing", "totals", "hours", "both"),
    [
        (date(2026, 2, 14), "1,000 against 1,440", ("46 of 48", "54 of 54"), (46, "1,000")),
        # It is the fifth Saturday of its month: beside it lies none.
        (date(2026, 1, 31), "1,200 against 1,240", ("48 of 48", "52 of 54"), (48, "1,200")),
    ],
)
def test_a_month_without_one_of_its_saturdays_has_no_percentage(
    granularity: Granularity, missing: date, totals: str, hours: tuple[str, str], both: tuple[int, str]
) -> None:
    """It would be 31 % fewer, or 3 %. A Saturday brings 200, of which February has four and January five, and
    any other day 20.
    """
    told = asked_of("2026-02-01", "2026-03-01", granularity, lambda day: is_open(day) and day != missing)
    own, other = hours
    like, people = both
    counted = f"counted in {own} hours of the week in which somebody was there, against {other}"
    alike = f"over the {like} such hours that both have, as many of each weekday: {people} against {people}"
    assert told == [f"Entrances: {totals}, {counted}: too unlike for a percentage; {alike} (as many)."]


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY])
def test_a_period_without_counts_is_said(granularity: Granularity) -> None:
    said = asked_of("2026-02-01", "2026-03-01", granularity, lambda day: day >= date(2026, 2, 1))
    assert said == ["Entrances: the other period has no counts to compare with."]
    said = asked_of("2026-02-01", "2026-03-01", granularity, lambda day: day < date(2026, 2, 1))
    assert said == ["Entrances: no counts, against 1,520."]


def test_a_change_is_never_rounded_to_what_it_is_not() -> None:
    period = TimeRange(START, START + timedelta(minutes=120))
    data = history_data(REQUEST, {HALL: points(START, 8)}, Granularity.HOUR)

    def said(now: int, before: int) -> str:
        tables = [
            bucket_table({"Hall": every_minute(START, n)}, [ENTRANCES], period, Granularity.MINUTE, ZURICH)
            for n in (now, before)
        ]
        own, others = (Period(period, table) for table in tables)
        totals = ComparedTotals(Granularity.MINUTE, ZURICH, own, others, starts_of(own.table), is_over=True)
        return changes_of(HALL, replace(data, earlier=data.table, totals=totals), Formats())[0]

    assert "2,234 against 2,230 (under 1\N{NO-BREAK SPACE}% more)" in said(2234, 2230)
    assert "2,234 against 2,234 (as many)" in said(2234, 2234)
    assert "1 against 300 (over 99\N{NO-BREAK SPACE}% fewer)" in said(1, 300)
    assert "0 against 300 (100\N{NO-BREAK SPACE}% fewer)" in said(0, 300)
    assert "299 against 300 (under 1\N{NO-BREAK SPACE}% fewer)" in said(299, 300)
    assert "300 against 1 (300 times as many)" in said(300, 1)
    assert "35 against 10 (3.5 times as many)" in said(35, 10)
    assert "29 against 10 (190\N{NO-BREAK SPACE}% more)" in said(29, 10)
    assert "7 against 0, counted" in said(7, 0)


ZONES = tuple(ZoneInfo(key) for key in ("Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "UTC"))
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def each_minute(queries: Mapping[Subject, MetricsQuery]) -> Points:
    """One comes in each minute, so that the total of a range is its length in minutes."""
    return {subject: each_minute_of(query) for subject, query in sums_among(queries).items()}


def each_minute_of(query: MetricsQuery) -> list[MetricPoint]:
    assert query.granularity is not None
    return told_once(query.from_, query.to, ZoneInfo(query.timezone or "UTC"), query.granularity)


@cache
def told_once(from_: str | None, to: str | None, zone: ZoneInfo, size: Granularity) -> list[MetricPoint]:
    start, end = (parse_instant(text or "", now=NOON, timezone=zone) for text in (from_, to))
    edges = [
        (at, max(at, start), min(next_bucket_start(at, size, zone), end))
        for at in bucket_starts(start, end, size, zone)
    ]
    return [
        MetricPoint(timestamp=at, metrics={ENTRANCES: int((last - first).total_seconds() // 60)})
        for at, first, last in edges
    ]


SPANS = st.one_of(
    st.integers(1, 180).map(lambda minutes: timedelta(minutes=minutes)),
    st.integers(1, 70).map(lambda days: timedelta(days=days)),
)
FEW_BARS = 200
LEAST = dict(zip(Granularity, (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)), strict=False))
LEAST[Granularity.MONTH] = timedelta(days=28)
DAYS = st.dates(date(2024, 1, 1), date(2026, 11, 25))


@settings(max_examples=6, deadline=None)
@given(DAYS, st.sampled_from([time(), time(2, 30), time(18, 6)]), SPANS, st.sampled_from(ZONES), DAYS)
@example(date(2026, 10, 25), time(), timedelta(days=1), ZONES[0], date(2026, 3, 29))
@example(date(2026, 8, 12), time(), timedelta(days=100), ZONES[0], date(2026, 1, 1))
@example(date(2026, 3, 12), time(), timedelta(days=30), ZONES[0], date(2026, 11, 3))
def test_the_other_period_follows_from_the_range_and_never_from_the_bars(
    day: date, clock: time, span: timedelta, zone: ZoneInfo, other: date
) -> None:
    first = datetime.combine(day, clock)
    range_ = range_of_dates(first, first + span, zone)
    assume(range_.start < range_.end < NOON)
    sizes = [size for size in Granularity if span / LEAST[size] <= FEW_BARS]
    for comparison in (Comparison.PERIOD, Comparison.WEEKDAY, Comparison.YEAR, Comparison.DATE):
        against = Against(comparison, other if comparison is Comparison.DATE else None)
        by_size = [held_by(size, range_, zone, against) for size in sizes]
        assert len(set(by_size)) == 1


def held_by(
    size: Granularity, range_: TimeRange, zone: ZoneInfo, against: Against
) -> tuple[TimeRange, Verdict | None] | None:
    """The other period and both totals; a period that is over is drawn, too."""
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), range_, zone, NOON, size)
    data = history_data(asked, each_minute(asked.queries()), size)
    beside, _ = compared(data, asked, None, against, each_minute, run=each_minute)
    if (totals := beside.totals) is None:
        return None
    assert beside.earlier is not None
    assert not totals.is_over or beside.earlier.notna().to_numpy().any()
    return totals.earlier.range, totals.verdict((SHOP.label, ENTRANCES))


@pytest.mark.parametrize("size", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
def test_the_peak_of_a_period_that_still_runs_is_found_whatever_the_bars(size: Granularity) -> None:
    """Today, whose bar is not drawn yet, was the fullest."""
    start, fullest = (datetime(2026, 11, day, 11, tzinfo=UTC) for day in (9, 21))
    week = TimeRange(start, start + timedelta(days=7))

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
        return {subject: inside(query) for subject, query in queries.items()}

    def inside(query: MetricsQuery) -> list[MetricPoint]:
        counted = each_minute_of(query)
        sized = query.granularity or size
        last = bucket_start(fullest, sized, ZURICH)
        return [
            MetricPoint(timestamp=point.timestamp, metrics={INSIDE: 9 if point.timestamp == last else 3})
            for point in counted
        ]

    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), week, ZURICH, NOON, size)
    data = history_data(asked, ask(asked.queries()), size)
    against = Against(Comparison.DATE, date(2026, 11, 16))
    _, peaks = compared(data, asked, None, against, ask, run=ask)
    assert peaks[SHOP].peak == Peak(fullest, 9)


def local_hours(query: MetricsQuery) -> list[datetime]:
    """Starts of all hours that a question asks for, in Zurich time."""
    start, end = (parse_instant(text or "", now=NOON, timezone=ZURICH) for text in (query.from_, query.to))
    return [at.astimezone(ZURICH) for at in bucket_starts(start, end, Granularity.HOUR, ZURICH)]


@pytest.mark.parametrize("size", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
@pytest.mark.parametrize("days", [8, 60, 200])
def test_days_that_are_counted_in_part_are_not_called_counted(size: Granularity, days: int) -> None:
    """On every day of the later period the counters are off but for four hours; on the earlier ones never."""
    first = datetime(2026, 3, 1, tzinfo=ZURICH)

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
        return {subject: there(query) for subject, query in sums_among(queries).items()}

    def there(query: MetricsQuery) -> list[MetricPoint]:
        counted = [at for at in local_hours(query) if at < first or at.hour in range(9, 13)]
        sums = Counter(bucket_start(at, query.granularity or size, ZURICH) for at in counted)
        return [MetricPoint(timestamp=at, metrics={ENTRANCES: n}) for at, n in sorted(sums.items())]

    range_ = TimeRange(first.astimezone(UTC), (first + timedelta(days=days)).astimezone(UTC))
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), range_, ZURICH, NOON, size)
    data = history_data(asked, ask(asked.queries()), size)
    beside, _ = compared(data, asked, None, Against(Comparison.WEEKDAY), ask, run=ask)
    (said,) = changes_of(SHOP, beside, Formats(now=NOON))
    assert re.search(rf"counted in {4 * days} of .* too unlike for a percentage", said.replace(",", ""))


@pytest.mark.parametrize(("is_over", "told"), [(False, " so far"), (True, " (29\N{NO-BREAK SPACE}% more)")])
def test_the_other_peak_is_held_against_as_much_time_as_has_passed(is_over: bool, told: str) -> None:
    period = TimeRange(START, START + timedelta(hours=2))
    data = history_data(REQUEST, {HALL: points(START, 40)}, Granularity.HOUR)
    totals = ComparedTotals(
        Granularity.HOUR,
        ZURICH,
        Period(period, data.table),
        Period(period, data.table),
        starts_of(data.table),
        is_over,
    )
    beside = replace(data, earlier=data.table, totals=totals)
    peak, other = (FoundPeak(Peak(START, value), Granularity.MINUTE) for value in (40, 31))
    first, *_ = answers_of(HALL, beside, peak, Formats(now=START), other)
    assert first.endswith(f", against 31 on Tue 2 Jun at 08:00{told}.")


def test_hours_of_a_day_on_which_the_clocks_change_are_all_of_both() -> None:
    long, usual = (datetime.combine(date(2026, 10, day), time()) for day in (25, 18))
    range_ = range_of_dates(long, long + timedelta(days=1), ZURICH)
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), range_, ZURICH, NOON, Granularity.HOUR)
    data = history_data(asked, each_minute(asked.queries()), Granularity.HOUR)
    against = Against(Comparison.DATE, usual.date())
    beside, _ = compared(data, asked, None, against, each_minute, run=each_minute)
    (said,) = changes_of(SHOP, beside, Formats(now=NOON))
    there = "hours in which somebody was there"
    assert said.endswith(f"counted in all {there}, in both, 25 such hours against 24.")


def _midnights(first: date, last: date) -> tuple[datetime, datetime]:
    return datetime.combine(first, time()), datetime.combine(last, time())


@pytest.mark.parametrize("comparison", [Comparison.PERIOD, Comparison.WEEKDAY])
def test_a_range_that_still_runs_is_compared_with_the_same_days_until_it_is_over(
    comparison: Comparison,
) -> None:
    month = range_of_dates(*_midnights(date(2026, 11, 1), date(2026, 12, 1)), ZURICH)
    began = []
    for day in (5, 9, 21):
        passed = TimeRange(month.start, datetime(2026, 11, day, 12, tzinfo=UTC))
        asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), passed, ZURICH, NOON, Granularity.DAY)
        data = history_data(asked, each_minute(asked.queries()), Granularity.DAY)
        beside, _ = compared(
            data, asked, None, Against(comparison), each_minute, run=each_minute, asked_range=month
        )
        assert beside.earlier_range is not None
        began.append(beside.earlier_range.start.astimezone(ZURICH).date())
    first = date(2026, 10, 1) if comparison is Comparison.PERIOD else date(2026, 9, 27)
    assert began == [first] * 3


def test_what_the_other_total_has_beyond_the_drawn_buckets_is_noted() -> None:
    week = range_of_dates(*_midnights(date(2026, 11, 9), date(2026, 11, 16)), ZURICH)
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), week, ZURICH, NOON, Granularity.DAY)
    data = history_data(asked, each_minute(asked.queries()), Granularity.DAY)
    against = Against(Comparison.DATE, date(2026, 11, 16))
    beside, _ = compared(data, asked, None, against, each_minute, run=each_minute)
    assert beside.earlier is not None
    assert beside.earlier_range is not None
    (said,) = changes_of(SHOP, beside, Formats(now=NOON))
    assert "against 7,979 so far" in said
    assert beside.earlier[SHOP.label, ENTRANCES].sum() == 5 * 1440
    told = other_period_text(beside, beside.earlier_range, Formats(now=NOON))
    assert told.endswith("What is said of it above holds what came until 12:59, too.")


@pytest.mark.parametrize("minutes", [40, 0])
def test_hours_of_a_service_that_tells_no_minutes_are_held_against_hours(minutes: int) -> None:
    start = datetime(2026, 11, 18, 9, tzinfo=UTC)
    range_ = TimeRange(start + timedelta(minutes=minutes), start + timedelta(hours=5))

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
        return {
            one: each_minute_of(query.model_copy(update={"granularity": size}))
            for one, query in sums_among(queries).items()
        }

    size = Granularity.HOUR
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), range_, ZURICH, NOON, size)
    data = history_data(asked, ask(asked.queries()), size)
    beside, _ = compared(data, asked, None, Against(Comparison.WEEKDAY), ask, run=ask)
    (said,) = changes_of(SHOP, beside, Formats(now=NOON))
    assert said.endswith("(as many), counted in all hours in which somebody was there, in both.")


def said_of_a_day(silent: Callable[[datetime], bool], before: Callable[[datetime], bool]) -> str:
    """Ten come in an hour from 09:00 to 21:00, twelve on the later day; counted but where it is silent."""
    first, last = (datetime(2026, 11, day, tzinfo=ZURICH).astimezone(UTC) for day in (18, 19))

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
        return {subject: there(query) for subject, query in sums_among(queries).items()}

    def there(query: MetricsQuery) -> list[MetricPoint]:
        return [
            MetricPoint(timestamp=at, metrics={ENTRANCES: 0 if at.hour not in range(9, 21) else came})
            for at in local_hours(query)
            for is_silent, came in [(silent, 12) if at >= first else (before, 10)]
            if not is_silent(at)
        ]

    range_, size = TimeRange(first, last), Granularity.HOUR
    asked = HistoryRequest("shop", (SHOP,), (ENTRANCES,), range_, ZURICH, NOON, size)
    data = history_data(asked, ask(asked.queries()), size)
    beside, _ = compared(data, asked, None, PERIOD_BEFORE, ask, run=ask)
    return changes_of(SHOP, beside, Formats(now=NOON))[0].replace("\N{NO-BREAK SPACE}", " ")


def test_open_hours_that_are_missing_entirely_are_missing() -> None:
    """The night, which is counted, makes no day alike; the hours that both have do."""
    assert said_of_a_day(lambda at: at.hour >= 18, lambda _: False) == (
        "Entrances: 108 against 120, counted in 9 of 12 hours in which somebody was there, against 12 of 12: "
        "too unlike for a percentage; over the 9 such hours that both have: 108 against 90 (20 % more)."
    )
    assert said_of_a_day(lambda _: False, lambda at: at.hour in {11, 12, 13}) == (
        "Entrances: 144 against 90, counted in 12 of 12 hours in which somebody was there, against 9 of 12: "
        "too unlike for a percentage; over the 9 such hours that both have: 108 against 90 (20 % more)."
    )


def test_a_night_that_is_not_counted_makes_no_day_unlike() -> None:
    said = said_of_a_day(lambda at: at.hour not in range(9, 21), lambda _: False)
    all_ = "counted in all hours in which somebody was there, in both"
    assert said == f"Entrances: 144 against 120 (20 % more), {all_}."
