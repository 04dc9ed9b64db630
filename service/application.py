"""The service's ASGI application: its routes, what they share, and the workers that it starts and ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final

from fastapi import FastAPI

from service.application_state import ApplicationState
from service.broadcast import Broadcast
from service.clock import present
from service.exception_handlers import add_exception_handlers
from service.ingest.count_writer import CountWriter
from service.key_uses import KeyUses
from service.live_series import LiveSeriesPool
from service.live_sites import LiveSitesPool
from service.openapi import add_documentation
from service.request_body import BodyReader
from service.request_id import RequestIdMiddleware
from service.request_rates import RequestRates
from service.routes import (
    audit,
    corrections,
    health,
    ingest,
    key_administration,
    latest_sites,
    levels,
    mappings,
    metrics,
    organization,
    sensor_placement,
    sensors,
    site_setup,
    sites,
)
from service.settings import ServiceSettings
from service.store.protocol import Store
from service.thread_pools import BoundedThreadPool
from service.workers.archive import ArchiveWorker
from service.workers.backlog import Backlog
from service.workers.key_uses import KeyUseWorker
from service.workers.upkeep import Upkeep
from service.workers.watch import Watch
from service.workers.worker import Worker, running

_WAITING_BODIES: Final = 8
"""Large bodies of counts that may wait to be parsed, each of them in memory."""
_KEY_THREADS: Final = 4
_WAITING_KEYS: Final = 1_000
"""Requests that may wait for a look at their keys, which takes a thousandth of a second as a rule."""
_WAITING_MAPPED: Final = 64
"""Bodies that may wait to be read by a mapping; most of them are small."""


def create_application(
    store: Store,
    settings: ServiceSettings,
    *,
    workers: Sequence[Worker] = (),
    clock: Callable[[], datetime] = present,
) -> FastAPI:
    """The application over an open store, which stays the caller's to close.

    `workers` are started with it, after the service's own, and ended with it.
    """
    all_workers: tuple[Worker, ...] = (
        Watch(),
        Upkeep(),
        ArchiveWorker(),
        Backlog(),
        KeyUseWorker(),
        *workers,
    )

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        broadcast = Broadcast()
        counts = CountWriter(store, settings.waiting_posts)
        parsing = BoundedThreadPool(
            "large bodies", threads=1, waiting=_WAITING_BODIES, patience=settings.body_timeout
        )
        # A slow expression must not keep waiting what other counters send.
        mapping = BoundedThreadPool(
            "bodies of mapped counters", threads=1, waiting=_WAITING_MAPPED, patience=settings.body_timeout
        )
        # Of their own: what streams read again must not wait for queries, nor keep them waiting.
        streams = BoundedThreadPool("streams", threads=2, waiting=0, patience=settings.read_patience, each=1)
        keys = BoundedThreadPool(
            "requests", threads=_KEY_THREADS, waiting=_WAITING_KEYS, patience=settings.read_patience
        )
        reads = BoundedThreadPool(
            "queries",
            threads=settings.read_threads,
            waiting=settings.waiting_reads,
            patience=settings.read_patience,
            each=settings.read_threads_each,
        )
        listening_since = clock()
        state = application.state.shared = ApplicationState(
            store=store,
            settings=settings,
            broadcast=broadcast,
            live_series=LiveSeriesPool(store.metrics, broadcast, clock, in_pool=streams.run_patiently),
            live_sites=LiveSitesPool(store, broadcast, clock, listening_since, streams),
            bodies=BodyReader(settings.body_timeout, settings.body_memory),
            counts=counts,
            parsing=parsing,
            mapping=mapping,
            keys=keys,
            reads=reads,
            request_rates=RequestRates(settings.key_requests, settings.key_burst, time.monotonic),
            clock=clock,
            listening_since=listening_since,
            key_uses=KeyUses(),
            unready=lambda: next((reason for worker in all_workers if (reason := worker.unready)), None),
        )
        remove_listener = store.metrics.add_listener(broadcast.publish)
        async with running(all_workers, state):
            yield
            remove_listener()
            # Who is asked to end does not wait for others until they are done.
            await asyncio.to_thread(store.stop_waiting)
        for pool in (counts, parsing, mapping, keys, reads, streams):
            pool.close()

    application = FastAPI(
        title="Headroom service",
        version="3",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        # A redirect would be an answer without the envelope, and would lose the body of a POST.
        redirect_slashes=False,
    )
    application.add_middleware(RequestIdMiddleware)
    add_exception_handlers(application)
    administered = (organization, site_setup, key_administration, audit)
    placed = (sensor_placement, mappings, corrections)
    # Levels before `sensors`, whose address has the name of a maker where others have a word.
    for module in (sites, metrics, latest_sites, ingest, levels, sensors, *administered, *placed, health):
        application.include_router(module.router)
    add_documentation(application)
    return application
