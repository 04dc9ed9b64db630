"""The client for pages: one query, one answer, on the caller's thread; and the event loop behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any, Final, Self, TypeVar

from api_client.answers import MetricsAnswer
from api_client.async_client import AsyncClient
from api_client.errors import ErrorRecord, Unreachable
from contract import MetricsQuery, Site, SiteSummary

CLIENT_ENDED: Final = "CLIENT_ENDED"
"""Code of the error of a query to a client that has ended: it will never answer again."""

Content = TypeVar("Content")

_JOIN: Final = 1.0
"""Seconds."""


class LoopClient:
    """A client whose queries run on a loop of its own; safe to share between threads.

    Nothing is sent before the first call, so that a wrong address is an error of the call, not of the
    construction. Every method raises ApiClientError.
    """

    def __init__(self, asking: AsyncClient, name: str) -> None:
        self._asking = asking
        self._loop = BackgroundLoop(name, at_end=asking.close)

    @property
    def base_url(self) -> str:
        return self._asking.base_url

    @property
    def recent_errors(self) -> tuple[ErrorRecord, ...]:
        return self._asking.recent_errors

    def end(self) -> None:
        """Every query that is open, or asked from now on, fails at once. Also from a signal handler."""
        self._loop.end()

    def close(self) -> None:
        """`end`, and wait for it. May be called more than once."""
        self._loop.close()

    def _wait_for(self, work: Coroutine[Any, Any, Content]) -> Content:
        try:
            return self._loop.run(work)
        except LoopEndedError as error:
            raise Unreachable("This dashboard is ending. Reload the page.", code=CLIENT_ENDED) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Client(LoopClient):
    """Reads from a v3 service. See AsyncClient for the parameters."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 10.0,
        deadline: float | None = None,
        attempts: int = 3,
    ) -> None:
        asking = AsyncClient(base_url, api_key, timeout=timeout, deadline=deadline, attempts=attempts)
        super().__init__(asking, "headroom-client")

    @property
    def server_tag(self) -> str:
        """Version label of the service as of the last answer; empty before the first."""
        return self._asking.server_tag

    @property
    def clock_difference(self) -> timedelta:
        """By how much the service's clock is ahead of this machine's; zero while they roughly agree."""
        return self._asking.clock_difference

    @property
    def service_time(self) -> datetime:
        """What time it is for the service, UTC; no jump of this machine's clock moves it."""
        return self._asking.service_time

    @property
    def left_sites_out(self) -> bool:
        """Whether the service listed more sites than are read, when it was asked last."""
        return self._asking.left_sites_out

    def reach(self) -> str:
        """Ask for the first site only: whether there is a service that accepts the key. The request id."""
        return self._wait_for(self._asking.reach())

    def sites(self) -> list[SiteSummary]:
        """All sites that the key can read, from all pages, in the service's order; at most 10,000."""
        return self._wait_for(self._asking.sites())

    def site(self, site_id: str, *, patience: float | None = None) -> Site:
        return self._wait_for(self._asking.site(site_id, patience=patience))

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        """The points that can have been measured by now; what is dated in the future is left out."""
        return self._wait_for(self._asking.metrics(query, is_of_range=True))

    def newest(self, query: MetricsQuery, *, patience: float | None = None) -> MetricsAnswer:
        """The newest value of each metric asked for: at most one point; none before the first count."""
        return self._wait_for(self._asking.newest(query, patience=patience))


class LoopEndedError(RuntimeError):
    """The loop has ended, before or while the coroutine ran."""


class BackgroundLoop:
    """An event loop in a thread of its own, on which other threads run coroutines and wait for them.

    A blocked read of a socket can neither be ended from outside nor held to a deadline that spans several
    reads; a task of asyncio can. Runs until `end`; `at_end` is awaited in it last.
    """

    def __init__(self, name: str, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._waiting: set[Future[Any]] = set()
        self._begun_tasks: set[asyncio.Task[Any]] = set()
        self._is_ending = False
        self._is_over = False
        self._ready = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._ready.wait()

    def run(self, work: Coroutine[Any, Any, Content]) -> Content:
        """What `work` returns or raises. Not to be called within the loop. Raises LoopEndedError."""
        begun = self._begun(work)
        try:
            outcome = asyncio.run_coroutine_threadsafe(begun, self._loop)
        except RuntimeError as error:
            _drop(begun, work)
            raise LoopEndedError("The loop has ended.") from error
        self._waiting.add(outcome)
        if self._is_over:
            outcome.cancel()
        try:
            return outcome.result()
        except CancelledError as error:
            _drop(begun, work)
            raise LoopEndedError("The loop has ended.") from error
        finally:
            self._waiting.discard(outcome)

    def end(self) -> None:
        """Cancel what runs, without waiting. From any thread or signal handler, more than once."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        """`end`, and wait for it."""
        self.end()
        self._thread.join(_JOIN)

    async def _begun(self, work: Coroutine[Any, Any, Content]) -> Content:
        if self._is_ending:
            _drop(work)
            raise LoopEndedError("The loop has ended.")
        task = asyncio.current_task()
        assert task
        self._begun_tasks.add(task)
        try:
            return await work
        finally:
            self._begun_tasks.discard(task)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        finally:
            self._is_over = True
            # What was handed over too late to be begun.
            for outcome in list(self._waiting):
                outcome.cancel()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()
        self._is_ending = True
        # Not all tasks: those that these have begun are theirs to end. A child of an anyio task group that is
        # cancelled from outside before its first step leaves a coroutine that was never awaited.
        working = list(self._begun_tasks)
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        await self._at_end()


def _drop(*work: Coroutine[Any, Any, Any]) -> None:
    """End what has ended or was never begun: Python warns of a coroutine that was not."""
    for one in work:
        one.close()
