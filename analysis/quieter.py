"""From when on the rest of today is quieter, by its forecast: one answer for the page Ahead and for walls."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from analysis.ahead_answer import Ahead

_QUIETER: Final = 2 / 3
"""Of the busiest hour to come: an hour below it, and all after it, are quieter."""
_FEWEST_INSIDE: Final = 10
"""Of whom passers-by are told it: a few more or less are nothing to wait for."""


def quieter_from(found: Ahead) -> datetime | None:
    """The first instant, UTC, from which on every hour is clearly below the busiest one to come; None: from
    none on, in which anybody comes, or not known, as of an hour after it nothing can be told.
    """
    known = found.known
    if not known:
        return None
    start, busiest = max(known, key=lambda one: one[1].median)
    first = None
    for hour, band in reversed(known):
        if hour <= start or band.median >= _QUIETER * busiest.median:
            break
        first = hour
    # Who will be there in an hour of which nothing can be told is not known to be fewer.
    if first is None or any(hour >= first for hour in found.untold):
        return None
    return first if any(hour == first and band.high for hour, band in known) else None


def worth_waiting_for(found: Ahead) -> datetime | None:
    """`quieter_from`, of people inside, where it is that busy in the hour that runs, too: before the rush,
    and where few come, passers-by need not wait for it.
    """
    quieter = quieter_from(found)
    present = found.to_come[0].expected if found.to_come else None
    if quieter is None or present is None:
        return None
    busiest = max(band.median for _, band in found.known)
    is_busy = present.median >= _QUIETER * busiest >= _QUIETER * _FEWEST_INSIDE
    return quieter if is_busy else None
