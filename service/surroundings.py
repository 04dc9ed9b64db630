"""What a request needs from around it, put together once by `application`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from service.broadcast import Broadcast
from service.live_series import LiveSeriesPool
from service.settings import ServiceSettings
from service.store import Store


@dataclass(frozen=True, slots=True)
class Surroundings:
    store: Store
    settings: ServiceSettings
    broadcast: Broadcast
    live_series: LiveSeriesPool
    clock: Callable[[], datetime]
    """The present, aware."""
    loading: Callable[[], str | None]
    """What is still being loaded, in a sentence; None when the service can answer."""


def surroundings_of(request: Request) -> Surroundings:
    surroundings: Surroundings = request.app.state.surroundings
    return surroundings
