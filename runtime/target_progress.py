"""How far along the target of a site's month is, read from the service in use."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.league_entry import Measure
from analysis.league_period import league_request
from analysis.opening_hours import OpeningHours
from analysis.subject import whole_site
from analysis.targets import Target, TargetProgress, days_of_month, share_by_now, target_progress
from contract import Site
from runtime.league_entries import Question, read_league
from runtime.reads import read_points

_PATIENCE: Final = 60.0
"""Seconds; of one place, whose reading is waited for once it began."""


def read_target_progress(
    site: Site,
    target: Target,
    first: date,
    *,
    now: datetime,
    timezone: ZoneInfo,
    opening: OpeningHours | None,
) -> TargetProgress:
    """`first` is the first day of the month, `now` is aware. Raises ApiClientError."""
    days = days_of_month(first)
    request, ranges = league_request(site.id, whole_site(site), days, now, timezone)
    reading = read_league({site.id: Question(request, ranges, Measure.ENTRANCES, opening)}, _PATIENCE)
    if site.id in reading.failures:
        raise reading.failures[site.id]
    share, entry = None, reading.entries[site.id]
    if not ranges.present.is_empty:
        since = entry.began.at if entry.began else None
        share = share_by_now(days, request, ranges, opening, read_points, since=since)
    until = ranges.present.end.astimezone(timezone)
    return target_progress(target, entry, share, is_over=ranges.is_over, until=until)
