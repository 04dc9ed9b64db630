"""What an adapter needs: a worker that hears counts from elsewhere, as from a broker, and hands them in."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from service.application_state import ApplicationState
from service.ingest.count_report import CountReport
from service.ingest.count_time import CountTimeError, minute_at_most, read_count_time
from service.open_store import open_store, store_url
from service.store.errors import StoreError, UnknownPassageError
from service.store.protocol import PassageCount
from tests.eventually import PATIENCE
from tests.served_here import served_here
from tests.small_site import ORGANIZATION, create_small_site

QUERY = {"siteId": "corner-shop", "metrics": ["entrances"]}


class LineAdapter:
    """Listens for lines `timestamp passage forward backward`, and says of each what became of it."""

    name = "lines"
    unready = None
    port = 0

    async def start(self, state: ApplicationState) -> None:
        self._state = state
        self._server = await asyncio.start_server(self._hear, "127.0.0.1")
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for line in reader:
            writer.write(f"{await self._store(line.decode())}\n".encode())
        writer.close()

    async def _store(self, line: str) -> str:
        timestamp, passage, forward, backward = line.split()
        try:
            minute = minute_at_most(read_count_time(timestamp), self._state.clock())
            count = PassageCount(passage, minute, int(forward), int(backward))
            stored = await self._state.counts.store(CountReport([count], organization_id=ORGANIZATION.id))
        except (CountTimeError, UnknownPassageError, StoreError) as error:
            return f"refused: {error}"
        return "stored" if stored else "stored before"


async def outcomes(adapter: LineAdapter, *lines: str) -> list[str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", adapter.port)
    writer.write("".join(f"{line}\n" for line in lines).encode())
    writer.write_eof()
    said = (await reader.read()).decode().splitlines()
    writer.close()
    return said


async def newest(http: httpx.AsyncClient) -> list[Any]:
    answer = await http.post("/v3/metrics", json=QUERY | {"from": "now", "to": "now"})
    return [point["metrics"] for point in answer.json()["data"]]


async def test_counts_of_a_worker_are_answered_and_delivered_live(tmp_path: Path) -> None:
    site, adapter = create_small_site(tmp_path), LineAdapter()
    now = datetime.now(UTC).isoformat()
    with closing(open_store(store_url(tmp_path))) as store, served_here(store, adapter) as service:
        client = httpx.AsyncClient(base_url=service.base_url, headers=site.headers, timeout=PATIENCE)
        live = client.stream(
            "POST", "/v3/metrics", json=QUERY | {"live": True}, headers={"Accept": "text/event-stream"}
        )
        async with client, live as stream:
            assert await newest(client) == []
            said = await outcomes(
                adapter, f"{now} entrance 3 0", f"{now} other-door 5 0", "2099-01-01T00:00:00Z entrance 7 0"
            )
            assert said[:2] == ["stored", "refused: no such passage: other-door"]
            assert said[2].startswith("refused: lies in the future")
            assert await newest(client) == [{"entrances": 3}]
            point = await anext(line async for line in stream.aiter_lines() if line.startswith("data: "))
            assert json.loads(point.removeprefix("data: "))["metrics"] == {"entrances": 3}
