"""An open stream, before a service that a test plays by hand."""

from __future__ import annotations

import asyncio

from api_client import AsyncClient
from contract import MetricKey, MetricsQuery
from tests.faults.misbehaving_server import event, misbehaving_server, point, stream_of

QUERY = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id="site-1")


async def test_the_last_event_id_is_that_of_what_was_given_not_of_what_came() -> None:
    async with misbehaving_server(stream_of(b"id: 7\n" + event(point(1)))) as server:
        client = AsyncClient(server.base_url, "key")
        try:
            async with client.stream(QUERY) as stream:
                pieces = aiter(stream)
                async with client.turns.take():
                    given = asyncio.ensure_future(anext(pieces))
                    await asyncio.sleep(0.3)  # it has come, and waits for its turn
                    assert stream.last_event_id == ""
                await given
                assert stream.last_event_id == "7"
        finally:
            await client.close()
