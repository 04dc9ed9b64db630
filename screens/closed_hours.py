"""When the places of a screen are closed, for a wall that says so at the door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from starlette.responses import JSONResponse

from analysis.closed_ahead import ClosedSpans
from api_client import Client
from live.snapshot import FeedKey
from screens.shown import ShownView

ReadClosed = Callable[[Mapping[str, str], datetime], Mapping[str, ClosedSpans] | None]
"""When those sites (id -> IANA name of its zone) are closed from that moment on, by the name of the site's
own feed, of those whose hours are kept. None: it cannot be read now, and a wall goes by what it has."""


def never_closed(_timezones: Mapping[str, str], _now: datetime) -> Mapping[str, ClosedSpans]:
    """Of a dashboard that keeps nothing of sites."""
    return {}


def hours_response(
    views: Iterable[ShownView],
    get_client: Callable[[], Client],
    read_closed: ReadClosed,
    headers: Mapping[str, str],
) -> JSONResponse:
    """`closed`: what `read_closed` tells of the sites of `views`, by the service's clock; none where no hours
    are kept. Of a site that is absent, as it cannot be learned now, a wall goes by what it has. May block.
    """
    timezones = {feed.key.site_id: feed.timezone for view in views for feed in view.feeds}
    found = read_closed(timezones, get_client().service_time)
    never: dict[str, ClosedSpans] = {FeedKey(site_id).name: [] for site_id in timezones}
    return JSONResponse({"closed": None if found is None else never | dict(found)}, headers=headers)
