from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.bucket_table import Peak
from analysis.drift import Drift
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.peak_search import FoundPeak
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.untrusted import untrusted_rows, with_untrusted
from contract import Granularity, MetricKey

HALL = Subject(SubjectKind.ZONE, "hall", "Hall")
START = datetime(2026, 6, 1, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)
NIGHT = TimeRange(START, START + 12 * HOUR)
COUNT = Drift(since=START - 10 * HOUR, unleft=60, until=START + 8 * HOUR, busy_until=START + 3 * HOUR)


def hours(count: Drift) -> list[bool]:
    """Which hours of the night mean nothing."""
    metrics = (MetricKey.VISITORS_INSIDE,)
    asked = HistoryRequest("shop", (HALL,), metrics, NIGHT, ZoneInfo("UTC"), NIGHT.end)
    data: HistoryData = history_data(asked, {HALL: []}, Granularity.HOUR)
    found = FoundPeak(Peak(START, 90), Granularity.MINUTE, count, spoilt=(count,))
    return untrusted_rows(with_untrusted(data, {HALL: found}, {}), "Hall")


def test_a_spoilt_count_ends_with_the_last_who_was_inside() -> None:
    """Nobody is, from then until the count begins again: nothing is wrong with that."""
    assert hours(COUNT) == [True] * 3 + [False] * 9


def test_where_that_is_not_known_it_ends_where_the_count_begins_again() -> None:
    assert hours(Drift(since=COUNT.since, unleft=60, until=COUNT.until)) == [True] * 8 + [False] * 4


def test_a_count_that_goes_on_is_spoilt_to_the_end_of_the_range() -> None:
    assert (
        hours(Drift(since=START + HOUR, unentered=60, busy_until=START + 2 * HOUR)) == [False] + [True] * 11
    )
