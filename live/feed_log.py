"""What the operator reads of a feed: one line when it turns for the worse and one when it is back."""

from __future__ import annotations

from typing import Final

import structlog

from live.snapshot import UP, FeedState, Snapshot

_COUNTING: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
_log = structlog.get_logger("live.feed")


class FeedLog:
    """Of one feed."""

    def __init__(self) -> None:
        self._was_up: bool | None = None
        self._was_silent = False

    def tell(self, snapshot: Snapshot) -> None:
        """To be called with each new snapshot; however often the feed tries in between, nothing is said."""
        self._tell_connection(snapshot)
        self._tell_counts(snapshot)

    def _tell_connection(self, snapshot: Snapshot) -> None:
        state = snapshot.state
        up = None if state is FeedState.CONNECTING else state in UP
        if up is None or up is self._was_up:
            return
        self._was_up = up
        tell = _log.info if up else _log.warning
        name = snapshot.key.name
        tell("feed up" if up else "feed down", feed=name, state=state.value, reason=snapshot.reason)

    def _tell_counts(self, snapshot: Snapshot) -> None:
        if snapshot.state is FeedState.SILENT and not self._was_silent:
            self._was_silent = True
            since = str(snapshot.since)
            _log.warning("feed silent", feed=snapshot.key.name, since=since, reason=snapshot.reason)
        elif snapshot.state in _COUNTING and self._was_silent:
            self._was_silent = False
            _log.info("feed counts again", feed=snapshot.key.name)
