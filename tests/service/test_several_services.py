"""Two services on one database: what one stores the other tells, and what neither can store is said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.exception_handlers import RETRY_AFTER_SECONDS
from service.open_store import open_store
from tests.eventually import PATIENCE, eventually
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site

SELDOM = {"HEADROOM_SERVICE_WATCH_INTERVAL": "1000"}
"""Nobody looks by himself."""


@dataclass(frozen=True)
class Pair:
    site: SmallSite
    services: tuple[RunningService, RunningService]

    def post(
        self, number: int, forward: int, key: str | None = None, patience: float = PATIENCE
    ) -> httpx.Response:
        minute = datetime.now(UTC).replace(second=0, microsecond=0)
        headers = self.site.ingest_headers | ({"idempotency-key": key} if key else {})
        address = f"{self.services[number].base_url}/ingest/counts"
        return httpx.post(address, json=[count(minute, forward)], headers=headers, timeout=patience)

    def inside(self, number: int) -> int | None:
        asked = {"siteId": SITE.id, "metrics": ["visitorsInside"], "from": "now", "to": "now"}
        address = f"{self.services[number].base_url}/v3/metrics"
        answer = httpx.post(address, json=asked, headers=self.site.headers, timeout=PATIENCE)
        points = answer.raise_for_status().json()["data"]
        return int(points[0]["metrics"]["visitorsInside"]) if points else None

    def health(self, number: int, patience: float = PATIENCE) -> httpx.Response:
        return httpx.get(f"{self.services[number].base_url}/healthz", timeout=patience)

    @contextmanager
    def streaming(self, number: int) -> Iterator[list[Any]]:
        """Points of its stream, as they come."""
        asked = {"siteId": SITE.id, "metrics": ["visitorsInside"], "granularity": "minute", "live": True}
        headers = self.site.headers | {"accept": "text/event-stream"}
        told: list[Any] = []
        address = f"{self.services[number].base_url}/v3/metrics"
        with httpx.stream("POST", address, json=asked, headers=headers, timeout=PATIENCE) as answer:
            assert answer.status_code == 200

            def listen() -> None:
                lines = (line for line in answer.iter_lines() if line.startswith("data: "))
                with suppress(httpx.TransportError, httpx.StreamError):  # its end is the test's
                    for line in lines:
                        told.append(json.loads(line.removeprefix("data: ")))  # noqa: PERF401 -- one by one

            threading.Thread(target=listen, daemon=True).start()
            yield told


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    url = f"{postgresql_url(tmp_path)}&connect_timeout=2"
    site = create_small_site(tmp_path / "site", url=url)
    with ExitStack() as ending:
        services = [
            start_service(tmp_path / name, environment={"HEADROOM_SERVICE_STORE": url} | SELDOM)
            for name in ("one", "two")
        ]
        for service in services:
            ending.callback(service.kill)
        yield Pair(site, (services[0], services[1]))


async def test_what_one_stores_the_other_tells_at_once_and_in_its_streams(pair: Pair) -> None:
    with pair.streaming(1) as told:
        assert pair.post(0, 3).is_success
        await eventually(lambda: pair.inside(1) == 3, pause=0.1)
        await eventually(lambda: any(point["metrics"]["visitorsInside"] == 3 for point in told), pause=0.1)
    assert pair.post(1, 2, key="once").is_success
    assert pair.post(0, 2, key="once").is_success
    await eventually(lambda: pair.inside(0) == 5, pause=0.1)


async def test_a_key_that_one_revokes_opens_nothing_at_the_other(pair: Pair) -> None:
    assert pair.inside(1) is None
    with closing(open_store(postgresql_url(pair.site.data_dir.parent))) as store:
        store.keys.revoke(pair.site.read_key_id)
    with pytest.raises(httpx.HTTPStatusError, match="401"):
        pair.inside(1)


async def test_a_database_that_is_frozen_keeps_no_service_from_telling_so(pair: Pair) -> None:
    assert pair.post(0, 1).is_success
    with running_postgresql().frozen():
        # Nobody waits for the answer: it does not come.
        with suppress(httpx.ReadTimeout):
            pair.post(0, 1, key="again", patience=1.0)
        assert pair.health(0, patience=3.0).json()["meta"]["requestId"]
        await eventually(lambda: pair.health(0, patience=3.0).status_code == 503, pause=0.5)
    await eventually(lambda: pair.health(0).is_success, pause=0.1)
    await eventually(lambda: pair.post(1, 1, key="again").is_success, pause=0.1)
    await eventually(lambda: pair.inside(0) == 2, pause=0.1)


async def test_while_the_database_is_away_nothing_is_acknowledged_and_all_goes_on_by_itself(
    pair: Pair,
) -> None:
    assert pair.post(0, 1).is_success
    server = running_postgresql()
    server.stop()
    try:
        answer = pair.post(1, 10)
        assert answer.status_code == 503
        assert answer.json()["meta"]["requestId"]
        # Not as if somebody had to repair something: a server that is started anew is there in a second.
        assert answer.headers["retry-after"] == RETRY_AFTER_SECONDS
        assert pair.health(1).status_code == 503
    finally:
        server.start()
    await eventually(lambda: pair.post(1, 2).is_success, pause=0.1)
    await eventually(lambda: pair.health(0).is_success and pair.health(1).is_success, pause=0.1)
    await eventually(lambda: pair.inside(0) == pair.inside(1) == 3, pause=0.1)
