"""The client for the background thread: the same reads, awaited, and the live stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Final

import httpx
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
from api_client.error_log import ErrorLog, ErrorRecord
from api_client.errors import ApiClientError, BrokenAnswer, StreamDeclined
from api_client.live_stream import LiveStream
from api_client.requests import ApiRequest
from api_client.retries import async_caller
from contract import MetricsQuery, Site, SiteSummary

_UNBOUNDED: Final = httpx.Limits(max_connections=None, max_keepalive_connections=20)
"""Each stream holds a connection for hours; a bounded pool would let them starve the reads."""


class AsyncClient:
    """Reads from a v3 service within one event loop; see Client for the parameters.

    `idle_limit` is how long, in seconds, a stream may bring no byte at all before it counts as lost; it
    must be longer than the service's heartbeat.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 10.0,
        idle_limit: float = 45.0,
        attempts: int = 3,
    ) -> None:
        self._root = requests.service_root(base_url)
        self._api_key = api_key
        self._stream_timeouts = requests.timeouts(timeout, idle_limit)
        self._http = httpx.AsyncClient(
            timeout=requests.timeouts(timeout), mounts=requests.direct_mounts(), limits=_UNBOUNDED
        )
        self._attempt = async_caller(attempts)
        self._errors = ErrorLog()
        self._server_tag = ""

    @property
    def server_tag(self) -> str:
        """Version label of the service as of the last answer; empty before the first."""
        return self._server_tag

    @property
    def recent_errors(self) -> tuple[ErrorRecord, ...]:
        return self._errors.newest_first()

    async def sites(self) -> list[SiteSummary]:
        """All sites that the key can read, from all pages, in the service's order."""
        found: dict[str, SiteSummary] = {}
        offset = 0
        while True:
            page = read_sites_page(await self._send(requests.sites_request(self._root, offset)))
            self._server_tag = page.server_tag
            unseen = {site.id: site for site in page.sites if site.id not in found}
            found.update(unseen)
            offset += len(page.sites)
            if not (page.has_next and unseen):
                return list(found.values())

    async def site(self, site_id: str) -> Site:
        answer = read_site(await self._send(requests.site_request(self._root, site_id)))
        self._server_tag = answer.server_tag
        return answer.site

    async def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        answer = read_metrics(await self._send(requests.metrics_request(self._root, query)))
        self._server_tag = answer.server_tag
        return answer

    async def latest(self, query: MetricsQuery) -> MetricsAnswer:
        """The newest value of each metric asked for: at most one point; none before the first count."""
        return await self.metrics(requests.latest_query(query))

    @asynccontextmanager
    async def stream(self, query: MetricsQuery) -> AsyncIterator[LiveStream]:
        """An open live stream of `query`; entering means that the service has accepted it.

        Raises ApiClientError, on entering and while it is read. Never tried twice here: when to come back
        is the caller's business.
        """
        request = requests.metrics_request(self._root, query.model_copy(update={"live": True}))
        async with AsyncExitStack() as stack:
            try:
                response = await self._open(stack, request)
            except ApiClientError as error:
                self._errors.add(request.operation, error)
                raise
            yield LiveStream(response, partial(self._errors.add, request.operation))

    async def close(self) -> None:
        await self._http.aclose()

    async def _open(self, stack: AsyncExitStack, request: ApiRequest) -> httpx.Response:
        response = await self._connect(stack, request)
        hop = 0
        while next_request := requests.redirected(request, response, hop):
            request, hop = next_request, hop + 1
            response = await self._connect(stack, request)
        await _check_stream(response)
        return response

    async def _connect(self, stack: AsyncExitStack, request: ApiRequest) -> httpx.Response:
        source = aconnect_sse(
            self._http,
            request.method,
            request.url,
            json=request.body,
            headers=requests.key_headers(self._api_key),
            timeout=self._stream_timeouts,
        )
        try:
            return (await stack.enter_async_context(source)).response
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise wire_error(error, request.url) from error

    async def _send(self, request: ApiRequest) -> httpx.Response:
        """The answer of success, after retries and redirects; the error that stays is remembered."""
        try:
            return await self._attempt(self._send_once, request)
        except ApiClientError as error:
            self._errors.add(request.operation, error)
            raise

    async def _send_once(self, request: ApiRequest) -> httpx.Response:
        response = await self._exchange(request)
        hop = 0
        while next_request := requests.redirected(request, response, hop):
            request, hop = next_request, hop + 1
            response = await self._exchange(request)
        if response.is_error:
            raise error_of(response)
        return response

    async def _exchange(self, request: ApiRequest) -> httpx.Response:
        headers = requests.key_headers(self._api_key)
        try:
            return await self._http.request(
                request.method, request.url, params=request.parameters, json=request.body, headers=headers
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise wire_error(error, request.url) from error


async def _check_stream(response: httpx.Response) -> None:
    """The status first: httpx-sse would call a 401 or a 204 a wrong content type."""
    if response.status_code == HTTPStatus.NO_CONTENT:
        raise StreamDeclined("The service gives no stream (204); values are asked for.", code="HTTP_204")
    if response.status_code != HTTPStatus.OK:
        await _read_error_body(response)
        raise error_of(response)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "text/event-stream":
        raise BrokenAnswer(
            f"The service answered with {kind or 'nothing'} where a stream was due. Check the base URL.",
            code="NOT_A_STREAM",
            request_id=response.headers.get("x-request-id", ""),
        )


async def _read_error_body(response: httpx.Response) -> None:
    try:
        await response.aread()
    except httpx.RequestError as error:
        raise wire_error(error, str(response.url)) from error
