from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from live import Hub
from runtime.readiness import readiness
from runtime.service_probe import ServiceProbe
from runtime.upstream import Upstream, get_upstream
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, misbehaving_server
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
