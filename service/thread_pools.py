"""Bounded thread pools: one for each kind of blocking work, with bounds on what waits for it, and how long.

In a single pool for everything, writers that wait for another process would leave no thread to readers, and
readers none to writers. Within a pool no owner, as an organization is, may hold every thread: two long
queries of one must not keep all others out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from typing import TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class PoolFullError(RuntimeError):
    """As much work waits as may wait, or this has waited for too long. Nothing was done.

    The message says so to the client.
    """


class BoundedThreadPool:
    """Work runs in `threads` threads, of which one owner's takes at most `each` at a time.

    Of each owner at most `waiting` more wait for one, each for `patience`. Belongs to the event loop in which
    it is first used.
    """

    def __init__(
        self, name: str, *, threads: int, waiting: int, patience: timedelta, each: int | None = None
    ) -> None:
        self._name = name
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = asyncio.Semaphore(threads)
        self._each = each or threads
        self._shares: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._room = self._each + waiting
        self._taken: Counter[str] = Counter()
        self._patience = patience.total_seconds()

    async def run(self, owner: str, work: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """What `work` gives or raises; PoolFullError when it does not get a thread."""
        if self._taken[owner] >= self._room:
            raise self._full()
        with self._counted(owner), ExitStack() as held:
            try:
                async with asyncio.timeout(self._patience):
                    await self._take_thread(owner, held)
            except TimeoutError as error:
                raise self._full() from error
            return await self._in_thread(held, work, *arguments)

    async def run_patiently(
        self, owner: str, work: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        """`run` for who must not be refused, such as an open stream; waits with the others in order."""
        with ExitStack() as held:
            await self._take_thread(owner, held)
            return await self._in_thread(held, work, *arguments)

    def close(self) -> None:
        """Take nothing more; what has begun is finished in its thread."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _counted(self, owner: str) -> Iterator[None]:
        self._taken[owner] += 1
        try:
            yield
        finally:
            self._taken[owner] -= 1
            if not self._taken[owner]:
                del self._taken[owner]

    async def _take_thread(self, owner: str, held: ExitStack) -> None:
        share = self._shares.setdefault(owner, asyncio.Semaphore(self._each))
        for semaphore in (share, self._free):
            await semaphore.acquire()
            held.callback(semaphore.release)

    async def _in_thread(
        self, held: ExitStack, work: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        loop = asyncio.get_running_loop()
        running = self._executor.submit(work, *arguments)
        # When the work ends, not when it is waited for no more: the thread of a caller that left is not free.
        ended = held.pop_all()
        running.add_done_callback(lambda _: _in_loop(loop, ended.close))
        return await asyncio.wrap_future(running)

    def _full(self) -> PoolFullError:
        return PoolFullError(f"The service has more {self._name} to do than it can; ask again later.")


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call in the event loop, from any thread; nothing happens where the loop has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
