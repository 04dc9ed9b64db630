"""Opening hours and notes of a day, for the curves that live pages and walls draw of it; and when sites are closed
from now on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from analysis.closed_ahead import ClosedSpans, closed_spans, range_ahead
from analysis.known_of_day import KnownOfDay
from analysis.notes import notes_within
from analysis.opening_hours import OpeningHours, closed_within
from analysis.time_range import TimeRange
from runtime.site_knowledge import read_all_opening_hours, read_notes, read_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from screens.day_curve import Day

_MOST_KEPT: Final = 2_000
"""Of what a day's reading of hours comes to: 3 ms each, and hundreds of sites may hang on a wall."""

_log = structlog.get_logger("runtime.known_of_day")


def read_known_of_day(day: Day) -> KnownOfDay:
    """Read anew each time, so that what is changed reaches a wall that hangs for months.

    What cannot be read, or is damaged, is left out: a curve is not lost for it. The page Site says so.
    """
    site_id, range_ = day.feed.site_id, TimeRange(day.start, day.end)
    found = KnownOfDay(closed=read_closed(site_id, range_, day.timezone))
    try:
        notes = notes_within(read_notes(site_id), range_)
    except SiteKnowledgeError as error:
        _log.warning("a curve is drawn without notes", site=site_id, reason=str(error))
        return found
    return found._replace(notes=tuple(notes.values()))


def read_closed(site_id: str, range_: TimeRange, timezone: ZoneInfo) -> Sequence[TimeRange]:
    """What of `range_` it is closed, ascending; empty where no hours are kept, or none that can be read."""
    try:
        hours = read_opening_hours(site_id)
    except SiteKnowledgeError as error:
        _log.warning("a wall or a curve goes without opening hours", site=site_id, reason=str(error))
        return ()
    return closed_within(hours, range_, timezone) if hours else ()


def read_closed_ahead(zones: Mapping[str, ZoneInfo], now: datetime) -> dict[str, ClosedSpans]:
    """When the sites of `zones` (id -> time zone) are closed from `now` on, by site id, of those whose hours are
    kept and can be read.
    """
    try:
        kept = read_all_opening_hours(zones)
    except SiteKnowledgeError as error:
        _log.warning("walls and pages go without opening hours", reason=str(error))
        return {}
    return {site_id: _spans_ahead(hours, range_ahead(now), zones[site_id]) for site_id, hours in kept.items()}


@lru_cache(_MOST_KEPT)
def _spans_ahead(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> ClosedSpans:
    return closed_spans(closed_within(hours, range_, timezone), range_)
