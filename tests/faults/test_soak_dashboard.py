"""Fault 35, the dashboard's half: a day of updates, one a second, leaves the process as small as it was."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest

from live import GrantedFeed, StreamGrant, StreamSigner
from tests.eventually import eventually
from tests.faults.conftest import KEY
from tests.faults.misbehaving_server import Call, envelope, event, misbehaving_server, point, stream_of
from tests.faults.stream_client import Client, connect_all
from tests.running_dashboard import start_dashboard

UPDATES = 100_000
ROUNDS = 10
AT_ONCE = 200
SCREENS = 20
SECRET = "secret"
PAST = b"".join(event(point(minute % 90, minutes_ago=minute)) for minute in range(26 * 60, 0, -1))
"""What a feed keeps at most."""


class Held(NamedTuple):
    memory: int
    """Bytes of RSS."""
    threads: int
    descriptors: int


class CountingService:
    """Each event brings the next higher number, and a question is answered with the newest."""

    def __init__(self) -> None:
        self.newest = 0

    async def answer_newest(self, call: Call) -> None:
        await call.answer(body=envelope([point(self.newest)]))

    async def send(self, call: Call, updates: int) -> None:
        end = self.newest + updates
        while self.newest < end:
            burst = range(self.newest + 1, self.newest + AT_ONCE + 1)
            self.newest += AT_ONCE
            await call.send(b"".join(event(point(value)) for value in burst))

    def is_shown(self, clients: list[Client]) -> bool:
        newest = b'"inside":%d,' % self.newest
        return all(newest in client.received for client in clients)


@pytest.mark.soak
async def test_fault_35_a_hundred_thousand_updates_leave_the_dashboard_as_it_was(tmp_path: Path) -> None:
    counting = CountingService()
    script = stream_of(PAST, event(point(0)))
    async with misbehaving_server(script, counting.answer_newest) as service:
        with ExitStack() as stack:
            environment = {
                "HEADROOM_BASE_URL": service.base_url,
                "HEADROOM_API_KEY": "key",
                "HEADROOM_SECRET": SECRET,
            }
            dashboard = await asyncio.to_thread(start_dashboard, tmp_path, environment=environment)
            stack.callback(dashboard.kill)
            token = StreamSigner(SECRET).sign(StreamGrant((GrantedFeed(KEY, "Europe/Zurich"),)))
            clients = await connect_all(stack, dashboard.base_url, token, SCREENS)
            await eventually(lambda: bool(service.streams))
            process, held = psutil.Process(dashboard.process.pid), []
            for _ in range(ROUNDS):
                await counting.send(service.streams[0], UPDATES // ROUNDS)
                await eventually(lambda: counting.is_shown(clients))
                held.append(measured(process))
                print(f"fault 35: after {counting.newest:>7,} updates {held[-1]}")  # noqa: T201 -- figures
    settled, last = held[2], held[-1]
    assert last.memory < settled.memory + 10_000_000
    assert last.threads <= settled.threads + 1
    assert last.descriptors <= settled.descriptors + 2


def measured(process: psutil.Process) -> Held:
    return Held(process.memory_info().rss, process.num_threads(), process.num_fds())
