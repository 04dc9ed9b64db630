"""When the places of a screen are closed, for a wall that says so at the door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from starlette.responses import JSONResponse

from analysis.closed_ahead import ClosedSpans
from api_client import Client
from live.clock import local_zone
from screens.shown import ShownView

ReadClosed = Callable[[Mapping[str, ZoneInfo], datetime], Mapping[str, ClosedSpans]]
"""When those sites (id -> time zone) are closed from that moment on, by the name of the site's own feed, of
those whose hours are kept. Raises nothing: a wall shows the counts without what cannot be read."""


def never_closed(_zones: Mapping[str, ZoneInfo], _now: datetime) -> Mapping[str, ClosedSpans]:
    """Of a dashboard that keeps nothing of sites."""
    return {}


def hours_response(
    views: Iterable[ShownView],
    get_client: Callable[[], Client],
    read_closed: ReadClosed,
    headers: Mapping[str, str],
) -> JSONResponse:
    """`closed`: what `read_closed` tells of the sites of `views`, by the service's clock. May block."""
    zones = {feed.key.site_id: local_zone(feed.timezone) for view in views for feed in view.feeds}
    return JSONResponse({"closed": read_closed(zones, get_client().service_time)}, headers=headers)
