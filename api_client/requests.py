"""Requests to the service: addresses of its endpoints, the headers with the key, where redirects may lead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import quote

import httpx

from api_client.errors import BrokenAnswer, Unauthorized
from contract import MAXIMUM_PAGE_SIZE, NOW, ErrorCode, MetricsQuery
from contract.latest_sites import LATEST_SITES_PATH

MAXIMUM_REDIRECTS: Final = 3
_CONNECT_TIMEOUT: Final = 4.0
_LOOPBACK: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One request. Those of v3 only read, so that they may be sent again; those that write are sent once."""

    operation: str
    """What is being done, for people and the log of errors."""
    method: str
    url: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Besides the key."""
    changes: bool = False
    """Whether the service is asked to change something."""


def service_root(base_url: str) -> str:
    """The service root without its trailing slash; `/v3` at the end is taken off if somebody put it."""
    return base_url.strip().rstrip("/").removesuffix("/v3").rstrip("/")


def sites_request(root: str, offset: int, limit: int = MAXIMUM_PAGE_SIZE) -> ApiRequest:
    parameters: dict[str, int | str] = {"limit": limit, "offset": offset}
    return ApiRequest("list sites", "GET", f"{root}/v3/sites", parameters)


def site_request(root: str, site_id: str) -> ApiRequest:
    return ApiRequest(f"read site {site_id}", "GET", f"{root}/v3/sites/{quote(site_id, safe='')}")


def metrics_request(root: str, query: MetricsQuery) -> ApiRequest:
    kind = "stream" if query.live else "read metrics of"
    return ApiRequest(f"{kind} {query.site_id}", "POST", f"{root}/v3/metrics", body=query.body())


def latest_request(root: str) -> ApiRequest:
    """Of an extension that some services have."""
    return ApiRequest("stream all sites", "GET", f"{root}{LATEST_SITES_PATH}")


def now_query(query: MetricsQuery) -> MetricsQuery:
    """The same query for now: no range, no stream, the granularity the service chooses."""
    return query.model_copy(update={"from_": NOW, "to": NOW, "granularity": None, "live": None})


def key_headers(api_key: str) -> dict[str, str]:
    """Raises Unauthorized for text that cannot be sent as a key, before anything is sent."""
    key = api_key.strip()
    if key.isascii() and (key.isprintable() or not key):
        return {"x-api-key": key}
    raise Unauthorized(
        "The API key holds characters that no key has. Copy it again, whole and on one line.",
        code=ErrorCode.INVALID_API_KEY,
    )


def resume_headers(last_event_id: str) -> dict[str, bytes]:
    """What tells a service where a stream broke off; none for an empty id."""
    return {"last-event-id": last_event_id.encode()} if last_event_id else {}


def timeouts(answer: float, pause: float | None = None) -> httpx.Timeout:
    """Connecting is given up soon; `pause` seconds may pass within an answer, else `answer`."""
    return httpx.Timeout(answer, connect=min(_CONNECT_TIMEOUT, answer), read=pause or answer)


def direct_mounts() -> dict[str, None]:
    """A proxy of the environment is for other hosts: the service on this machine is reached directly."""
    return dict.fromkeys(_LOOPBACK)


def redirected(request: ApiRequest, response: httpx.Response, hop: int) -> ApiRequest | None:
    """The request to follow a redirect with, None for an answer that is none.

    The method and body stay, also after 301 and 302: whoever redirects has done nothing. The key is for one
    host: raises BrokenAnswer instead of taking it to another, to plain HTTP, or round in circles.
    """
    if response.next_request is None:
        return None
    here, there = httpx.URL(request.url), response.next_request.url
    if not _same_door(here, there):
        raise BrokenAnswer(
            f"{here.scheme}://{here.netloc.decode()} redirects to {there.scheme}://{there.netloc.decode()}, "
            "where the API key is not sent. If that is the service, set its address as base URL.",
            code=f"HTTP_{response.status_code}",
        )
    if hop >= MAXIMUM_REDIRECTS:
        raise BrokenAnswer(
            f"The service redirected {hop + 1} times without an answer. Check the base URL.",
            code=f"HTTP_{response.status_code}",
        )
    return replace(request, url=str(there), parameters={})


def _same_door(here: httpx.URL, there: httpx.URL) -> bool:
    """Whether both are the same scheme, host and port, or the same host on the standard ports with TLS."""
    if here.host != there.host:
        return False
    doors = ((here.scheme, here.port), (there.scheme, there.port))
    return doors[0] == doors[1] or doors == (("http", None), ("https", None))
