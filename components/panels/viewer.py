"""How this viewer reads: locale, time zone and theme, as the browser tells them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo

import streamlit as st

from components.number_format import Formats, formats_of, zone_words
from contract import DEFAULT_TIMEZONE, SiteSummary, zone_named
from page_list import PAGES

_ADDRESSES: Final = frozenset(page.address for page in PAGES if page.address)
_UTC: Final = ZoneInfo(DEFAULT_TIMEZONE)
_SITE: Final = "site-of-the-page"
"""Session key: the one site that this run of the page is of."""
_DRAWN: Final = "drawn-site"
"""Session key: the id of that of the last run that drew all of its page."""
_CLOCK: Final = "clock-of-the-page"
"""Session key: the clock by which its own moments are named."""


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


def page_moment(moment: datetime, *, seconds: bool = False) -> str:
    """A moment of a page's own, with the name of the clock that it is read from: that of the site which the
    page is of, else the viewer's. `1:34 PM, Zurich time`.
    """
    site = site_of_page()
    zone = site_zone(site) if site else viewer_or_utc()
    return f"{viewer_formats().moment(moment.astimezone(zone), seconds=seconds)}, {zone_words(zone.key)}"


def named_by(present: Callable[[], datetime]) -> None:
    """The moments of a page's own are named by this clock: the service's, by which its numbers are, may not
    be this machine's.
    """
    st.session_state[_CLOCK] = present


def page_present() -> datetime:
    """What time it is by the clock of the page, UTC; by this machine's where it has none."""
    clock: Callable[[], datetime] | None = st.session_state.get(_CLOCK)
    return clock() if clock else datetime.now(UTC)


def of_site(site: SiteSummary) -> None:
    """From here on, this run of the page is of this one site."""
    st.session_state[_SITE] = site


def site_of_page() -> SiteSummary | None:
    """The one site that this run of the page is of; None: of several, of none, or not known yet."""
    site: SiteSummary | None = st.session_state.get(_SITE)
    return site


def forget_site() -> None:
    """The page is of no site yet."""
    st.session_state.pop(_SITE, None)


def drawn_whole() -> None:
    """This run has drawn all of its page: nothing of a run before it is left there."""
    st.session_state[_DRAWN] = _id_of_page()


def stands_for_another() -> bool:
    """Whether what a run before has drawn, and this one not yet anew, is of another site than this one."""
    drawn: str | None = st.session_state.get(_DRAWN)
    return None not in (drawn, now := _id_of_page()) and drawn != now


def _id_of_page() -> str | None:
    site = site_of_page()
    return site.id if site else None


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
