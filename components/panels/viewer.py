"""How this viewer reads: locale, time zone and theme, as the browser tells them."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo

import streamlit as st

from components.number_format import Formats, formats_of
from contract import DEFAULT_TIMEZONE, SiteSummary, zone_named
from page_list import PAGES

_ADDRESSES: Final = frozenset(page.address for page in PAGES if page.address)
_UTC: Final = ZoneInfo(DEFAULT_TIMEZONE)


def dashboard_root() -> str:
    """Path of the dashboard as this browser reaches it, with a slash at both ends: `/`, or `/shop/`.

    The browser's own address tells it, whether `server.baseUrlPath` or a proxy makes the prefix.
    """
    path = urlsplit(st.context.url or "").path.strip("/")
    before, _, last = path.rpartition("/")
    prefix = before if last in _ADDRESSES else path
    return f"/{prefix}/" if prefix else "/"


def dashboard_address(page: str) -> str:
    """Whole address of a page of the dashboard, such as `live?site=a`, as this browser reaches it."""
    own = urlsplit(st.context.url or "")
    return f"{urlunsplit((own.scheme, own.netloc, dashboard_root(), '', ''))}{page}"


def viewer_formats() -> Formats:
    return formats_of(st.context.locale)


def viewer_moment(moment: datetime, *, seconds: bool = False) -> str:
    """A moment as this viewer's own clock shows it; it says so where the browser did not tell its zone."""
    local, formats = moment.astimezone(viewer_or_utc()), viewer_formats()
    clock = formats.moment(local, seconds=seconds)
    return clock if viewer_zone() else f"{clock} UTC"


def viewer_theme() -> str:
    """`dark` or `light`; light before the browser has reported."""
    return st.context.theme.type or "light"


def viewer_zone() -> ZoneInfo | None:
    """The browser's time zone; None where it is not reported or unknown here."""
    name = st.context.timezone
    return None if not name else zone_named(name)


def viewer_or_utc() -> ZoneInfo:
    """The browser's time zone; UTC where it is not reported or unknown here."""
    return viewer_zone() or _UTC


def site_zone(site: SiteSummary) -> ZoneInfo:
    """The site's time zone; UTC where the service tells none or an unknown one."""
    return (zone_named(site.timezone) if site.timezone else None) or _UTC
