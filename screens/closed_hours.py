"""When the places of a screen are closed, for a wall that says so at the door."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

import orjson
from starlette.requests import Request
from starlette.responses import Response

from analysis.closed_ahead import ClosedSpans
from api_client import Client
from live.snapshot import FeedKey
from screens.shared_reads import SharedReads
from screens.shown import ShownView

ReadClosed = Callable[[Mapping[str, str], datetime], Mapping[str, ClosedSpans] | None]
"""When those sites (id -> IANA name of its zone) are closed from that moment on, by the name of the site's
own feed, of those whose hours are kept. None: it cannot be read now, and a wall goes by what it has."""
_FRESH: Final = 5.0
"""Seconds. Of hundreds of sites it is a tenth of a second's work and half a megabyte, and a link may be asked
for a thousand times."""
_MOST_KEPT: Final = 100


def never_closed(_timezones: Mapping[str, str], _now: datetime) -> Mapping[str, ClosedSpans]:
    """Of a dashboard that keeps nothing of sites."""
    return {}


class _Body(NamedTuple):
    content: bytes
    compressed: bytes
    """By gzip."""


_Sites = frozenset[tuple[str, str]]
"""Of each its id and the IANA name of its zone."""


class ClosedAnswers:
    """To be used within one event loop. Walls that show the same sites read their hours once."""

    def __init__(
        self, get_client: Callable[[], Client], read_closed: ReadClosed, fresh: float = _FRESH
    ) -> None:
        """`fresh`: for so many seconds an answer stands. `get_client` and `read_closed` may block."""
        self._get_client = get_client
        self._read_closed = read_closed
        self._answers: SharedReads[_Sites, _Body] = SharedReads(
            self._read, fresh=fresh, failed=fresh, most=_MOST_KEPT
        )

    async def response(
        self, views: Iterable[ShownView], request: Request, headers: Mapping[str, str]
    ) -> Response:
        """`closed`: what `read_closed` tells of the sites of `views`, by the service's clock; none where no
        hours are kept. Of a site that is absent, as it cannot be learned now, a wall goes by what it has.

        Raises CancelledError when the server ends.
        """
        sites = frozenset((feed.key.site_id, feed.timezone) for view in views for feed in view.feeds)
        body = await self._answers.get(sites)
        # Who refuses it by a weight of 0 was heard before (`CompressedFiles`).
        if "gzip" in request.headers.get("accept-encoding", ""):
            own = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            return Response(body.compressed, media_type="application/json", headers={**headers, **own})
        return Response(body.content, media_type="application/json", headers={**headers})

    def _read(self, sites: _Sites) -> _Body:
        timezones = dict(sites)
        found = self._read_closed(timezones, self._get_client().service_time)
        never: dict[str, ClosedSpans] = {FeedKey(site_id).name: [] for site_id in timezones}
        content = orjson.dumps({"closed": None if found is None else never | dict(found)})
        return _Body(content, gzip.compress(content, 6))
