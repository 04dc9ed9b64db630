"""What is known of a feed, and what is shown of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from api_client import ApiClientError, Unavailable
from live.clock import clocks_apart
from live.events import FeedEvent, StreamLost
from live.feed_context import FeedContext
from live.feed_log import FeedLog
from live.reducer import reduce, without_future
from live.silence import CounterMemory, Silence
from live.snapshot import UP, FeedState, Snapshot


class FeedStatus:
    """One feed's snapshots; `changed` gets the one shown before and the one now when either changes."""

    def __init__(
        self,
        context: FeedContext,
        memory: CounterMemory,
        log: FeedLog,
        changed: Callable[[Snapshot, Snapshot], None],
    ) -> None:
        self._context = context
        self._changed = changed
        self.known = self.shown = Snapshot(context.key, since=context.client.service_time)
        """What the events say, and what is shown of that once silence and grace are judged."""
        self.counter = Silence(context, memory, snapshot=lambda: self.known, changed=self._judge_again)
        self._grace = Grace(context.limits.grace, self._judge_again)
        self._log = log
        self._failures = 0
        """Attempts in a row without a value."""

    def apply(self, event: FeedEvent) -> None:
        self._enter(reduce(self.known, event, self._context.moment()))

    def drop_future(self) -> None:
        """Drop minutes of the future; called after an answer, when the service's time is known."""
        newest_possible = self._context.client.newest_possible
        self._enter(without_future(self.known, newest_possible, self._context.moment()))

    def heard(self) -> None:
        """The service has sent or answered something."""
        self._failures = 0

    def lost(self, error: ApiClientError, retry_at: float) -> None:
        """There is no stream, and no value by other means. A service that wants a pause is no failure."""
        self._failures += 0 if isinstance(error, Unavailable) else 1
        more = self._failures, error.request_id, error.brief
        self.apply(StreamLost(error.message, retry_at, *more))

    def _judge_again(self) -> None:
        self._enter(self.known)

    def _enter(self, snapshot: Snapshot) -> None:
        is_new = snapshot is not self.known
        if is_new and snapshot.state in UP and not snapshot.reason:
            snapshot = replace(snapshot, reason=clocks_apart(self._context.client.clock_difference))
        self.known = snapshot
        before, shown = self.shown, self.counter.judged(self._grace.held(snapshot))
        if is_new or shown != before:
            self.shown = shown
            self._log.note(shown)
            self._changed(before, shown)


class Grace:
    """Hides a loss of the stream that is over within `seconds`; after that, `changed` is called.

    A proxy may end every stream after half a minute, and a service that starts again is back soon: the value
    that was just confirmed is as true as before, and its age goes on. Lives in one event loop.
    """

    def __init__(self, seconds: float, changed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._changed = changed
        self._live: Snapshot | None = None
        """The snapshot before a loss of the stream that is not shown yet."""
        self._end: asyncio.TimerHandle | None = None

    def held(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot, with the state it had before a loss of the stream while that may be over soon."""
        if snapshot.state is not FeedState.RECONNECTING:
            self._forget()
            self._live = snapshot if snapshot.state is FeedState.LIVE else None
            return snapshot
        if (live := self._live) is None:
            return snapshot
        self._end = self._end or asyncio.get_running_loop().call_later(self._seconds, self._end_grace)
        return replace(
            snapshot,
            state=live.state,
            since=live.since,
            reason=live.reason,
            next_step=live.next_step,
            retry_at=live.retry_at,
            request_id=live.request_id,
            summary=live.summary,
        )

    def _end_grace(self) -> None:
        self._forget()
        self._changed()

    def _forget(self) -> None:
        self._live = None
        if self._end:
            self._end.cancel()
        self._end = None
