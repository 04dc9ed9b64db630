from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.running_service import start_service
from tests.service.conftest import Served
from tests.small_site import count, create_small_site

MOMENT = datetime(2025, 2, 3, 11, 15, 20, tzinfo=UTC)


def entrances(served: Served, start: str) -> list[int]:
    end = (datetime.fromisoformat(start) + timedelta(hours=1)).isoformat()
    asked = {
        "siteId": "corner-shop",
        "metrics": ["entrances"],
        "from": start,
        "to": end,
        "granularity": "minute",
    }
    return [point["metrics"]["entrances"] for point in served.query(**asked).json()["data"]]


def problems(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 400
    [error] = answer.json()["meta"]["errors"]
    details: dict[str, str] = error["details"]
    return details


def test_counts_of_the_same_passage_and_minute_add_up(served: Served) -> None:
    served.ingest([count(MOMENT, 2), count(MOMENT.replace(second=59), 3)])
    served.ingest([count(MOMENT.astimezone(tz=None), 4)])
    assert entrances(served, "2025-02-03T11:00:00") == [9]


def test_a_repeated_idempotency_key_stores_nothing_twice(served: Served) -> None:
    counts = [count(MOMENT.replace(day=4), 5)]
    answers = [served.ingest(counts, **{"Idempotency-Key": "door-7"}).json()["data"] for _ in range(3)]
    assert answers == [
        {"stored": 1, "duplicate": False},
        {"stored": 0, "duplicate": True},
        {"stored": 0, "duplicate": True},
    ]
    assert entrances(served, "2025-02-04T11:00:00") == [5]


def test_one_bad_element_refuses_the_whole_body(served: Served) -> None:
    bad = count(MOMENT.replace(day=5)) | {"forward": -1}
    assert set(problems(served.ingest([count(MOMENT.replace(day=5)), bad]))) == {"[1].forward"}
    assert entrances(served, "2025-02-05T11:00:00") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timestamp", "2025-02-03T11:15:20"),
        ("timestamp", "1700000000"),
        ("timestamp", 1700000000),
        ("timestamp", "2025-02-30T11:15:20Z"),
        ("timestamp", "1969-12-31T23:59:00Z"),
        ("timestamp", "2009-12-31T23:59:59Z"),
        pytest.param(
            "timestamp", (datetime.now(UTC) + timedelta(days=1)).isoformat(), id="timestamp-tomorrow"
        ),
        ("forward", True),
        ("forward", "1"),
        ("forward", 1.0),
        ("forward", 10**30),
        ("backward", None),
        ("passageId", ""),
        ("passageId", "nowhere"),
        ("passageId", "other-door"),
        ("colour", "red"),
    ],
)
def test_a_bad_field_is_named_by_its_place(served: Served, field: str, value: Any) -> None:
    assert set(problems(served.ingest([count(MOMENT), count(MOMENT) | {field: value}]))) == {f"[1].{field}"}


def test_a_sensor_whose_clock_runs_ahead_a_little_counts_for_the_present_minute(served: Served) -> None:
    before = datetime.now(UTC).replace(second=0, microsecond=0)
    ahead = datetime.now(UTC) + timedelta(seconds=50)
    assert served.ingest([count(ahead, 7, passage="terrace")]).status_code == 200
    asked = {"siteId": "corner-shop", "metrics": ["exits"], "from": "now", "to": "now"}
    [newest] = served.query(**asked, filter={"passageIds": ["terrace"]}).json()["data"]
    assert newest["metrics"] == {"exits": 7}
    assert before <= datetime.fromisoformat(newest["timestamp"]) <= datetime.now(UTC)


def test_a_count_of_the_future_is_refused_with_both_times(served: Served) -> None:
    future = datetime.now(UTC).replace(microsecond=0) + timedelta(days=10)
    [reason] = problems(served.ingest([count(future)])).values()
    assert future.isoformat() in reason
    assert reason.count("+00:00") == 2


def test_a_missing_field_is_named(served: Served) -> None:
    assert set(problems(served.ingest([{"passageId": "entrance"}]))) == {
        "[0].timestamp",
        "[0].forward",
        "[0].backward",
    }


def test_no_more_than_a_hundred_bad_elements_are_named(served: Served) -> None:
    answer = served.ingest([count(MOMENT) | {"forward": -1}] * 250)
    assert len(problems(answer)) == 100
    assert "what follows was not read" in answer.json()["meta"]["errors"][0]["message"]


@pytest.mark.parametrize("body", [b"{}", b'"counts"', b"3", b'{"a":' + b"1" * 5000])
def test_a_body_that_is_no_array_is_refused(served: Served, body: bytes) -> None:
    answer = served.client.post("/ingest/counts", headers=served.site.ingest_headers, content=body)
    assert set(problems(answer)) == {"body"}


def test_gzip_body_is_stored_like_the_one_that_it_packs(served: Served) -> None:
    counts = json.dumps([count(MOMENT.replace(day=6), 7)]).encode()
    answers = [
        served.client.post(
            "/ingest/counts",
            headers=served.site.ingest_headers | {"Idempotency-Key": "packed"} | encoding,
            content=body,
        ).json()["data"]
        for body, encoding in (
            (gzip.compress(counts), {"Content-Encoding": "gzip"}),
            (counts, {}),
        )
    ]
    assert answers == [{"stored": 1, "duplicate": False}, {"stored": 0, "duplicate": True}]
    assert entrances(served, "2025-02-06T11:00:00") == [7]


def test_an_empty_array_stores_nothing(served: Served) -> None:
    assert served.ingest([]).json()["data"] == {"stored": 0, "duplicate": False}


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_a_malformed_idempotency_key_is_refused(served: Served, key: str) -> None:
    assert set(problems(served.ingest([], **{"Idempotency-Key": key}))) == {"Idempotency-Key"}


def test_idempotency_keys_are_the_organizations_own(served: Served) -> None:
    assert served.ingest([count(MOMENT, 0)], **{"Idempotency-Key": "shared"}).status_code == 200
    again = served.ingest([count(MOMENT, 1)], **{"Idempotency-Key": "shared"})
    assert again.status_code == 409


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(tmp_path)
    acknowledged = 0
    for _ in range(20):
        answer = httpx.post(
            f"{service.base_url}/ingest/counts", headers=site.ingest_headers, json=[count(MOMENT, 1)]
        )
        acknowledged += answer.json()["data"]["stored"]
    service.kill()
    again = start_service(tmp_path)
    try:
        body = {"siteId": site.site_id, "metrics": ["entrances"], "from": "now", "to": "now"}
        answer = httpx.post(f"{again.base_url}/v3/metrics", headers=site.headers, json=body)
    finally:
        again.stop()
    assert answer.json()["data"][0]["metrics"]["entrances"] == acknowledged == 20
