"""The service's ASGI application, put together from its parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Final

import structlog
from fastapi import FastAPI

from service.application_state import ApplicationState
from service.background_demo import BackgroundDemo
from service.broadcast import Broadcast
from service.exception_handlers import add_exception_handlers
from service.ingest.count_writer import CountWriter
from service.live_series import LiveSeriesPool
from service.openapi import add_documentation
from service.request_body import BodyReader
from service.request_id import RequestIdMiddleware
from service.routes import health, ingest, metrics, sites
from service.settings import ServiceSettings
from service.store import Store, StoreError
from service.thread_pools import BoundedThreadPool

_WAITING_BODIES: Final = 8
"""Large bodies of counts that may wait to be parsed, each of them in memory."""


def present() -> datetime:
    return datetime.now(UTC)


def create_application(
    store: Store,
    settings: ServiceSettings,
    *,
    demo: BackgroundDemo | None = None,
    clock: Callable[[], datetime] = present,
) -> FastAPI:
    """The application over an open store, which stays the caller's to close."""

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        broadcast = Broadcast()
        counts = CountWriter(store, settings.waiting_posts)
        parsing = BoundedThreadPool(
            "large bodies", threads=1, waiting=_WAITING_BODIES, patience=settings.body_timeout
        )
        # Of their own: what streams read again must not wait for queries, nor keep them waiting.
        streams = BoundedThreadPool("streams", threads=2, waiting=0, patience=settings.read_patience, each=1)
        reads = BoundedThreadPool(
            "queries",
            threads=settings.read_threads,
            waiting=settings.waiting_reads,
            patience=settings.read_patience,
            each=settings.read_threads_each,
        )
        application.state.shared = ApplicationState(
            store=store,
            settings=settings,
            broadcast=broadcast,
            live_series=LiveSeriesPool(store.metrics, broadcast, clock, in_pool=streams.run_patiently),
            bodies=BodyReader(settings.body_timeout, settings.body_memory),
            counts=counts,
            parsing=parsing,
            reads=reads,
            clock=clock,
            loading=lambda: demo.loading if demo else None,
        )
        remove_listener = store.metrics.add_listener(broadcast.publish)
        watch = asyncio.create_task(_watch(store, broadcast, settings.watch_interval.total_seconds()))
        if demo:
            demo.start()
        yield
        remove_listener()
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        if demo:
            await asyncio.to_thread(demo.stop)
        for pool in (counts, parsing, reads, streams):
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
    for module in (sites, metrics, ingest, health):
        application.include_router(module.router)
    add_documentation(application)
    return application


async def _watch(store: Store, broadcast: Broadcast, interval: float) -> None:
    """Notice what other processes did: counts they committed, keys they revoked."""
    while True:
        await asyncio.sleep(interval)
        try:
            await asyncio.to_thread(store.metrics.refresh)
            for key_id in broadcast.key_ids:
                key = await asyncio.to_thread(store.keys.find, key_id)
                if key is None or key.revoked_at is not None:
                    broadcast.end_streams_of(key_id)
        except StoreError:
            # The store's own log line says why, once. A stream would stand by what may be stored no more.
            for key_id in broadcast.key_ids:
                broadcast.end_streams_of(key_id)
        except Exception:  # noqa: BLE001 - the watch's edge: one failed look must not end all later ones
            structlog.get_logger().exception("watch failed")
