from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from keeping import Reached
from live import CrossingsKey, FeedKey, GrantedFeed, GrantedPassages, Hub, StreamGrant, StreamSigner
from runtime.dashboard_metrics import dashboard_registry
from runtime.health_routes import ServiceProbe, StoreHealth, readiness
from runtime.upstream import Upstream, get_upstream
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    answer_value,
    event,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import RunningService, free_port, start_service
from tests.small_site import SmallSite, create_small_site

SECRET = "for tests"
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def probed_in_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this process; where a service hangs, the test waits for it."""
    monkeypatch.setattr("runtime.health_routes._PROBE_PATIENCE", 8.0)


@dataclass
class Watched:
    site: SmallSite
    service: RunningService
    dashboard: RunningDashboard

    def ready(self) -> httpx.Response:
        return ready(self.dashboard)

    def metrics(self) -> dict[str, float]:
        """`name{label}` -> value, one label at most."""
        answer = httpx.get(f"{self.dashboard.base_url}/metrics", timeout=PATIENCE)
        assert answer.headers["content-type"].startswith("text/plain")
        return {
            sample.name + "".join(f"{{{value}}}" for value in sample.labels.values()): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }

    def stream(self) -> Any:
        grant = StreamGrant((GrantedFeed(FeedKey(self.site.site_id), "Europe/Zurich"),))
        token = StreamSigner(SECRET).sign(grant)
        address = f"{self.dashboard.base_url}/live/stream"
        return httpx.stream("GET", address, params={"token": token}, timeout=PATIENCE)


def ready(dashboard: RunningDashboard) -> httpx.Response:
    """Asked again where the service was only late: it has two seconds, which a busy machine may exceed."""
    while (
        "did not answer in full"
        in (answer := httpx.get(f"{dashboard.base_url}/readyz", timeout=PATIENCE)).text
    ):
        time.sleep(0.1)
    return answer


def watched_from(tmp_path: Path, *, key: str | None = None) -> Watched:
    site = create_small_site(tmp_path / "service")
    service = start_service(site.data_dir)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": key or site.read_key,
        "HEADROOM_SECRET": SECRET,
    }
    return Watched(site, service, start_dashboard(tmp_path / "dashboard", environment=environment))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    started = watched_from(tmp_path)
    yield started
    started.dashboard.kill()
    started.service.kill()


def read_until(lines: Iterator[str], part: str) -> None:
    for line in lines:
        if part in line:
            return
    pytest.fail(f"the stream ended without {part}")


def logged(dashboard: RunningDashboard, part: str) -> int:
    return sum(part in line for line in dashboard.log().splitlines())


def wait_for_log(dashboard: RunningDashboard, part: str, times: int = 1) -> None:
    deadline = time.monotonic() + PATIENCE
    while logged(dashboard, part) < times and time.monotonic() < deadline:
        time.sleep(0.05)
    assert logged(dashboard, part) == times


def test_an_idle_dashboard_is_alive_and_ready(watched: Watched) -> None:
    alive = httpx.get(f"{watched.dashboard.base_url}/healthz", timeout=PATIENCE)
    assert (alive.status_code, alive.json()) == (200, {"status": "serving"})
    ready = watched.ready()
    assert ready.status_code == 200
    assert ready.headers["cache-control"] == "no-store"
    assert ready.json() == {
        "ready": True,
        "reasons": [],
        "store": None,
        "viewers": 0,
        "openStreams": 0,
        "valueAgeSeconds": {"newest": None, "oldest": None},
        "states": {},
        "restarts": 0,
        "feeds": [],
        "passages": [],
    }


def test_who_reads_passages_shows_in_readiness_and_in_the_metrics(watched: Watched) -> None:
    grant = StreamGrant((), (GrantedPassages(CrossingsKey(watched.site.site_id), "Europe/Zurich"),))
    address = f"{watched.dashboard.base_url}/live/stream"
    token = StreamSigner(SECRET).sign(grant)
    with httpx.stream("GET", address, params={"token": token}, timeout=PATIENCE) as answer:
        lines = answer.iter_lines()
        for passage in ("entrance", "archway", "terrace"):
            read_until(lines, f'"{passage}"')
        described = watched.ready().json()["passages"][0]
        assert (described["site"], described["read"], described["listed"]) == ("corner-shop", 3, 3)
        metrics = watched.metrics()
        assert metrics["headroom_passage_readers"] == 1
        assert (metrics["headroom_passages{read}"], metrics["headroom_passages{unread}"]) == (3, 0)
        assert metrics["headroom_passage_questions_total"] >= 4


def test_an_open_screen_shows_in_readiness_and_in_the_metrics(watched: Watched) -> None:
    before = watched.metrics()
    assert (before["headroom_viewers"], before["headroom_hub_running"]) == (0, 1)
    assert "headroom_oldest_value_age_seconds" not in before
    with watched.stream() as answer:
        lines = answer.iter_lines()
        read_until(lines, '"state":"live"')
        body = watched.ready().json()
        assert (body["viewers"], body["openStreams"], body["states"]) == (1, 1, {"live": 1})
        assert body["feeds"][0]["feed"] == "corner-shop"
        assert body["feeds"][0]["subscribers"] == 1
        metrics = watched.metrics()
    assert metrics["headroom_viewers"] == 1
    assert metrics["headroom_feeds{live}"] == 1
    assert metrics["headroom_feeds{offline}"] == 0
    assert metrics["headroom_relay_messages_total"] >= 2
    assert metrics["headroom_relay_lag_seconds_count"] >= 1
    assert metrics["headroom_relay_lag_seconds_bucket{+Inf}"] == metrics["headroom_relay_lag_seconds_count"]
    assert metrics["process_resident_memory_bytes"] > 0


def test_an_outage_is_two_log_lines_and_counted_by_reason(watched: Watched) -> None:
    with watched.stream() as answer:
        lines = answer.iter_lines()
        read_until(lines, '"state":"live"')
        wait_for_log(watched.dashboard, "feed up")
        watched.service.kill()
        read_until(lines, '"state":"offline"')
        body = watched.ready().json()
        assert body["ready"], "screens need it to tell them of the outage"
        assert body["states"] == {"offline": 1}
        assert "reached" in body["feeds"][0]["reason"]
        assert watched.metrics()["headroom_feed_reconnects_total{CONNECTION_FAILED}"] > 1
        again = start_service(watched.site.data_dir, port=watched.service.port)
        try:
            read_until(lines, '"state":"live"')
            wait_for_log(watched.dashboard, "feed up", 2)
            assert logged(watched.dashboard, "feed down") == 1
        finally:
            again.kill()


def test_a_dashboard_whose_service_never_answered_is_not_ready_until_it_does(tmp_path: Path) -> None:
    site, port = create_small_site(tmp_path / "service"), free_port()
    environment = {"HEADROOM_BASE_URL": f"http://127.0.0.1:{port}", "HEADROOM_API_KEY": site.read_key}
    dashboard = start_dashboard(tmp_path / "dashboard", environment=environment)
    try:
        refused = httpx.get(f"{dashboard.base_url}/readyz", timeout=PATIENCE)
        assert refused.status_code == 503
        assert f"127.0.0.1:{port}" in " ".join(refused.json()["reasons"])
        assert httpx.get(f"{dashboard.base_url}/healthz", timeout=PATIENCE).status_code == 200
        service = start_service(site.data_dir, port=port)
        try:
            assert ready(dashboard).status_code == 200
        finally:
            service.kill()
    finally:
        dashboard.kill()


def test_a_dashboard_with_a_wrong_key_is_not_ready(tmp_path: Path) -> None:
    watched = watched_from(tmp_path, key="wrong")
    try:
        answer = watched.ready()
        assert answer.status_code == 503
        assert "key" in answer.json()["reasons"][0]
    finally:
        watched.dashboard.kill()
        watched.service.kill()


async def told_by(hub: Hub) -> dict[str, Any]:
    return await readiness(hub, get_upstream(), ServiceProbe())


async def test_a_hub_whose_thread_has_ended_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = create_small_site(tmp_path)
    service = start_service(site.data_dir)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    hub = Hub(service.base_url, site.read_key)
    try:
        assert (await told_by(hub))["ready"]
        hub.close()
        told = await told_by(hub)
        assert not told["ready"]
        assert told["reasons"] == ["The hub's thread has ended: restart the dashboard."]
    finally:
        hub.close()
        service.kill()


async def told_of(hub: Hub, service: MisbehavingServer) -> list[str]:
    told = await readiness(hub, Upstream(service.base_url, "key", embedded=False), ServiceProbe())
    reasons: list[str] = told["reasons"]
    assert told["ready"] is (not reasons)
    return reasons


async def test_a_feed_that_nothing_tends_any_more_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def end(*_: object) -> None:
        """As no defect should."""

    async with misbehaving_server(stream_of(), answer_value(3)) as service:
        service.other = answer_no_sites
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            assert await told_of(hub, service) == []
            monkeypatch.setattr(Hub, "_supervise", end)
            hub.subscribe(FeedKey("site-1"))
            await eventually(lambda: any(not feed.is_tended for feed in hub.health().feeds))
            [reason] = await told_of(hub, service)
            assert "feed of site-1" in reason
        finally:
            hub.close()


async def test_the_age_of_values_is_told_and_makes_no_dashboard_unready() -> None:
    async def stream(call: Call) -> None:
        await stream_of(event(point(3, minutes_ago=1 if call.body["siteId"] == "open" else 300)))(call)

    async def answer_newest(call: Call) -> None:
        await answer_value(3, minutes_ago=1 if call.body["siteId"] == "open" else 300)(call)

    async with misbehaving_server(stream, answer_newest) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            upstream = Upstream(service.base_url, "key", embedded=False)
            with hub.subscribe(FeedKey("open")) as first, hub.subscribe(FeedKey("closed")) as second:
                await eventually(lambda: bool(first.snapshot.reported and second.snapshot.reported))
                told = await readiness(hub, upstream, ServiceProbe())
                ages = {
                    one.name: [had.value for had in one.samples]
                    for one in dashboard_registry(lambda: hub).collect()
                }
        finally:
            hub.close()
    assert told["ready"]
    newest, oldest = told["valueAgeSeconds"]["newest"], told["valueAgeSeconds"]["oldest"]
    assert 60 <= newest < 300 * 60 <= oldest < 600 * 60
    assert newest <= ages["headroom_newest_value_age_seconds"][0] + 1 < 300 * 60
    assert oldest <= ages["headroom_oldest_value_age_seconds"][0] + 1
    assert len({feed["measuredAt"] for feed in told["feeds"]}) == len(told["feeds"])


async def test_a_shared_store_makes_no_dashboard_unready_once_it_has_answered() -> None:
    since = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
    never = Reached("postgresql://host/database", was_reached=False, away_since=since, reason="no route")
    async with misbehaving_server(stream_of(), answer_value(3)) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            for reached, is_ready in ((never, False), (never._replace(was_reached=True), True)):
                upstream = Upstream(service.base_url, "key", embedded=False)
                store = StoreHealth(reached, ("Give both the same.",))
                told = await readiness(hub, upstream, ServiceProbe(), store)
                assert told["ready"] is is_ready
                assert told["store"] == {
                    "where": "postgresql://host/database",
                    "reached": False,
                    "awaySince": since.isoformat(),
                    "reason": "no route",
                    "differences": ["Give both the same."],
                }
                found = {one.name: one for one in dashboard_registry(lambda: hub, lambda: never).collect()}
                assert found["headroom_store_reached"].samples[0].value == 0
        finally:
            hub.close()


async def test_a_hub_whose_loop_does_not_turn_is_named_until_it_does() -> None:
    async with misbehaving_server(stream_of(), answer_value(3)) as service:
        service.other = answer_no_sites
        hub, let_go = Hub(service.base_url, "key", limits=replace(SWIFT, beat=0.01)), Event()
        try:
            hub._loop.call_soon_threadsafe(let_go.wait)
            await eventually(lambda: hub.health().is_stuck)
            assert "The hub is stuck" in (await told_of(hub, service))[0]
            let_go.set()
            await eventually(lambda: not hub.health().is_stuck)
        finally:
            let_go.set()
            hub.close()


async def test_a_missing_key_is_told_in_the_words_of_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("HEADROOM_API_KEY", "")
    hub = Hub("http://127.0.0.1:9", "")
    try:
        [reason] = (await told_by(hub))["reasons"]
        assert "HEADROOM_API_KEY is not" in reason
        assert "127.0.0.1:9" in reason
    finally:
        hub.close()


async def hang(call: Call) -> None:
    await call.hold()


async def answer_no_sites(call: Call) -> None:
    await call.answer(body=b'{"data": [], "meta": {}}')


async def test_a_service_that_hangs_is_asked_once_for_all_who_want_to_know() -> None:
    async with misbehaving_server(hang) as server:
        server.other = hang
        upstream, probe = Upstream(server.base_url, "key", embedded=False), ServiceProbe()
        told = await asyncio.gather(*(probe.trouble(upstream) for _ in range(60)))
        assert len(server.calls) == 1
        assert all(told)
        await eventually(lambda: not server.tasks)


async def test_a_service_that_was_reached_once_is_not_asked_again() -> None:
    async with misbehaving_server(hang) as server:
        server.other = answer_no_sites
        upstream, probe = Upstream(server.base_url, "key", embedded=False), ServiceProbe()
        assert await probe.trouble(upstream) is None
        server.other = hang
        assert await probe.trouble(upstream) is None
        assert len(server.calls) == 1
        assert await probe.trouble(upstream._replace(api_key="other")) is not None
