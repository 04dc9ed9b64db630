"""Opening hours and notes of a day, for the curves that live pages and walls draw of it."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from analysis.known_of_day import KnownOfDay
from analysis.notes import notes_within
from analysis.opening_hours import closed_within
from analysis.time_range import TimeRange
from api_client.trouble_log import TroubleLog
from runtime.site_knowledge import read_notes, read_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from screens.day_curve import Day

_log = TroubleLog("runtime.known_of_day")


def read_known_of_day(day: Day) -> KnownOfDay:
    """Read anew each time, so that what is changed reaches a wall that hangs for months.

    What cannot be read, or is damaged, is left out: a curve is not lost for it. The page Site says so.
    """
    site_id, range_ = day.feed.site_id, TimeRange(day.start, day.end)
    found = KnownOfDay(closed=_closed(site_id, range_, day.timezone))
    try:
        notes = notes_within(read_notes(site_id), range_)
    except SiteKnowledgeError as error:
        _log.warning("a curve is drawn without notes", site=site_id, reason=str(error))
        return found
    return found._replace(notes=tuple(notes.values()))


def _closed(site_id: str, range_: TimeRange, timezone: ZoneInfo) -> Sequence[TimeRange]:
    """What of `range_` it is closed, ascending; empty where no hours are kept, or none that can be read."""
    try:
        hours = read_opening_hours(site_id)
    except SiteKnowledgeError as error:
        _log.warning("a curve is drawn without opening hours", site=site_id, reason=str(error))
        return ()
    return closed_within(hours, range_, timezone) if hours else ()
