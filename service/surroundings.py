"""What a request needs from around it, put together once by `application`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from contract import ErrorEntry
from service.broadcast import Broadcast
from service.ingest.count_writer import CountWriter
from service.lanes import Lane
from service.live_series import LiveSeriesPool
from service.request_body import BodyReader
from service.settings import ServiceSettings
from service.store import Store


@dataclass(frozen=True, slots=True)
class Surroundings:
    store: Store
    settings: ServiceSettings
    broadcast: Broadcast
    live_series: LiveSeriesPool
    bodies: BodyReader
    counts: CountWriter
    parsing: Lane
    """For large bodies of counts."""
    reads: Lane
    """For what reads the store's file."""
    clock: Callable[[], datetime]
    """The present, aware."""
    loading: Callable[[], ErrorEntry | None]
    """Why the service cannot answer yet; None when it can."""


def surroundings_of(request: Request) -> Surroundings:
    surroundings: Surroundings = request.app.state.surroundings
    return surroundings
