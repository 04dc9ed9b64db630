"""How much of a service the reading of all its sites takes, and a turn of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from contract import SiteSummary


@dataclass(frozen=True, slots=True)
class SurveyLimits:
    """How much of a service a survey takes. All times in seconds."""

    at_once: int = 3
    """Queries under way together."""
    rest: float = 1.0
    """How many times as long as an answer took a reader rests after it: a slow service gets more peace."""
    age: float = 60.0
    """From the beginning of one round through all sites to that of the next, at least."""
    share: float = 0.06
    """A round takes at least this long per site: 10,000 sites are some 17 queries a second at most."""
    told_age: float = 30.0
    """As `age`, while the stream of all sites tells what else each site is asked for."""
    told_share: float = 0.006
    """As `share`, likewise: what is left costs the dashboard alone."""
    eager: int = 1_000
    """Where there are no more sites than this, no reader rests before each has its first value, as long as
    answers come soon: nothing is compared before, and all of them are some ten seconds of reading."""
    soon: float = 0.25
    """An answer within so long counts as soon: all queries for one site together."""
    patience: float = 2.0
    """How long a site may take before it hangs; longer where those that answer take long."""
    longest: float = 9.5
    """The same, of a site that is asked when nothing else is due; a little less than what a client calls a
    silence, which it would ask again after."""
    linger: float = 120.0
    """How long the reading goes on after the last look."""
    oldest: float = 900.0
    """A report older than this is forgotten: nothing is compared by it. Where a round takes longer, what it
    and the one before read is kept nevertheless, unless reading pauses, and a failure stays until
    the site is read again. After a pause in which nobody looked, what is older than a round is forgotten."""

    def round(self, sites: int, *, is_told: bool) -> float:
        """From the beginning of one round through so many sites to that of the next."""
        age, share = (self.told_age, self.told_share) if is_told else (self.age, self.share)
        return max(age, share * sites)


class Turn(NamedTuple):
    site: SiteSummary
    patience: float
    """Seconds."""
    is_patient: bool
    """Whether that is all the patience there is."""
