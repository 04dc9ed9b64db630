"""The stream of the newest values of all sites: an extension that our own service has (`GET /live/sites`).

What it tells of a site becomes what the specification's answer to `now` would be, so that one is believed as
much as the other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

import httpx

from api_client.answers import FUTURE, MetricsAnswer, json_of
from api_client.errors import ApiClientError
from api_client.live_stream import EventStreamDecoder, OpenStream, SkippedEvent, Turns
from api_client.plausible import MOST_DEVICES, MOST_PEOPLE, LeftOut, identifier, number
from api_client.points import POINT
from contract.latest_sites import LatestKind

MAXIMUM_SITE_SIZE: Final = 256 * 1024
"""In bytes, of what is told of one site: a service may name it at length."""
_MOST_CONTAINERS: Final = 1_000
"""JSON objects and arrays in one event: there are three or four."""


class SiteLatest(NamedTuple):
    """What the stream tells of one site."""

    site_id: str
    answer: MetricsAnswer
    """As if the site had been asked for its newest value."""
    capacity: float | None
    """People, of the zone that is the whole site; None: not told."""
    devices_offline: int


class SiteGone(NamedTuple):
    """The site is not listed any more."""

    site_id: str


class SitesComplete(NamedTuple):
    """Every site was told once since the stream was opened."""


LatestItem = SiteLatest | SiteGone | SitesComplete | SkippedEvent


class LatestStream(OpenStream[LatestItem]):
    def __init__(
        self,
        response: httpx.Response,
        remember: Callable[[ApiClientError], None],
        newest_possible: Callable[[], datetime],
        turns: Turns,
    ) -> None:
        decoder = EventStreamDecoder(MAXIMUM_SITE_SIZE)
        super().__init__(
            response,
            remember,
            read=read_latest,
            newest_possible=newest_possible,
            decoder=decoder,
            turns=turns,
        )


def read_latest(data: str, newest_possible: datetime) -> LatestItem:
    """What one event tells. A point that begins after `newest_possible`, UTC, cannot be right."""
    try:
        raw = json_of(data.encode(), _MOST_CONTAINERS)
    except ValueError:
        return SkippedEvent("not JSON")
    kind = raw.get("kind") if isinstance(raw, dict) else None
    if kind == LatestKind.COMPLETE:
        return SitesComplete()
    left = LeftOut()
    site_id = identifier(raw.get("siteId"), left) if isinstance(raw, dict) else None
    if site_id is not None and kind == LatestKind.GONE:
        return SiteGone(site_id)
    if site_id is None or kind != LatestKind.SITE:
        return SkippedEvent("not of a site")
    return _site(site_id, raw, newest_possible)


def _site(site_id: str, raw: dict[str, Any], newest_possible: datetime) -> LatestItem:
    left, newest = LeftOut(), raw.get("newest")
    point = None if newest is None else POINT.read(newest, left)
    if newest is not None and point is None:
        return SkippedEvent("not a metric point")
    if point is not None and point.timestamp > newest_possible:
        left[FUTURE] += 1
        point = None
    top_zone_id = identifier(raw.get("topZoneId"), left)
    answer = MetricsAnswer(
        points=() if point is None else (point,),
        inferred={"filter": {"zoneIds": [top_zone_id]}} if top_zone_id else {},
        warnings=(),
        request_id="",
        server_tag="",
        left_out=left,
    )
    capacity = number(raw.get("capacity"), left, 0, MOST_PEOPLE)
    offline = number(raw.get("devicesOffline"), left, 0, MOST_DEVICES)
    return SiteLatest(site_id, answer, float(capacity) if capacity else None, int(offline or 0))
