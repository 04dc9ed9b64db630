"""The client for pages: one question, one answer, on the caller's thread."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from api_client.answers import MetricsAnswer
from api_client.async_client import AsyncClient
from api_client.background_loop import BackgroundLoop, LoopEndedError
from api_client.error_log import ErrorRecord
from api_client.errors import Unreachable
from contract import MetricsQuery, Site, SiteSummary

CLIENT_ENDED: Final = "CLIENT_ENDED"
"""Code of the error of a question to a client that has ended: it will never answer again."""

Content = TypeVar("Content")


class Client:
    """Reads from a v3 service; safe to share between threads. See AsyncClient for the parameters.

    Nothing is sent before the first call, so that a wrong address is an error of the call, not of the
    construction. Every method raises ApiClientError.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 10.0,
        deadline: float | None = None,
        attempts: int = 3,
    ) -> None:
        self._asking = AsyncClient(base_url, api_key, timeout=timeout, deadline=deadline, attempts=attempts)
        self._loop = BackgroundLoop("headroom-client", at_end=self._asking.close)

    @property
    def base_url(self) -> str:
        return self._asking.base_url

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
    def recent_errors(self) -> tuple[ErrorRecord, ...]:
        return self._asking.recent_errors

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
        return self._wait_for(self._asking.metrics(query))

    def latest(self, query: MetricsQuery, *, patience: float | None = None) -> MetricsAnswer:
        """The newest value of each metric asked for: at most one point; none before the first count."""
        return self._wait_for(self._asking.latest(query, patience=patience))

    def end(self) -> None:
        """Every question that is open, or asked from now on, fails at once. Also from a signal handler."""
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
