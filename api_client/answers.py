"""Answers of the service: an HTTP answer becomes a model or an error, and nothing in between.

Tolerant of what the specification leaves open and of single fields that cannot be right (see plausible),
strict about the rest: an answer that cannot be read is an error, never an empty list.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import pairwise
from typing import Any, Final, NamedTuple

import httpx
from pydantic_core import from_json

from api_client.errors import (
    ApiClientError,
    BrokenAnswer,
    Forbidden,
    InvalidQuery,
    NotFound,
    Refused,
    ServiceFailure,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from api_client.plausible import LONGEST_ID, META, SITE, SITE_SUMMARY, Entry, Kind, LeftOut
from api_client.points import POINT
from api_client.service_clock import http_date
from contract import HTTP_STATUS, ErrorCode, Meta, MetricPoint, Site, SiteSummary

FUTURE: Final = "point dated in the future"
"""What is counted for a point that begins later than it can have."""
TWICE: Final = "point with the time of another"
"""What is counted for a point that another of the same answer replaces."""
MOST_ENTRIES: Final = 100_000
"""Of sites or points in one answer."""
_MOST_CONTAINERS: Final = 400_000
"""JSON objects and arrays in one answer: each costs memory many times its two characters."""

_REFUSALS: Final[Mapping[int, tuple[type[Refused], str]]] = {
    HTTPStatus.UNAUTHORIZED: (
        Unauthorized,
        "The service does not accept the API key. Check it in the settings, or create a new one.",
    ),
    HTTPStatus.FORBIDDEN: (
        Forbidden,
        "The API key may not read this. Use a key of the organization that owns it.",
    ),
    HTTPStatus.NOT_FOUND: (
        NotFound,
        "There is no such site for this API key. Choose another one.",
    ),
}
_UNAVAILABLE: Final = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,  # of a proxy, which says nothing about the query
        HTTPStatus.MISDIRECTED_REQUEST,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    }
)
"""Answers that may be others soon, to the same query."""
_LONGEST_SAID: Final = 1_000
"""Characters of what a service says about an error: all of it is shown, on every screen."""
_LONGEST_RETRY_AFTER: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class SitesPage:
    sites: tuple[SiteSummary, ...]
    received: int
    """Entries of the page, also those that cannot be used."""
    has_next: bool
    server_tag: str
    left_out: LeftOut
    request_id: str


@dataclass(frozen=True, slots=True)
class SiteAnswer:
    site: Site
    server_tag: str
    left_out: LeftOut


@dataclass(frozen=True, slots=True)
class MetricsAnswer:
    points: tuple[MetricPoint, ...]
    """In chronological order, one per bucket that has data."""
    inferred: Mapping[str, Any]
    """Every optional parameter that the service filled in, by the name it has in the request."""
    warnings: tuple[Any, ...]
    """Entries of any shape."""
    request_id: str
    server_tag: str
    left_out: LeftOut = field(default_factory=Counter)
    """What cannot be right and is not among the points, by what it is."""


class _Envelope(NamedTuple):
    data: Any
    """JSON, not looked at yet."""
    meta: Meta


def read_sites_page(response: httpx.Response) -> SitesPage:
    left = LeftOut()
    envelope = read_envelope(response, left)
    sites = _entries(response, envelope, SITE_SUMMARY, left)
    pagination = envelope.meta.pagination
    has_next = pagination.has_next if pagination else False
    meta = envelope.meta
    return SitesPage(sites, len(envelope.data), has_next, meta.server_tag, left, meta.request_id)


def read_site(response: httpx.Response) -> SiteAnswer:
    left = LeftOut()
    envelope = read_envelope(response, left)
    site = SITE.read(envelope.data, left)
    if site is None:
        raise not_v3(response, "data: no site with an id and a name", envelope.meta)
    return SiteAnswer(site, envelope.meta.server_tag, left)


def read_metrics(response: httpx.Response, newest_possible: datetime | None = None) -> MetricsAnswer:
    """`newest_possible`, UTC: points that begin later cannot be right. None: all are taken."""
    left = LeftOut()
    envelope = read_envelope(response, left)
    meta = envelope.meta
    points = _entries(response, envelope, POINT, left)
    trusted = tuple(one for one in points if newest_possible is None or one.timestamp <= newest_possible)
    if len(trusted) < len(points):
        left[FUTURE] += len(points) - len(trusted)
    return MetricsAnswer(
        _in_order(trusted, left),
        meta.inferred_params or {},
        meta.warnings,
        meta.request_id,
        meta.server_tag,
        left,
    )


def _in_order(points: tuple[MetricPoint, ...], left: LeftOut) -> tuple[MetricPoint, ...]:
    """As the specification has them: ascending, one per bucket. Of several of one time the last value of each
    metric is taken.
    """
    if all(before.timestamp < after.timestamp for before, after in pairwise(points)):
        return points
    by_time: dict[datetime, MetricPoint] = {}
    for point in points:
        other = by_time.get(point.timestamp)
        if other is None:
            by_time[point.timestamp] = point
            continue
        if other.metrics.keys() & point.metrics.keys():
            left[TWICE] += 1
        by_time[point.timestamp] = replace(point, metrics={**other.metrics, **point.metrics})
    return tuple(by_time[start] for start in sorted(by_time))


def error_of(response: httpx.Response) -> ApiClientError:
    """The error that an answer other than success stands for; its body has been read."""
    try:
        raw = json_of(response.content)
    except ValueError:
        raw = None
    error = _error(response, meta := _meta(raw))
    error.status, error.said = response.status_code, _said(meta)
    return error


def header_request_id(response: httpx.Response) -> str:
    """Empty when the service does not tell it in a header."""
    return str(response.headers.get("x-request-id", ""))[:LONGEST_ID]


def json_of(text: bytes, most_containers: int = _MOST_CONTAINERS) -> Any:
    """Raises ValueError for what is no JSON, and for JSON that would take too much memory."""
    if text.count(b"{") + text.count(b"[") > most_containers:
        raise ValueError(f"more than {most_containers} objects and arrays")
    return from_json(text)


def wire_error(error: httpx.RequestError | httpx.InvalidURL, url: str) -> Unreachable:
    """A failure below HTTP as a sentence; `url` is shown without what may be secret in it."""
    place = _shown(url)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        sentence = f"{place} is no address of a service. Set a base URL such as https://api.example.com."
        return Unreachable(sentence, code="INVALID_URL", was_sent=False)
    if isinstance(error, httpx.ConnectTimeout):
        sentence = f"{place} does not answer. Check the base URL, the network and any firewall between."
        return Unreachable(sentence, code="TIMEOUT", was_sent=False)
    if isinstance(error, httpx.TimeoutException):
        return Unreachable(f"{place} did not answer in time. Try again later.", code="TIMEOUT")
    if isinstance(error, httpx.ConnectError):
        sentence = (
            f"{place} cannot be reached ({_cause(error)}). Check the base URL and that the service runs."
        )
        return Unreachable(sentence, code="CONNECTION_FAILED", was_sent=False)
    return Unreachable(f"The connection to {place} broke off ({error}). Try again.", code="CONNECTION_LOST")


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds that a `Retry-After` header asks to wait, in either of its two forms (RFC 9110, 10.2.3).

    None when it is absent or neither; at most a day. `now` is by the clock of whoever asks for it.
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST_RETRY_AFTER)
    moment = http_date(text)
    return None if moment is None else min(max((moment - now).total_seconds(), 0.0), _LONGEST_RETRY_AFTER)


def read_envelope(response: httpx.Response, left: LeftOut) -> _Envelope:
    """The data of a success, not looked at yet, and its meta. Raises ApiClientError."""
    if response.status_code not in (HTTPStatus.OK, HTTPStatus.CREATED):
        raise error_of(response)
    try:
        raw = json_of(response.content)
    except ValueError as error:
        raise not_v3(response, str(error)) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("meta"), dict) or "data" not in raw:
        raise not_v3(response, "no data and meta")
    meta = META.read(raw["meta"], left) or Meta()
    if raw["data"] is None:
        raise _error(response, meta)
    return _Envelope(raw["data"], meta)


def _entries(
    response: httpx.Response, envelope: _Envelope, entry: Entry[Kind], left: LeftOut
) -> tuple[Kind, ...]:
    """The entries that can be used; that none of several can is an error, not an empty list."""
    if not isinstance(envelope.data, list):
        raise not_v3(response, "data: no list", envelope.meta)
    taken = entry.read_all(envelope.data, left, MOST_ENTRIES)
    if envelope.data and not taken:
        raise not_v3(response, f"data: none of the entries is a {entry.name}", envelope.meta)
    return taken


def _meta(raw: object) -> Meta:
    meta = raw.get("meta") if isinstance(raw, dict) else None
    return META.read(meta, LeftOut()) or Meta()


def not_v3(response: httpx.Response, fault: str, meta: Meta | None = None) -> BrokenAnswer:
    return BrokenAnswer(
        f"{_shown(str(response.url))} answered, but not as a v3 service does ({fault}). Check the base URL.",
        code="NOT_V3",
        request_id=(meta.request_id if meta else "") or header_request_id(response),
    )


def _error(response: httpx.Response, meta: Meta) -> ApiClientError:
    # A success may hold errors all the same; then theirs is the status that counts.
    hidden = () if response.is_error else (_status_of(entry.code) for entry in meta.errors)
    status = max(hidden, default=response.status_code)
    # Several errors may come at once: the one that the status speaks of names the whole.
    codes = [entry.code for entry in meta.errors]
    code = next((code for code in codes if _status_of(code) == status), (*codes, f"HTTP_{status}")[0])
    request_id = meta.request_id or header_request_id(response)
    if status in _REFUSALS:
        kind, advice = _REFUSALS[status]
        if code != ErrorCode.SITE_NOT_FOUND and kind is NotFound:
            advice = f"Nothing at {_shown(str(response.url))} speaks v3. Check the base URL."
        return kind(_sentence(advice, meta), code=code, request_id=request_id)
    if status in _UNAVAILABLE:
        now = http_date(response.headers.get("date", "")) or datetime.now(UTC)
        wait = retry_after(response.headers.get("retry-after"), now)
        sentence = _sentence("The service cannot answer right now. Try again shortly.", meta)
        if code == ErrorCode.SERVICE_STARTING:
            sentence = _sentence("The service is starting.", meta)
        return Unavailable(sentence, code=code, request_id=request_id, retry_after=wait, errors=meta.errors)
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
        details = {name: text for error in meta.errors for name, text in (error.details or {}).items()}
        sentence = _sentence("The service does not accept the question. Change it and try again.", meta)
        return InvalidQuery(sentence, code=code, request_id=request_id, details=details)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        sentence = _sentence(f"The service failed ({status}). Try again later.", meta)
        return ServiceFailure(sentence, code=code, request_id=request_id)
    sentence = f"The service answered {status} where data was due. Check the base URL."
    return BrokenAnswer(sentence, code=code, request_id=request_id)


def _status_of(code: str) -> int:
    """Status that goes with a code; one of another service's own is the query's fault."""
    try:
        return HTTP_STATUS[ErrorCode(code)]
    except ValueError:
        return HTTPStatus.BAD_REQUEST


def _sentence(advice: str, meta: Meta) -> str:
    return f"{advice} It says: {said}" if (said := _said(meta)) else advice


def _said(meta: Meta) -> str:
    return " ".join(error.message for error in meta.errors if error.message)[:_LONGEST_SAID]


def _shown(url: str) -> str:
    """Scheme, host and port, or the text itself when it is no address; never user names or paths."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return repr(url[:80])
    port = f":{parsed.port}" if parsed.port else ""
    return f"{parsed.scheme}://{parsed.host}{port}" if parsed.host else repr(url[:80])


def _cause(error: BaseException) -> str:
    """What the operating system said: httpx wraps it in words that say less."""
    innermost = error
    while deeper := innermost.__cause__ or innermost.__context__:
        innermost = deeper
    if not isinstance(innermost, OSError) or innermost.errno is None:
        return str(error)
    return os.strerror(innermost.errno) if innermost.errno > 0 else str(innermost.strerror)
