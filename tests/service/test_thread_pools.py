from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from service.thread_pools import BoundedThreadPool, PoolFullError

PATIENT = timedelta(seconds=60)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What the work waits for; open when the test is over."""
    gate = threading.Event()
    yield gate
    gate.set()


def work(gate: threading.Event, started: list[int]) -> Callable[[int], int]:
    def run(number: int) -> int:
        started.append(number)
        gate.wait(30.0)
        return number

    return run


async def test_more_than_may_wait_is_refused_at_once(gate: threading.Event) -> None:
    pool, started = BoundedThreadPool("queries", threads=2, waiting=3, patience=PATIENT), list[int]()
    tasks = [asyncio.create_task(pool.run("a", work(gate, started), n)) for n in range(5)]
    await asyncio.sleep(0)
    with pytest.raises(PoolFullError, match="more queries to do"):
        await pool.run("a", work(gate, started), 5)
    assert set(started) <= {0, 1}
    gate.set()
    assert await asyncio.gather(*tasks) == [0, 1, 2, 3, 4]
    assert await pool.run("a", work(gate, started), 6) == 6


async def test_who_waits_too_long_is_refused(gate: threading.Event) -> None:
    pool, started = (
        BoundedThreadPool("queries", threads=1, waiting=3, patience=timedelta(seconds=0.05)),
        list[int](),
    )
    first = asyncio.create_task(pool.run("a", work(gate, started), 0))
    await asyncio.sleep(0)
    with pytest.raises(PoolFullError):
        await pool.run("a", work(gate, started), 1)
    patient = asyncio.create_task(pool.run_patiently("a", work(gate, started), 2))
    gate.set()
    assert list(await asyncio.gather(first, patient)) == [0, 2]
    assert started == [0, 2]


async def test_failure_gives_its_thread_back() -> None:
    pool = BoundedThreadPool("queries", threads=1, waiting=0, patience=PATIENT)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await pool.run("a", lambda: 1 // 0)


async def test_thread_of_a_caller_that_left_is_not_free_before_its_work_ends(gate: threading.Event) -> None:
    pool, started = (
        BoundedThreadPool("queries", threads=1, waiting=3, patience=timedelta(seconds=0.05)),
        list[int](),
    )
    gone = asyncio.create_task(pool.run_patiently("a", work(gate, started), 0))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    with pytest.raises(PoolFullError):
        await pool.run("a", work(gate, started), 1)
    gate.set()
    assert await pool.run_patiently("a", work(gate, started), 2) == 2
    assert started == [0, 2]


async def test_one_owner_takes_not_every_thread(gate: threading.Event) -> None:
    pool, started = BoundedThreadPool("queries", threads=3, waiting=1, patience=PATIENT, each=2), list[int]()
    greedy = [asyncio.create_task(pool.run("a", work(gate, started), n)) for n in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(PoolFullError):
        await pool.run("a", work(gate, started), 9)
    other = asyncio.create_task(pool.run("b", work(gate, started), 3))
    while len(started) < 3:  # noqa: ASYNC110 -- threads set no event of the loop
        await asyncio.sleep(0.01)
    assert set(started) == {0, 1, 3}
    gate.set()
    assert await asyncio.gather(*greedy, other) == [0, 1, 2, 3]
