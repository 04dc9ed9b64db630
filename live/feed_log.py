"""What the operator reads of a feed, also after months of a service that ends every stream after seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from live.snapshot import UP, FeedKey, FeedState, Snapshot

_ONE_BY_ONE: Final = 3
"""Within `_STEADY`, so many losses are told one by one."""
_STEADY: Final = 3600.0
"""Seconds without a loss after which a feed goes down and up no more."""
_OUTAGE: Final = 60.0
"""Seconds after which one of many losses is told all the same; the next after twice as many, and so on."""
_LONGEST_OUTAGE: Final = 600.0
"""What lasts for so many always is."""
_BETWEEN_SUMS: Final = 86_400.0
"""Seconds between two sums of what was not told one by one; the first comes after `_STEADY`."""
_MOST_KINDS: Final = 10
"""Of losses that are told although they are many: a reason may have a number in it that is never the same."""
_COUNTING: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
_log = structlog.get_logger("live.feed")


@dataclass(slots=True)
class _Often:
    """What goes on while a feed goes down and up again and again. All times in seconds, monotonic ones."""

    next_sum: float
    outage: float = _OUTAGE
    """What lasts longer is told."""
    losses: int = 0
    """That are over and were not told one by one, since the last sum."""
    longest: float = 0.0
    """Of these."""


class FeedLog:
    """One line when the feed turns for the worse and one when it is back; attempts in between are not logged.

    Where it does so again and again it is said once, then as a sum, and one by one only what is of another
    kind, or lasts: told with the first attempt after that time. `now` gives monotonic seconds. It outlives
    the feed, since pages come and go, and so keeps none of its snapshots.
    """

    def __init__(self, key: FeedKey, now: Callable[[], float]) -> None:
        self._feed = key.name
        self._now = now
        self._is_up: bool | None = None
        self._told_up: bool | None = None
        self._was_silent = False
        self._lost_at: deque[float] = deque(maxlen=_ONE_BY_ONE)
        self._kinds: set[tuple[FeedState, str]] = set()
        self._often: _Often | None = None

    def note(self, snapshot: Snapshot) -> None:
        """Log what a new snapshot changes."""
        if snapshot.state is not FeedState.CONNECTING:
            was_up, self._is_up = self._is_up, snapshot.state in UP
            if self._is_up:
                self._note_up(snapshot, is_back=not was_up)
            else:
                self._note_down(snapshot, is_lost=was_up is not False)
        self._note_counts(snapshot)

    def closed(self) -> None:
        """Nobody looks at the feed any more: how long a loss that was not told goes on is not known."""
        self._is_up = self._told_up

    def _note_down(self, snapshot: Snapshot, *, is_lost: bool) -> None:
        if is_lost:
            self._note_loss(snapshot)
        if self._told_up is False:
            return
        often, kind = self._often, (snapshot.state, snapshot.reason)
        lasts = often is not None and self._now() - self._lost_at[-1] >= often.outage
        if often and lasts:
            often.outage = min(2 * often.outage, _LONGEST_OUTAGE)
        is_new = kind not in self._kinds and len(self._kinds) < _MOST_KINDS
        if often is None or lasts or is_new:
            self._told_up = False
            self._kinds.add(kind)
            self._warn("feed down", state=kind[0].value, since=str(snapshot.since), reason=kind[1])

    def _note_loss(self, snapshot: Snapshot) -> None:
        now = self._now()
        is_often = len(self._lost_at) == _ONE_BY_ONE and now - self._lost_at[0] < _STEADY
        self._lost_at.append(now)
        if not is_often:
            self._end_often()
        elif self._often is None:
            self._often = _Often(now + _STEADY)
            words = "from now on told as a sum; one by one what lasts or is of another kind"
            self._warn("feed goes down and up", reason=snapshot.reason, note=words)

    def _note_up(self, snapshot: Snapshot, *, is_back: bool) -> None:
        if self._told_up is not True:
            self._told_up = True
            _log.info("feed up", feed=self._feed, state=snapshot.state.value, reason=snapshot.reason)
        elif is_back and self._often:
            self._note_untold(self._often)
        if self._often and self._now() - self._lost_at[-1] >= _STEADY:
            self._end_often()

    def _note_untold(self, often: _Often) -> None:
        """A loss that was not told is over."""
        now = self._now()
        often.losses += 1
        often.longest = max(often.longest, now - self._lost_at[-1])
        if now >= often.next_sum:
            self._tell_sum(often, "goes on")
            self._often = _Often(now + _BETWEEN_SUMS, often.outage)

    def _end_often(self) -> None:
        if self._often:
            self._tell_sum(self._often, "from now on told one by one again")
        self._often = None
        self._kinds.clear()

    def _tell_sum(self, often: _Often, note: str) -> None:
        if often.losses:
            seconds = round(often.longest)
            self._warn("feed went down and up", times=often.losses, longest_seconds=seconds, note=note)

    def _note_counts(self, snapshot: Snapshot) -> None:
        if snapshot.state is FeedState.SILENT and not self._was_silent:
            self._was_silent = True
            self._warn("feed silent", since=str(snapshot.since), reason=snapshot.reason)
        elif snapshot.state in _COUNTING and self._was_silent:
            self._was_silent = False
            _log.info("feed counts again", feed=self._feed)

    def _warn(self, event: str, **told: object) -> None:
        _log.warning(event, feed=self._feed, **told)
