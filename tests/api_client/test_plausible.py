"""Fields beyond all bounds: the field or the entry goes, the rest of the answer stays."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from api_client import IMPOSSIBLE, BrokenAnswer, SkippedEvent
from api_client.answers import FUTURE, read_metrics, read_site, read_sites_page
from api_client.live_stream import read_event
from api_client.plausible import LONGEST_TEXT, MOST_ZONES
from contract import METRICS, MetricPoint, MetricSpec, Site

GOOD = {"id": "a", "name": "A", "timezone": "Europe/Zurich"}
NOON = "2026-06-01T12:00:00+00:00"


def answer(data: Any) -> httpx.Response:
    body = json.dumps({"data": data, "meta": {}}).encode()
    return httpx.Response(200, content=body, request=httpx.Request("GET", "http://service/v3/sites"))


def site(**fields: Any) -> Site:
    return read_site(answer(GOOD | fields)).site


ABSURD_DATES = ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2500-01-01T00:00:00Z", "x", 1e300]


@pytest.mark.parametrize("date", ABSURD_DATES)
def test_a_date_that_no_calendar_holds_is_not_told(date: Any) -> None:
    page = read_sites_page(answer([GOOD | {"updatedAt": date, "createdAt": NOON}, GOOD | {"id": "b"}]))
    assert [one.id for one in page.sites] == ["a", "b"]
    assert page.sites[0].updated_at is None
    assert page.sites[0].created_at == datetime.fromisoformat(NOON)
    assert page.left_out == {"updatedAt of a site": 1}


@pytest.mark.parametrize("capacity", [1e308, 1e400, float("nan"), -5, 2**64, 10**400, "many", True, [1]])
def test_a_capacity_that_no_zone_has_is_not_told(capacity: Any) -> None:
    zones = [{"id": "hall", "name": "Hall", "capacity": capacity, "area": capacity}]
    read = site(zones=zones).zones[0]
    assert (read.capacity, read.area) == (None, None) or capacity == 2**64
    assert read.capacity is None


@pytest.mark.parametrize("spec", METRICS.values(), ids=METRICS)
def test_a_value_below_what_a_metric_can_be_is_left_out(spec: MetricSpec) -> None:
    lowest = -5 if spec.minimum is None else spec.minimum
    points = [
        {"timestamp": f"2026-01-02T1{place}:00:00+00:00", "metrics": {spec.key: value}}
        for place, value in enumerate((lowest, lowest - 1))
    ]
    read = read_metrics(answer(points))
    assert [point.metrics.get(spec.key) for point in read.points] == [
        lowest,
        lowest - 1 if spec.minimum is None else None,
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"category": 7},
        {"timezone": "x" * 5000},
        {"address": "Zurich"},
        {"archived": "perhaps"},
        {"organizationId": None},
        {"constructionYear": 10**30},
        {"constructionYear": "old"},
        {"zones": {}, "passages": 3},
        {"zones": [None, 3, {"name": "without id"}, {"id": "x" * 5000, "name": "long"}]},
    ],
)
def test_a_field_of_the_wrong_kind_is_as_if_it_were_not_told(fields: dict[str, Any]) -> None:
    assert site(**fields) == Site.model_validate(GOOD | {"timezone": site(**fields).timezone})


def test_long_texts_and_lists_are_cut() -> None:
    zones = [{"id": f"z{number}", "name": "n" * 10_000} for number in range(MOST_ZONES + 5)]
    read = read_site(answer(GOOD | {"zones": zones}))
    assert len(read.site.zones) == MOST_ZONES
    assert len(read.site.zones[0].name) == LONGEST_TEXT
    assert read.left_out == {"zone": 5}


@pytest.mark.parametrize(("parts", "kind"), [("passages", "passage"), ("zones", "zone")])
def test_of_two_with_one_id_the_first_is_kept_under_its_own_name(parts: str, kind: str) -> None:
    told = [{"id": id_, "name": name} for id_, name in (("a", "North"), ("b", "East"), ("a", "South"))]
    read = read_site(answer(GOOD | {parts: told}))
    assert [(one.id, one.name) for one in getattr(read.site, parts)] == [("a", "North"), ("b", "East")]
    assert read.left_out == {f"{kind} with the id of another": 1}


def test_a_site_without_an_id_leaves_the_others() -> None:
    page = read_sites_page(answer([{"name": "nameless"}, GOOD, 7]))
    assert [one.id for one in page.sites] == ["a"]
    assert (page.received, page.left_out) == (3, {"site": 2})


def metric_point(timestamp: Any = NOON, **metrics: Any) -> dict[str, Any]:
    return {"timestamp": timestamp, "metrics": {"visitorsInside": 3} | metrics}


@pytest.mark.parametrize("timestamp", [*ABSURD_DATES, None])
def test_a_point_at_no_possible_time_leaves_the_others(timestamp: Any) -> None:
    read = read_metrics(answer([metric_point(timestamp), metric_point()]))
    assert [point.timestamp for point in read.points] == [datetime.fromisoformat(NOON)]
    assert read.left_out["point"] == 1
    assert read_event(json.dumps(metric_point(timestamp))) == SkippedEvent("not a metric point")


@pytest.mark.parametrize("count", [2**64, -(2**64), 1e300, 1e400, float("nan"), "many", True])
def test_a_count_beyond_all_bounds_is_missing(count: Any) -> None:
    data = metric_point(entrances=count, exits=2)
    [point] = read_metrics(answer([data])).points
    assert point.metrics == {"visitorsInside": 3, "exits": 2}
    event = read_event(json.dumps(data))
    assert isinstance(event, MetricPoint)
    assert event.metrics == point.metrics


@pytest.mark.parametrize("count", [2**53, -57, 10**9 + 1, -0.5])
def test_people_that_no_counter_can_have_counted_are_missing_and_named(count: Any) -> None:
    data = metric_point(visitorsInside=count, entrances=count, exits=2)
    read = read_metrics(answer([data]))
    assert [point.metrics for point in read.points] == [{"exits": 2}]
    assert read.left_out == {IMPOSSIBLE: 1, "value of a point": 2}
    assert read_event(json.dumps(data)) == SkippedEvent(IMPOSSIBLE)


def test_points_of_which_none_can_be_used_are_broken_never_empty() -> None:
    with pytest.raises(BrokenAnswer):
        read_metrics(answer([metric_point("never"), metric_point("soon")]))


def test_points_of_the_future_are_left_out_and_counted() -> None:
    later = "2026-06-02T12:00:00+00:00"
    newest_possible = datetime(2026, 6, 1, 12, 2, tzinfo=UTC)
    read = read_metrics(answer([metric_point(), metric_point(later)]), newest_possible)
    assert [point.timestamp for point in read.points] == [datetime.fromisoformat(NOON)]
    assert read.left_out == {FUTURE: 1}
    assert read_metrics(answer([metric_point(later)]), newest_possible).points == ()
    assert read_event(json.dumps(metric_point(later)), newest_possible) == SkippedEvent(FUTURE)


def test_an_event_of_countless_objects_is_skipped() -> None:
    assert isinstance(read_event("[" + "{}," * 100_000 + "{}]"), SkippedEvent)
