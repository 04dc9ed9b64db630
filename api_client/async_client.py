"""The client of a v3 service within one event loop: single queries, and the live stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, TypeVar

import httpx
import structlog
from httpx_sse import aconnect_sse

from api_client import requests
from api_client.answers import (
    MetricsAnswer,
    error_of,
    read_metrics,
    read_site,
    read_sites_page,
    wire_error,
)
from api_client.asked_range import within_range
from api_client.body import ENCODING_HEADERS, STREAM_ENCODING_HEADERS, whole
from api_client.careful_client import CarefulClient
from api_client.errors import ApiClientError, BrokenAnswer, ErrorLog, ErrorRecord, Unreachable
from api_client.latest_stream import LatestStream
from api_client.live_stream import LiveStream, Turns
from api_client.plausible import LeftOut
from api_client.requests import ApiRequest
from api_client.retries import async_caller
from api_client.service_clock import ServiceClock
from api_client.site_list import SiteList
from api_client.stream_answer import check_stream
from contract import ErrorCode, MetricsQuery, Site, SiteSummary

_UNBOUNDED: Final = httpx.Limits(max_connections=None, max_keepalive_connections=20)
"""Each stream holds a connection for hours; a bounded pool would let them starve the reads."""
_PAUSES_IN_ALL: Final = 3
"""How many times the longest pause a whole query may take, where no deadline is given."""
_PARSED_AT_ONCE: Final = 128 * 1024
"""Bytes; to read more than this as JSON would hold up the loop's other work noticeably."""
_NO_COOKIES: Final = DefaultCookiePolicy(allowed_domains=())
"""The key says who asks; cookies would pile up, and be sent back until the service refuses their size."""
_log: Final = structlog.get_logger("api_client")

Content = TypeVar("Content")


