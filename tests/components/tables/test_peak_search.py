from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from components.tables.history_request import HistoryRequest
from components.tables.peak_search import find_peaks
from components.tables.subject import Subject, SubjectKind, subjects_of
from components.tables.time_range import TimeRange
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_starts
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 20, tzinfo=UTC)
FULLEST = datetime(2026, 5, 9, 13, 37, tzinfo=UTC)
YEAR = TimeRange(datetime(2025, 12, 31, 23, tzinfo=UTC), NOW)


def request(range_: TimeRange = YEAR) -> HistoryRequest:
    return HistoryRequest(
        SITE.id,
        tuple(subjects_of(SITE, ["hall"], ["entrance"])),
        (MetricKey.VISITORS_INSIDE,),
        range_,
        ZURICH,
        NOW,
    )


class Asked:
    """A place that holds 10 people, and 90 in one minute of the year."""

    def __init__(self) -> None:
        self.queries: list[MetricsQuery] = []

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        self.queries += queries.values()
        return {subject: self.points(query) for subject, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (parse_instant(text or "", now=NOW, timezone=ZURICH) for text in (query.from_, query.to))
        unit = query.granularity or Granularity.HOUR
        starts = [*bucket_starts(start, end, unit, ZURICH), end]
        return [
            MetricPoint(timestamp=first, metrics={"visitorsInside": 90 if first <= FULLEST < after else 10})
            for first, after in pairwise(starts)
        ]


def test_the_fullest_minute_of_a_year_is_found_in_three_questions() -> None:
    asked = Asked()
    found = find_peaks(request(), Granularity.MONTH, asked)
    ((subject, peak),) = found.items()
    assert subject.kind is SubjectKind.ZONE
    assert (peak.peak.start, peak.peak.value, peak.granularity) == (FULLEST, 90, Granularity.MINUTE)
    assert [query.granularity for query in asked.queries] == ["month", "day", "minute"]


def test_minutes_are_never_asked_beyond_the_range() -> None:
    asked = Asked()
    cut = TimeRange(FULLEST - timedelta(minutes=10), FULLEST + timedelta(minutes=1))
    find_peaks(request(cut), Granularity.DAY, asked)
    assert (asked.queries[-1].from_, asked.queries[-1].to) == ("2026-05-09T15:27:00", "2026-05-09T15:38:00")


def test_what_fails_on_the_way_leaves_the_peak_as_exact_as_it_is_known() -> None:
    asked = Asked()

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {} if asked.queries else asked(queries)

    (peak,) = find_peaks(request(), Granularity.DAY, ask).values()
    assert peak.granularity is Granularity.DAY


def test_no_peak_is_searched_where_people_inside_are_not_shown() -> None:
    asked = Asked()
    assert find_peaks(replace(request(), metrics=(MetricKey.ENTRANCES,)), Granularity.DAY, asked) == {}
    assert asked.queries == []
