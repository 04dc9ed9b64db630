"""One feed's part in the stream of all sites, from joining it to its end.

The value that it begins with is believed as an answer to `now` is, what follows as what the feed's own stream
would bring. It has no past minutes: those are read beside it.
"""

from __future__ import annotations

from api_client import ApiClientError, MetricsAnswer
from live import queries
from live.events import EventsSkipped, ReadingsReceived, ValueConfirmed
from live.feed_context import FeedContext
from live.filling import Replay
from live.freshness import Asking, FreshnessCheck, meaning
from live.health import FeedCounters
from live.latest_view import LatestView
from live.past import Past
from live.reconnect import StreamEnd
from live.snapshot import Reading
from live.status import FeedStatus

_AS_ASKED = Asking(
    was_fresh=False,
    is_overtaken=False,
    is_confirmed=False,
    replay=None,
    is_replaying=False,
    polling=False,
    retry_at=None,
)


class JoinedSession:
    """Applies what a view brings to `status`."""

    def __init__(
        self,
        context: FeedContext,
        *,
        status: FeedStatus,
        check: FreshnessCheck,
        past: Past,
        counters: FeedCounters,
        last_event_id: str = "",
    ) -> None:
        self._context = context
        self._status = status
        self._check = check
        self._past = past
        self._counters = counters
        self._opened_at: float | None = None
        self.replay = Replay()
        """Never begins."""
        self.last_event_id = last_event_id
        """Of the feed's own stream before; this one has none."""

    def joined(self, view: LatestView) -> None:
        """The feed has joined: apply its newest value."""
        self._opened_at = self._context.now()
        self._check.connected()
        self._status.drop_future()
        event = meaning(view.first, _AS_ASKED, self._status.known, self._context.client.service_time)
        self._status.heard()
        self._check.answered(is_trusted=isinstance(event, ValueConfirmed))
        if event:
            self._status.apply(event)
        if isinstance(event, ValueConfirmed):
            self._past.hurry_if_back(event.reading)

    async def read(self, view: LatestView) -> None:
        """Apply what comes. Raises ApiClientError when the stream has ended."""
        while True:
            readings, reasons = _usable(await view.next())
            if reasons:
                self._counters.skipped.update(reasons)
                self._status.apply(EventsSkipped(reasons))
            if readings:
                async with self._context.client.turns.take():
                    self._received(readings)
                self._past.hurry_if_back(readings[-1])

    def end(self, error: ApiClientError) -> StreamEnd:
        """How it has ended; called once, after its end."""
        opened_at, self._opened_at = self._opened_at, None
        lasted = None if opened_at is None else self._context.now() - opened_at
        return StreamEnd(error, lasted, self._check.stream.has_recent)

    def _received(self, readings: tuple[Reading, ...]) -> None:
        self._counters.readings += len(readings)
        self._status.heard()
        newest = max(one.measured_at for one in readings)
        self._check.received(newest, self._context.client.service_time)
        self._status.apply(ReadingsReceived(readings))


def _usable(answers: tuple[MetricsAnswer, ...]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings among what came, and the reasons why the rest is none."""
    readings, reasons = queries.usable(point for answer in answers for point in answer.points)
    left_out = [reason for answer in answers for reason in answer.left_out]
    return readings, (*reasons, *left_out)
