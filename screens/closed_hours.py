"""When the place of a view is closed, for a wall that says so at the door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from starlette.responses import JSONResponse

from analysis.time_range import TimeRange
from api_client import Client
from live.clock import local_zone
from screens.shown import ShownView

ReadClosed = Callable[[str, TimeRange, ZoneInfo], Sequence[TimeRange]]
"""What of a range the site of that id is closed, ascending, by the hours kept of it; empty where none
are. Raises nothing: a light shows the count without what cannot be read."""

_AHEAD: Final = timedelta(days=14)
"""A wall that cannot reach its dashboard goes on for so long by what it has."""


def never_closed(_site_id: str, _range: TimeRange, _timezone: ZoneInfo) -> Sequence[TimeRange]:
    """Of a dashboard that keeps nothing of sites."""
    return ()


def hours_response(
    view: ShownView | None, get_client: Callable[[], Client], read_closed: ReadClosed, headers: dict[str, str]
) -> JSONResponse:
    """`closed`: a list of [begin, end] in epoch seconds, ascending, from now on by the service's clock; 404
    where `view` tells no hours. May block.

    An end of null lies beyond what is looked at: it is not said when the place opens.
    """
    if view is None or not view.kind.facts.tells_hours or not view.feeds:
        return JSONResponse({"error": "This view tells no hours."}, 404, headers)
    feed, now = view.feeds[0], get_client().service_time
    range_ = TimeRange(now, now + _AHEAD)
    closed = [
        [one.start.timestamp(), None if one.end >= range_.end else one.end.timestamp()]
        for one in read_closed(feed.key.site_id, range_, local_zone(feed.timezone))
    ]
    return JSONResponse({"closed": closed}, headers=headers)
