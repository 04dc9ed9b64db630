"""What the operator reads of a feed, also after months of a service that ends every stream after seconds."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from live.snapshot import UP, FeedKey, FeedState, Snapshot

_COUNTING: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
_MOST_KINDS: Final = 10
"""Of losses that are told although they are many: a reason may have a number in it that is never the same."""
_log = structlog.get_logger("live.feed")


@dataclass(frozen=True, slots=True)
class LogLimits:
    """Tests compress them. All times in seconds."""

    losses: int = 3
    """Within `steady`, so many are told one by one."""
    steady: float = 3600.0
    """A feed that was up for so long goes down and up no more."""
    outage: float = 60.0
    """What lasts longer is told all the same; the next one if it lasts twice as long, and so on."""
    longest_outage: float = 600.0
    """What lasts longer than this always is."""
    summary: float = 86_400.0
    """Between two sums of what was not told one by one; the first comes after `steady`."""


@dataclass(slots=True)
class _Often:
    """What goes on while a feed goes down and up again and again. Moments in monotonic seconds."""

    next_sum: float
    outage: float
    """What lasts longer is told."""
    losses: int = 0
    """Not told one by one, since the last sum."""
    longest: float = 0.0
    """Of these."""


class Timer(Protocol):
    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]
"""Calls after so many seconds."""


def _later(seconds: float, call: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(seconds, call)


class FeedLog:
    """One line when the feed turns for the worse and one when it is back; attempts in between are not logged.

    Where it does so again and again it is said once, then as a sum, and one by one only what is of another
    kind or lasts. `now` gives monotonic seconds. It outlives the feed: pages come and go.
    """

    def __init__(
        self,
        key: FeedKey,
        now: Callable[[], float],
        limits: LogLimits = LogLimits(),
        later: Later = _later,
    ) -> None:
        self._feed = key.name
        self._now = now
        self._limits = limits
        self._later = later
        self._was_up: bool | None = None
        self._told_up: bool | None = None
        self._was_silent = False
        self._newest: Snapshot | None = None
        self._lost_at: deque[float] = deque(maxlen=limits.losses)
        self._kinds: set[tuple[FeedState, str]] = set()
        self._often: _Often | None = None
        self._timer: Timer | None = None

    def note(self, snapshot: Snapshot) -> None:
        """Log what a new snapshot changes."""
        self._newest = snapshot
        up = None if snapshot.state is FeedState.CONNECTING else snapshot.state in UP
        if up is not None and up is not self._was_up:
            self._was_up = up
            self._cancel()
            if up:
                self._note_return(snapshot)
            else:
                self._note_loss(snapshot)
        elif up is False and self._told_up and self._is_new(snapshot):
            self._cancel()
            self._tell_untold()
        self._note_counts(snapshot)

    def closed(self) -> None:
        """Nobody looks at the feed any more."""
        self._cancel()

    def _note_loss(self, snapshot: Snapshot) -> None:
        now, limits = self._now(), self._limits
        is_often = len(self._lost_at) == limits.losses and now - self._lost_at[0] < limits.steady
        self._lost_at.append(now)
        if not is_often:
            self._end_often()
        elif self._often is None:
            self._often = _Often(now + limits.steady, limits.outage)
            words = "from now on told as a sum; one by one what lasts or is of another kind"
            _log.warning("feed goes down and up", feed=self._feed, reason=snapshot.reason, note=words)
        often = self._often
        if often is None or self._is_new(snapshot):
            self._tell_loss(snapshot)
            return
        often.losses += 1
        if now >= often.next_sum:
            self._tell_sum(often, "goes on")
            often.next_sum = now + limits.summary
        self._timer = self._later(often.outage, self._tell_lasting)

    def _note_return(self, snapshot: Snapshot) -> None:
        often = self._often
        if self._told_up is not True:
            self._told_up = True
            _log.info("feed up", feed=self._feed, state=snapshot.state.value, reason=snapshot.reason)
        elif often:
            often.longest = max(often.longest, self._now() - self._lost_at[-1])
        if often:
            self._timer = self._later(self._limits.steady, self._end_often)

    def _tell_loss(self, snapshot: Snapshot) -> None:
        self._told_up = False
        self._kinds.add((snapshot.state, snapshot.reason))
        since = str(snapshot.since)
        _log.warning(
            "feed down", feed=self._feed, state=snapshot.state.value, since=since, reason=snapshot.reason
        )

    def _is_new(self, snapshot: Snapshot) -> bool:
        """Whether it is down in another way than was told."""
        kind = snapshot.state, snapshot.reason
        return kind not in self._kinds and len(self._kinds) < _MOST_KINDS

    def _tell_lasting(self) -> None:
        if self._often:
            longest = max(self._limits.longest_outage, self._limits.outage)
            self._often.outage = min(2 * self._often.outage, longest)
        self._tell_untold()

    def _tell_untold(self) -> None:
        """The loss that goes on."""
        if self._often and self._newest:
            self._often.losses -= 1
            self._tell_loss(self._newest)

    def _tell_sum(self, often: _Often, note: str) -> None:
        if often.losses:
            times, longest = often.losses, round(often.longest)
            _log.warning(
                "feed went down and up", feed=self._feed, times=times, longest_seconds=longest, note=note
            )
        often.losses, often.longest = 0, 0.0

    def _end_often(self) -> None:
        if self._often:
            self._tell_sum(self._often, "from now on told one by one again")
            self._often = None
        self._kinds.clear()

    def _cancel(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _note_counts(self, snapshot: Snapshot) -> None:
        if snapshot.state is FeedState.SILENT and not self._was_silent:
            self._was_silent = True
            since = str(snapshot.since)
            _log.warning("feed silent", feed=self._feed, since=since, reason=snapshot.reason)
        elif snapshot.state in _COUNTING and self._was_silent:
            self._was_silent = False
            _log.info("feed counts again", feed=self._feed)
