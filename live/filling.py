"""Filling: how many feeds connect, and are given the minutes of today, at the same time.

A page of hundreds of feeds would otherwise ask a service for hundreds of days at once: a slow one answers
none of them in time, is asked for all of them again, and never recovers.

A slot is kept while the service answers, and lent to the next feed where it does not: a site that hangs for
the better part of a minute keeps no other dark. Of a service that is slow to all, that is seen from how long
the last answer took.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final, Self

from live.events import ReplayEnded
from live.proof import BEGINNING, RECENT

AT_ONCE: Final = 16
"""Feeds of a hub; more than a screen of single gauges has."""
_QUIET: Final = 0.3
"""Seconds without a further piece after which the minutes of today have come."""
_LONGEST_QUIET: Final = 2.0
_PATIENCE: Final = 1.0
"""Seconds for which a slot is kept without an answer, where services answer soon."""
_LONGEST_PATIENCE: Final = 5.0


class Gate:
    """Lets AT_ONCE feeds of a hub be filled at the same time. Lives in one event loop."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.patience = _PATIENCE
        """Seconds for which the service may leave a query without an answer, and the slot is kept."""

    async def enter(self) -> None:
        await self._slots.acquire()

    def leave(self) -> None:
        self._slots.release()

    def answered(self, after: float) -> None:
        """The service has answered after so many seconds."""
        self.patience = min(max(_PATIENCE, 2 * after), _LONGEST_PATIENCE)


class Slot:
    """One feed's place among those that are filled together; taken from `gate` by `async with`."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._is_taken = False
        self._taken_at = 0.0
        self._leaving: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        await self._gate.enter()
        self._is_taken = True
        self._taken_at = asyncio.get_running_loop().time()
        self._leave_after(self._gate.patience)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def answered(self, stays: float = 0.0) -> None:
        """The service has; the slot is kept for so many seconds more, for what follows."""
        self._gate.answered(asyncio.get_running_loop().time() - self._taken_at)
        self._leave_after(stays)

    def came(self, newest: datetime, now: datetime) -> None:
        """Note a piece of the stream: with a recent minute the past has come and the slot is left, unless a
        service sends the newest minute first. `newest` is that of the piece.
        """
        if newest >= now - RECENT:
            self._leave()
        else:
            self._leave_after(_QUIET)

    def _leave(self) -> None:
        """Give the slot to the next feed, be it before the `async with` ends; may be called again."""
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None
        if self._is_taken:
            self._is_taken = False
            self._gate.leave()

    def _leave_after(self, seconds: float) -> None:
        """Leave after so many seconds; the latest call counts."""
        if self._leaving:
            self._leaving.cancel()
        if self._is_taken:
            self._leaving = asyncio.get_running_loop().call_later(seconds, self._leave)


class Replay:
    """Follows the past minutes that a stream sends first, and tells when they are through; one per stream."""

    def __init__(self) -> None:
        self._newest: datetime | None = None
        self._opened = BEGINNING
        self._pause = _QUIET
        self._moved = asyncio.Event()
        self._moved_at = 0.0
        self.ended: ReplayEnded | None = None
        """Where minutes came and no further one has come for a while."""

    @property
    def goes_on(self) -> bool:
        """Whether the stream brings minutes, the last of them a moment ago."""
        return self._newest is not None and self.ended is None

    def came(self, newest: datetime, now: datetime, *, is_more: bool) -> None:
        """Note a piece of the stream; `is_more`: it held a minute that was not known."""
        self._opened = self._opened if self._newest else now
        if self._newest and newest <= self._newest and not is_more:
            return
        moment = asyncio.get_running_loop().time()
        if self._newest:
            self._pause = min(max(self._pause, 2 * (moment - self._moved_at)), _LONGEST_QUIET)
        self._newest = max(newest, self._newest or newest)
        self._moved_at, self.ended = moment, None
        self._moved.set()

    async def through(self) -> ReplayEnded:
        """Return when no further minute has come for a while.

        A while is longer than it usually took from one minute of the replay to the next.
        """
        await self._moved.wait()
        while (newest := self._newest) is None or self._moved.is_set():
            self._moved.clear()
            await asyncio.sleep(self._pause)
        self.ended = ReplayEnded(newest, self._opened)
        return self.ended

    def break_off(self) -> None:
        """The stream has ended, and the replay with it."""
        self._newest = None
