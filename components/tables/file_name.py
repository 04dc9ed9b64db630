"""What a file is called: site, range and bucket, safe on every system whatever the site's name is."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from analysis.time_range import TimeRange
from contract import Granularity, Site

_LONGEST: Final = 48
"""Characters of a site's name; the whole stays far below what any system takes."""
_DAY: Final = timedelta(days=1)


def file_stem(site: Site, range_: TimeRange, granularity: Granularity, timezone: ZoneInfo) -> str:
    """`linden-department-store_2026-11-14_to_2026-11-20_by-hour`: ASCII, without an ending."""
    name = _slug(site.name) or _slug(site.id) or "site"
    return f"{name}_{_span(range_, timezone)}_by-{granularity}"


def _slug(text: str) -> str:
    spelled = unicodedata.normalize("NFKD", text[: 4 * _LONGEST].replace("ß", "ss")).encode("ascii", "ignore")
    return re.sub("[^a-z0-9]+", "-", spelled.decode().lower()).strip("-")[:_LONGEST].rstrip("-")


def _span(range_: TimeRange, timezone: ZoneInfo) -> str:
    """Local: the first and the last day of whole days, else from which minute to which."""
    first, end = (moment.astimezone(timezone) for moment in range_)
    if first.time() == end.time() == time():
        last = end.date() - _DAY
        return _joined(f"{first.date()}", f"{max(last, first.date())}")
    return _joined(_minute(first), _minute(end))


def _minute(local: datetime) -> str:
    return f"{local:%Y-%m-%d-%H%M}"


def _joined(first: str, last: str) -> str:
    return first if first == last else f"{first}_to_{last}"
