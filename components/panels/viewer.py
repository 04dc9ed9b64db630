"""How this viewer reads: locale, time zone and theme, as the browser tells them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import streamlit as st

from components.number_format import Formats, formats_of
from contract import DEFAULT_TIMEZONE, SiteSummary, zone_named

PAGES: Final = frozenset({"live", "site", "history", "screens", "connection"})
"""Last part of the pages' addresses; Overview has none."""
_UTC: Final = ZoneInfo(DEFAULT_TIMEZONE)


def dashboard_root() -> str:
    """Path of the dashboard as this browser reaches it, with a slash at both ends: `/`, or `/shop/`.

    The browser's own address tells it, whether `server.baseUrlPath` or a proxy makes the prefix.
    """
    path = urlsplit(st.context.url or "").path.strip("/")
    before, _, last = path.rpartition("/")
    prefix = before if last in PAGES else path
    return f"/{prefix}/" if prefix else "/"


def viewer_formats() -> Formats:
    return formats_of(st.context.locale)


def viewer_theme() -> str:
    """`dark` or `light`; light before the browser has told."""
    return st.context.theme.type or "light"


def viewer_zone() -> ZoneInfo | None:
    """The browser's time zone; None where it is not told or unknown here."""
    name = st.context.timezone
    return None if not name else zone_named(name)


def viewer_or_utc() -> ZoneInfo:
    """The browser's time zone; UTC where it is not told or unknown here."""
    return viewer_zone() or _UTC


def site_zone(site: SiteSummary) -> ZoneInfo:
    """The site's time zone; UTC where the service tells none or an unknown one."""
    return (zone_named(site.timezone) if site.timezone else None) or _UTC
