"""What a key hears that asks too much, and what our own dashboard makes of it, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from api_client import Client
from contract import MetricKey, MetricsQuery
from live import FeedKey, Hub
from live.reducer import inside
from tests.eventually import eventually
from tests.live.conftest import SWIFT
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site

STREAM = {"siteId": SITE.id, "metrics": ["visitorsInside"], "live": True}
DEADLINE = 60.0


class Limited:
    """A service whose keys may do little."""

    def __init__(self, folder: Path, **limits: str) -> None:
        self.site: SmallSite = create_small_site(folder)
        environment = {f"HEADROOM_SERVICE_{name}": value for name, value in limits.items()}
        self.service: RunningService = start_service(folder, environment=environment)
        self.client = httpx.Client(base_url=self.service.base_url, timeout=DEADLINE)

    def close(self) -> None:
        self.client.close()
        self.service.stop()


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Four requests at once, two a second, and answers of a day of minutes."""
    limited = Limited(tmp_path_factory.mktemp("slow"), KEY_REQUESTS="2", KEY_BURST="4", ANSWER_POINTS="1440")
    yield limited
    limited.close()


def error(answer: httpx.Response) -> dict[str, object]:
    [entry] = answer.json()["meta"]["errors"]
    assert answer.json()["meta"]["requestId"] == answer.headers["x-request-id"]
    return dict(entry)


def test_a_key_that_asks_too_often_is_told_when_to_ask_again_and_others_are_answered(slow: Limited) -> None:
    answers = [slow.client.get("/v3/sites", headers=slow.site.headers) for _ in range(20)]
    assert answers[0].status_code == 200
    limited = [answer for answer in answers if answer.status_code == 429]
    assert len(limited) > 5
    assert error(limited[0])["code"] == "TOO_MANY_REQUESTS"
    assert "'reads' asks more often than the 2 times a second" in str(error(limited[0])["message"])
    assert limited[0].headers["retry-after"] == "1"
    other = {"x-api-key": slow.site.rival_key}
    assert slow.client.get("/v3/sites", headers=other).status_code == 200
    assert slow.client.get("/healthz").status_code == 200


def test_a_sensor_that_posts_too_often_loses_nothing_when_it_sends_again(slow: Limited) -> None:
    stored, refused = 0, 0
    while stored < 8:
        answer = slow.client.post(
            "/ingest/counts", headers=slow.site.ingest_headers, json=[count(datetime.now(UTC))]
        )
        stored += answer.status_code == 200
        refused += answer.status_code == 429
    assert refused > 0


def test_our_own_client_waits_as_asked_and_is_answered(slow: Limited) -> None:
    query = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id=SITE.id, from_="1 hour ago", to="now")
    with Client(slow.service.base_url, slow.site.read_key) as client:
        for _ in range(2):
            while slow.client.get("/v3/sites", headers=slow.site.headers).status_code != 429:
                pass
            assert client.metrics(query).request_id
            assert client.sites()


def test_an_answer_of_too_many_points_is_refused_with_what_to_do(slow: Limited) -> None:
    asked = {
        "siteId": SITE.id,
        "metrics": ["entrances"],
        "from": "2025-01-01T00:00:00",
        "to": "2025-04-01T00:00:00",
        "granularity": "hour",
    }
    other = slow.site.headers
    answer = slow.client.post("/v3/metrics", headers=other, json=asked)
    while answer.status_code == 429:
        answer = slow.client.post("/v3/metrics", headers=other, json=asked)
    assert answer.status_code == 400
    assert error(answer)["code"] == "RANGE_TOO_LONG"
    assert "more than the 1440 points of one answer; ask for a coarser" in str(error(answer)["message"])


async def test_streams_of_a_key_are_bounded_and_feeds_beyond_them_ask_instead(tmp_path: Path) -> None:
    limited = Limited(tmp_path, KEY_STREAMS="1")
    headers = limited.site.headers | {"Accept": "text/event-stream"}
    hub = Hub(limited.service.base_url, limited.site.read_key, limits=SWIFT)
    feeds = [FeedKey(SITE.id), FeedKey(SITE.id, ("hall",))]
    try:
        with ExitStack() as streams:
            first = limited.client.stream("POST", "/v3/metrics", json=STREAM, headers=headers)
            assert streams.enter_context(first).status_code == 200
            refused = limited.client.post("/v3/metrics", json=STREAM, headers=headers)
            assert (refused.status_code, error(refused)["code"]) == (429, "TOO_MANY_STREAMS")
            assert refused.headers["retry-after"] == "10"
            for feed in feeds:
                hub.subscribe(feed, timezone="Europe/Zurich")
            body = [count(datetime.now(UTC), 5)]
            await asyncio.to_thread(
                limited.client.post, "/ingest/counts", headers=limited.site.ingest_headers, json=body
            )
            await eventually(lambda: [inside(hub.snapshot(feed).newest) for feed in feeds] == [5, 5])
        await asyncio.to_thread(hub.close)
        await eventually(lambda: stream_of(limited, headers) == 200, pause=0.2)
    finally:
        hub.close()
        limited.close()


def stream_of(limited: Limited, headers: dict[str, str]) -> int:
    with limited.client.stream("POST", "/v3/metrics", json=STREAM, headers=headers) as stream:
        return stream.status_code
