"""What the service knows of the places on screens, learned once for all screens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

from api_client import ApiClientError, Client
from contract import SiteSummary
from screens.definition import Scope, Screen
from screens.places import Place, read_place
from screens.shared_reads import SharedReads
from screens.shown import ALL_SITES, MOST_SITES, Known, by_name

_FRESH: Final = 300.0
"""Seconds after which a new name or capacity is noticed."""
_FAILED: Final = 10.0

Value = TypeVar("Value")


class Directory:
    """To be used within one event loop. `get_client` may block; it is called in a worker thread."""

    def __init__(self, get_client: Callable[[], Client]) -> None:
        self._places: SharedReads[str, Place] = SharedReads(
            lambda site_id: read_place(get_client(), site_id), fresh=_FRESH, failed=_FAILED
        )
        self._sites: SharedReads[str, tuple[SiteSummary, ...]] = SharedReads(
            lambda _all: by_name(get_client().sites()), fresh=_FRESH, failed=_FAILED
        )

    async def known(self, screen: Screen) -> Known:
        """All that the screen's views need, each part with its own failure."""
        site_ids = {view.site_id for view in screen.views if view.site_id}
        sites: tuple[SiteSummary, ...] | ApiClientError = ()
        if any(view.kind.facts.scope is Scope.SITES for view in screen.views):
            sites = await _attempt(partial(self._sites.get, ALL_SITES))
        if not isinstance(sites, ApiClientError):
            site_ids |= {site.id for site in sites[:MOST_SITES]}
        asked = sorted(site_ids)
        found = await asyncio.gather(*(_attempt(partial(self._places.get, one)) for one in asked))
        since = {one: self._places.failing_since(one) for one in asked}
        since[ALL_SITES] = self._sites.failing_since(ALL_SITES)
        return Known(dict(zip(asked, found, strict=True)), sites, since)


async def _attempt(read: Callable[[], Awaitable[Value]]) -> Value | ApiClientError:
    try:
        return await read()
    except ApiClientError as error:
        return error
