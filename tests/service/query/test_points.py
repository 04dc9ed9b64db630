"""Points out of a real store, as batch, newest value and stream read them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract import Granularity
from contract.minutes import minute_number
from service.envelope import print_json
from service.query.checked_query import CheckedQuery, check_query
from service.query.metrics_body import read_metrics_body
from service.query.points import (
    STREAMED_SPAN,
    history_points,
    newest_point,
    past_points,
    range_points,
    recent_points,
    remembered_points,
)
from service.query.time_range import TimeRange
from service.store.protocol import PassageCount, SiteRecord, Store, WriteMode
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, SITE

NOW = datetime(2025, 6, 3, 10, 20, 30, tzinfo=UTC)
PRESENT = NOW.replace(second=0)
MINUTE = timedelta(minutes=1)
RECORD = SiteRecord(SITE, "shop")


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened(clock=lambda: NOW)
    store.catalogue.save(ORGANIZATION, [RECORD])
    return store


def live(**fields: Any) -> CheckedQuery:
    document = {"siteId": SITE.id, "metrics": ["entrances"], "live": True} | fields
    query, problems = check_query(read_metrics_body(document)[0], RECORD, now=NOW)
    assert query is not None, problems
    return query


def add(store: Store, *ages: int) -> None:
    """One person each so many minutes ago."""
    present = minute_number(PRESENT)
    store.metrics.append([PassageCount("entrance", present - age, 1, 0) for age in ages], WriteMode.ADD)


def ages(points: list[dict[str, Any]]) -> list[int]:
    return [(PRESENT - point["timestamp"]) // MINUTE for point in points]


def test_recent_minutes_are_read_from_the_first_changed_one_to_the_present(store: Store) -> None:
    add(store, 5, 3, 1, 0, -1, -7)
    recent = recent_points(store.metrics, live(), minute_number(PRESENT) - 3, NOW)
    assert ages(recent.points) == [3, 1, 0]
    assert recent.start == PRESENT - 3 * MINUTE
    assert recent.oldest == PRESENT - STREAMED_SPAN


def test_recent_buckets_are_whole_ones(store: Store) -> None:
    add(store, 19, 3)
    asked = live(granularity="hour", timezone="Asia/Kathmandu")
    recent = recent_points(store.metrics, asked, minute_number(PRESENT) - 3, NOW)
    assert recent.start == datetime(2025, 6, 3, 10, 15, tzinfo=UTC)
    day = recent_points(store.metrics, live(granularity="day"), minute_number(PRESENT) - 3, NOW)
    assert [point["metrics"] for point in day.points] == [{"entrances": 2}]
    assert day.oldest == datetime(2025, 6, 2, tzinfo=UTC)


def test_no_minute_before_the_streamed_span_is_read(store: Store) -> None:
    add(store, 5000, int(STREAMED_SPAN / MINUTE), 7)
    recent = recent_points(store.metrics, live(), 0, NOW)
    assert ages(recent.points) == [26 * 60, 7]


def test_where_nothing_is_recent_the_newest_point_is_read(store: Store) -> None:
    assert recent_points(store.metrics, live(), 0, NOW).points == []
    add(store, 6000, 5000)
    assert ages(recent_points(store.metrics, live(), 0, NOW).points) == [5000]


def test_history_and_newest_point_end_with_the_present_minute(store: Store) -> None:
    add(store, 3, 0, -1, -30)
    asked = TimeRange(PRESENT - 10 * MINUTE, PRESENT + 100 * MINUTE, Granularity.MINUTE)
    assert ages(history_points(store.metrics, live(), asked, NOW)) == [3, 0]
    hour = newest_point(store.metrics, live(granularity="hour"))
    assert hour is not None
    assert hour["metrics"] == {"entrances": 2}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"filter": {"zoneIds": ["hall"]}, "metrics": ["entrances", "exits", "visitorsInside", "timeSpent"]},
        {"filter": {"passageIds": ["entrance"]}},
    ],
)
@pytest.mark.parametrize("stored", [(2,), (2, 0), (0,)])
def test_memory_holds_the_change_of_the_newest_minute(
    store: Store, fields: dict[str, Any], stored: tuple[int, ...]
) -> None:
    add(store, *stored)
    query, changed = live(**fields), minute_number(PRESENT) - min(stored)
    remembered = remembered_points(store.metrics, query, changed, NOW)
    assert remembered is not None
    assert remembered == recent_points(store.metrics, query, changed, NOW)


@pytest.mark.parametrize(
    "fields", [{"filter": {"zoneIds": ["hall", "cafe"]}}, {"granularity": "hour"}, {"metrics": ["exits"]}]
)
def test_memory_does_not_answer_for_sums_nor_for_older_minutes(store: Store, fields: dict[str, Any]) -> None:
    add(store, 2, 0)
    first = minute_number(PRESENT) - (2 if "metrics" in fields else 0)
    assert remembered_points(store.metrics, live(**fields), first, NOW) is None


def test_history_of_a_stream_has_whole_buckets_whatever_its_range_cuts(store: Store) -> None:
    add(store, *range(120))
    asked = TimeRange(PRESENT - 70 * MINUTE, PRESENT - 30 * MINUTE, Granularity.HOUR)
    whole = recent_points(store.metrics, live(granularity="hour"), minute_number(PRESENT) - 119, NOW).points
    history = history_points(store.metrics, live(granularity="hour"), asked, NOW)
    assert [point for point in whole if asked.start - 60 * MINUTE < point["timestamp"] < asked.end] == history


@pytest.mark.parametrize("sunday", [datetime(2024, 10, 27, tzinfo=UTC), datetime(2025, 3, 30, tzinfo=UTC)])
def test_a_range_over_a_change_of_clocks_has_one_total_whatever_its_buckets(
    store: Store, sunday: datetime
) -> None:
    """Somebody every seven minutes; the range begins and ends in the middle of an hour."""
    start, end = sunday - timedelta(days=5, hours=3, minutes=13), sunday + timedelta(days=2, minutes=22)
    moments = [sunday + 7 * MINUTE * step for step in range(-1200, 600)]
    store.metrics.append(
        [PassageCount("entrance", minute_number(moment), 1, 0) for moment in moments], WriteMode.ADD
    )
    for granularity in (Granularity.HOUR, Granularity.DAY, Granularity.MONTH):
        asked = TimeRange(start, end, granularity)
        points = range_points(
            store.metrics, live(granularity=granularity.value, timezone="Europe/Zurich"), asked
        )
        counted = sum(point["metrics"]["entrances"] for point in points)
        assert counted == sum(start <= moment < end for moment in moments), granularity


@pytest.mark.parametrize("granularity", [Granularity.MINUTE, Granularity.HOUR, Granularity.DAY])
@pytest.mark.parametrize("metrics", [("entrances", "exits"), ("visitorsInside", "timeSpent", "entrances")])
def test_a_batch_is_printed_as_its_points_are_whether_each_has_all_values_or_not(
    store: Store, granularity: Granularity, metrics: tuple[str, ...]
) -> None:
    """Where nobody came in, nobody's time is known."""
    sunday = datetime(2025, 3, 30, tzinfo=UTC)
    counts = [
        PassageCount("entrance", minute_number(sunday + minute * MINUTE), minute % 3, minute % 2)
        for minute in range(-90, 200, 7)
    ]
    store.metrics.append(counts, WriteMode.ADD)
    query = live(granularity=granularity.value, timezone="Europe/Zurich", metrics=list(metrics))
    asked = TimeRange(sunday - timedelta(days=1), sunday + timedelta(days=1), granularity)
    printed, behind = past_points(store.metrics, query, asked)
    assert json.loads(print_json(printed)) == json.loads(
        print_json(range_points(store.metrics, query, asked))
    )
    assert behind == timedelta(0)


def test_of_a_range_without_minutes_nothing_is_printed(store: Store) -> None:
    asked = TimeRange(NOW, NOW, Granularity.HOUR)
    assert print_json(past_points(store.metrics, live(), asked)[0]) == b"[]"
