from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import compress
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analysis.comparison import Against, Comparison
from analysis.counted_minutes import row_minutes
from analysis.first_count import FirstCount, counted_since, find_first_count
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_data import HistoryData, missing_rows, rows_that_count
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange, range_of_days
from components.number_format import Formats
from components.sentences.coverage_words import present_buckets
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start
from contract.minutes import MINUTE
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
HALL = Subject(SubjectKind.ZONE, "hall", "Hall")
ENTRANCES = MetricKey.ENTRANCES
RANGE = range_of_days(date(2026, 6, 1), date(2026, 6, 15), ZURICH)
BEGUN = datetime(2026, 6, 5, 8, 40, tzinfo=UTC)
"""A Friday, 10:40 in Zurich."""
NOW = RANGE.end + timedelta(hours=3)


def counting(first: datetime, silent: timedelta = timedelta()) -> CountingService:
    """One comes in each minute; of nothing it is known how many are inside. `silent` follows the first."""
    minutes = {first: Minute(1, 0, 0)}
    start = first + silent
    minutes |= {start + n * MINUTE: Minute(1, 0, 0) for n in range((RANGE.end - start) // MINUTE)}
    return CountingService(minutes, NOW)


class Site(CountingService):
    """Of which the hall is counted since the tenth alone."""

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        late = {at: one for at, one in self.minutes.items() if at >= datetime(2026, 6, 10, tzinfo=UTC)}
        return CountingService(late if query.filter else self.minutes, self.now).points(query)


def request_of(subject: Subject = SHOP, unit: Granularity = Granularity.HOUR) -> HistoryRequest:
    return HistoryRequest("shop", (subject,), (ENTRANCES,), RANGE, ZURICH, NOW, unit)


def since(service: CountingService, request: HistoryRequest) -> datetime | None:
    (points,) = service.run(request.queries()).values()
    unit = request.granularity or Granularity.HOUR
    return counted_since(request, points[0].timestamp if points else None, service.run, unit)


@pytest.mark.parametrize("unit", [Granularity.HOUR, Granularity.DAY, Granularity.MONTH])
def test_the_first_minute_is_found_whatever_the_size_of_the_buckets(unit: Granularity) -> None:
    """Of a month the bucket begins with the range: whether it is counted since then is asked nevertheless."""
    found = since(counting(BEGUN), request_of(unit=unit))
    assert found == (None if unit is Granularity.MONTH else BEGUN)


def test_a_site_that_was_counted_before_has_no_beginning_within_the_range() -> None:
    service = counting(RANGE.start - timedelta(days=90), timedelta(days=95))
    assert since(service, request_of()) is None


@pytest.mark.parametrize("ago", [timedelta(hours=8), timedelta(days=3), timedelta(days=400)])
def test_a_site_that_is_closed_when_a_range_begins_was_counted_before(ago: timedelta) -> None:
    """Twelve hours of counts end so long before the range."""
    last = RANGE.start - ago
    own = {last - n * MINUTE: Minute(1, 0, 0) for n in range(720)} | {BEGUN: Minute(1, 0, 0)}
    assert since(CountingService(own, NOW), request_of()) is None


def test_of_a_zone_it_is_the_beginning_of_its_site() -> None:
    service = Site(counting(BEGUN).minutes, NOW)
    assert since(service, request_of(HALL)) == BEGUN


def test_of_a_range_that_begins_with_counts_nothing_is_asked() -> None:
    request = request_of()

    def fails(_: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        pytest.fail("it was asked")

    assert counted_since(request, RANGE.start + timedelta(minutes=59), fails) is None
    assert counted_since(request, None, fails) is None
    assert counted_since(request, BEGUN, lambda _: {}) is None, "nobody knows of what was before"


@pytest.mark.parametrize(
    ("subject", "unit", "range_", "asked"),
    [
        (SHOP, Granularity.HOUR, RANGE, 3),
        (HALL, Granularity.HOUR, range_of_days(date(2026, 6, 5), date(2026, 6, 6), ZURICH), 3),
        (SHOP, Granularity.DAY, RANGE, 4),
        (HALL, Granularity.HOUR, RANGE, 4),
    ],
)
def test_the_first_minute_is_found_in_few_questions(
    subject: Subject, unit: Granularity, range_: TimeRange, asked: int
) -> None:
    """Two of them are about what was before. The hall is counted two hours later."""
    service, queries = counting(BEGUN), list[MetricsQuery]()

    def run(own: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        queries.extend(own.values())
        return service.run(own)

    request = replace(request_of(subject, unit), range=range_)
    first = bucket_start(BEGUN + timedelta(hours=2 if subject is HALL else 0), unit, ZURICH)
    assert counted_since(request, first, run, unit) == BEGUN
    assert len(queries) == asked


class Strict(CountingService):
    """It answers no range of more than 31 days."""

    def run(self, queries: Mapping[Any, MetricsQuery]) -> dict[Any, Sequence[MetricPoint]]:
        return super().run({key: own for key, own in queries.items() if self._days(own) <= 31})

    def _days(self, query: MetricsQuery) -> float:
        ends = (
            parse_instant(text or "now", now=self.now, timezone=ZURICH) for text in (query.from_, query.to)
        )
        start, end = ends
        return (end - start) / timedelta(days=1)


@pytest.mark.parametrize("ago", [20, 35])
def test_a_service_that_refuses_years_is_asked_for_a_month(ago: int) -> None:
    """A counter that was silent for weeks did not begin to count then."""
    last = RANGE.start - timedelta(days=ago)
    own = {last: Minute(1, 0, 0)} | dict(counting(BEGUN).minutes)
    assert since(Strict(own, NOW), request_of()) == (BEGUN if ago > 31 else None)


def test_since_when_is_not_told_by_a_service_that_answers_of_a_month_that_is_full() -> None:
    long_ago = counting(RANGE.start - timedelta(days=90))
    assert find_first_count(request_of(), Strict(long_ago.minutes, NOW).run) is None
    assert find_first_count(request_of(), Strict(counting(BEGUN).minutes, NOW).run) == FirstCount(
        bucket_start(BEGUN, Granularity.DAY, ZURICH)
    )


def history_of(service: CountingService, request: HistoryRequest, range_: TimeRange = RANGE) -> HistoryData:
    request = replace(request, range=range_)
    points = service.run(request.queries())
    compare = ComparedRange(None, range_, Against(Comparison.NONE))
    unit = request.granularity or Granularity.HOUR
    return history_answer(request, points, unit, compare, run=service.run, run_other=service.run).data


@pytest.mark.parametrize(("unit", "days"), [(Granularity.DAY, 10), (Granularity.MONTH, 1)])
def test_a_day_or_a_month_in_whose_midst_counting_began_lacks_nothing(unit: Granularity, days: int) -> None:
    """The range begins at midnight, and its first bucket with the range; nine whole days follow. An average
    that is no round number tells minutes.
    """
    range_ = TimeRange(bucket_start(BEGUN, Granularity.DAY, ZURICH), RANGE.end)
    whole = (RANGE.end - BEGUN) // MINUTE
    service = CountingService({BEGUN + n * MINUTE: Minute(n % 7, 0, 0) for n in range(whole)}, NOW)
    data = history_of(service, request_of(unit=unit), range_)
    assert data.since == BEGUN
    assert [sum(map(int, own)) for own in zip(*row_minutes(data, "Shop"), strict=True)] == [whole, whole]
    assert sum(rows_that_count(data)) == days


def test_a_morning_that_is_missing_is_not_the_beginning_of_a_site_counted_before() -> None:
    range_ = TimeRange(bucket_start(BEGUN, Granularity.DAY, ZURICH), RANGE.end)
    service = counting(BEGUN)
    before = BEGUN - timedelta(days=3)
    service = CountingService({before: Minute(1, 0, 0), **service.minutes}, NOW)
    data = history_of(service, request_of(unit=Granularity.DAY), range_)
    assert data.since is None
    assert row_minutes(data, "Shop")[0] == (24 * 60 - (BEGUN - range_.start) // MINUTE, 24 * 60)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (Granularity.HOUR, "All 230 hours have counts."),
        (Granularity.DAY, "All 10 days have counts, at least in part."),
        (Granularity.MONTH, "The month has counts, at least in part."),
    ],
)
def test_history_lacks_nothing_of_what_was_before_and_says_since_when(unit: Granularity, said: str) -> None:
    data = history_of(counting(BEGUN), request_of(unit=unit))
    assert present_buckets(data, Formats(now=NOW)) == (
        f"{said} Counting began on Fri 5 Jun, 10:40: what was before lacks nothing."
    )
    assert missing_rows(data) == []
    rows = {Granularity.HOUR: 230, Granularity.DAY: 10, Granularity.MONTH: 1}
    assert sum(rows_that_count(data)) == rows[unit]
    counted = row_minutes(data, "Shop")
    kept = list(compress(data.cut, rows_that_count(data)))
    assert kept == [True, *[False] * (len(kept) - 1)], "the first is one in part"
    assert sum(expected for _, expected in counted) == (RANGE.end - BEGUN) // MINUTE
    assert sum(present or 0 for present, _ in counted) == (RANGE.end - BEGUN) // MINUTE


def test_a_day_on_which_counting_began_lacks_nothing_of_its_morning() -> None:
    """As in the report of a day."""
    day = range_of_days(date(2026, 6, 5), date(2026, 6, 6), ZURICH)
    said = present_buckets(history_of(counting(BEGUN), request_of(), day), Formats(now=NOW))
    assert said.startswith("All 14 hours have counts. Counting began on")


def test_history_of_a_zone_that_is_counted_later_than_its_site_lacks_that() -> None:
    data = history_of(Site(counting(BEGUN).minutes, NOW), request_of(HALL))
    assert present_buckets(data, Formats(now=NOW)).startswith("118 of 230 hours have counts.")
