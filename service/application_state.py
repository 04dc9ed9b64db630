"""Application state: what routes and workers share, made once when the application starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

from starlette.requests import Request

from contract import ErrorEntry
from service.broadcast import Broadcast
from service.ingest.count_writer import CountWriter
from service.key_uses import KeyUses
from service.live_series import LiveSeriesPool
from service.live_sites import LiveSitesPool
from service.request_body import BodyReader
from service.request_rates import RequestRates
from service.settings import ServiceSettings
from service.store.protocol import Store
from service.thread_pools import BoundedThreadPool

_SMALL: Final = 16 * 1024
"""Bytes of a body that is parsed at once: done before a thread would have begun."""

Result = TypeVar("Result")


class Feed(Protocol):
    """How a connection with others stands."""

    def told(self) -> dict[str, Any]:
        """For `/healthz`."""


@dataclass(frozen=True, slots=True)
class ApplicationState:
    store: Store
    settings: ServiceSettings
    broadcast: Broadcast
    live_series: LiveSeriesPool
    live_sites: LiveSitesPool
    bodies: BodyReader
    counts: CountWriter
    parsing: BoundedThreadPool
    """For large bodies of counts."""
    mapping: BoundedThreadPool
    """For bodies that are read as a person wrote, whether they count or are tried."""
    keys: BoundedThreadPool
    """For the look at whose key a request brings, where the store does not tell at once."""
    reads: BoundedThreadPool
    """For what reads the store's file."""
    request_rates: RequestRates
    clock: Callable[[], datetime]
    """The present, aware."""
    listening_since: datetime
    """Since when counters are heard."""
    key_uses: KeyUses
    """When keys were used last, as far as it is not stored yet."""
    unready: Callable[[], ErrorEntry | None]
    """Why the service cannot answer yet; None when it can."""
    feeds: dict[str, Feed] = field(default_factory=dict)
    """What counters report by way of, and others are told by, by the name of the worker that has it."""
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    """Set where somebody says that another process has stored something: the watch looks, and clears it."""

    async def parsed(self, organization_id: str, size: int, read: Callable[[], Result]) -> Result:
        """What `read` makes of a body of so many bytes. Raises what it raises, and PoolFullError."""
        return read() if size <= _SMALL else await self.parsing.run(organization_id, read)


def application_state_of(request: Request) -> ApplicationState:
    """The state of the application that answers this request."""
    state: ApplicationState = request.app.state.shared
    return state
