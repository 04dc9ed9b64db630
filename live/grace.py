"""Grace: a loss of the stream that is over within some seconds is not reported.

A proxy may end every stream after half a minute, and a service that starts again is back soon: the value that
was just confirmed is as true as before, and its age goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from live.snapshot import FeedState, Snapshot


class Grace:
    """Of one feed, in its event loop: `seconds` of it, after which `changed` is called."""

    def __init__(self, seconds: float, changed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._changed = changed
        self._live: Snapshot | None = None
        """As of before a loss that is not reported yet."""
        self._end: asyncio.TimerHandle | None = None

    def held(self, snapshot: Snapshot) -> Snapshot:
        """With the state of before the loss, while that may be over soon; all else as it is."""
        if snapshot.state is not FeedState.RECONNECTING:
            self._forget()
            self._live = snapshot if snapshot.state is FeedState.LIVE else None
            return snapshot
        if (live := self._live) is None:
            return snapshot
        self._end = self._end or asyncio.get_running_loop().call_later(self._seconds, self._tell)
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

    def _tell(self) -> None:
        self._forget()
        self._changed()

    def _forget(self) -> None:
        self._live = None
        if self._end:
            self._end.cancel()
        self._end = None
