"""What pages remember of a past that is over, forgotten where somebody wants to have it read again."""

from __future__ import annotations

from runtime.league_entries import forget_entries
from runtime.reads import forget_answers
from runtime.recorded_days import forget_recorded_days
from runtime.sound_days import forget_sound_days


def forget_past(site_id: str | None) -> None:
    """For whoever looks from now on, at this site alone where one is named."""
    for forget in (forget_answers, forget_entries, forget_recorded_days, forget_sound_days):
        forget(site_id)
