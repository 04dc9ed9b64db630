"""Absence: the time since the newest minute of a feed, and whether counts were missed in it.

Pure. All of it is judged, from the newest minute on, not the present alone: a counter that died at noon is
still dead at night and on Sunday, when none of its counts are expected. Once counts were missed, only a newer
minute ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from live.cadence import Cadence

_STEP: Final = timedelta(minutes=15)
"""Between two moments at which the past is judged; the end of it always is one."""
_TOLERATED: Final = timedelta(minutes=2)
"""Steps back of the service's clock that are none."""
_FOLLOWED: Final = timedelta(days=4)
"""Of an absence; beyond it, the present alone is judged. A place that is closed for longer each week is rare,
and each further day would cost questions."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Since `newest`, judged up to `until`; both UTC."""

    newest: datetime
    until: datetime
    gap: timedelta | None = None
    """The usual time between two minutes with counts, once counts were missed; else None."""

    @classmethod
    def since(cls, newest: datetime) -> Absence:
        return cls(newest, newest)

    def unjudged_from(self, now: datetime, cadence: Cadence | None) -> datetime | None:
        """The moment from which a cadence must be learned to judge on up to `now`; None: there is no need."""
        begin = self._begin(now)
        if self.gap is not None or now <= begin or (cadence and cadence.covers(begin)):
            return None
        return begin

    def judged(self, now: datetime, cadence: Cadence) -> Absence:
        """With all moments up to `now` judged that `cadence` covers, until one at which counts are missed."""
        if self.newest < self.until and now < self.until - _TOLERATED:
            return Absence.since(self.newest).judged(now, cadence)  # a clock was wrong, and is set back
        moment, end, gap = self._begin(now), min(now, cadence.end), self.gap
        while gap is None and moment < end and cadence.covers(moment):
            moment = min(moment + _STEP, end)
            gap = cadence.silence(self.newest, moment)
        return replace(self, until=moment, gap=gap)

    def _begin(self, now: datetime) -> datetime:
        return self.until if self.until < self.newest + _FOLLOWED else max(self.until, now - _STEP)
