"""The query for a site now, and what is read from the answer to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from api_client import FUTURE, IMPOSSIBLE, MetricsAnswer
from api_client.site_now import ALL_FUTURE, NO_COUNT, NOT_TOLD, UNEVEN, has_crossings, newest_query, site_now
from contract import MatchingFilters, MetricPoint, MetricsFilter

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
POINT = MetricPoint(
    timestamp=NOON, metrics={"visitorsInside": 7}, matching_filters=MatchingFilters(zone_ids=("hall",))
)


def answer(*points: MetricPoint, inferred: object = None, left_out: str = "") -> MetricsAnswer:
    return MetricsAnswer(points, {"filter": inferred}, (), "", "", Counter([left_out] if left_out else ()))


def test_a_whole_site_is_asked_for_without_a_filter() -> None:
    assert newest_query("shop", "Etc/UTC").filter is None
    assert newest_query("shop", "Etc/UTC", ("hall",)).filter == MetricsFilter(zone_ids=("hall",))


def test_the_newest_value_is_read_with_its_minute_and_its_zones() -> None:
    now = site_now(answer(POINT))
    assert (now.inside, now.measured_at, now.zone_ids, now.distrust) == (7, NOON, ("hall",), "")


def test_before_the_first_count_the_zones_are_those_that_the_service_filled_in() -> None:
    now = site_now(answer(inferred={"zoneIds": ["hall"]}))
    assert (now.inside, now.measured_at, now.zone_ids, now.distrust) == (None, None, ("hall",), "")
    assert site_now(answer(inferred={"zoneIds": "hall"})).zone_ids == ()


def test_a_value_that_cannot_be_right_is_distrusted_with_a_reason() -> None:
    assert site_now(answer(left_out=FUTURE)).distrust == ALL_FUTURE
    assert site_now(answer(left_out=IMPOSSIBLE)).distrust == NO_COUNT
    assert site_now(answer(replace(POINT, metrics={"entrances": 3}))).distrust == NOT_TOLD
    within_a_minute = replace(POINT, timestamp=NOON + timedelta(seconds=5))
    assert site_now(answer(within_a_minute)).distrust == UNEVEN


def test_a_minute_with_crossings_was_counted() -> None:
    assert not has_crossings(replace(POINT, metrics={"visitorsInside": 7, "entrances": 0}))
    assert has_crossings(replace(POINT, metrics={"visitorsInside": 7, "exits": 1}))
