"""One feed: a task that keeps a snapshot of one site or zone as true as the service and the network allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
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
from live.clock import Clock, clocks_apart
from live.limits import FeedLimits
from live.past import Past
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
    without_future,
)
from live.snapshot import FeedKey, FeedState, Reading, Snapshot
from live.tally import FeedTally
from live.tasks import first_of

_UP: Final = frozenset({FeedState.LIVE, FeedState.LATE, FeedState.POLLING})
_FUTURE: Final = (
    "The service's newest value is dated in the future, so it is not shown: "
    "its clock or a counter's is wrong."
)
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
        self._past = Past(
            timezone,
            client,
            limits=limits,
            clock=clock,
            random=random,
            snapshot=lambda: self._snapshot,
            take=self._take_past,
        )
        self._stream_brings_history = True
        self._zones_asked = bool(key.zone_ids)
        self._told_up: bool | None = None
        self._connected_at = 0.0
        self._connected = False
        self._reconnection_time = 0.0
        self._last_event_id = ""
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
        """Wait before another `run()` after a defect. Asks nothing, as the defect may lie in the asking."""
        wait = self._backoff.next_wait(self._connected_for())
        await self._pause(Unreachable(f"The consumer failed ({reason}).", code="CONSUMER_FAILED"), wait)

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
        async with self._client.stream(question, last_event_id=self._last_event_id) as stream:
            self._connected = True
            self._connected_at = self._heard_at = self._now()
            self._stream_values = 0
            self._drop_future()
            self._apply(Connected())
            try:
                await first_of(self._read(stream), self._watch_silence(), self._keep_the_past())
            finally:
                # What a service asks for holds until it asks for something else.
                asked = stream.reconnection_time
                self._reconnection_time = self._reconnection_time if asked is None else asked
                self._last_event_id = stream.last_event_id

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
        values, heard_at = self._stream_values, self._heard_at
        answer = await self._client.latest(self._question)
        self._drop_future()
        readings, _ = questions.usable(answer.points)
        self._heard_at = self._now()
        self._zones_asked = True
        self._failures = 0
        if questions.is_all_future(answer):
            is_fresh = self._snapshot.state is FeedState.LIVE
            if polling or not (is_fresh and self._now() - heard_at < self._limits.silence):
                self._apply(CheckFailed(_FUTURE, answer.request_id, "Asking again.", retry_at))
            return
        if values != self._stream_values and self._snapshot.latest:
            # The stream overtook the answer, which may be from before: for the same minute the stream holds.
            readings = (self._snapshot.latest, *readings)
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
            await self._past.read_today()
        await asyncio.sleep(self._limits.cut)
        self._apply(StreamProven())
        if len(self._snapshot.readings) <= 1:
            # The range may have been ignored: the specification promises it, a service may not.
            await self._past.read_today()
        await self._past.keep()

    def _take_past(self, readings: tuple[Reading, ...]) -> None:
        self._drop_future()
        self._apply(HistoryReceived(readings))

    async def _wait_out(self, error: ApiClientError) -> None:
        """The pause after a lost stream, filled with polling once streams are cut again and again."""
        if self._connected:
            self._cuts = self._cuts + 1 if self._connected_for() < self._limits.cut else 0
        wait = self._backoff.next_wait(self._connected_for())
        if self._cuts >= self._limits.cuts_before_polling:
            ceiling = self._limits.longest_wait
            await self._poll_guarded(until=self._now() + self._random.uniform(ceiling / 2, ceiling))
        else:
            await self._pause(error, max(wait, self._reconnection_time, self._asked_pause(error)))

    async def _poll_guarded(self, until: float | None) -> None:
        try:
            await self._poll(until)
        except (Refused, InvalidQuery) as error:
            await self._wait_until_allowed(error)

    async def _poll(self, until: float | None) -> None:
        """Ask for the newest value again and again; `until` in monotonic seconds, None: for ever."""
        await self._past.read_today()
        await first_of(self._ask_again(until), self._past.keep())

    async def _ask_again(self, until: float | None) -> None:
        while until is None or self._now() < until:
            try:
                await self._ask(polling=True, retry_at=until)
                await asyncio.sleep(self._limits.poll)
            except Unavailable as error:
                await self._pause(error, max(self._limits.poll, self._asked_pause(error)))
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
        return questions.since(self._snapshot.key, self._timezone, self._past.today)

    def _asked_pause(self, error: ApiClientError) -> float:
        # No longer than after a refusal: a slip of a service or a proxy must not cost a screen its day.
        asked = error.retry_after if isinstance(error, Unavailable) else None
        return min(asked or 0.0, self._limits.probe)

    def _connected_for(self) -> float:
        return self._now() - self._connected_at if self._connected else 0.0

    def _now(self) -> float:
        return self._clock.now().monotonic

    def _drop_future(self) -> None:
        """To be called after an answer: then it is known what time it is."""
        self._enter(without_future(self._snapshot, self._client.latest_measurement, self._clock.now()))

    def _apply(self, event: FeedEvent) -> None:
        self._enter(reduce(self._snapshot, event, self._clock.now()))

    def _enter(self, snapshot: Snapshot) -> None:
        if snapshot is self._snapshot:
            return
        if snapshot.state in _UP and not snapshot.reason:
            snapshot = replace(snapshot, reason=clocks_apart(self._client.clock_difference))
        self._snapshot = snapshot
        self._tell_operator()
        self._publish(snapshot)

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
