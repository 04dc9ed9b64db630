"""One local day of one site, as a report tells it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analysis.history_answer import HistoryAnswer
from analysis.subject import Subject


class DayAnswer(NamedTuple):
    """As much of the day as is over."""

    site_id: str
    subject: Subject
    """The whole site."""
    day: date
    timezone: ZoneInfo
    asked_at: datetime
    """By the service's clock, UTC."""
    answer: HistoryAnswer | None = None
    """By the hour; None: nothing is counted."""
    unread: Sequence[str] = ()
    """Sentences on what is kept of the site and could not be read."""
    category: str = ""
    """As pages show it: of the demo's sites, that they are replayed or simulated."""
    has_several_doors: bool = False
    """One may have stopped while another counts."""
