from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import Served

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
REQUEST_ID = "00000000-0000-4000-8000-000000000000"
METRICS = {"siteId": "corner-shop", "metrics": ["entrances"], "from": "1 day ago", "to": "now"}

SITES: Mapping[str, str] = {"sites_list": "/v3/sites", "site": "/v3/sites/corner-shop"}
QUERIES = ("batch", "inferred", "by_passage", "warning", "hidden")
REFUSED_READS: Mapping[str, tuple[str, str, int]] = {
    "forbidden_site": ("GET", "/v3/sites/elsewhere", 403),
    "site_not_found": ("GET", "/v3/sites/nowhere", 404),
    "invalid_pagination": ("GET", "/v3/sites?limit=101&offset=first", 400),
    "not_found": ("GET", "/v3/zones", 404),
    "method_not_allowed": ("DELETE", "/v3/sites", 405),
}
REFUSED_QUERIES: Mapping[str, dict[str, Any]] = {
    "invalid_time_filter": {"from": "yesterday", "to": None},
    "invalid_time_range": {"from": "now", "to": "1 hour ago"},
    "range_too_long": {"from": "2 days ago", "granularity": "minute"},
    "unknown_metric": {"metrics": ["INSIDE", "exits", "weather"]},
    "unknown_zone": {"filter": {"zoneIds": ["attic", "hall"]}},
    "unknown_passage": {"filter": {"passageIds": ["other-door"]}},
    "unknown_timezone": {"timezone": "Mars/Olympus"},
    "metric_not_by_passage": {
        "metrics": ["visitorsInside", "timeSpent"],
        "filter": {"passageIds": ["entrance"]},
    },
    "invalid_body": {"metrics": None, "live": 1, "filter": {"gender": "f"}, "colour": "red"},
    "several": {"siteId": "nowhere", "from": 5, "timezone": "Nowhere"},
}


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def normalized(answer: Any) -> Any:
    """The answer with the request id of the golden payloads, after a look at its form."""
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", answer["meta"]["requestId"])
    answer["meta"]["requestId"] = REQUEST_ID
    return answer


@pytest.fixture(scope="module")
def counted(served: Served) -> Served:
    assert normalized(served.ingest(golden("metrics_counts.json")).json()) == golden("ingest_receipt.json")
    return served


@pytest.mark.parametrize("name", SITES)
def test_sites_answer_as_written_down(served: Served, name: str) -> None:
    assert normalized(served.get(SITES[name]).json()) == golden(f"{name}.json")


@pytest.mark.parametrize("name", QUERIES)
def test_metrics_answer_as_written_down(counted: Served, name: str) -> None:
    answer = counted.query(**golden(f"metrics_{name}_request.json"))
    assert normalized(answer.json()) == golden(f"metrics_{name}.json")


def test_the_newest_value_answers_as_written_down(counted: Served) -> None:
    answer = normalized(counted.query(**golden("metrics_one_shot_request.json")).json())
    expected = golden("metrics_one_shot.json")
    for name in ("from", "to"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", answer["meta"]["inferredParams"][name])
        answer["meta"]["inferredParams"][name] = expected["meta"]["inferredParams"][name]
    assert answer == expected


def test_a_stream_begins_as_written_down(counted: Served) -> None:
    headers = counted.site.headers | {"Accept": "text/event-stream"}
    expected = (GOLDEN / "stream_events.txt").read_bytes()
    received = b""
    body = golden("stream_request.json")
    with counted.client.stream("POST", "/v3/metrics", headers=headers, json=body) as answer:
        for piece in answer.iter_raw():
            received += piece
            if len(received) >= len(expected):
                break
    assert received[: len(expected)] == expected


@pytest.mark.parametrize("name", REFUSED_READS)
def test_refused_reads_answer_as_written_down(served: Served, name: str) -> None:
    method, path, status = REFUSED_READS[name]
    answer = served.client.request(method, path, headers=served.site.headers)
    assert answer.status_code == status
    assert normalized(answer.json()) == golden(f"error_{name}.json")


@pytest.mark.parametrize("name", REFUSED_QUERIES)
def test_refused_queries_answer_as_written_down(served: Served, name: str) -> None:
    answer = served.query(**METRICS | REFUSED_QUERIES[name])
    assert answer.status_code == (404 if name == "several" else 400)
    assert normalized(answer.json()) == golden(f"error_{name}.json")


def test_refused_keys_answer_as_written_down(served: Served) -> None:
    keyless = served.client.get("/v3/sites")
    version_2 = served.client.get("/v3/sites", headers={"Authorization": "Bearer abc"})
    wrong_scope = served.client.get("/v3/sites", headers=served.site.ingest_headers)
    assert [keyless.status_code, version_2.status_code, wrong_scope.status_code] == [401, 401, 403]
    assert normalized(keyless.json()) == golden("error_invalid_api_key.json")
    assert normalized(version_2.json()) == golden("error_version_2_token.json")
    assert normalized(wrong_scope.json()) == golden("error_forbidden_scope.json")


def test_bodies_that_cannot_be_read_answer_as_written_down(served: Served) -> None:
    broken = served.client.post("/v3/metrics", headers=served.site.headers, content=b"{")
    large = served.client.post("/v3/metrics", headers=served.site.headers, content=b" " * (256 * 1024 + 1))
    assert [broken.status_code, large.status_code] == [400, 413]
    assert normalized(broken.json()) == golden("error_malformed_json.json")
    assert normalized(large.json()) == golden("error_body_too_large.json")


def test_refused_counts_answer_as_written_down(counted: Served) -> None:
    good = golden("metrics_counts.json")[0]
    foreign = counted.ingest([good, good | {"passageId": "other-door"}])
    first = counted.ingest([good | {"forward": 0}], **{"Idempotency-Key": "golden"})
    reused = counted.ingest([good | {"forward": 0, "backward": 0}] * 2, **{"Idempotency-Key": "golden"})
    assert [foreign.status_code, first.status_code, reused.status_code] == [400, 200, 409]
    assert normalized(foreign.json()) == golden("error_unknown_passage_of_counts.json")
    assert normalized(reused.json()) == golden("error_idempotency_key_reused.json")
