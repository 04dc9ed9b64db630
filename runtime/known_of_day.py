"""Opening hours and notes of a day, for the curves that live pages and walls draw; closed time ahead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import structlog

from analysis.closed_ahead import ClosedSpans, closed_spans, is_closed_at, range_ahead
from analysis.known_of_day import KnownOfDay
from analysis.notes import notes_within
from analysis.opening_hours import OpeningHours, closed_within
from analysis.time_range import TimeRange
from contract import DEFAULT_TIMEZONE, Site, SiteSummary
from live.clock import local_zone
from live.snapshot import FeedKey
from runtime.resources import service_time
from runtime.site_knowledge import read_all_opening_hours, read_notes, read_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from screens.day_curve import Day

_MOST_KEPT: Final = 2_000
"""Of what hours come to in the days ahead: a millisecond each, and a wall may have hundreds of sites."""

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


class Closed(NamedTuple):
    """By the service's clock."""

    ahead: Mapping[str, ClosedSpans]
    """From now on, as `read_closed_ahead` tells it."""
    now: frozenset[str]
    """Ids of the sites that are closed."""


def closed_sites(sites: Iterable[SiteSummary | Site]) -> Closed:
    now = service_time()
    ahead = _ahead({site.id: site.timezone or DEFAULT_TIMEZONE for site in sites}, now)
    closed = frozenset(site_id for site_id, spans in ahead.items() if is_closed_at(now, spans))
    return Closed(_by_feed(ahead), closed)


def read_closed_ahead(timezones: Mapping[str, str], now: datetime) -> dict[str, ClosedSpans]:
    """When the sites of `timezones` (id -> IANA name) are closed from `now` on, by the name of the site's own
    feed, of those whose hours are kept and can be read.
    """
    return _by_feed(_ahead(timezones, now))


def _by_feed(ahead: Mapping[str, ClosedSpans]) -> dict[str, ClosedSpans]:
    return {FeedKey(site_id).name: spans for site_id, spans in ahead.items()}


def _ahead(timezones: Mapping[str, str], now: datetime) -> dict[str, ClosedSpans]:
    """By site id."""
    try:
        kept = read_all_opening_hours(timezones)
    except SiteKnowledgeError as error:
        _log.warning("walls and pages go without opening hours", reason=str(error))
        return {}
    range_ = range_ahead(now)
    return {
        site_id: _spans_ahead(hours, range_, local_zone(timezones[site_id]))
        for site_id, hours in kept.items()
    }


@lru_cache(_MOST_KEPT)
def _spans_ahead(hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> ClosedSpans:
    return closed_spans(closed_within(hours, range_, timezone), range_)
