"""A source that is an address: it is asked, what it answers is taken, and it is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Final

import httpx
import structlog

from contract import quoted
from service.application_state import ApplicationState
from service.pull_feed import PullFeed
from service.pull_settings import UrlSource, certificate_check
from service.pulled_report import UnkeptError, take_pulled
from service.sensors.told_count import ReportError, ToldCount
from service.store.errors import StoreError, WaitingListFullError
from service.thread_pools import PoolFullError

_TIMEOUT: Final = httpx.Timeout(20.0, connect=10.0)
"""Seconds until there is anything; all of it has a bound, too."""
_WHOLE: Final = 60.0
_MOST_REDIRECTS: Final = 3
_NOT_CHANGED: Final = 304
_LONGEST_PAUSE: Final = timedelta(hours=1)


class AnswerError(Exception):
    """There is no answer that could be read; the message says why, without anything secret."""


class PulledUrl:
    def __init__(self, state: ApplicationState, organization: str, source: UrlSource, feed: PullFeed) -> None:
        """Raises OSError where its authorities cannot be read."""
        self._state = state
        self._organization = organization
        self._source = source
        self._feed = feed
        self._log = structlog.get_logger("service.workers.pulled_url").bind(source=source.name)
        verify = certificate_check(source)
        # No proxy of the environment: counters are near, and their passwords are nobody else's.
        self._client = httpx.AsyncClient(
            timeout=_TIMEOUT, auth=_login(source), verify=verify, trust_env=False
        )
        self._known: Collection[ToldCount] = ()
        self._validators: dict[str, str] = {}
        """Of the last answer that was taken: what makes the next one short where nothing changed."""
        self._validated = ""
        """Of which address: of another day's nothing is known."""
        self._failures = 0
        self._said = ""

    async def pull(self) -> timedelta:
        """Ask once; how long to wait then. What is amiss is in the feed, and in the log once."""
        trouble, now = "", self._state.clock()
        try:
            async with asyncio.timeout(_WHOLE):
                answer = await self._answer(now)
            self._feed.read(now)
            if answer is not None:
                await self._take(*answer)
                self._validated = self._dated(self._source.url, now)
        except TimeoutError:
            trouble = f"it did not answer whole in {_WHOLE:g} s"
            self._feed.not_read(now, trouble)
        except AnswerError as error:
            trouble = str(error)
            self._feed.not_read(now, trouble)
        except ReportError as error:
            self._feed.refused += 1
            trouble = f"nothing can be taken of what it answers: {error}"
        except (WaitingListFullError, UnkeptError) as error:
            trouble = str(error)
        except (StoreError, PoolFullError):
            trouble = "reports cannot be stored; the log says why"
        self._tell(trouble)
        self._failures = self._failures + 1 if trouble else 0
        pause: timedelta = self._source.interval * 2 ** min(max(self._failures - 1, 0), 12)
        return max(min(pause, _LONGEST_PAUSE), self._source.interval)

    async def close(self) -> None:
        await self._client.aclose()

    def _tell(self, trouble: str) -> None:
        if trouble and trouble != self._said:
            self._log.warning("source in trouble", reason=trouble)
        elif self._said and not trouble:
            self._log.info("source works again")
        self._said = self._feed.trouble = trouble

    async def _take(self, body: bytes, validators: dict[str, str]) -> None:
        taken = await take_pulled(self._state, self._organization, self._source, body, self._known)
        self._known, self._validators = taken.told, validators
        self._feed.taken += 1

    async def _answer(self, now: datetime) -> tuple[bytes, dict[str, str]] | None:
        """What it answers, and how to ask whether that has changed; None where it has not.

        Raises AnswerError.
        """
        url = self._url(now)
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                async with self._asked(url, now) as response:
                    if not response.has_redirect_location:
                        return await self._read(response)
                    there = url.join(response.headers["location"])
            except (httpx.TransportError, httpx.InvalidURL) as error:
                raise AnswerError(_reason(error)) from error
            if (there.scheme, there.host, there.port) != (url.scheme, url.host, url.port):
                where = quoted(f"{there.scheme}://{there.host}")
                raise AnswerError(f"it redirects to {where}, another host: set that address if it is right")
            url = there
        raise AnswerError(f"it redirects more than {_MOST_REDIRECTS} times")

    def _url(self, now: datetime) -> httpx.URL:
        try:
            return httpx.URL(self._dated(self._source.url, now))
        except httpx.InvalidURL as error:
            raise AnswerError("its url is none") from error

    def _asked(self, url: httpx.URL, now: datetime) -> AbstractAsyncContextManager[httpx.Response]:
        source = self._source
        # Packed, a small answer could become one of any size.
        headers = {"Accept-Encoding": "identity", "User-Agent": "Headroom"}
        if source.token:
            headers["Authorization"] = f"Bearer {source.token.get_secret_value()}"
        if source.body is None:
            if self._dated(source.url, now) == self._validated:
                headers |= self._validators
            return self._client.stream("GET", url, headers=headers)
        headers["Content-Type"] = source.content_type
        return self._client.stream(
            "POST", url, headers=headers, content=self._dated(source.body, now).encode()
        )

    async def _read(self, response: httpx.Response) -> tuple[bytes, dict[str, str]] | None:
        if response.status_code == _NOT_CHANGED and self._validators:
            return None
        if response.status_code in (401, 403):
            raise AnswerError(f"it answers {response.status_code}: user, password or token are not right")
        if response.status_code != httpx.codes.OK:
            raise AnswerError(f"it answers {response.status_code} {response.reason_phrase[:100]}".rstrip())
        if response.headers.get("content-encoding", "identity") != "identity":
            raise AnswerError("it answers packed, which it was not asked for")
        largest, body = self._state.settings.ingest_body_limit, bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > largest:
                raise AnswerError(f"it answers more than {largest:,} bytes: ask it for less at once")
        told = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
        return bytes(body), {
            asked: response.headers[header] for asked, header in told.items() if header in response.headers
        }

    def _dated(self, text: str, now: datetime) -> str:
        today = now.astimezone(self._source.zone).date()
        for word, days in (("{yesterday}", -1), ("{today}", 0), ("{tomorrow}", 1)):
            text = text.replace(word, (today + timedelta(days=days)).isoformat())
        return text


def _login(source: UrlSource) -> httpx.Auth | None:
    if source.user is None or source.password is None:
        return None
    login = httpx.DigestAuth if source.login == "digest" else httpx.BasicAuth
    return login(source.user, source.password.get_secret_value())


def _reason(error: Exception) -> str:
    """Without the address, in which there may be a token."""
    if isinstance(error, httpx.TimeoutException):
        return "it does not answer in time"
    if isinstance(error, httpx.ConnectError):
        return f"it cannot be reached: {next(_faults(error), 'no connection')}"
    return f"the connection failed: {type(error).__name__}"


def _faults(error: BaseException) -> Iterator[str]:
    """What the system said, beneath what libraries make of it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if said := getattr(cause, "verify_message", "") or getattr(cause, "strerror", ""):
            yield said
        cause = cause.__cause__ or cause.__context__
