"""Which time it is at the most, as far as that can be believed of a clock: pure.

Some machines have no clock of their own while they are off, and begin years ahead, or in 1970, until a
network tells them the time. What is done by the clock and cannot be undone, as folding minutes, is done by
the believed time. That goes on from where it was noted last, twice as fast as time passes at the most, and
never beyond the clock: it catches up after an outage, and a clock that is years ahead for a day makes a day
of difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

CATCHING_UP: Final = 2
"""So much time is believed to have passed of each that has."""
TAKEN_BACK: Final = timedelta(days=1)
"""A believed time is wrong if the clock has been behind it for so long."""


@dataclass(frozen=True, slots=True)
class BelievedTime:
    at: datetime
    behind: timedelta = timedelta(0)
    """For how long the clock has been behind it."""

    def after(self, passed: timedelta, clock: datetime) -> BelievedTime:
        """When so much time has passed, whatever the clock, which is aware, says meanwhile."""
        if clock >= self.at:
            return BelievedTime(min(clock, self.at + CATCHING_UP * passed))
        behind = self.behind + passed
        return BelievedTime(clock) if behind >= TAKEN_BACK else BelievedTime(self.at, behind)

    def present(self, clock: datetime) -> datetime:
        """What may be taken for the present."""
        return min(self.at, clock)
