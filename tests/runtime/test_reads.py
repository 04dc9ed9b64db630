from __future__ import annotations

import asyncio

import pytest

from runtime.reads import read_sites
from runtime.resources import close_resources, end_reads
from runtime.upstream import Upstream
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, answer_nothing, misbehaving_server


async def hang(call: Call) -> None:
    await call.hold()


async def answer_one_site(call: Call) -> None:
    await call.answer(body=b'{"data": [{"id": "a", "name": "A"}], "meta": {}}')


async def test_visitors_get_answers_as_soon_as_a_hanging_service_is_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with misbehaving_server(answer_nothing) as server:
        server.other = hang
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        try:
            early = [asyncio.create_task(asyncio.to_thread(read_sites)) for _ in range(4)]
            await eventually(lambda: bool(server.calls))
            server.other = answer_one_site
            sites = await asyncio.to_thread(read_sites)
            assert [site.id for site in sites] == ["a"]
            await eventually(lambda: sum(task.done() for task in early) >= 3)
            end_reads()
            await asyncio.gather(*early, return_exceptions=True)
        finally:
            await asyncio.to_thread(close_resources)


async def test_what_is_known_outlives_a_new_notice_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """The notice changes with each attempt to start the service again."""
    async with misbehaving_server(answer_nothing) as server:
        server.other = answer_one_site
        known = Upstream(server.base_url, "key of this test", embedded=True)
        monkeypatch.setattr("runtime.resources.get_upstream", lambda: known)
        for notice in (None, "Started again at 12:00:01.", "Started again at 12:00:03."):
            told = known._replace(notice=notice)
            monkeypatch.setattr("runtime.reads.get_upstream", lambda told=told: told)
            assert [site.id for site in await asyncio.to_thread(read_sites)] == ["a"]
        assert len(server.calls) == 1
        await asyncio.to_thread(close_resources)
