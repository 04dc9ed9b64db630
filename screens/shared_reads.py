"""Reads of the service that many screens share: made once for all, and kept for a while."""

from __future__ import annotations

import asyncio
import time
from asyncio import FIRST_COMPLETED
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

from api_client import ApiClientError, Refused

Key = TypeVar("Key")
Value = TypeVar("Value")

_AT_ONCE: Final = 8
"""Reads under way together; a service that hangs must not take the server's other worker threads."""
_MOST_KEPT: Final = 2_000
_PATIENCE: Final = 2.0
"""Seconds to wait for a new value where an older one is at hand."""


@dataclass(slots=True)
class _Kept(Generic[Value]):
    value: Value | None = None
    """None: never read yet."""
    failure: ApiClientError | None = None
    """Why the last read gave nothing."""
    failing_since: datetime | None = None
    """When the reads began to fail, UTC; None: the last one did not."""
    stands_until: float = 0.0
    """Monotonic seconds until which nobody asks again."""
    reads: dict[asyncio.Semaphore, asyncio.Task[None]] = field(default_factory=dict)
    """By the turns in which they wait or are."""
    being_read: asyncio.Lock = field(default_factory=asyncio.Lock)


class SharedReads(Generic[Key, Value]):
    """`read` may block; it is called in a worker thread. To be used within one event loop.

    A value stands for `fresh` seconds, a failure for `failed`. While the service cannot be reached, the last
    known value stands in; a refusal (401, 403, 404) ends it, because then it is not to be shown any more.
    """

    def __init__(
        self,
        read: Callable[[Key], Value],
        *,
        fresh: float,
        failed: float,
        at_once: int = _AT_ONCE,
        most: int = _MOST_KEPT,
    ) -> None:
        """`most` values are kept."""
        self._read = read
        self._fresh = fresh
        self._failed = failed
        self._most = most
        self._kept: OrderedDict[Key, _Kept[Value]] = OrderedDict()
        self._limit = asyncio.Semaphore(at_once)

    async def get(self, key: Key, turns: asyncio.Semaphore | None = None) -> Value:
        """`turns`: in which it is read, instead of in those that all others share. Who asks in other turns
        waits for neither: the first that comes reads for both.

        Raises ApiClientError.
        """
        turns = turns or self._limit
        kept = self._kept.setdefault(key, _Kept())
        self._kept.move_to_end(key)
        if time.monotonic() >= kept.stands_until:
            if turns not in kept.reads:
                kept.reads[turns] = asyncio.create_task(self._refresh(key, kept, turns))
            # Not awaited itself: one who leaves must not end the read that the others wait for.
            patience = None if kept.value is None else _PATIENCE
            done, _ = await asyncio.wait(kept.reads.values(), timeout=patience, return_when=FIRST_COMPLETED)
            if kept.value is None and kept.failure is None:
                done.pop().result()  # a defect, not the service: raised here
        if kept.value is not None:
            return kept.value
        assert kept.failure is not None
        raise kept.failure

    def outdate(self, key: Key, is_old: Callable[[Value], bool]) -> None:
        """Let a value that is old be read anew when it is asked for; it stands in until then."""
        kept = self._kept.get(key)
        if kept and kept.value is not None and is_old(kept.value):
            kept.stands_until = 0.0

    def failing_since(self, key: Key) -> datetime | None:
        """UTC; None: its last read did not fail, or it was never read."""
        kept = self._kept.get(key)
        return kept.failing_since if kept else None

    async def _refresh(self, key: Key, kept: _Kept[Value], turns: asyncio.Semaphore) -> None:
        try:
            async with turns, kept.being_read:
                if time.monotonic() >= kept.stands_until:
                    await self._read_anew(key, kept)
        finally:
            del kept.reads[turns]
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    async def _read_anew(self, key: Key, kept: _Kept[Value]) -> None:
        try:
            kept.value = await run_in_threadpool(self._read, key)
        except ApiClientError as error:
            kept.failure = error
            kept.failing_since = kept.failing_since or datetime.now(UTC)
            kept.value = None if isinstance(error, Refused) else kept.value
            kept.stands_until = time.monotonic() + self._failed
        else:
            kept.failure = kept.failing_since = None
            kept.stands_until = time.monotonic() + self._fresh