class AsyncClient:
    """Reads from a v3 service within one event loop. Every method raises ApiClientError.

    `base_url` is the service root, with or without a trailing slash, a path prefix or `/v3`. Times are in
    seconds: `timeout` between two pieces of an answer, `deadline` for all of a query, repetitions and
    pages included (three times `timeout` unless given), `idle_limit` how long a stream may bring no byte
    before it counts as lost; it must be longer than the service's heartbeat. A query with
    `patience` fails, without another attempt, when one took so long. `now` is the wall clock, UTC.
    `stalled` tells how long in all the loop did not go round in time: what was not heard then is asked again.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 10.0,
        deadline: float | None = None,
        idle_limit: float = 45.0,
        attempts: int = 3,
        now: Callable[[], datetime] | None = None,
        stalled: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.base_url = requests.service_root(base_url)
        self._api_key = api_key
        self._deadline = deadline or _PAUSES_IN_ALL * timeout
        self._idle_limit = idle_limit
        self._stream_timeouts = requests.timeouts(timeout, idle_limit)
        self._http = CarefulClient(
            timeout=requests.timeouts(timeout),
            mounts=requests.direct_mounts(),
            limits=_UNBOUNDED,
            cookies=CookieJar(_NO_COOKIES),
        )
        self._attempt = async_caller(attempts)
        self.turns = Turns()
        self._stalled = stalled
        self._errors = ErrorLog()
        self._clock = ServiceClock(now or partial(datetime.now, UTC))
        self.server_tag = ""
        """Version label of the service as of the last answer; empty before the first."""
        self.left_sites_out = False
        """Whether the service listed more sites than are read, when it was asked last."""

    @property
    def recent_errors(self) -> tuple[ErrorRecord, ...]:
        return self._errors.newest_first()

    @property
    def clock_difference(self) -> timedelta:
        """By how much the service's clock is ahead of this machine's; zero while they roughly agree."""
        return self._clock.difference

    @property
    def service_time(self) -> datetime:
        """What time it is for the service, UTC; no jump of this machine's clock moves it."""
        return self._clock.present

    @property
    def newest_possible(self) -> datetime:
        """A minute that begins after this, UTC, cannot have been measured."""
        return self._clock.newest_possible

    async def sites(self) -> list[SiteSummary]:
        """All sites that the key can read, from all pages, in the service's order; at most 10,000.

        Where a later page is refused as out of range, those before it: `left_sites_out` says so.
        """
        listed = SiteList()
        async with self._asking("list sites"):
            while listed.goes_on:
                request = requests.sites_request(self.base_url, listed.offset)
                try:
                    page = await _parsed(read_sites_page, await self._send(request))
                except ApiClientError as error:
                    listed.refused(error)
                else:
                    self._noted(request, page.server_tag, page.left_out)
                    listed.take(page)
        self.left_sites_out = listed.has_more
        if listed.has_more:
            sentence = f"The service lists more sites than are read; the first {len(listed.sites)} are."
            self._errors.note(request.operation, "TOO_MANY_SITES", sentence)
        return listed.sites

    async def site(self, site_id: str, *, patience: float | None = None) -> Site:
        request = requests.site_request(self.base_url, site_id)
        async with self._asking(request.operation, patience=patience):
            answer = await _parsed(read_site, await self._send(request, patience))
        self._noted(request, answer.server_tag, answer.left_out)
        return answer.site

    async def metrics(
        self, query: MetricsQuery, *, patience: float | None = None, is_of_range: bool = False
    ) -> MetricsAnswer:
        """The points that can have been measured by now; what is dated in the future is left out. Where it
        `is_of_range`, so is what lies outside of the range: a feed takes any minute that it hears of.
        """
        request = requests.metrics_request(self.base_url, query)
        async with self._asking(request.operation, patience=patience):
            response = await self._send(request, patience)
            read = partial(read_metrics, newest_possible=self._clock.newest_possible)
            answer = await _parsed(read, response)
            if is_of_range:
                answer = within_range(answer, query, self._clock.present)
        self._noted(request, answer.server_tag, answer.left_out)
        return answer

    async def newest(self, query: MetricsQuery, *, patience: float | None = None) -> MetricsAnswer:
        """The newest value of each metric asked for: at most one point; none before the first count."""
        return await self.metrics(requests.now_query(query), patience=patience)

    async def reach(self) -> str:
        """Ask for the first site only: whether there is a service that accepts the key. The request id."""
        request = requests.sites_request(self.base_url, 0, limit=1)
        async with self._asking(request.operation):
            return read_sites_page(await self._send(request)).request_id

    async def asked(self, request: ApiRequest, read: Callable[[httpx.Response], Content]) -> Content:
        """What `read` makes of the answer to a request that is not v3's."""
        try:
            async with self._asking(request.operation):
                return await _parsed(read, await self._send(request))
        except ApiClientError as error:
            error.is_undecided &= request.changes
            raise

    @asynccontextmanager
    async def stream(self, query: MetricsQuery, *, last_event_id: str = "") -> AsyncIterator[LiveStream]:
        """An open live stream of `query`; entering means that the service has accepted it.

        `last_event_id` is what an earlier stream of the same query ended with. Raises ApiClientError, on
        entering and while it is read. Never tried twice here: when to come back is the caller's business.
        """
        request = requests.metrics_request(self.base_url, query.model_copy(update={"live": True}))
        # A service may keep the head of its answer back until the first event or heartbeat.
        deadline = max(self._deadline, self._idle_limit)
        async with AsyncExitStack() as stack:
            async with self._asking(request.operation, deadline=deadline):
                headers = requests.resume_headers(last_event_id)
                response = await self._heard(partial(self._open, stack, request, headers))
            remember = partial(self._errors.add, request.operation)
            yield LiveStream(
                response, remember, lambda: self._clock.newest_possible, last_event_id, self.turns
            )

    @asynccontextmanager
    async def latest_sites(self, *, patience: float) -> AsyncIterator[LatestStream]:
        """An open stream of the newest values of all sites, which v3 does not have: most services refuse.

        Entering takes `patience` seconds at most. Raises ApiClientError as `stream` does; what it raises on
        entering is not among the recent errors, as it may be no fault of the service.
        """
        request = requests.latest_request(self.base_url)
        async with AsyncExitStack() as stack:
            async with self._asking(request.operation, deadline=patience, is_optional=True):
                response = await self._open(stack, request, {})
            remember = partial(self._errors.add, request.operation)
            yield LatestStream(response, remember, lambda: self._clock.newest_possible, self.turns)

    async def close(self) -> None:
        await self._http.aclose()

    @asynccontextmanager
    async def _asking(
        self,
        operation: str,
        *,
        deadline: float | None = None,
        patience: float | None = None,
        is_optional: bool = False,
    ) -> AsyncIterator[None]:
        """Ends a query that takes too long in all; the error that stays is remembered, unless the answer
        `is_optional`.
        """
        limit, stalled = deadline or self._deadline, self._stalled()
        try:
            try:
                async with asyncio.timeout(limit):
                    yield
            except TimeoutError as error:
                within = f"{round(patience or limit, 1):g} s"
                sentence = f"The service did not answer in full within {within}. Try again later."
                if self._stalled() - stalled > limit / 2:
                    sentence = "This dashboard's machine is too busy to hear the service. Try again later."
                raise Unreachable(sentence, code="TIMEOUT") from error
            except ApiClientError:
                raise
            except Exception as error:  # the edge: a defect of ours, too, makes an answer no use
                _log.exception("answer not understood", operation=operation)
                sentence = f"The answer could not be read ({type(error).__name__}). The log says why."
                raise BrokenAnswer(sentence, code="NOT_UNDERSTOOD") from error
        except ApiClientError as error:
            if not is_optional and error.code != ErrorCode.SERVICE_STARTING:  # nothing has failed yet
                self._errors.add(operation, error)
            raise

    def _noted(self, request: ApiRequest, server_tag: str, left_out: LeftOut) -> None:
        self.server_tag = server_tag
        if left_out:
            # Without numbers, so that the same trouble is said once.
            sentence = f"Left out, because it cannot be right: {', '.join(sorted(left_out))}."
            self._errors.note(request.operation, "LEFT_OUT", sentence)

    async def _open(
        self, stack: AsyncExitStack, request: ApiRequest, headers: dict[str, bytes]
    ) -> httpx.Response:
        response = await self._connect(stack, request, headers)
        hop = 0
        while next_request := requests.redirected(request, response, hop):
            request, hop = next_request, hop + 1
            response = await self._connect(stack, request, headers)
        await check_stream(response)
        return response

    async def _connect(
        self, stack: AsyncExitStack, request: ApiRequest, headers: dict[str, bytes]
    ) -> httpx.Response:
        source = aconnect_sse(
            self._http,
            request.method,
            request.url,
            json=request.body,
            headers=requests.key_headers(self._api_key) | STREAM_ENCODING_HEADERS | headers,
            timeout=self._stream_timeouts,
        )
        try:
            response = (await stack.enter_async_context(source)).response
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise wire_error(error, request.url) from error
        self._clock.heard(response)
        return response

    async def _send(self, request: ApiRequest, patience: float | None = None) -> httpx.Response:
        """The answer of success, after retries and redirects. Raises TimeoutError when patience is lost."""
        with structlog.contextvars.bound_contextvars(asking=request.operation):
            return await self._heard(partial(self._attempt, self._send_once, request, patience))

    async def _heard(self, ask: Callable[[], Awaitable[Content]]) -> Content:
        """Asks again while nobody listened: a silence that nobody heard is not the service's."""
        while True:
            stalled = self._stalled()
            try:
                return await ask()
            except Unreachable as error:
                if error.code != "TIMEOUT" or self._stalled() == stalled:
                    raise

    async def _send_once(self, request: ApiRequest, patience: float | None) -> httpx.Response:
        async with asyncio.timeout(patience):
            response = await self._exchange(request)
            hop = 0
            while next_request := requests.redirected(request, response, hop):
                request, hop = next_request, hop + 1
                response = await self._exchange(request)
        if response.is_error:
            raise error_of(response)
        return response

    async def _exchange(self, request: ApiRequest) -> httpx.Response:
        headers = requests.key_headers(self._api_key) | ENCODING_HEADERS | dict(request.headers)
        try:
            async with self._http.stream(
                request.method, request.url, params=request.parameters, json=request.body, headers=headers
            ) as response:
                self._clock.heard(response)
                return await whole(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise wire_error(error, request.url) from error


async def _parsed(read: Callable[[httpx.Response], Content], response: httpx.Response) -> Content:
    if len(response.content) <= _PARSED_AT_ONCE:
        return read(response)
    return await asyncio.to_thread(read, response)
