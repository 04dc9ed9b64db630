"""One feed: a task that keeps a snapshot of one site or zone as true as the service and the network allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from random import Random

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
from api_client.site_now import newest_query, site_now
from live import events, queries
from live.checks import Checks
from live.clock import Clock, Moment, clocks_apart
from live.feed_log import FeedLog
from live.filling import Gate, Place
from live.gathering import gathered
from live.grace import Grace
from live.health import FeedCounters
from live.limits import FeedLimits
from live.past import Past
from live.reconnect import Waits, asked_pause
from live.reducer import newest_reported, reduce, without_future
from live.silence import CounterMemory, Silence
from live.snapshot import STREAMING, UP, FeedKey, FeedState, Reading, Snapshot
from live.stand_in import StandIn
from live.tasks import first_of


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
        memory: CounterMemory,
        gate: Gate,
        publish: Callable[[Snapshot], None],
        counters: FeedCounters,
    ) -> None:
        self._timezone = timezone
        self._client = client
        self._limits = limits
        self._clock = clock
        self._random = random
        self._publish = publish
        self._counters = counters
        self._waits = Waits(limits, clock, random)
        self._query = newest_query(key.site_id, timezone, key.zone_ids)
        self._place = Place(gate)
        self._snapshot = self._shown = Snapshot(key, since=client.service_time)
        self._past = Past(
            timezone,
            client,
            limits=limits,
            clock=clock,
            random=random,
            snapshot=lambda: self._snapshot,
            take=self._take_past,
            gate=gate,
        )
        self._counter = Silence(
            timezone,
            client,
            limits=limits,
            clock=clock,
            random=random,
            memory=memory,
            snapshot=lambda: self._snapshot,
            changed=lambda: self._enter(self._snapshot),
        )
        self._checks = Checks(
            limits=limits,
            clock=clock,
            snapshot=lambda: self._snapshot,
            ask=self._ask,
            failed=self._doubt,
            are_zones_known=bool(key.zone_ids),
        )
        ask = partial(self._ask, polling=True)
        self._stand_in = StandIn(limits=limits, clock=clock, random=random, ask=ask, failed=self._tell_lost)
        self._grace = Grace(limits.grace, lambda: self._enter(self._snapshot))
        self._log = FeedLog()
        self._stream_at: float | None = None
        self._last_event_id, self._failures = "", 0

    @property
    def snapshot(self) -> Snapshot:
        return self._shown

    @property
    def is_streaming(self) -> bool:
        return self._snapshot.state in STREAMING

    async def run(self) -> None:
        """Stream, and ask while there is no stream, for ever. Raises only what is a defect."""
        while True:
            try:
                await first_of(self._stand_in.keep(), self._keep_streaming(), self._keep_the_rest())
            except (Refused, InvalidQuery) as error:
                await self._wait_until_allowed(error)

    async def crashed(self, reason: str) -> None:
        """Wait before another `run()` after a defect. Asks nothing, as the defect may lie in the asking."""
        defect = Unreachable(f"The consumer failed ({reason}).", code="CONSUMER_FAILED")
        self._waits.lost(defect, brought_newest=False)
        self._stand_in.unreachable()
        await self._pause(defect, self._waits.next())

    async def _keep_streaming(self) -> None:
        """Raises Refused and InvalidQuery."""
        while True:
            lost: ApiClientError = Unreachable("The service ended the stream.", code="STREAM_ENDED")
            try:
                await self._stream()
            except StreamDeclined:
                await self._only_ask()
            except ApiClientError as error:
                lost = error
            await self._wait_out(lost)

    async def _only_ask(self) -> None:
        self._stream_at = None
        self._stand_in.lost(0.0)
        await self._stand_in.answered()
        await asyncio.Event().wait()

    async def _keep_the_rest(self) -> None:
        """What is beside a stream otherwise, while values are asked for in its place. Raises Refused."""
        while True:
            await self._stand_in.answers()
            await first_of(self._stand_in.rests(), self._read_the_past(), self._counter.keep())

    async def _stream(self) -> None:
        try:
            await self._follow()
        except InvalidQuery:
            # A service may refuse a range together with `live`: the past is then read beside the stream.
            if not self._past.is_streamed:
                raise
            self._past.is_streamed = False
            await self._follow()

    async def _follow(self) -> None:
        """Read the stream, watch its silence and keep the past complete, until one of them ends it."""
        async with self._place, self._asked_stream() as stream:
            self._place.answered(stays=self._limits.first_check)
            self._stand_in.connected()
            self._waits.opened()
            self._checks.connected()
            self._drop_future()
            self._apply(events.Connected())
            try:
                heard = self._read(stream), self._follow_replay(), self._checks.watch()
                await first_of(*heard, self._keep_the_past(), self._counter.keep())
            finally:
                self._waits.asked_for(stream.reconnection_time)

    def _asked_stream(self) -> AbstractAsyncContextManager[LiveStream]:
        self._stand_in.connecting()
        return self._client.stream(self._past.missing(), last_event_id=self._last_event_id)

    async def _read(self, stream: LiveStream) -> None:
        async with gathered(stream, lambda: bool(self._snapshot.reported_until)) as pieces:
            async for items in pieces:
                event_id = stream.last_event_id
                readings, reasons = queries.usable(items)
                if reasons:
                    self._counters.skipped.update(reasons)
                    self._apply(events.EventsSkipped(reasons))
                if readings:
                    async with self._client.turns.take():
                        self._received(readings)
                    self._hurry_if_back(readings[-1])
                self._last_event_id = event_id

    def _received(self, readings: tuple[Reading, ...]) -> None:
        self._counters.readings += len(readings)
        self._failures, is_first = 0, not self._checks.values
        newest = max(one.measured_at for one in readings)
        known, present = len(self._snapshot.readings), self._client.service_time
        self._checks.received(newest, present)
        self._apply(events.ReadingsReceived(readings, is_first))
        self._place.came(newest, present, is_more=len(self._snapshot.readings) > known)

    async def _follow_replay(self) -> None:
        while True:
            self._apply(await self._place.replayed())
            self._checks.replayed()

    async def _ask(self, *, polling: bool = False) -> None:
        values, is_fresh, replay = self._checks.values, self._checks.is_fresh, self._place.replay
        answer = await self._client.newest(self._query)
        if polling and not self._stand_in.is_asking:
            return  # a stream was opened meanwhile, and may have brought newer values
        self._drop_future()
        readings, _ = queries.usable(answer.points)
        is_confirmed = self._checks.is_usual and self._snapshot.state is FeedState.LIVE and not polling
        self._failures, (_, zones, reason) = 0, site_now(answer)
        self._checks.answered(is_trusted=not reason)
        retry_at = self._stream_at if polling else None
        if reason:
            if not is_confirmed:
                self._doubt(events.CheckFailed(reason, answer.request_id, retry_at=retry_at))
            return
        is_overtaken = values != self._checks.values
        is_known = is_overtaken or is_confirmed
        known = newest_reported(self._snapshot, self._client.service_time) if is_known else ()
        # For the same minute the stream holds where it overtook the answer, which may be from before.
        candidates = (*known, *readings) if is_overtaken or is_fresh else (*readings, *known)
        newest = max(candidates, key=lambda reading: reading.measured_at, default=None)
        replays = replay and self._place.replay, retry_at, self._place.is_replaying
        self._apply(events.ValueConfirmed(newest, zones, answer.server_tag, polling, *replays))
        self._hurry_if_back(newest)

    def _doubt(self, failure: events.CheckFailed) -> None:
        self._apply(replace(failure, is_replaying=self._place.is_replaying))

    def _hurry_if_back(self, newest: Reading | None) -> None:
        if newest and newest != self._snapshot.newest and self._shown.state is FeedState.SILENT:
            self._past.hurry()  # the counter may be back, and the answer alone is no proof of it

    async def _keep_the_past(self) -> None:
        if not self._past.is_streamed:
            await self._past.read_today()
        await asyncio.sleep(self._limits.cut)
        self._apply(events.StreamProven())
        await self._read_the_past()

    def _take_past(self, history: events.HistoryReceived) -> None:
        self._drop_future()
        self._apply(history)

    async def _wait_out(self, error: ApiClientError) -> None:
        """The pause after a lost stream; longer where none stays open and queries are answered instead.

        Raises Refused and InvalidQuery.
        """
        asked = asked_pause(error, self._limits.probe)
        if self._waits.lost(error, brought_newest=self._checks.has_recent):
            self._stand_in.lost(asked)
        elif error.is_lasting:
            raise error
        else:
            self._stand_in.unreachable()
        wait = self._waits.next()
        if self._stand_in.is_asking and self._waits.may_be_long(asked):
            if asked:
                await self._pause(error, asked)
            if await self._polled(asked):
                return
            if error.is_lasting:
                raise error
            asked = 0.0
        # After the pause that is asked for, so that the value may be asked for before.
        await self._pause(error, asked + wait)

    async def _polled(self, asked: float) -> bool:
        """Poll until it is time for another stream; False: no query is answered either."""
        self._stream_at = until = self._now() + self._waits.long(asked)
        if is_answered := await self._stand_in.answered():
            await asyncio.sleep(until - self._now())
        return is_answered

    async def _read_the_past(self) -> None:
        if self._snapshot.awaits_past:
            await self._past.read_today()
        await self._past.keep()

    async def _pause(self, error: ApiClientError, wait: float) -> None:
        """A polled value stays reported, unless the service asks for a longer pause than polling makes."""
        self._counters.reconnect(error.code)
        self._stream_at = self._now() + wait
        is_reported = self._snapshot.state is FeedState.POLLING and self._stand_in.is_asking
        if not is_reported or asked_pause(error, self._limits.probe) > self._limits.poll:
            self._tell_lost(error, self._stream_at)
        await asyncio.sleep(wait)

    def _tell_lost(self, error: ApiClientError, retry_at: float) -> None:
        self._failures += 0 if isinstance(error, Unavailable) else 1
        if self._stream_at and self._stream_at > self._now():
            retry_at = min(retry_at, self._stream_at)
        more = error.request_id, error.summary
        self._apply(events.StreamLost(error.message, retry_at, self._failures, *more))

    async def _wait_until_allowed(self, error: ApiClientError) -> None:
        self._counters.reconnect(error.code)
        wait = self._limits.probe * self._random.uniform(0.8, 1.2)
        self._apply(events.AccessRefused(error.message, self._now() + wait, error.request_id, error.summary))
        await asyncio.sleep(wait)

    def _now(self) -> float:
        return self._clock.now().monotonic

    def _drop_future(self) -> None:
        """To be called after an answer: then it is known what time it is."""
        moment = Moment(self._now(), self._client.service_time)
        self._enter(without_future(self._snapshot, self._client.latest_measurement, moment))

    def _apply(self, event: events.FeedEvent) -> None:
        self._enter(reduce(self._snapshot, event, Moment(self._now(), self._client.service_time)))

    def _enter(self, snapshot: Snapshot) -> None:
        is_new = snapshot is not self._snapshot
        if is_new and snapshot.state in UP and not snapshot.reason:
            snapshot = replace(snapshot, reason=clocks_apart(self._client.clock_difference))
        self._snapshot = snapshot
        before, shown = self._shown, self._counter.judged(self._grace.held(snapshot))
        if is_new or shown != before:
            self._past.look(before, shown)
            self._shown = shown
            self._log.tell(shown)
            self._publish(shown)
