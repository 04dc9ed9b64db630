"""Silence of one feed's counter: the service is heard, but counts that usually come do not.

How late its counts usually come is learned from those that came, and allowed for: a counter that sends a
block every half hour is missed after its next block, not within each. Lazy: past days are asked for only when
the newest minute is no longer young, and the answer holds for hours. Until it is there, and where the past
cannot be read, a count that is old is uncertain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from api_client import ApiClientError
from contract.minutes import MINUTE
from live import queries
from live.cadence import SILENT_AFTER, Absence, Cadence, PastSpan, is_worth_asking, learn, spans_to_ask
from live.clock import local_zone
from live.deliveries import Deliveries
from live.feed_context import FeedContext
from live.snapshot import FeedKey, FeedState, Reading, Snapshot

AT_ONCE: Final = 2
"""Queries about past days that all feeds of a hub together have under way: when hundreds of places close
at the same time, the service hears of it one after the other."""
_HEARD: Final = frozenset({FeedState.LIVE, FeedState.POLLING})
_BEING_READ: Final = "Past days are being read, to tell whether counts are missing.", ""
_UNREAD: Final = (
    "Past days cannot be read, so whether counts are missing is not known.",
    "Reading them again.",
)


@dataclass(frozen=True, slots=True)
class CounterMemory:
    """What all feeds of a hub share; touched only in the hub's loop, except for being read."""

    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    """Lets AT_ONCE feeds ask for past days."""
    deliveries: dict[FeedKey, Deliveries] = field(default_factory=dict)
    """How late the counts of each feed come that was ever open, kept when its pages close."""


class Silence:
    """Judges whether a feed's counter is silent. `snapshot` gives what is known; `changed` is called when the
    judgement may have changed.
    """

    def __init__(
        self,
        context: FeedContext,
        memory: CounterMemory,
        *,
        snapshot: Callable[[], Snapshot],
        changed: Callable[[], None],
    ) -> None:
        self._context = context
        self._zone = local_zone(context.timezone)
        self._memory = memory
        self._snapshot = snapshot
        self._changed = changed
        self._cadence: Cadence | None = None
        self._absence: Absence | None = None
        self._ask_at = 0.0
        self._is_past_unread = False
        self._counted: dict[PastSpan, list[datetime]] = {}
        """Minutes of past days that were read for a judgement that was not reached: streams end meanwhile."""

    def judged(self, snapshot: Snapshot) -> Snapshot:
        """`silent` instead of `live` and `polling` where counts are missed, `uncertain` where nobody
        knows whether they are; all else as it is.
        """
        newest = snapshot.newest if snapshot.state in _HEARD else None
        self._note_deliveries(snapshot)
        if newest is None:
            return replace(snapshot, is_past_unread=False)
        gap = self._missed_gap(newest)
        if gap is None:
            heard = replace(snapshot, is_past_unread=self._is_past_unread)
            # What was judged holds for as long as counts may be late anyway, while further days are read.
            is_old = self._counted_until - self._judged_since(newest).until >= SILENT_AFTER
            return self._uncertain(heard, newest) if is_old else heard
        return replace(
            snapshot,
            state=FeedState.SILENT,
            since=newest.measured_at,
            reason=_sentence(gap),
            next_step="Waiting for the next count.",
            usual_gap=gap,
        )

    def _uncertain(self, snapshot: Snapshot, newest: Reading) -> Snapshot:
        reason, step = _UNREAD if self._is_past_unread else _BEING_READ
        checking = replace(snapshot, reason=reason, next_step=step, retry_at=None, request_id="", summary="")
        return replace(checking, state=FeedState.UNCERTAIN, since=newest.measured_at)

    async def keep(self) -> None:
        """For ever: learn past days when that has become worth it, and judge as time passes."""
        await asyncio.sleep(self._context.spread(self._context.limits.first_check))
        while True:
            await self._learn_if_due()
            self._changed()
            await asyncio.sleep(self._context.spread(self._context.limits.cadence))

    def _note_deliveries(self, snapshot: Snapshot) -> None:
        known, now = self._deliveries, self._context.client.service_time
        seen = known.seen(snapshot.readings, now) if snapshot.state in _HEARD else known.unseen()
        self._memory.deliveries[snapshot.key] = seen

    @property
    def _deliveries(self) -> Deliveries:
        return self._memory.deliveries.get(self._context.key, Deliveries())

    @property
    def _counted_until(self) -> datetime:
        """The time, UTC, up to which counts should have come by now."""
        return self._context.client.service_time - self._deliveries.allowance

    async def _learn_if_due(self) -> None:
        if self._snapshot().reported_until:
            return  # a replay: what holds is known after it
        newest = self._to_learn_for()
        if newest is None or self._unjudged_from(newest) is None:
            self._is_past_unread = False
            return
        if self._context.now() < self._ask_at:
            return
        try:
            # A newer minute begins another absence: that one waits for the next pause.
            while (now := self._to_learn_for()) and now.measured_at == newest.measured_at:
                if (begin := self._unjudged_from(newest)) is None:
                    break
                self._cadence = await self._learned(newest, begin)
            self._is_past_unread = False
        except ApiClientError:
            # The client's log keeps the error.
            self._is_past_unread = True
            self._ask_at = self._context.now() + self._context.spread(self._context.limits.cadence_again)

    def _to_learn_for(self) -> Reading | None:
        """The newest minute, where it is old enough; none of a replay: the next follows at once."""
        snapshot = self._snapshot()
        newest = None if snapshot.reported_until else snapshot.newest
        return newest if newest and is_worth_asking(newest.measured_at, self._counted_until) else None

    def _unjudged_from(self, newest: Reading) -> datetime | None:
        return self._judged_since(newest).unjudged_from(self._counted_until, self._cadence)

    def _judged_since(self, newest: Reading) -> Absence:
        absence = self._absence
        if absence is None or absence.newest != newest.measured_at:
            absence = Absence.since(newest.measured_at)
        self._absence = absence.judged(self._counted_until, self._cadence) if self._cadence else absence
        return self._absence

    async def _learned(self, newest: Reading, begin: datetime) -> Cadence:
        """Raises ApiClientError."""
        spans = spans_to_ask(newest.measured_at, begin, self._zone)
        self._counted = {span: minutes for span, minutes in self._counted.items() if span in spans}
        for span in spans:
            if span not in self._counted:
                async with self._memory.gate:
                    answer = await self._context.client.metrics(queries.within(self._context.key, span))
                readings, _ = queries.usable(answer.points)
                self._counted[span] = [reading.measured_at for reading in readings]
        learned = learn(spans, [self._counted[span] for span in spans], begin, self._zone)
        self._counted = {}
        return learned

    def _missed_gap(self, newest: Reading) -> timedelta | None:
        gap = self._judged_since(newest).gap
        return None if gap is None else max(gap, self._deliveries.block)


def _sentence(gap: timedelta) -> str:
    """The reason of a silent feed. Each reader's browser adds the time of the last count in its own way."""
    usual = "every minute" if gap <= MINUTE else f"about every {gap // MINUTE} minutes"
    return f"Counts usually come {usual}."
