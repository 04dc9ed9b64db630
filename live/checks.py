"""Checks of one feed: when its service is asked for the newest value although the stream is open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from math import inf
from typing import Final

from api_client import ApiClientError, Refused, Unreachable
from live.clock import Clock
from live.events import CheckFailed
from live.limits import FeedLimits
from live.proof import RECENT
from live.reconnect import asked_pause
from live.reducer import inside
from live.snapshot import UP, FeedState, Snapshot

_TRUSTED: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
_USUAL_SILENCES: Final = 3
"""Within so many, a stream of one value a minute brings the next."""
_SILENCES_BORNE: Final = 4
"""While no check is answered and the stream brings nothing, before another stream is tried."""


class Checks:
    """`ask` asks and takes the answer in, `failed` gets one that failed. Times in monotonic seconds."""

    def __init__(
        self,
        *,
        limits: FeedLimits,
        clock: Clock,
        snapshot: Callable[[], Snapshot],
        ask: Callable[[], Awaitable[None]],
        failed: Callable[[CheckFailed], None],
        are_zones_known: bool,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._snapshot = snapshot
        self._ask = ask
        self._failed = failed
        self._zones_due = inf if are_zones_known else 0.0
        self._connected_at = self._heard_at = self._known_at = 0.0
        self._recent_at = -inf
        self._failures = 0
        self._is_wanted = asyncio.Event()
        self.values = 0
        """Pieces with readings that the stream has brought since it was opened."""

    @property
    def has_recent(self) -> bool:
        """Whether the stream has brought a recent minute."""
        return self._recent_at > -inf

    @property
    def is_usual(self) -> bool:
        """Whether it has done so as lately as a stream does that brings one value a minute."""
        return self._now() - self._recent_at < _USUAL_SILENCES * self._limits.silence

    def connected(self) -> None:
        self._connected_at = self._heard_at = self._known_at = self._now()
        self.values = self._failures = 0
        self._recent_at = -inf
        self._is_wanted.clear()

    def received(self, newest: datetime, service_time: datetime) -> None:
        """Before a piece is taken in. A stream of nothing but old minutes is as good as silent."""
        self.values += 1
        self._known_at = self._now()
        snapshot = self._snapshot()
        is_newest = snapshot.newest is None or newest >= snapshot.newest.measured_at
        is_recent = newest >= service_time - RECENT
        if is_recent:
            self._recent_at = self._known_at
        if is_newest and (snapshot.state not in UP or is_recent):
            self._heard_at, self._failures = self._known_at, 0

    def answered(self, *, is_trusted: bool) -> None:
        """What cannot be trusted tells no top zone either: that is asked for again, if it is to be."""
        self._heard_at = self._known_at = self._now()
        self._failures = 0
        if is_trusted:
            self._zones_due = inf
        elif self._zones_due < inf:
            self._zones_due = self._now() + self._limits.silence

    def replayed(self) -> None:
        """A replay is through. Unless its newest minute is known to be the newest of all, that is asked."""
        if self._snapshot().state not in UP or self._snapshot().reported_until:
            self._is_wanted.set()

    @property
    def is_fresh(self) -> bool:
        """Whether the stream was opened, has brought the newest value or a check was answered lately."""
        return self._now() - self._heard_at < self._limits.silence

    async def watch(self) -> None:
        """Ask for the newest value whenever the stream brought none for a while.

        Raises Refused, and Unreachable when the stream brings nothing although the value changes, or for so
        long that nobody knows whether it does. A check that fails ends no stream that brings values.
        """
        overtaken_at: int | None = None
        while True:
            await self._until_due()
            before, values = inside(self._snapshot().newest), self.values
            try:
                await self._ask()
            except Refused:
                raise
            except ApiClientError as error:
                await self._bear(error)
                continue
            overtaken = values == self.values and inside(self._snapshot().newest) != before
            if overtaken and overtaken_at == values and not self.is_usual:
                raise Unreachable(
                    "The stream brings nothing although the value changes.", code="STREAM_STUCK"
                )
            overtaken_at = values if overtaken else None

    async def _until_due(self) -> None:
        """Return when a check is due: after a silence, or soon after a connect that brought too little."""
        while not self._is_wanted.is_set() and (wait := self._due - self._now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._is_wanted.wait()
        self._is_wanted.clear()

    @property
    def _due(self) -> float:
        first, silence = self._limits.first_check, self._limits.silence
        if self._snapshot().state in UP:
            return min(self._heard_at + silence, max(self._connected_at + first, self._zones_due))
        # Past minutes that come are no reason to ask; endless ones are.
        return min(self._heard_at + first, self._connected_at + silence)

    async def _bear(self, error: ApiClientError) -> None:
        """Wait before a check that failed is repeated: as long as the service asks, and longer each time
        where the stream does not bring recent minutes either.
        """
        pause = self._limits.silence
        failure = CheckFailed(error.message, error.request_id, summary=error.summary)
        if not self._is_confirmed:
            self._failed(failure)
            if self._now() - self._known_at > _SILENCES_BORNE * self._limits.silence:
                sentence = f"The stream brings nothing, and asking does not help. {error.message}"
                raise Unreachable(sentence, code="STREAM_STUCK", request_id=error.request_id)
            pause = min(self._limits.recheck * 2**self._failures, self._limits.longest_wait)
            self._failures += 1
        until = self._now() + max(pause, asked_pause(error, self._limits.probe))
        while (left := until - self._now()) > 0:
            await asyncio.sleep(min(left, self._limits.silence))
            if self._snapshot().state in _TRUSTED and not self.is_usual:
                self._failed(failure)

    @property
    def _is_confirmed(self) -> bool:
        """Whether the stream brings recent minutes, so that a check that fails is no reason for doubt."""
        return self.is_usual and self._snapshot().state in _TRUSTED

    def _now(self) -> float:
        return self._clock.now().monotonic
