"""In how many minutes a place will be full if people go on to come and go as they did just now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Final, NamedTuple

from contract import CROSSINGS, MetricKey, MetricPoint
from contract.minutes import MINUTE

OVER: Final = timedelta(minutes=15)
"""Over which people are counted as they come and go: in fewer minutes a family is a crowd."""
LONGEST: Final = timedelta(hours=3)
"""No pace holds for longer."""
_FEWEST: Final = 10
"""Minutes with counts, of those."""


class Pace(NamedTuple):
    """How the number inside changes at present."""

    at: datetime
    """The last minute with counts, by its start in UTC, as live values are dated."""
    inside: float
    """In that minute."""
    more: float
    """People who came in beyond those who went out in the last minutes; below 0, more went out."""
    minutes: int
    """In how many minutes with counts, of OVER."""

    @property
    def net(self) -> float:
        """People a minute."""
        return self.more / self.minutes

    def until(self, people: float) -> datetime | None:
        """When so many are inside at this pace, UTC: `at` where they are. None: not within LONGEST."""
        if self.inside >= people:
            return self.at
        if self.net <= 0 or people - self.inside > self.net * (LONGEST / MINUTE):
            return None
        return self.at + ceil((people - self.inside) / self.net) * MINUTE


def present_pace(minutes: Sequence[MetricPoint], end: datetime) -> Pace | None:
    """`minutes` ascend, `end` is until when they were asked for, aware.

    None: too few of the last ones have counts to tell.
    """
    keys = (MetricKey.VISITORS_INSIDE, *CROSSINGS)
    recent = [
        one for one in minutes
        if end - OVER <= one.timestamp < end and all(key in one.metrics for key in keys)
    ]  # fmt: skip
    if len(recent) < _FEWEST:
        return None
    came, went = (sum(one.metrics[key] for one in recent) for key in CROSSINGS)
    last = recent[-1]
    inside = float(last.metrics[MetricKey.VISITORS_INSIDE])
    return Pace(last.timestamp, inside, came - went, len(recent))
