"""Why a screen shows no number: what its wall does not tell passers-by, for those who compose screens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from threading import Lock
from typing import Final, NamedTuple

from analysis.drift import Drift
from contract import MetricKey
from live import RelayLimits
from live.snapshot import FeedKey, FeedState, Snapshot
from screens.shown import ShownFeed, ShownView

_FORGOTTEN: Final = 180.0
"""Seconds after which what a screen was shown says nothing any more, unless a wall still looks at it."""
_LEFT: Final = RelayLimits().lifetime[1] + _FORGOTTEN
"""Seconds after which no wall looks at a screen that none asked for again: streams do not last so long."""
_SOUND: Final = frozenset({FeedState.CONNECTING, FeedState.LIVE, FeedState.POLLING})
_NEVER_COUNTED: Final = "There are no counts of this place yet."
_SHOWN_ONCE_COUNTED: Final = "It is shown with the first count."
_ONCE_IT_BEGINS_AGAIN: Final = (
    "It is shown again once the service begins a new count; check the doors' counters."
)
_ASKED_AGAIN: Final = "It is asked for again every few seconds while a wall waits for it."


class Trouble(NamedTuple):
    view: int
    """Its position in the rotation, from 1 on."""
    title: str
    """Of the place; empty: not known."""
    reason: str
    since: datetime | None
    """UTC; None: not known."""
    next_step: str
    request_id: str
    """Of the answer that led to it; empty: there was none."""


class ShownBook:
    """What was last learned for each screen that a wall asked for. Safe to share between threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._shown: dict[str, tuple[float, tuple[ShownView, ...]]] = {}
        """What was noted longest ago stands first."""

    def note(self, screen_id: str, views: Sequence[ShownView]) -> None:
        """Drops screens that no wall looks at any more, such as deleted ones."""
        with self._lock:
            now = self._now()
            self._shown.pop(screen_id, None)
            self._shown[screen_id] = (now, tuple(views))
            while now - self._shown[oldest := next(iter(self._shown))][0] > _LEFT:
                del self._shown[oldest]

    def of(self, screen_id: str, *, is_watched: bool) -> tuple[ShownView, ...]:
        """Empty where nothing is known of it at present. `is_watched`: whether a wall looks at it now."""
        with self._lock:
            noted, views = self._shown.get(screen_id, (0.0, ()))
        return views if is_watched or self._now() - noted < _FORGOTTEN else ()


def troubles_of(
    views: Sequence[ShownView], snapshot_of: Callable[[FeedKey], Snapshot]
) -> tuple[Trouble, ...]:
    """Why views of a screen show no number, in the order of the rotation."""
    return tuple(
        trouble for number, view in enumerate(views, 1) for trouble in _troubles(number, view, snapshot_of)
    )


def _troubles(number: int, view: ShownView, snapshot_of: Callable[[FeedKey], Snapshot]) -> Iterator[Trouble]:
    if view.error:
        yield Trouble(number, view.title, view.error, view.since, _ASKED_AGAIN, view.request_id)
    for feed in view.feeds:
        trouble = _of_feed(number, feed, snapshot_of(feed.key))
        if trouble:
            yield trouble


def _of_feed(number: int, feed: ShownFeed, snapshot: Snapshot) -> Trouble | None:
    if snapshot.state not in _SOUND:
        reason = snapshot.reason or f"The feed is {snapshot.state}."
        return Trouble(number, feed.title, reason, snapshot.since, snapshot.next_step, snapshot.request_id)
    if snapshot.state is FeedState.CONNECTING:
        return None
    if snapshot.newest is None or snapshot.newest.values.get(MetricKey.VISITORS_INSIDE) is None:
        return Trouble(number, feed.title, _NEVER_COUNTED, None, _SHOWN_ONCE_COUNTED, "")
    if snapshot.drift and snapshot.drift.is_spoiling:
        return Trouble(number, feed.title, _drifted(snapshot.drift), None, _ONCE_IT_BEGINS_AGAIN, "")
    return None


def _drifted(drift: Drift) -> str:
    people = f"{drift.people:,.0f}"
    return f"The number inside is unreliable: {people} more people had left than come."
