from __future__ import annotations

import asyncio
import gc
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

from api_client.background_loop import BackgroundLoop, LoopEndedError


async def nothing() -> None:
    pass


async def forever() -> None:
    await asyncio.Event().wait()


async def fail() -> None:
    raise ValueError("why")


async def seven() -> int:
    return 7


def test_results_and_errors_come_back_to_the_caller() -> None:
    loop = BackgroundLoop("test", nothing)
    assert loop.run(seven()) == 7
    with pytest.raises(ValueError, match="why"):
        loop.run(fail())
    loop.close()
    loop.close()


def test_a_loop_that_has_ended_refuses_work() -> None:
    loop = BackgroundLoop("test", nothing)
    loop.close()
    with pytest.raises(LoopEndedError):
        loop.run(seven())


def test_whoever_asks_while_a_loop_ends_is_told_and_not_left_waiting() -> None:
    with ThreadPoolExecutor(8) as pool:
        for attempt in range(50):
            loop = BackgroundLoop("test", nothing)
            asked = [pool.submit(loop.run, forever()) for _ in range(8)]
            time.sleep(attempt % 5 * 0.0005)
            loop.end()
            assert {type(one.exception(timeout=30)) for one in asked} == {LoopEndedError}


def test_a_connection_that_is_just_being_opened_when_a_loop_ends_leaves_nothing_unawaited() -> None:
    loop = BackgroundLoop("test", nothing)

    async def connect() -> None:
        loop.end()
        await asyncio.sleep(0)  # the next turn of the loop ends it, before a new task has its first step
        await anyio.connect_tcp("127.0.0.1", 9)

    with pytest.raises(LoopEndedError):
        loop.run(connect())
    loop.close()
    gc.collect()  # warns of coroutines that were never awaited, and warnings are errors
