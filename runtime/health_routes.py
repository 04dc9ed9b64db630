"""`/healthz`, `/readyz` and `/metrics` of the dashboard, for whoever runs it; none needs a login.

They name sites and say why a service cannot be reached: the proxy in front keeps them from strangers. None
waits long for the service, or for a worker thread that may wait for it: they answer when all else hangs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeVar

from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from api_client import ApiClientError, AsyncClient
from keeping import Reached
from live import FeedHealth, Hub, HubHealth, ReaderHealth, viewer_count
from runtime.dashboard_metrics import dashboard_registry
from runtime.upstream import Upstream

_NO_STORE: Final = {"cache-control": "no-store"}
_PATIENCE: Final = 3.0
"""Seconds for what needs no service: only a dashboard that is still starting takes longer."""
_STARTING: Final = "The dashboard is still starting."

Content = TypeVar("Content")

_PROBE_PATIENCE: Final = 2.0
"""Seconds; whoever asks asks again soon."""


class StoreHealth(NamedTuple):
    """Of the store that several dashboards share."""

    reached: Reached
    differences: tuple[str, ...]
    """In which they are set up otherwise than this one, in sentences."""


def health_routes(
    get_hub: Callable[[], Hub],
    get_upstream: Callable[[], Upstream],
    get_store: Callable[[], StoreHealth | None] = lambda: None,
) -> list[Route]:
    """The three routes. All are asked for at each request, in threads of their own; of `get_store` None: what
    the dashboard keeps is in files.
    """
    registry = dashboard_registry(get_hub, lambda: store.reached if (store := get_store()) else None)
    probe = ServiceProbe()
    threads = ThreadPoolExecutor(2, thread_name_prefix="health")

    async def soon(work: Callable[[], Content]) -> Content:
        """Raises TimeoutError."""
        async with asyncio.timeout(_PATIENCE):
            return await asyncio.get_running_loop().run_in_executor(threads, work)

    async def alive(_request: Request) -> Response:
        return JSONResponse({"status": "serving"}, headers=_NO_STORE)

    async def ready(_request: Request) -> Response:
        try:
            hub, upstream, store = await soon(lambda: (get_hub(), get_upstream(), get_store()))
        except TimeoutError:
            return JSONResponse({"ready": False, "reasons": [_STARTING]}, 503, _NO_STORE)
        found = await readiness(hub, upstream, probe, store)
        return JSONResponse(found, status_code=200 if found["ready"] else 503, headers=_NO_STORE)

    async def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        try:
            body = await soon(lambda: encode(registry))
        except TimeoutError:
            return Response(_STARTING, 503, _NO_STORE, "text/plain")
        return Response(body, headers=_NO_STORE | {"content-type": content_type})

    return [
        Route("/healthz", alive, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]


async def readiness(
    hub: Hub, upstream: Upstream, probe: ServiceProbe, store: StoreHealth | None = None
) -> dict[str, Any]:
    """`ready` with the `reasons` against it, and every feed with its state.

    Ready means that the hub's thread runs, its loop turns and tends every feed, that the embedded service, if
    there is one, runs, and that the service, and a store that dashboards share, have been reached once. What
    is somebody else's and lost later does not change that: screens then need this dashboard all the more, to
    tell them. Nor do old values, which may be of places that are closed: `valueAgeSeconds` tells how old they
    are.
    """
    health = hub.health()
    trouble = await _service_trouble(health, upstream, probe)
    reasons = [*_hub_troubles(health), *([trouble] if trouble else []), *_store_troubles(store)]
    return {
        "ready": not reasons,
        "reasons": reasons,
        "store": _described_store(store),
        "viewers": viewer_count(),
        "openStreams": health.open_streams,
        "valueAgeSeconds": _ages(health.value_ages),
        "states": dict(Counter(str(feed.snapshot.state) for feed in health.feeds)),
        "restarts": health.counters.restarts,
        "feeds": [_described(feed) for feed in health.feeds],
        "passages": [_described_reader(reader) for reader in health.readers],
    }


def _store_troubles(store: StoreHealth | None) -> list[str]:
    if store is None or store.reached.was_reached:
        return []
    reason = f": {store.reached.reason}" if store.reached.reason else ""
    return [f"The store at {store.reached.where} has not answered yet{reason}."]


def _described_store(store: StoreHealth | None) -> dict[str, Any] | None:
    """None: files hold what is kept."""
    if store is None:
        return None
    away_since = store.reached.away_since
    return {
        "where": store.reached.where,
        "reached": store.reached.was_reached and away_since is None,
        "awaySince": away_since.isoformat() if away_since else None,
        "reason": store.reached.reason,
        "differences": list(store.differences),
    }


def _ages(ages: Sequence[float]) -> dict[str, float | None]:
    """Ages of the newest and oldest value that is shown, in whole seconds; None: none is."""
    return {"newest": round(ages[0]), "oldest": round(ages[-1])} if ages else {"newest": None, "oldest": None}


def _hub_troubles(health: HubHealth) -> list[str]:
    if not health.running:
        return ["The hub's thread has ended: restart the dashboard."]
    if health.is_stuck:
        return ["The hub is stuck, so no value changes: restart the dashboard if that lasts."]
    everything: list[FeedHealth | ReaderHealth] = [*health.feeds, *health.readers]
    left = ", ".join(one.snapshot.key.name for one in everything if not one.is_tended)
    return [f"Nothing tends the feed of {left} any more: restart the dashboard."] if left else []


async def _service_trouble(health: HubHealth, upstream: Upstream, probe: ServiceProbe) -> str | None:
    if upstream.embedded and upstream.notice:
        return upstream.notice
    # What the hub knows needs no asking.
    if health.counters.readings or health.server_tag:
        return None
    return await probe.trouble(upstream)


def _described(feed: FeedHealth) -> dict[str, Any]:
    snapshot = feed.snapshot
    return {
        "feed": snapshot.key.name,
        "state": snapshot.state,
        "since": snapshot.since.isoformat() if snapshot.since else None,
        "measuredAt": snapshot.reported[-1].measured_at.isoformat() if snapshot.reported else None,
        "reason": snapshot.reason,
        "next": snapshot.next_step,
        "isOfAllSites": feed.is_joined,
        "subscribers": feed.subscribers,
        "restarts": feed.restarts,
        "lastDefect": feed.last_defect,
    }


def _described_reader(reader: ReaderHealth) -> dict[str, Any]:
    snapshot = reader.snapshot
    return {
        "site": snapshot.key.site_id,
        "read": len(snapshot.passages),
        "listed": snapshot.listed,
        "reason": snapshot.reason,
        "subscribers": reader.subscribers,
        "restarts": reader.restarts,
        "lastDefect": reader.last_defect,
    }


class ServiceProbe:
    """To be used within one event loop. However many wait, one request is under way."""

    def __init__(self) -> None:
        self._reached: tuple[str, str] | None = None
        """Base URL and key with which it was."""
        self._asking: asyncio.Task[str | None] | None = None

    async def trouble(self, upstream: Upstream) -> str | None:
        """Why the service cannot be reached; None: it was. Waits a short time for an answer, no longer."""
        if self._reached == (upstream.base_url, upstream.api_key):
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(upstream), name="service probe")
        # Not awaited itself: whoever leaves must not end the request of the others.
        done, _ = await asyncio.wait({self._asking}, timeout=2 * _PROBE_PATIENCE)
        return next(iter(done)).result() if done else "The service has not answered yet."

    async def _ask(self, upstream: Upstream) -> str | None:
        client = AsyncClient(
            upstream.base_url, upstream.api_key, timeout=_PROBE_PATIENCE, deadline=_PROBE_PATIENCE, attempts=1
        )
        try:
            await client.reach()
        except ApiClientError as error:
            return " ".join(filter(None, (upstream.notice, error.message)))
        finally:
            await client.close()
        self._reached = upstream.base_url, upstream.api_key
        return None
