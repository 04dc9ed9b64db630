from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from live import FeedKey, Hub
from runtime.dashboard_metrics import dashboard_registry
from runtime.readiness import readiness
from runtime.service_probe import ServiceProbe
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
from tests.running_service import start_service
from tests.small_site import create_small_site


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

    async def latest(call: Call) -> None:
        await answer_value(3, minutes_ago=1 if call.body["siteId"] == "open" else 300)(call)

    async with misbehaving_server(stream, latest) as service:
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
