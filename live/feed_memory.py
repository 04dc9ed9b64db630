"""What a hub keeps of feeds that pages come to and leave, bounded: a service may name ever new sites."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from live.feed_log import FeedLog
from live.refusals import Refusals
from live.silence import CounterMemory
from live.snapshot import FeedKey

_MOST_CLOSED: Final = 10_000


@dataclass(slots=True)
class FeedMemory:
    """Of all that are open, and of the `most_closed` that were closed last. Touched only in the hub's loop,
    except for being read.
    """

    most_closed: int = _MOST_CLOSED
    counters: CounterMemory = field(default_factory=CounterMemory)
    refusals: Refusals = field(default_factory=Refusals)
    _logs: dict[FeedKey, FeedLog] = field(default_factory=dict)
    _closed: dict[FeedKey, None] = field(default_factory=dict)
    """What was closed longest ago stands first."""

    def opened(self, key: FeedKey, now: Callable[[], float]) -> FeedLog:
        """Its log, which goes on where it ended. `now` gives monotonic seconds."""
        self._closed.pop(key, None)
        return self._logs.setdefault(key, FeedLog(key, now))

    def closed(self, key: FeedKey) -> None:
        self._logs[key].closed()
        self._closed[key] = None
        if len(self._closed) > self.most_closed:
            self._drop(next(iter(self._closed)))

    def _drop(self, key: FeedKey) -> None:
        del self._closed[key], self._logs[key]
        self.counters.deliveries.pop(key, None)
        self.refusals.drop(key)
