"""What pages remember of a past that is over, forgotten where somebody wants to have it read again."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import Final

from runtime.league_entries import forget_entries
from runtime.reads import forget_answers
from runtime.recorded_days import forget_recorded_days
from runtime.sound_days import forget_sound_days
from runtime.upstream import Account, get_upstream

_AT_LEAST: Final = 5.0
"""Seconds between two times: a viewer who presses without end must not keep a service at work for nothing,
nor all others from knowing anything."""

_forgotten_at: Final[dict[tuple[Account, str | None], float]] = {}
"""In monotonic seconds, by the site (None: all), of the last few seconds."""
_lock: Final = Lock()


def forget_past(site_id: str | None) -> float:
    """For whoever looks from now on, at this site alone where one is named. How many seconds ago it was
    forgotten: 0, but where somebody else has had that done just now.
    """
    own, now = (get_upstream().account, site_id), monotonic()
    with _lock:
        for done in [one for one, moment in _forgotten_at.items() if now - moment >= _AT_LEAST]:
            del _forgotten_at[done]
        before = _forgotten_at.get(own)
        _forgotten_at.setdefault(own, now)
    if before is not None:
        return now - before
    for forget in (forget_answers, forget_entries, forget_recorded_days, forget_sound_days):
        forget(site_id)
    return 0.0
