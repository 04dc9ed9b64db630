"""What a feed's own stream and its part in that of all sites share: readings that come, and an end."""

from __future__ import annotations

from api_client import ApiClientError
from live.events import EventsSkipped, ReadingsReceived
from live.feed_context import FeedContext
from live.filling import Replay
from live.freshness import FreshnessCheck
from live.health import FeedCounters
from live.past import Past
from live.reconnect import StreamEnd
from live.snapshot import Reading
from live.status import FeedStatus


class Session:
    """Applies what comes to `status`."""

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
        self.last_event_id = last_event_id
        """Id of the last event that was applied, of this stream of the feed's own or one before."""

    def opened(self) -> None:
        """The service has accepted it."""
        self._opened_at = self._context.now()
        self._check.connected()

    def end(self, error: ApiClientError) -> StreamEnd:
        """How it has ended; called once, after its end."""
        opened_at, self._opened_at = self._opened_at, None
        lasted = None if opened_at is None else self._context.now() - opened_at
        return StreamEnd(error, lasted, self._check.stream.has_recent)

    async def _apply(self, readings: tuple[Reading, ...], reasons: tuple[str, ...]) -> None:
        """What came, and why the rest of it is no reading."""
        if reasons:
            self._counters.skipped.update(reasons)
            self._status.apply(EventsSkipped(reasons))
        if readings:
            async with self._context.client.turns.take():
                self._received(readings)
            self._past.hurry_if_back(readings[-1])

    def _received(self, readings: tuple[Reading, ...], *, is_first: bool = False) -> None:
        self._counters.readings += len(readings)
        self._status.heard()
        self._check.received(max(one.measured_at for one in readings), self._context.client.service_time)
        self._status.apply(ReadingsReceived(readings, is_first))
