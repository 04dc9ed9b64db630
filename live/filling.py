"""Filling: how many feeds connect, and are given the minutes of today, at the same time.

A page of hundreds of feeds would otherwise ask a service for hundreds of days at once: a slow one answers
none of them in time, is asked for all of them again, and never recovers.

A place is kept while the service answers, and lent to the next feed where it does not: a site that hangs for
the better part of a minute keeps no other dark. Of a service that is slow to all, that is seen from how long
the last answer took.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Final, Self

from live.events import ReplayEnded
from live.proof import RECENT

AT_ONCE: Final = 16
"""Feeds of a hub; more than a screen of single gauges has."""
_QUIET: Final = 0.3
"""Seconds without a further piece after which the minutes of today have come."""
_LONGEST_QUIET: Final = 2.0
_PATIENCE: Final = 1.0
"""Seconds for which a place is kept without an answer, where services answer soon."""
_LONGEST_PATIENCE: Final = 5.0


class Gate:
    """Of all feeds of a hub: lets AT_ONCE of them in. Lives in one event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)
        self.patience = _PATIENCE
        """Seconds for which the service may leave a query without an answer, and the place is kept."""

    async def enter(self) -> None:
        await self._places.acquire()

    def leave(self) -> None:
        self._places.release()

    def answered(self, after: float) -> None:
        """`after` so many seconds."""
        self.patience = min(max(_PATIENCE, 2 * after), _LONGEST_PATIENCE)


class Place:
    """Of one feed, among those that are filled together: taken by `async with`. `gate` is theirs."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._is_taken = False
        self._goodbye: asyncio.TimerHandle | None = None
        self._newest: datetime | None = None
        self._moved = asyncio.Event()
        self._moved_at = self._pause = self._taken_at = 0.0
        self._opened = datetime.min.replace(tzinfo=UTC)
        self.replay: ReplayEnded | None = None
        """Where minutes came and no further one has come for a while."""

    async def __aenter__(self) -> Self:
        await self._gate.enter()
        self._is_taken = True
        self._taken_at = asyncio.get_running_loop().time()
        self._newest, self._pause, self.replay = None, _QUIET, None
        self._moved.clear()
        self.leave_after(self._gate.patience)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._newest = None
        self.leave()

    @property
    def is_replaying(self) -> bool:
        """Whether the stream brings minutes, the last of them a moment ago."""
        return self._newest is not None and self.replay is None

    def leave(self) -> None:
        """Before the end of the `async with`, too; may be called again."""
        if self._goodbye:
            self._goodbye.cancel()
            self._goodbye = None
        if self._is_taken:
            self._is_taken = False
            self._gate.leave()

    def answered(self, stays: float = 0.0) -> None:
        """The service has; the place is kept for so many seconds more, for what follows."""
        self._gate.answered(asyncio.get_running_loop().time() - self._taken_at)
        self.leave_after(stays)

    def came(self, newest: datetime, now: datetime, *, is_more: bool) -> None:
        """After each piece, with whether it held a minute that was not known. With a recent one, all before
        it has come, unless a service tells the newest minute first and those before it after that.
        """
        self._opened = self._opened if self._newest else now
        self._note(newest, is_more=is_more)
        if newest >= now - RECENT:
            self.leave()
        else:
            self.leave_after(_QUIET)

    async def replayed(self) -> ReplayEnded:
        """Return when no further minute has come for a while.

        A while is longer than it usually took from one minute of the replay to the next.
        """
        await self._moved.wait()
        while (newest := self._newest) is None or self._moved.is_set():
            self._moved.clear()
            await asyncio.sleep(self._pause)
        self.replay = ReplayEnded(newest, self._opened)
        return self.replay

    def _note(self, newest: datetime, *, is_more: bool) -> None:
        if self._newest and newest <= self._newest and not is_more:
            return
        now = asyncio.get_running_loop().time()
        if self._newest:
            self._pause = min(max(self._pause, 2 * (now - self._moved_at)), _LONGEST_QUIET)
        self._newest = max(newest, self._newest or newest)
        self._moved_at, self.replay = now, None
        self._moved.set()

    def leave_after(self, seconds: float) -> None:
        """In the place of an earlier call of this."""
        if self._goodbye:
            self._goodbye.cancel()
        if self._is_taken:
            self._goodbye = asyncio.get_running_loop().call_later(seconds, self.leave)
