"""One feed: a task that keeps a snapshot of one site or zone as true as the service and the network allow.

It holds the parts together: one connection (`stream_session`), or a part in that of all sites
(`joined_session`), when a value is checked beside it (`freshness`), what follows when it has ended
(`reconnect`), asking meanwhile (`polling`), the minutes of today (`past`), silent counters (`silence`),
what is known and shown of it (`status`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from api_client import ApiClientError, InvalidQuery, Refused, StreamDeclined, Unreachable
from live.events import AccessRefused, CheckFailed, Connected, StreamProven, ValueConfirmed
from live.feed_context import FeedContext
from live.feed_log import FeedLog
from live.filling import Gate, Slot
from live.first_of import first_of
from live.freshness import Asking, FreshnessCheck, meaning
from live.health import FeedCounters
from live.joined_session import JoinedSession
from live.latest_part import LatestPart, SourceChanged
from live.latest_view import LatestView
from live.past import Past
from live.polling import Polling
from live.reconnect import Attempts, Reconnect, StreamEnd, asked_pause, reconnect
from live.refusals import Refusals
from live.silence import CounterMemory
from live.snapshot import STREAMING, FeedState, Snapshot
from live.status import FeedStatus
from live.stream_session import StreamSession


class Feed:
    """`run()` until it is cancelled; each new snapshot goes to `publish`, in the loop that runs the feed."""

    def __init__(
        self,
        context: FeedContext,
        *,
        memory: CounterMemory,
        gate: Gate,
        refusals: Refusals,
        log: FeedLog,
        publish: Callable[[Snapshot], None],
        counters: FeedCounters,
        latest: LatestPart,
    ) -> None:
        self._context = context
        self._latest = latest
        self._publish = publish
        self._counters = counters
        self._slot = Slot(gate)
        self._status = FeedStatus(context, memory, log, self._changed)
        self._past = Past(context, self._status, gate, refusals)
        self._check = FreshnessCheck(context, self._status, ask=self._ask, failed=self._doubt)
        self._polling = Polling(context, ask=partial(self._ask, polling=True), failed=self._report_lost)
        self._session: StreamSession | JoinedSession = self._new_session()
        """The stream that is open, or was tried last."""
        self._attempts = Attempts()
        self._stream_at: float | None = None
        """When the next stream is tried, in monotonic seconds."""

    @property
    def snapshot(self) -> Snapshot:
        return self._status.shown

    @property
    def is_streaming(self) -> bool:
        return self._status.known.state in STREAMING

    @property
    def is_joined(self) -> bool:
        """Whether values come over the stream of all sites."""
        return self.is_streaming and isinstance(self._session, JoinedSession)

    async def run(self) -> None:
        """Stream, and ask while there is no stream, for ever. Raises only what is a defect."""
        while True:
            try:
                await first_of(self._polling.keep(), self._keep_streaming(), self._work_while_polling())
            except (Refused, InvalidQuery) as error:
                await self._wait_until_allowed(error)

    async def crashed(self, reason: str) -> None:
        """Wait before another `run()` after a defect. Asks nothing, as the defect may lie in the asking."""
        defect = Unreachable(f"The consumer failed ({reason}).", code="CONSUMER_FAILED")
        step = self._reconnect(replace(self._session.end(defect), brought_recent=False))
        self._polling.rest()
        await self._pause(defect, step.wait)

    async def _keep_streaming(self) -> None:
        """Raises Refused and InvalidQuery."""
        while True:
            lost: ApiClientError = Unreachable("The service ended the stream.", code="STREAM_ENDED")
            try:
                await self._stream()
            except SourceChanged:
                continue
            except StreamDeclined:
                await self._only_ask()
            except ApiClientError as error:
                lost = error
            with suppress(SourceChanged):
                await first_of(self._wait_after(lost), self._latest.until_joinable())

    async def _only_ask(self) -> None:
        """Poll for good: the service says that it gives no stream."""
        self._stream_at = None
        self._polling.lost(0.0)
        await self._polling.answered()
        await asyncio.Event().wait()

    async def _work_while_polling(self) -> None:
        """While values are polled, read the past and watch the counter as beside a stream. Raises Refused."""
        while True:
            await self._polling.wait_for_answer()
            await first_of(self._polling.wait_for_rest(), self._read_the_past(), self._status.counter.keep())

    async def _stream(self) -> None:
        if await self._latest.may_join(self._context.limits.first_check):
            with self._latest.joined() as view:
                if view:
                    await self._follow_joined(view)
                    return
        try:
            await self._follow()
        except InvalidQuery:
            # A service may refuse a range together with `live`: the past is then read beside the stream.
            if not self._past.is_streamed:
                raise
            self._past.is_streamed = False
            await self._follow()

    async def _follow(self) -> None:
        """Open a stream; read it, check its silences and keep the past complete until one of these ends."""
        async with self._slot:
            session = self._session = self._new_session(self._session.last_event_id)
            self._polling.connecting()
            missing = self._past.missing()
            try:
                async with self._context.client.stream(
                    missing, last_event_id=session.last_event_id
                ) as stream:
                    session.opened()
                    self._polling.rest()
                    self._status.drop_future()
                    self._status.apply(Connected())
                    try:
                        heard = session.read(stream), session.follow_replay(), self._check.watch()
                        past = self._keep_the_past(lacks_today=not self._past.is_streamed)
                        await first_of(
                            *heard, past, self._status.counter.keep(), self._latest.until_joinable()
                        )
                    finally:
                        self._attempts = self._attempts.asked(stream.reconnection_time)
            finally:
                session.replay.break_off()

    async def _follow_joined(self, view: LatestView) -> None:
        """Take part in the stream of all sites until that ends, or somebody looks at this site alone."""
        session = self._session = JoinedSession(
            self._context,
            status=self._status,
            check=self._check,
            past=self._past,
            counters=self._counters,
            last_event_id=self._session.last_event_id,
        )
        session.joined(view)
        self._polling.rest()
        heard = session.read(view), self._check.watch(), self._latest.until_alone()
        kept = self._keep_the_past(lacks_today=self._status.known.awaits_past), self._status.counter.keep()
        await first_of(*heard, *kept)

    def _new_session(self, last_event_id: str = "") -> StreamSession:
        return StreamSession(
            self._context,
            status=self._status,
            check=self._check,
            past=self._past,
            slot=self._slot,
            counters=self._counters,
            last_event_id=last_event_id,
        )

    async def _ask(self, *, polling: bool = False) -> None:
        """Query the newest value and apply the answer to the status. Raises ApiClientError."""
        check, context = self._check, self._context
        pieces, was_fresh, replay = check.stream.pieces, check.is_fresh, self._session.replay.ended
        answer = await context.client.newest(context.newest_query())
        if polling and not self._polling.is_asking:
            return  # a stream was opened meanwhile, and may have brought newer values
        self._status.drop_future()
        asking = Asking(
            was_fresh=was_fresh,
            is_overtaken=check.stream.pieces != pieces,
            is_confirmed=check.is_usual and self._status.known.state is FeedState.LIVE and not polling,
            replay=replay and self._session.replay.ended,
            is_replaying=self._session.replay.goes_on,
            polling=polling,
            retry_at=self._stream_at if polling else None,
        )
        event = meaning(answer, asking, self._status.known, context.client.service_time)
        self._status.heard()
        check.answered(is_trusted=isinstance(event, ValueConfirmed))
        if event:
            self._status.apply(event)
        if isinstance(event, ValueConfirmed):
            self._past.hurry_if_back(event.reading)

    def _doubt(self, failure: CheckFailed) -> None:
        self._status.apply(replace(failure, is_replaying=self._session.replay.goes_on))

    async def _keep_the_past(self, *, lacks_today: bool) -> None:
        """Beside an open stream: read today if the stream does not bring it, and read late counts again."""
        if lacks_today:
            await self._past.read_today()
        await asyncio.sleep(self._context.limits.cut)
        self._status.apply(StreamProven())
        await self._read_the_past()

    async def _read_the_past(self) -> None:
        if self._status.known.awaits_past:
            await self._past.read_today()
        await self._past.keep()

    async def _wait_after(self, error: ApiClientError) -> None:
        """Wait after a lost stream: longer where no stream stays open and queries are answered instead.

        Raises Refused and InvalidQuery.
        """
        step = self._reconnect(self._session.end(error))
        if step.is_refused:
            raise error
        if step.may_ask:
            self._polling.lost(step.asked_pause)
        else:
            self._polling.rest()
        if not step.polls:
            # After the pause that is asked for, so that the value may be asked for before.
            await self._pause(error, step.asked_pause + step.wait)
            return
        if step.asked_pause:
            await self._pause(error, step.asked_pause)
        if await self._polled(step.polling):
            return
        if error.is_lasting:
            raise error
        await self._pause(error, step.wait)

    def _reconnect(self, end: StreamEnd) -> Reconnect:
        step, self._attempts = reconnect(end, self._attempts, self._context.limits, self._context.random)
        return step

    async def _polled(self, seconds: float) -> bool:
        """Poll until it is time for another stream; False: no query is answered either."""
        self._stream_at = until = self._context.now() + seconds
        if is_answered := await self._polling.answered():
            await asyncio.sleep(until - self._context.now())
        return is_answered

    async def _pause(self, error: ApiClientError, wait: float) -> None:
        """Wait before the next stream; a polled value stays shown unless the wait outlasts polling's."""
        limits = self._context.limits
        self._counters.reconnect(error.code)
        self._stream_at = self._context.now() + wait
        is_polled = self._status.known.state is FeedState.POLLING and self._polling.is_asking
        if not is_polled or asked_pause(error, limits.probe) > limits.poll:
            self._report_lost(error, self._stream_at)
        await asyncio.sleep(wait)

    def _report_lost(self, error: ApiClientError, retry_at: float) -> None:
        if self._stream_at and self._stream_at > self._context.now():
            retry_at = min(retry_at, self._stream_at)
        self._status.lost(error, retry_at)

    async def _wait_until_allowed(self, error: ApiClientError) -> None:
        self._counters.reconnect(error.code)
        wait = self._context.spread(self._context.limits.probe)
        more = error.request_id, error.brief
        self._status.apply(AccessRefused(error.message, self._context.now() + wait, *more))
        await asyncio.sleep(wait)

    def _changed(self, before: Snapshot, shown: Snapshot) -> None:
        self._past.note_change(before, shown)
        self._publish(shown)
