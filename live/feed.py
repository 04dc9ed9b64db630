"""One feed: a task that keeps a snapshot of one site or zone as true as the service and the network allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Final

import structlog

from api_client import (
    ApiClientError,
    AsyncClient,
    InvalidQuery,
    LiveStream,
    Refused,
    StreamDeclined,
    Unavailable,
    Unreachable,
)
from contract import MetricsQuery
from live import questions
from live.backoff import Backoff
from live.clock import Clock, local_zone
from live.limits import FeedLimits
from live.reducer import (
    AccessRefused,
    CheckFailed,
    Connected,
    EventsSkipped,
    FeedEvent,
    HistoryReceived,
    ReadingsReceived,
    StreamLost,
    StreamProven,
    ValueConfirmed,
    inside,
    reduce,
)
from live.snapshot import FeedKey, FeedState, Snapshot
from live.tally import FeedTally

_RECENT_PAST: Final = timedelta(minutes=15)
_UP: Final = frozenset({FeedState.LIVE, FeedState.LATE, FeedState.POLLING})
_log = structlog.get_logger("live.feed")


class Feed:
    """`run()` until it is cancelled; each new snapshot goes to `publish`, in the loop that runs the feed."""

    def __init__(
        self,
        key: FeedKey,
        timezone: str,
        client: AsyncClient,
        *,
        limits: FeedLimits,
        clock: Clock,
        random: Random,
        publish: Callable[[Snapshot], None],
        tally: FeedTally,
    ) -> None:
        self._timezone = timezone
        self._client = client
        self._limits = limits
        self._clock = clock
        self._random = random
        self._publish = publish
        self._tally = tally
        self._backoff = Backoff(random, limits.first_wait, limits.longest_wait, limits.stable)
        self._question = questions.newest_value(key, timezone)
        self._snapshot = Snapshot(key, since=clock.now().wall)
        self._stream_brings_history = True
        self._zones_asked = bool(key.zone_ids)
        self._told_up: bool | None = None
        self._connected_at = 0.0
        self._connected = False
        self._reconnection_time = 0.0
        self._heard_at = 0.0
        self._stream_values = 0
        self._failures = 0
        self._cuts = 0

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    async def run(self) -> None:
        """Stream, and when that ends do what its end asks for, for ever. Raises only what is a defect."""
        while True:
            self._connected = False
            try:
                await self._stream()
                await self._wait_out(Unreachable("The service ended the stream.", code="STREAM_ENDED"))
            except (Refused, InvalidQuery) as error:
                await self._wait_until_allowed(error)
            except StreamDeclined:
                await self._poll_guarded(until=None)
            except ApiClientError as error:
                await self._wait_out(error)

    async def crashed(self, reason: str) -> None:
        """Wait before another `run()` after a defect ended one; the snapshot says so meanwhile."""
        await self._wait_out(Unreachable(f"The consumer failed ({reason}).", code="CONSUMER_FAILED"))

    async def _stream(self) -> None:
        try:
            await self._follow(self._live_question())
        except InvalidQuery:
            # A service may refuse a range together with `live`: the past is then read beside the stream.
            if not self._stream_brings_history:
                raise
            self._stream_brings_history = False
            await self._follow(self._live_question())

    async def _follow(self, question: MetricsQuery) -> None:
        """Read the stream, watch its silence and keep the past complete, until one of them ends it."""
        async with self._client.stream(question) as stream:
            self._connected = True
            self._connected_at = self._heard_at = self._now()
            self._stream_values = 0
            self._apply(Connected())
            tasks = [
                asyncio.create_task(work)
                for work in (self._read(stream), self._watch_silence(), self._keep_the_past())
            ]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                self._reconnection_time = stream.reconnection_time or 0.0
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, stream: LiveStream) -> None:
        async for items in stream:
            readings, reasons = questions.usable(items)
            if reasons:
                self._tally.skipped.update(reasons)
                self._apply(EventsSkipped(reasons))
            if readings:
                self._tally.readings += len(readings)
                self._heard_at = self._now()
                self._stream_values += 1
                self._failures = 0
                self._apply(ReadingsReceived(readings))

    async def _watch_silence(self) -> None:
        """Ask for the newest value whenever the stream brought none for a while.

        Raises the error of a check that failed twice, and Unreachable when checks bring new values that
        the stream keeps back: either way the stream is not worth waiting for.
        """
        overtaken_at: int | None = None
        while True:
            await self._silence()
            before, values = inside(self._snapshot.latest), self._stream_values
            await self._check()
            overtaken = values == self._stream_values and inside(self._snapshot.latest) != before
            if overtaken and overtaken_at == values:
                raise Unreachable(
                    "The stream brings nothing although the value changes.", code="STREAM_STUCK"
                )
            overtaken_at = values if overtaken else None

    async def _silence(self) -> None:
        """Return when a check is due: after a silence, or soon after a connect that told too little."""
        while True:
            heard = self._heard_at
            known = self._zones_asked and self._snapshot.state in _UP
            due = heard + self._limits.silence if known else self._connected_at + self._limits.first_check
            await asyncio.sleep(max(due - self._now(), 0.0))
            if not known or self._heard_at == heard:
                return

    async def _check(self) -> None:
        try:
            await self._ask()
        except Refused:
            raise
        except ApiClientError as error:
            self._apply(CheckFailed(error.message, error.request_id))
            await asyncio.sleep(self._limits.recheck)
            await self._ask()

    async def _ask(self, *, polling: bool = False, retry_at: float | None = None) -> None:
        values = self._stream_values
        answer = await self._client.latest(self._question)
        readings, _ = questions.usable(answer.points)
        if values != self._stream_values and self._snapshot.latest:
            # The stream overtook the answer, which may be from before: for the same minute the stream holds.
            readings = (self._snapshot.latest, *readings)
        self._heard_at = self._now()
        self._zones_asked = True
        self._failures = 0
        self._apply(
            ValueConfirmed(
                max(readings, key=lambda reading: reading.measured_at, default=None),
                questions.zones_answered_for(answer),
                answer.server_tag,
                polling,
                retry_at,
            )
        )

    async def _keep_the_past(self) -> None:
        if not self._stream_brings_history:
            await self._fill(self._today())
        await asyncio.sleep(self._limits.cut)
        self._apply(StreamProven())
        if len(self._snapshot.readings) <= 1:
            # The range may have been ignored: the specification promises it, a service may not.
            await self._fill(self._today())
        while True:
            await asyncio.sleep(self._limits.refill * self._random.uniform(0.8, 1.2))
            await self._fill(_RECENT_PAST)

    async def _fill(self, span: timedelta) -> None:
        try:
            answer = await self._client.metrics(questions.since(self._snapshot.key, self._timezone, span))
        except Refused:
            raise
        except ApiClientError:
            # The client's log keeps it. The newest value does not depend on the past: the stream stays.
            return
        self._apply(HistoryReceived(questions.usable(answer.points)[0]))

    async def _wait_out(self, error: ApiClientError) -> None:
        """The pause after a lost stream, filled with polling once streams are cut again and again."""
        connected_for = self._now() - self._connected_at if self._connected else 0.0
        if self._connected:
            self._cuts = self._cuts + 1 if connected_for < self._limits.cut else 0
        wait = self._backoff.next_wait(connected_for)
        if self._cuts >= self._limits.cuts_before_polling:
            ceiling = self._limits.longest_wait
            await self._poll_guarded(until=self._now() + self._random.uniform(ceiling / 2, ceiling))
        else:
            await self._pause(error, max(wait, self._reconnection_time, _asked_pause(error)))

    async def _poll_guarded(self, until: float | None) -> None:
        try:
            await self._poll(until)
        except (Refused, InvalidQuery) as error:
            await self._wait_until_allowed(error)

    async def _poll(self, until: float | None) -> None:
        """Ask for the newest value again and again; `until` in monotonic seconds, None: for ever."""
        await self._fill(self._today())
        while until is None or self._now() < until:
            try:
                await self._ask(polling=True, retry_at=until)
                await asyncio.sleep(self._limits.poll)
            except Unavailable as error:
                await self._pause(error, max(self._limits.poll, _asked_pause(error)))
            except (Refused, InvalidQuery):
                raise
            except ApiClientError as error:
                await self._pause(error, self._limits.poll)

    async def _pause(self, error: ApiClientError, wait: float) -> None:
        self._failures += 0 if isinstance(error, Unavailable) else 1
        self._tally.reconnect(error.code)
        retry_at = self._now() + wait
        self._apply(StreamLost(error.message, retry_at, self._failures, error.request_id))
        await asyncio.sleep(wait)

    async def _wait_until_allowed(self, error: ApiClientError) -> None:
        self._tally.reconnect(error.code)
        wait = self._limits.probe * self._random.uniform(0.8, 1.2)
        self._apply(AccessRefused(error.message, self._now() + wait, error.request_id))
        await asyncio.sleep(wait)

    def _live_question(self) -> MetricsQuery:
        if not self._stream_brings_history:
            return self._question
        return questions.since(self._snapshot.key, self._timezone, self._today())

    def _today(self) -> timedelta:
        return questions.span_of_today(self._clock.now().wall, local_zone(self._timezone))

    def _now(self) -> float:
        return self._clock.now().monotonic

    def _apply(self, event: FeedEvent) -> None:
        before = self._snapshot
        self._snapshot = reduce(before, event, self._clock.now())
        if self._snapshot is before:
            return
        self._tell_operator()
        self._publish(self._snapshot)

    def _tell_operator(self) -> None:
        """One line when the feed goes down and one when it is back, however often it tries between."""
        state = self._snapshot.state
        up = None if state is FeedState.CONNECTING else state in _UP
        if up is None or up is self._told_up:
            return
        self._told_up = up
        tell = _log.info if up else _log.warning
        name = self._snapshot.key.name
        tell("feed up" if up else "feed down", feed=name, state=state.value, reason=self._snapshot.reason)


def _asked_pause(error: ApiClientError) -> float:
    return error.retry_after or 0.0 if isinstance(error, Unavailable) else 0.0
