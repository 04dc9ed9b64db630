"""The hours of two periods asked for at once are those that each would be answered with by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta

from analysis.history_request import HistoryRequest
from analysis.league_entry import Entry, Measure, league_entry
from analysis.league_period import Days, LeagueRanges, league_request
from analysis.subject import Subject, whole_site
from api_client import ApiClientError, Client, InvalidQuery, MetricsAnswer, ServiceFailure, within_range
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_starts
from runtime.both_periods import BothPeriods
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, create_small_site, half_a_day_away, store_counts
from tests.zone_at_noon import zone_at_noon

DAYS = 15
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SmallSite, RunningService]]:
    """Each hour of fifteen days so many come in as the hour's number, and go forty minutes later."""
    data_dir = tmp_path_factory.mktemp("weeks")
    site = create_small_site(data_dir, reset_hour=half_a_day_away())
    end = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    hours = [end - timedelta(hours=1 + ago) for ago in range(DAYS * 24)]
    counts = []
    for hour in hours:
        counts.append((hour + timedelta(minutes=7), "entrance", hour.hour, 0))
        counts.append((hour + timedelta(minutes=47), "entrance", 0, hour.hour))
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    yield site, service
    service.kill()


class Counting(Client):
    """Counts what it is asked, accepts no range of more days than that, and answers no more points."""

    most = timedelta(days=9000)
    most_points = 9000
    refusal: ApiClientError = InvalidQuery("too long", code="INVALID_TIME_FILTER")
    asked = 0

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        self.asked += 1
        assert query.from_
        assert query.to
        if "ago" not in query.from_ and _moment(query.to) - _moment(query.from_) > self.most:
            raise self.refusal
        answer = super().metrics(query)
        return replace(answer, points=answer.points[: self.most_points])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def client(counted: tuple[SmallSite, RunningService]) -> Iterator[Counting]:
    site, service = counted
    with Counting(service.base_url, site.read_key) as opened:
        yield opened


def asked(first: int, last: int, zone: str, now: datetime) -> tuple[HistoryRequest, LeagueRanges]:
    """About the whole site, from so many days ago to so many."""
    timezone = ZoneInfo(zone)
    today = now.astimezone(timezone).date()
    days = Days(today - timedelta(days=first), today - timedelta(days=last))
    return league_request(SITE.id, whole_site(SITE), days, now, timezone)


def entry_by(
    request: HistoryRequest, ranges: LeagueRanges, measure: Measure, source: Client | BothPeriods
) -> Entry:
    def run(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, tuple[MetricPoint, ...]]:
        return {subject: source.metrics(query).points for subject, query in queries.items()}

    return league_entry(request, ranges, measure, run)


@pytest.mark.parametrize("zone", ["Europe/Zurich", "Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("measure", list(Measure))
def test_a_week_and_the_week_before_are_told_alike_by_half_of_the_questions(
    client: Counting, zone: str, measure: Measure
) -> None:
    request, ranges = asked(7, 1, zone, datetime.now(UTC))
    plain = entry_by(request, ranges, measure, client)
    by_itself, client.asked = client.asked, 0
    assert entry_by(request, ranges, measure, BothPeriods(request, ranges, client)) == plain
    assert plain.value or measure is Measure.TIME  # nobody's time can be told whose visits are cut
    assert client.asked <= by_itself - 2


def test_a_single_day_is_held_against_that_of_a_week_before_without_what_lies_between(
    client: Counting,
) -> None:
    request, ranges = asked(1, 1, "Europe/Zurich", datetime.now(UTC))
    found = entry_by(request, ranges, Measure.ENTRANCES, BothPeriods(request, ranges, client))
    assert found == entry_by(request, ranges, Measure.ENTRANCES, client)
    assert found.value == found.earlier


def test_a_period_that_ends_within_an_hour_is_asked_for_by_itself(client: Counting) -> None:
    now = datetime.now(UTC).replace(minute=20, second=0, microsecond=0) - timedelta(hours=1)
    request, ranges = asked(0, 0, zone_at_noon(), now)
    found = entry_by(request, ranges, Measure.ENTRANCES, BothPeriods(request, ranges, client))
    by_both, client.asked = client.asked, 0
    assert found == entry_by(request, ranges, Measure.ENTRANCES, client)
    assert by_both == client.asked


@pytest.mark.parametrize(
    "refusal", [Counting.refusal, ServiceFailure("it took too long", code="GATEWAY_TIMEOUT")]
)
def test_where_a_service_answers_one_period_and_not_both_each_is_asked_for_by_itself(
    client: Counting, refusal: ApiClientError
) -> None:
    client.most, client.refusal = timedelta(days=8), refusal
    request, ranges = asked(7, 1, "Europe/Zurich", datetime.now(UTC))
    found = entry_by(request, ranges, Measure.ENTRANCES, BothPeriods(request, ranges, client))
    assert found == entry_by(request, ranges, Measure.ENTRANCES, client)
    assert found.value


class Monthly(Client):
    """Answers in months, cut by what is asked for. Each hour somebody comes."""

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        start, end = (datetime.fromisoformat(f"{text}Z") for text in (query.from_, query.to))
        points = [
            MetricPoint(timestamp=month, metrics={MetricKey.ENTRANCES: hours})
            for month in bucket_starts(start, end, Granularity.MONTH, ZoneInfo("UTC"))
            if (hours := (min(end, month + relativedelta(months=1)) - max(start, month)) // HOUR)
        ]
        return within_range(MetricsAnswer(tuple(points), {}, (), "", ""), query, self.service_time)


def test_of_a_service_that_answers_in_months_none_is_of_both_periods() -> None:
    days = Days(date(2026, 8, 22), date(2026, 9, 8))
    now = datetime(2026, 9, 20, tzinfo=UTC)
    request, ranges = league_request(SITE.id, whole_site(SITE), days, now, ZoneInfo("UTC"))
    with Monthly("http://localhost", "") as client:
        found = entry_by(request, ranges, Measure.ENTRANCES, BothPeriods(request, ranges, client))
    assert found.value == 18 * 24


def test_a_service_that_answers_so_many_points_at_most_is_asked_for_each_period(client: Counting) -> None:
    client.most_points = 200
    request, ranges = asked(7, 1, "Europe/Zurich", datetime.now(UTC))
    found = entry_by(request, ranges, Measure.ENTRANCES, BothPeriods(request, ranges, client))
    assert found == entry_by(request, ranges, Measure.ENTRANCES, client)
    assert found.minutes == found.minutes_earlier
