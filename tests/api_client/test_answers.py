"""What the client makes of golden payloads, and of answers that are not as they should be."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_client import (
    ApiClientError,
    BrokenAnswer,
    Forbidden,
    InvalidQuery,
    NotFound,
    ServiceFailure,
    Unauthorized,
    Unavailable,
)
from api_client.answers import TWICE, error_of, read_metrics, read_site, read_sites_page, retry_after
from api_client.live_stream import EventStreamDecoder, read_event
from contract import MetricPoint

GOLDEN = Path(__file__).parent.parent / "golden"
REQUEST_ID = "00000000-0000-4000-8000-000000000000"


def answer(
    content: bytes | dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
) -> httpx.Response:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    request = httpx.Request("GET", "https://user:password@api.example.com/prefix/v3/sites")
    return httpx.Response(status, content=body, headers=headers, request=request)


def golden(name: str, status: int = 200) -> httpx.Response:
    return answer((GOLDEN / name).read_bytes(), status)


def test_the_golden_list_of_sites_is_read() -> None:
    page = read_sites_page(golden("sites_list.json"))
    site = page.sites[0]
    assert (site.id, site.address.post_code, site.timezone) == ("corner-shop", "8004", "Europe/Zurich")
    assert site.created_at == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert not page.has_next
    assert page.server_tag == "headroom-0.1.0"


def test_the_golden_site_is_read_with_its_topology() -> None:
    site = read_site(golden("site.json")).site
    assert {zone.id: zone.capacity for zone in site.zones} == {"shop": 100, "hall": 60, "cafe": 40}
    ends = {passage.id: (passage.from_zone_id, passage.to_zone_id) for passage in site.passages}
    assert ends == {"entrance": (None, "hall"), "archway": ("hall", "cafe"), "terrace": ("cafe", None)}
    assert site.construction_year == 1931


def test_the_golden_batch_is_read() -> None:
    read = read_metrics(golden("metrics_batch.json"))
    raw = json.loads((GOLDEN / "metrics_batch.json").read_text())
    assert [dict(point.metrics) for point in read.points] == [point["metrics"] for point in raw["data"]]
    assert [point.timestamp for point in read.points] == [
        datetime.fromisoformat(point["timestamp"]) for point in raw["data"]
    ]
    assert read.inferred == raw["meta"]["inferredParams"]
    assert read.request_id == REQUEST_ID


def test_the_golden_latest_value_names_its_zones() -> None:
    read = read_metrics(golden("metrics_one_shot.json"))
    assert len(read.points) == 1
    assert read.points[0].metrics["visitorsInside"] == 4
    assert read.points[0].matching_filters is not None
    assert read.points[0].matching_filters.zone_ids == ("shop",)
    assert read.inferred["granularity"] == "minute"


def test_golden_warnings_are_passed_on() -> None:
    assert read_metrics(golden("metrics_warning.json")).warnings[0]["code"] == "AGGREGATION_IGNORED"


def test_the_golden_stream_is_read_event_by_event() -> None:
    events = EventStreamDecoder().feed((GOLDEN / "stream_events.txt").read_bytes())
    points = [read_event(event.data) for event in events]
    assert [point.metrics["visitorsInside"] for point in points if isinstance(point, MetricPoint)] == [
        *(6, 7, 6, 4)
    ]


GOLDEN_ERRORS: list[tuple[str, int, type[ApiClientError], str]] = [
    ("error_invalid_api_key.json", 401, Unauthorized, "INVALID_API_KEY"),
    ("error_version_2_token.json", 401, Unauthorized, "INVALID_API_KEY"),
    ("error_forbidden_site.json", 403, Forbidden, "FORBIDDEN_ACCESS"),
    ("error_site_not_found.json", 404, NotFound, "SITE_NOT_FOUND"),
    ("error_not_found.json", 404, NotFound, "NOT_FOUND"),
    ("error_several.json", 404, NotFound, "SITE_NOT_FOUND"),
    ("error_invalid_pagination.json", 400, InvalidQuery, "INVALID_PAGINATION_PARAMS"),
    ("error_invalid_time_filter.json", 400, InvalidQuery, "INVALID_TIME_FILTER"),
    ("error_unknown_zone.json", 400, InvalidQuery, "UNKNOWN_ZONE"),
    ("error_body_too_large.json", 413, InvalidQuery, "BODY_TOO_LARGE"),
    ("error_internal_error.json", 500, ServiceFailure, "INTERNAL_ERROR"),
    ("error_service_starting.json", 503, Unavailable, "SERVICE_STARTING"),
]


@pytest.mark.parametrize(("name", "status", "kind", "code"), GOLDEN_ERRORS)
def test_a_golden_error_becomes_its_class_with_code_request_id_and_words(
    name: str, status: int, kind: type[ApiClientError], code: str
) -> None:
    with pytest.raises(ApiClientError) as raised:
        read_metrics(golden(name, status))
    error = raised.value
    assert type(error) is kind
    assert (error.code, error.request_id) == (code, REQUEST_ID)
    assert json.loads((GOLDEN / name).read_text())["meta"]["errors"][0]["message"] in error.message


def test_offending_fields_of_all_errors_are_told() -> None:
    with pytest.raises(InvalidQuery) as raised:
        read_sites_page(golden("error_invalid_pagination.json", 400))
    assert set(raised.value.details) == {"limit", "offset"}


def test_the_error_that_the_status_speaks_of_names_the_whole() -> None:
    errors = [{"code": "UNKNOWN_ZONE", "message": "a"}, {"code": "SITE_NOT_FOUND", "message": "b"}]
    error = error_of(answer({"data": None, "meta": {"errors": errors}}, 404))
    assert (type(error), error.code) == (NotFound, "SITE_NOT_FOUND")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidQuery),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (408, Unavailable),
        (418, InvalidQuery),
        (421, Unavailable),
        (425, Unavailable),
        (429, Unavailable),
        (499, InvalidQuery),
        (500, ServiceFailure),
        (502, ServiceFailure),
        (503, Unavailable),
        (599, ServiceFailure),
        (204, BrokenAnswer),
        (206, BrokenAnswer),
    ],
)
@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"detail": "x"}'])
def test_an_answer_without_an_envelope_is_an_error_by_its_status(
    status: int, kind: type[ApiClientError], body: bytes
) -> None:
    error = error_of(answer(body, status, {"x-request-id": "r-9"}))
    assert type(error) is kind
    assert (error.code, error.request_id) == (f"HTTP_{status}", "r-9")


def test_a_404_that_is_not_v3_blames_the_base_url_and_hides_what_is_secret_in_it() -> None:
    error = error_of(answer(b"<html>", 404))
    assert "https://api.example.com" in error.message
    assert "password" not in error.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"data": []}',
        b'{"data": {}, "meta": {}}',
        b'{"data": [{}], "meta": {}}',
        b'{"data": null, "meta": {}}',
    ],
)
def test_a_success_that_cannot_be_read_is_broken_never_empty(body: bytes) -> None:
    with pytest.raises(BrokenAnswer):
        read_sites_page(answer(body))


def test_errors_inside_a_success_are_errors() -> None:
    errors = [{"code": "FORBIDDEN_ACCESS", "message": "No."}]
    with pytest.raises(Forbidden):
        read_metrics(answer({"data": None, "meta": {"errors": errors}}))
    with pytest.raises(InvalidQuery):
        read_metrics(answer({"data": None, "meta": {"errors": [{"code": "THEIR_OWN"}]}}))


@pytest.mark.parametrize(
    "created", ["2024-05-06T07:08:09", "2024-05-06T07:08:09Z", "2024-05-06T09:08:09+02:00"]
)
def test_gaps_of_the_specification_are_tolerated_in_a_site(created: str) -> None:
    site = {
        "id": "a",
        "name": "A",
        "category": None,
        "timezone": None,
        "createdAt": created,
        "novelty": {"any": "thing"},
        "zones": [{"id": "z", "name": "Z", "category": None, "surprise": 1}],
        "passages": [{"id": "p", "name": "P", "devices": [{"id": "d", "name": "D", "status": "Sleepy"}]}],
    }
    read = read_site(answer({"data": site, "meta": {"warnings": ["text", {"x": 1}, 7]}})).site
    assert read.created_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert read.category is None
    assert read.passages[0].devices[0].status == "Sleepy"


@pytest.mark.parametrize("page", [{}, {"page": 1}])
def test_the_page_of_a_pagination_is_optional(page: dict[str, int]) -> None:
    pagination = {"limit": 1, "offset": 0, "total": 2, "hasPrevious": False, "hasNext": True} | page
    assert read_sites_page(answer({"data": [], "meta": {"pagination": pagination}})).has_next


NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("0", 0.0),
        (" 120 ", 120.0),
        ("9" * 400, 86_400.0),
        ("Mon, 01 Jun 2026 12:00:30 GMT", 30.0),
        ("Monday, 01-Jun-26 12:00:30 GMT", 30.0),
        ("Mon, 01 Jun 2026 11:00:00 GMT", 0.0),
        ("Mon, 01 Jun 2099 12:00:00 GMT", 86_400.0),
        ("Mon, 99 Jun 2026 12:00:30 GMT", None),
        (f"Mon, 01 Jun {'9' * 30} 12:00:30 GMT", None),
        (f"Mon, 01 Jun 2026 12:00:30 +{'9' * 30}", None),
    ],
)
def test_retry_after_is_read_in_both_forms(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOON) == seconds


def test_a_date_to_come_back_at_is_measured_by_the_clock_that_told_it() -> None:
    busy = httpx.Response(
        503,
        headers={"date": "Mon, 01 Jun 2026 12:00:00 GMT", "retry-after": "Mon, 01 Jun 2026 12:00:30 GMT"},
        request=httpx.Request("GET", "http://service.example/v3/sites"),
    )
    error = error_of(busy)
    assert isinstance(error, Unavailable)
    assert error.retry_after == 30.0


def points(*minutes: int) -> list[dict[str, Any]]:
    """Of these minutes; each has its place in the answer as its number of people."""
    return [
        {"timestamp": f"2026-06-29T12:{minute:02}:00+00:00", "metrics": {"visitorsInside": place}}
        for place, minute in enumerate(minutes)
    ]


def test_points_that_come_in_disorder_are_put_in_order() -> None:
    read = read_metrics(answer({"data": points(3, 1, 2), "meta": {"requestId": REQUEST_ID}}))
    assert [(one.timestamp.minute, one.metrics["visitorsInside"]) for one in read.points] == [
        (1, 1), (2, 2), (3, 0),
    ]  # fmt: skip
    assert not read.left_out


def test_of_points_with_one_time_the_last_is_taken_and_the_others_are_counted() -> None:
    read = read_metrics(answer({"data": points(1, 2, 2, 1, 1), "meta": {"requestId": REQUEST_ID}}))
    assert [(one.timestamp.minute, one.metrics["visitorsInside"]) for one in read.points] == [(1, 4), (2, 2)]
    assert read.left_out == {TWICE: 3}


def test_points_of_one_time_that_tell_other_metrics_are_one() -> None:
    time = "2026-06-29T12:01:00+00:00"
    told = [{"timestamp": time, "metrics": {key: place}} for place, key in enumerate(("entrances", "exits"))]
    impossible = {"timestamp": time, "metrics": {"exits": -7}}
    read = read_metrics(answer({"data": [*told, impossible], "meta": {"requestId": REQUEST_ID}}))
    assert [dict(one.metrics) for one in read.points] == [{"entrances": 0, "exits": 1}]
    assert TWICE not in read.left_out
