"""Threads of their own for each kind of blocking work, with bounds on what waits for them, and how long.

In one pool for everything, writers that wait for another process would leave no thread to readers, and
readers none to writers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class LaneFullError(RuntimeError):
    """As much work waits as may wait, or this has waited for too long. Nothing was done.

    The message says so to the client.
    """


class Lane:
    """Work runs in `threads` threads; at most `waiting` more wait for one, each for `patience`.

    Belongs to the event loop in which it is first used.
    """

    def __init__(self, name: str, *, threads: int, waiting: int, patience: timedelta) -> None:
        self._name = name
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = asyncio.Semaphore(threads)
        self._room = threads + waiting
        self._taken = 0
        self._patience = patience.total_seconds()

    async def run(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """What `work` gives or raises; LaneFullError when it does not get a thread."""
        if self._taken >= self._room:
            raise self._full()
        self._taken += 1
        try:
            try:
                async with asyncio.timeout(self._patience):
                    await self._free.acquire()
            except TimeoutError as error:
                raise self._full() from error
            return await self._in_thread(work, *args, **options)
        finally:
            self._taken -= 1

    async def run_patiently(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """`run` for who must not be refused, such as an open stream; waits with the others in order."""
        await self._free.acquire()
        return await self._in_thread(work, *args, **options)

    def close(self) -> None:
        """Take nothing more; what has begun is finished in its thread."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        loop = asyncio.get_running_loop()
        try:
            running = self._executor.submit(work, *args, **options)
        except BaseException:
            self._free.release()
            raise
        # When the work ends, not when it is waited for no more: the thread of a caller that left is not free.
        running.add_done_callback(lambda _: _in_loop(loop, self._free.release))
        return await asyncio.wrap_future(running)

    def _full(self) -> LaneFullError:
        return LaneFullError(f"The service has more {self._name} to do than it can; ask again later.")


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """From any thread; a loop that has ended has nobody who waits."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
