"""Deliveries: how late the minutes of a feed usually come, learned from when they came.

Pure. Many counters send a block of minutes every 5, 15, 30 or 60 minutes. Between two blocks the newest
minute grows old without anybody being missing. When newer minutes come, the oldest of them tells how late
a counter may be: a quarter of an hour for blocks of that length, however long nothing was counted before. As
points of past days do not tell when they came, this is known only of what was seen to come.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Final, NamedTuple

from contract.minutes import MINUTE
from live.snapshot import MINUTE_OF, Reading

_REMEMBERED: Final = 5
"""Deliveries: so few that a counter which sends each minute again is believed after as many minutes."""
_ENOUGH: Final = 3
"""Deliveries of which one may be left aside."""
_ONE_DELIVERY: Final = timedelta(seconds=30)
"""Minutes that come within this time of those before came with them: a backlog may come in several posts."""
_LATEST: Final = timedelta(minutes=75)
"""What was cut off for longer and then delivers its backlog says nothing of what is usual."""
_UNKNOWN: Final = timedelta(minutes=35)
"""As long as nothing is known: the allowance that follows is that of a counter whose block may be an hour."""
_TOLERATED: Final = timedelta(minutes=10)
"""A quarter of an hour is tolerated of all: with it, this makes twice the lateness and five minutes."""


class Delivery(NamedTuple):
    """Minutes that came together. All times UTC."""

    at: datetime
    """When the first of them came, by the service's clock."""
    before: datetime
    """The newest minute until then."""
    oldest: datetime
    newest: datetime

    @property
    def lateness(self) -> timedelta:
        return self.at - self.oldest

    @property
    def block(self) -> timedelta:
        """How much time its minutes cover."""
        return self.newest - self.oldest + MINUTE


@dataclass(frozen=True, slots=True)
class Deliveries:
    """The last few deliveries of a feed, oldest first, and what is known now."""

    recent: tuple[Delivery, ...] = ()
    newest: datetime | None = None
    """The newest minute as of the last look; None: nobody looks, so it is unknown when others come."""
    changed_at: datetime | None = None

    def seen(self, readings: Sequence[Reading], now: datetime) -> Deliveries:
        """What is known after a look at `readings` (ascending), at `now` by the service's clock."""
        if not readings:
            return self.unseen()
        newest = readings[-1].measured_at
        if self.newest is None or newest < self.newest:
            return replace(self, newest=newest, changed_at=None)
        if newest > self.newest:
            return Deliveries(_completed(self._with_newer(newest, now), readings), newest, now)
        # A service may push the newest minute alone, and those before it are read later.
        return replace(self, recent=_completed(self.recent, readings))

    def unseen(self) -> Deliveries:
        """What is known while the service is not heard: what comes meanwhile may have come at any time."""
        return replace(self, newest=None, changed_at=None)

    @property
    def allowance(self) -> timedelta:
        """How long after their time counts may come before they are missed, beyond the tolerance for all.

        By the second latest of the last deliveries: what happened once may have been an outage. Of two, by
        the latest: the first may have been the end of a block.
        """
        late = [delivery.lateness for delivery in self._usual]
        late = sorted(late if len(late) > 1 else [*late, _UNKNOWN])
        usual = late[-2 if len(late) >= _ENOUGH else -1]
        return max(2 * usual - _TOLERATED, timedelta())

    @property
    def block(self) -> timedelta:
        """How much time the usual delivery covers, in whole minutes; a minute while nothing is known."""
        minutes = sorted(delivery.block / MINUTE for delivery in self._usual)
        long = [block for block in minutes if 2 * block >= minutes[-2:][0]]
        return MINUTE * round(median(long)) if long else MINUTE

    @property
    def _usual(self) -> list[Delivery]:
        return [delivery for delivery in self.recent if delivery.lateness <= _LATEST]

    def _with_newer(self, newest: datetime, now: datetime) -> tuple[Delivery, ...]:
        last = self.recent[-1] if self.recent else None
        if last and self.changed_at and now - self.changed_at <= _ONE_DELIVERY:
            return (*self.recent[:-1], last._replace(newest=newest))
        return (*self.recent, Delivery(now, self.newest or newest, newest, newest))[-_REMEMBERED:]


def _completed(recent: tuple[Delivery, ...], readings: Sequence[Reading]) -> tuple[Delivery, ...]:
    """The deliveries, the last with its oldest minute as far as that is known by now."""
    if not recent:
        return recent
    last = recent[-1]
    first = bisect_right(readings, last.before, key=MINUTE_OF)
    oldest = readings[first].measured_at if first < len(readings) else last.newest
    return (*recent[:-1], last._replace(oldest=min(oldest, last.newest)))
