"""The client for pages: one request, one answer, on the caller's thread."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx

from api_client import requests
from api_client.answers import MetricsAnswer, error_of, read_metrics, read_site, read_sites_page, wire_error
from api_client.error_log import ErrorLog, ErrorRecord
from api_client.errors import ApiClientError
from api_client.requests import ApiRequest
from api_client.retries import caller
from contract import MetricsQuery, Site, SiteSummary


class Client:
    """Reads from a v3 service; safe to share between threads.

    `base_url` is the service root, with or without a trailing slash, a path prefix or `/v3`. `timeout` is
    in seconds, between two pieces of an answer. Nothing is sent before the first call, so that a wrong
    address is an error of the call, not of the construction. Every method raises ApiClientError.
    """

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 10.0, attempts: int = 3) -> None:
        self._root = requests.service_root(base_url)
        self._api_key = api_key
        self._http = httpx.Client(timeout=requests.timeouts(timeout), mounts=requests.direct_mounts())
        self._attempt = caller(attempts)
        self._errors = ErrorLog()
        self._server_tag = ""

    @property
    def base_url(self) -> str:
        return self._root

    @property
    def server_tag(self) -> str:
        """Version label of the service as of the last answer; empty before the first."""
        return self._server_tag

    @property
    def recent_errors(self) -> tuple[ErrorRecord, ...]:
        return self._errors.newest_first()

    def sites(self) -> list[SiteSummary]:
        """All sites that the key can read, from all pages, in the service's order."""
        found: dict[str, SiteSummary] = {}
        offset = 0
        while True:
            page = read_sites_page(self._send(requests.sites_request(self._root, offset)))
            self._server_tag = page.server_tag
            unseen = {site.id: site for site in page.sites if site.id not in found}
            found.update(unseen)
            offset += len(page.sites)
            if not (page.has_next and unseen):
                return list(found.values())

    def site(self, site_id: str) -> Site:
        answer = read_site(self._send(requests.site_request(self._root, site_id)))
        self._server_tag = answer.server_tag
        return answer.site

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        answer = read_metrics(self._send(requests.metrics_request(self._root, query)))
        self._server_tag = answer.server_tag
        return answer

    def latest(self, query: MetricsQuery) -> MetricsAnswer:
        """The newest value of each metric asked for: at most one point; none before the first count."""
        return self.metrics(requests.latest_query(query))

    def close(self) -> None:
        self._http.close()

    def _send(self, request: ApiRequest) -> httpx.Response:
        """The answer of success, after retries and redirects; the error that stays is remembered."""
        try:
            return self._attempt(self._send_once, request)
        except ApiClientError as error:
            self._errors.add(request.operation, error)
            raise

    def _send_once(self, request: ApiRequest) -> httpx.Response:
        response = self._exchange(request)
        hop = 0
        while next_request := requests.redirected(request, response, hop):
            request, hop = next_request, hop + 1
            response = self._exchange(request)
        if response.is_error:
            raise error_of(response)
        return response

    def _exchange(self, request: ApiRequest) -> httpx.Response:
        headers = requests.key_headers(self._api_key)
        try:
            return self._http.request(
                request.method, request.url, params=request.parameters, json=request.body, headers=headers
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise wire_error(error, request.url) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
