from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

from live.audience import Message, Reader
from tests.eventually import eventually


class Network:
    """Takes what is sent at once, unless it is told to be full."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.room = asyncio.Event()
        self.room.set()
        self.freed = 0
        self.stuck = 0
        self.is_gone = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await self.room.wait()
        if self.is_gone:
            raise RuntimeError("the handler is closed")
        self.taken.append(message["body"])

    def reader(self, patience: float = 30.0) -> Reader:
        return Reader(self.send, patience, free=self._free, stuck=self._stuck)

    def _free(self, _reader: Reader) -> None:
        self.freed += 1

    def _stuck(self) -> None:
        self.stuck += 1


async def test_what_the_network_takes_at_once_needs_no_task() -> None:
    network, tasks = Network(), asyncio.all_tasks()
    reader = network.reader()
    reader.offer(Message(b"one"))
    reader.offer(Message(b"two"))
    assert network.taken == [b"one", b"two"]
    assert not reader.busy
    assert asyncio.all_tasks() == tasks


async def test_a_reader_is_busy_until_its_message_was_taken() -> None:
    network = Network()
    reader = network.reader()
    network.room.clear()
    reader.offer(Message(b"one"))
    await asyncio.sleep(0)
    assert reader.busy
    assert not network.taken
    network.room.set()
    await eventually(lambda: network.freed == 1)
    assert network.taken == [b"one"]
    assert not reader.busy


async def test_a_reader_that_takes_nothing_in_time_is_stuck() -> None:
    network = Network()
    reader = network.reader(patience=0.01)
    network.room.clear()
    reader.offer(Message(b"one"))
    await eventually(lambda: network.stuck == 1)
    assert reader.busy
    assert not network.freed


async def test_a_closed_reader_gives_up_what_waits() -> None:
    network = Network()
    reader = network.reader()
    network.room.clear()
    reader.offer(Message(b"one"))
    reader.close()
    network.room.set()
    await asyncio.sleep(0.01)
    assert not network.taken
    assert not network.freed
    assert not network.stuck


async def test_whoever_cannot_be_sent_to_is_lost_and_raises_nothing() -> None:
    network = Network()
    at_once, waiting = network.reader(), network.reader()
    network.room.clear()
    waiting.offer(Message(b"one"))
    network.is_gone = True
    network.room.set()
    at_once.offer(Message(b"two"))
    await eventually(lambda: network.stuck == 2)
    assert at_once.busy
    assert waiting.busy
    assert not network.freed
