"""Whether the newest value of a feed still holds: when its service is asked although the stream is open, and
what the answer means.

Silence alone neither confirms nor denies a value: a closed shop sends nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Final, NamedTuple

from api_client import ApiClientError, MetricsAnswer, Refused, Unreachable
from api_client.site_now import site_now
from live import queries
from live.clock import Moment
from live.events import CheckFailed, ReplayEnded, ValueConfirmed
from live.feed_context import FeedContext, FeedLimits
from live.proof import RECENT
from live.reconnect import asked_pause
from live.reducer import inside, newest_reported
from live.snapshot import UP, FeedState, Snapshot
from live.status import FeedStatus

_TRUSTED: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
STUCK: Final = "STREAM_STUCK"
"""Code of the error of a stream that brings nothing although the value changes."""
UNPROVEN: Final = "STREAM_UNPROVEN"
"""Code of the error of one that brings nothing, while no check tells whether it would."""
_USUAL_SILENCES: Final = 3
"""Within so many, a stream of one value a minute brings the next."""
_SILENCES_TOLERATED: Final = 4
"""While no check is answered and the stream brings nothing, before another stream is tried."""


@dataclass(frozen=True, slots=True)
class StreamFreshness:
    """What a stream has brought since it was opened, and when. Pure; moments in monotonic seconds."""

    opened_at: float = 0.0
    fresh_at: float = 0.0
    """When it was opened, brought the newest value, or a check was answered."""
    heard_at: float = 0.0
    """When it was opened, brought any value, or a check was answered."""
    recent_at: float = -inf
    """When it brought a recent minute; -inf: never."""
    pieces: int = 0
    """Pieces with readings that it has brought."""
    failed_checks: int = 0
    """In a row, while it brought nothing either."""

    @classmethod
    def opened(cls, now: float) -> StreamFreshness:
        return cls(now, now, now)

    def received(self, newest: datetime, known: Snapshot, moment: Moment) -> StreamFreshness:
        """After a piece of the stream that `known` has not got yet. Old minutes are as good as silence."""
        now = moment.monotonic
        is_newest = known.newest is None or newest >= known.newest.measured_at
        is_recent = newest >= moment.wall - RECENT
        heard = replace(
            self, heard_at=now, recent_at=now if is_recent else self.recent_at, pieces=self.pieces + 1
        )
        if is_newest and (known.state not in UP or is_recent):
            return replace(heard, fresh_at=now, failed_checks=0)
        return heard

    def answered(self, now: float) -> StreamFreshness:
        return replace(self, fresh_at=now, heard_at=now, failed_checks=0)

    @property
    def has_recent(self) -> bool:
        """Whether it has brought a recent minute."""
        return self.recent_at > -inf

    def is_usual(self, now: float, limits: FeedLimits) -> bool:
        """Whether it has done so as lately as a stream does that brings one value a minute."""
        return now - self.recent_at < _USUAL_SILENCES * limits.silence

    def is_fresh(self, now: float, limits: FeedLimits) -> bool:
        """Whether it was opened, has brought the newest value or a check was answered lately."""
        return now - self.fresh_at < limits.silence

    def is_stuck(self, now: float, limits: FeedLimits) -> bool:
        """Whether nobody knows any more if it would bring a value."""
        return now - self.heard_at > _SILENCES_TOLERATED * limits.silence

    def check_due(self, state: FeedState, zones_due: float, limits: FeedLimits) -> float:
        """When the newest value is to be asked for: after a silence, or soon after a connect that brought too
        little. From `zones_due` on the top zone is not known.
        """
        if state in UP:
            soon = max(self.opened_at + limits.first_check, zones_due)
            return min(self.fresh_at + limits.silence, soon)
        # Past minutes that come are no reason to ask; endless ones are.
        return min(self.fresh_at + limits.first_check, self.opened_at + limits.silence)


class Asking(NamedTuple):
    """How the stream stood when the newest value was asked for, and stands when the answer is there."""

    was_fresh: bool
    """Whether it had been opened, had brought the newest value or a check had been answered lately."""
    is_overtaken: bool
    """Whether it has brought something meanwhile."""
    is_confirmed: bool
    """Whether the stream brings recent minutes, so that an answer that lacks them is no reason for doubt."""
    replay: ReplayEnded | None
    """The end of a replay that was through before and after the query; None: there was none."""
    is_replaying: bool
    polling: bool
    """Whether there is no stream."""
    retry_at: float | None
    """When the next one is tried, in monotonic seconds, while polling."""


def meaning(
    answer: MetricsAnswer, asking: Asking, known: Snapshot, service_time: datetime
) -> ValueConfirmed | CheckFailed | None:
    """What an answer to the query for the newest value says of what is `known`.

    None: its value cannot be right, which is no reason to doubt that of the stream.
    """
    readings, _ = queries.usable(answer.points)
    _, zones, distrust = site_now(answer)
    if distrust:
        failure = CheckFailed(
            distrust, answer.request_id, retry_at=asking.retry_at, is_replaying=asking.is_replaying
        )
        return None if asking.is_confirmed else failure
    is_known = asking.is_overtaken or asking.is_confirmed
    streamed = newest_reported(known, service_time) if is_known else ()
    # For the same minute the stream holds where it overtook the answer, which may be from before.
    is_stream_first = asking.is_overtaken or asking.was_fresh
    candidates = (*streamed, *readings) if is_stream_first else (*readings, *streamed)
    newest = max(candidates, key=lambda reading: reading.measured_at, default=None)
    replays = asking.replay, asking.retry_at, asking.is_replaying
    return ValueConfirmed(newest, zones, answer.server_tag, asking.polling, *replays)


class FreshnessCheck:
    """`ask` asks and takes the answer in, `failed` gets a check that failed."""

    def __init__(
        self,
        context: FeedContext,
        status: FeedStatus,
        *,
        ask: Callable[[], Awaitable[None]],
        failed: Callable[[CheckFailed], None],
    ) -> None:
        self._context = context
        self._status = status
        self._ask = ask
        self._failed = failed
        self._zones_due = inf if context.key.zone_ids else 0.0
        self._is_wanted = asyncio.Event()
        self.stream = StreamFreshness()
        """What is known of the stream that is open, or was open last."""

    @property
    def is_usual(self) -> bool:
        return self.stream.is_usual(self._context.now(), self._context.limits)

    @property
    def is_fresh(self) -> bool:
        return self.stream.is_fresh(self._context.now(), self._context.limits)

    def connected(self) -> None:
        self.stream = StreamFreshness.opened(self._context.now())
        self._is_wanted.clear()

    def received(self, newest: datetime, service_time: datetime) -> None:
        """A piece of the stream has come, which the status does not have yet."""
        moment = Moment(self._context.now(), service_time)
        self.stream = self.stream.received(newest, self._status.known, moment)

    def answered(self, *, is_trusted: bool) -> None:
        """What cannot be trusted tells no top zone either: that is asked for again, if it is to be."""
        now = self._context.now()
        self.stream = self.stream.answered(now)
        if is_trusted:
            self._zones_due = inf
        elif self._zones_due < inf:
            self._zones_due = now + self._context.limits.silence

    def replayed(self) -> None:
        """A replay is through. Unless its newest minute is known to be the newest of all, that is asked."""
        if self._status.known.state not in UP or self._status.known.reported_until:
            self._is_wanted.set()

    async def watch(self) -> None:
        """Ask for the newest value whenever the stream brought none for a while.

        Raises Refused, and Unreachable when the stream brings nothing although the value changes, or for so
        long that nobody knows whether it does. A check that fails ends no stream that brings values.
        """
        overtaken_at: int | None = None
        while True:
            await self._until_due()
            before, pieces = inside(self._status.known.newest), self.stream.pieces
            try:
                await self._ask()
            except Refused:
                raise
            except ApiClientError as error:
                await self._note_failure(error)
                continue
            overtaken = pieces == self.stream.pieces and inside(self._status.known.newest) != before
            if overtaken and overtaken_at == pieces and not self.is_usual:
                raise Unreachable("The stream brings nothing although the value changes.", code=STUCK)
            overtaken_at = pieces if overtaken else None

    async def _until_due(self) -> None:
        while not self._is_wanted.is_set() and (wait := self._due - self._context.now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._is_wanted.wait()
        self._is_wanted.clear()

    @property
    def _due(self) -> float:
        return self.stream.check_due(self._status.known.state, self._zones_due, self._context.limits)

    async def _note_failure(self, error: ApiClientError) -> None:
        """Wait before a check that failed is repeated: as long as the service asks, and longer each time
        where the stream does not bring recent minutes either.
        """
        limits, now = self._context.limits, self._context.now
        pause = limits.silence
        failure = CheckFailed(error.message, error.request_id, summary=error.brief)
        if not (self.is_usual and self._status.known.state in _TRUSTED):
            self._failed(failure)
            if self.stream.is_stuck(now(), limits):
                sentence = f"The stream brings nothing, and asking does not help. {error.message}"
                raise Unreachable(sentence, code=UNPROVEN, request_id=error.request_id)
            pause = min(limits.recheck * 2**self.stream.failed_checks, limits.longest_wait)
            self.stream = replace(self.stream, failed_checks=self.stream.failed_checks + 1)
        until = now() + max(pause, asked_pause(error, limits.probe))
        while (left := until - now()) > 0:
            await asyncio.sleep(min(left, limits.silence))
            if self._status.known.state in _TRUSTED and not self.is_usual:
                self._failed(failure)
