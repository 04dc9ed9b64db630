"""Stores reported counts in a thread of its own; reports that wait together go into one transaction.

A transaction with one count takes about as long as one with a hundred of the same site: what is derived
from them is made once. So the longer the queue, the faster it moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from service.ingest.count_report import CountReport, Outcome, store_reports
from service.store.protocol import Store
from service.thread_pools import PoolFullError

_TOGETHER: Final = 5_000
"""Counts that one transaction may gather; a report with more has one of its own."""

_TOO_MANY: Final = "Nothing was stored; too many counts wait to be written: send it again."

Result = TypeVar("Result")


class CountWriter:
    """Belongs to the event loop. At most `waiting` reports wait for the one thread that writes."""

    def __init__(self, store: Store, waiting: int) -> None:
        self._store = store
        self._room = waiting
        self._waiting: deque[tuple[CountReport, asyncio.Future[bool]]] = deque()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="counts")
        self._working = 0
        """What `run` was asked for and is not done."""
        self._writing: asyncio.Task[None] | None = None

    async def store(self, report: CountReport) -> bool:
        """True once the counts are on disk; False when they came before under their idempotency key.

        Raises PoolFullError when too many reports wait, and what `store_report` raises.
        """
        if len(self._waiting) >= self._room:
            raise PoolFullError(_TOO_MANY)
        outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((report, outcome))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await outcome

    async def run(self, work: Callable[[Store], Result]) -> Result:
        """What `work` gives, which writes to the store by itself, in the thread that writes.

        Raises what it raises, and PoolFullError when too much waits.
        """
        if len(self._waiting) + self._working >= self._room:
            raise PoolFullError(_TOO_MANY)
        self._working += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work, self._store)
        finally:
            self._working -= 1

    def close(self) -> None:
        """Write nothing more; what has begun is finished in its thread."""
        self._waiting.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                group = list(self._next_group())
                reports = [report for report, _ in group]
                outcomes = await loop.run_in_executor(self._executor, store_reports, self._store, reports)
                for (_, waiter), outcome in zip(group, outcomes, strict=True):
                    _settle(waiter, outcome)
        finally:
            self._writing = None

    def _next_group(self) -> Iterator[tuple[CountReport, asyncio.Future[bool]]]:
        gathered = 0
        while self._waiting:
            size = len(self._waiting[0][0].counts)
            if gathered and gathered + size > _TOGETHER:
                return
            gathered += max(size, 1)
            yield self._waiting.popleft()


def _settle(waiter: asyncio.Future[bool], outcome: Outcome) -> None:
    if waiter.done():
        return
    if isinstance(outcome, Exception):
        waiter.set_exception(outcome)
    else:
        waiter.set_result(outcome)
