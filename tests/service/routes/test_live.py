from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope
from tests.eventually import wait_until
from tests.running_service import start_service
from tests.service.conftest import Served
from tests.small_site import ORGANIZATION, count, create_small_site, store_counts

LIVE = {"siteId": "corner-shop", "metrics": ["visitorsInside", "entrances"], "live": True}


class Stream:
    """The lines of an open stream."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.iter_lines()

    def line(self) -> str:
        return next(line for line in self._lines if line)

    def point(self) -> dict[str, Any]:
        """The next point; heartbeats are passed over."""
        line = next(line for line in self._lines if line.startswith("data: "))
        point: dict[str, Any] = json.loads(line.removeprefix("data: "))
        return point

    def rest(self) -> list[str]:
        return [line for line in self._lines if line]


@contextmanager
def streaming(served: Served, *, key: str = "", **body: Any) -> Iterator[Stream]:
    headers = {"x-api-key": key or served.site.read_key, "Accept": "text/event-stream"}
    with served.client.stream("POST", "/v3/metrics", json=LIVE | body, headers=headers) as answer:
        yield Stream(answer)


def open_streams(served: Served) -> int:
    return int(served.client.get("/healthz").json()["data"]["openStreams"])


def test_the_newest_value_comes_on_connection_and_then_each_change(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), 1)])
    with streaming(served) as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        assert stream.answer.headers["cache-control"] == "no-cache"
        assert stream.answer.headers["x-accel-buffering"] == "no"
        first = stream.point()
        served.ingest([count(datetime.now(UTC), 4)])
        second = stream.point()
    assert second["metrics"]["visitorsInside"] == first["metrics"]["visitorsInside"] + 4


def test_a_commit_of_another_process_is_pushed(served: Served) -> None:
    with streaming(served, filter={"zoneIds": ["cafe"]}) as stream:
        stream.line()
        minute = datetime.now(UTC).replace(second=0, microsecond=0)
        store_counts(served.site.data_dir, [(minute, "archway", 777, 0)])
        while stream.point()["metrics"]["entrances"] != 777:
            pass


def test_a_burst_of_counts_is_one_update(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), 1)])
    with streaming(served) as stream:
        inside = stream.point()["metrics"]["visitorsInside"]
        for _ in range(30):
            served.ingest([count(datetime.now(UTC), 1)])
        seen: list[int] = []
        while not seen or seen[-1] < inside + 30:
            seen.append(stream.point()["metrics"]["visitorsInside"])
    assert len(seen) < 15


def test_history_comes_first_when_range_and_granularity_are_given(served: Served) -> None:
    start = datetime(2025, 5, 5, 6, tzinfo=UTC)
    store_counts(served.site.data_dir, [(start + timedelta(minutes=m), "entrance", m, 0) for m in range(3)])
    served.ingest([count(datetime.now(UTC), 1)])
    day = {"from": "2025-05-05T06:00:00", "to": "2025-05-05T09:00:00", "granularity": "minute"}
    with streaming(served, **day) as stream:
        points = [stream.point() for _ in range(4)]
    assert [point["metrics"]["entrances"] for point in points[:3]] == [0, 1, 2]
    assert points[3]["timestamp"] > "2025-05-06"


def test_without_granularity_there_is_no_history(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), 1)])
    with streaming(served, **{"from": "2025-05-05T06:00:00", "to": "2025-05-05T09:00:00"}) as stream:
        assert stream.point()["timestamp"] > "2025-05-06"


def test_history_up_to_now_meets_the_live_value_without_a_gap(served: Served) -> None:
    now = datetime.now(UTC)
    served.ingest([count(now - timedelta(minutes=age), 1) for age in range(5)])
    with streaming(served, **{"from": "5 minutes ago", "to": "now", "granularity": "minute"}) as stream:
        seen = {stream.point()["timestamp"]}
        newest = served.query(**LIVE | {"live": False, "from": "now", "to": "now"}).json()["data"][0]
        while max(seen) < newest["timestamp"]:
            seen.add(stream.point()["timestamp"])
    times = sorted(datetime.fromisoformat(text) for text in seen)
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(minutes=1)}


def test_a_live_hour_is_the_newest_hour_as_far_as_it_is_filled(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), 1)])
    with streaming(served, granularity="hour") as stream:
        first = stream.point()
        served.ingest([count(datetime.now(UTC), 2)])
        second = stream.point()
    assert first["timestamp"].endswith(":00:00+00:00")
    assert second["metrics"]["entrances"] >= 2


def test_silence_is_filled_with_heartbeats(served: Served) -> None:
    with streaming(served, filter={"passageIds": ["terrace"]}, metrics=["exits"]) as stream:
        assert {stream.line() for _ in range(3)} == {": heartbeat"}


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/*"])
def test_without_the_accept_header_the_stream_closes_at_once(served: Served, accept: str) -> None:
    answer = served.client.post("/v3/metrics", headers=served.site.headers | {"Accept": accept}, json=LIVE)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.content == b""


def test_an_error_comes_as_an_envelope_before_the_stream(served: Served) -> None:
    with streaming(served, metrics=["INSIDE"]) as stream:
        answer = json.loads(stream.answer.read())
    assert stream.answer.status_code == 400
    assert answer["meta"]["errors"][0]["code"] == "UNKNOWN_METRIC"


def test_clients_that_left_are_forgotten(served: Served) -> None:
    wait_until(lambda: open_streams(served) == 0)
    with streaming(served) as one, streaming(served) as other:
        assert one.line() == other.line() == ": heartbeat"
        assert open_streams(served) == 2
    wait_until(lambda: open_streams(served) == 0)


def test_revoking_a_key_ends_its_streams_and_no_others(served: Served) -> None:
    store = open_store(store_url(served.site.data_dir))
    record, secret = store.keys.create(ORGANIZATION.id, "screen", KeyScope.READ)
    with streaming(served, key=secret) as revoked, streaming(served) as other:
        assert revoked.line() == ": heartbeat"
        assert other.line() == ": heartbeat"
        store.keys.revoke(record.id)
        store.close()
        revoked.rest()  # would never end, were the stream still open
        assert open_streams(served) == 1
        assert other.line()


def test_a_stream_ends_after_its_lifetime(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(tmp_path, environment={"HEADROOM_SERVICE_STREAM_LIFETIME": "PT1S"})
    try:
        with (
            httpx.Client(base_url=service.base_url, timeout=60.0) as client,
            streaming(Served(site, service, client)) as stream,
        ):
            assert set(stream.rest()) == {": heartbeat"}
    finally:
        service.stop()
