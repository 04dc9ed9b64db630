"""Access guard (ASGI middleware): what a browser without a session, or of another site, does not get.

Everything is closed but walls by their links, and what a login needs; so are routes that are added later. An
open connection ends within seconds after its session does, after a log-out, and after the list says something
else of the person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from hmac import compare_digest
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.access import Person, Refusal
from runtime.access_pages import closed_page, refused_page
from runtime.login import BACK_COOKIE, Login, usable_back
from runtime.login_answer import answer_login, send_to_provider
from runtime.provider_clock import ProviderClock
from runtime.settings import get_settings

LOOK_EVERY: Final = 2.0
"""Seconds between two looks at whether the session of an open connection still holds."""
SESSION_OVER: Final = 4401
"""Code with which a page's WebSocket is closed; the page then asks `/session`, and is loaded anew."""
OPEN: Final = frozenset({"healthz", "login", "logout", "auth/login", "auth/logout", "oauth2callback"})
_OF_WALLS: Final = ("screen/", "screen-assets/")
_MONITORED: Final = frozenset({"readyz", "metrics"})
_NO_STORE: Final = {"Cache-Control": "no-store"}
_LONGEST_KEPT: Final = 1_500
"""Characters of an address that a login leads back to."""

_log: Final = structlog.get_logger("runtime.access_guard")


class SitesAsked(NamedTuple):
    """Which sites a request is about."""

    ids: Collection[str] = ()
    every: bool = False


FindSites = Callable[[str, HTTPConnection], SitesAsked]
"""By the path below the dashboard's own, without the first slash."""


class AccessGuard:
    """`login` None: there is none although others reach the dashboard, so that nobody gets a page.

    `prefix` is the path below which the dashboard is, `find_sites` may block, `is_ticket` tells a preview
    from a wall's link.
    """

    def __init__(
        self,
        app: ASGIApp,
        login: Login | None,
        find_sites: FindSites,
        is_ticket: Callable[[str], bool],
        prefix: str = "",
    ) -> None:
        self._app = app
        self._login = login
        self._find_sites = find_sites
        self._is_ticket = is_ticket
        self._clock = ProviderClock()
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        path = self._path(scope)
        if self._is_open(path):
            if path == "auth/logout" and self._login is not None:
                self._login.end(HTTPConnection(scope).cookies)
            if path == "oauth2callback":
                await answer_login(self._app, scope, receive, send, self._clock)
            elif path == "auth/login":
                await send_to_provider(self._app, scope, receive, send)
            else:
                await self._app(scope, receive, send)
        elif self._login is None:
            await _refuse(closed_page(), scope, receive, send)
        elif path in _MONITORED and _is_monitoring(HTTPConnection(scope)):
            await self._app(scope, receive, send)
        else:
            await self._guarded(self._login, path, scope, receive, send)

    async def _guarded(self, login: Login, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        asked = HTTPConnection(scope)
        person = login.person(asked.cookies)
        if not isinstance(person, Person):
            await _refuse(_unknown(person, path, asked, scope), scope, receive, send)
        elif not person.sees_every_site and not await self._sees(person, path, asked):
            await _refuse(_forbidden(), scope, receive, send)
        elif path == "" and BACK_COOKIE in asked.cookies:
            back = usable_back(unquote(asked.cookies[BACK_COOKIE]))
            answer = RedirectResponse(f"./{back}", 303, _NO_STORE)
            answer.delete_cookie(BACK_COOKIE, path=f"/{self._prefix}".rstrip("/") or "/")
            await answer(scope, receive, send)
        elif path == "session":
            await Response(status_code=204, headers=_NO_STORE)(scope, receive, send)
        elif scope["type"] == "websocket" or path.endswith("/stream"):
            await _Ending(login, person, scope, receive, send).run(self._app)
        else:
            await self._app(scope, receive, send)

    async def _sees(self, person: Person, path: str, asked: HTTPConnection) -> bool:
        if path in _MONITORED:
            return False
        sites = await run_in_threadpool(self._find_sites, path, asked)
        return not sites.every and all(map(person.sees, sites.ids))

    def _path(self, scope: Scope) -> str:
        """Below the dashboard's own path; routes of ours are served at the root, too.

        A route answers its path with a line break after it, too: `$` ends its pattern.
        """
        path: str = scope["path"].lstrip("/").removesuffix("\n")
        return path.removeprefix(self._prefix)

    def _is_open(self, path: str) -> bool:
        if path in OPEN:
            return self._login is not None or path == "healthz"
        if path.startswith("screen/"):
            return not self._is_ticket(path.split("/")[1])
        return path.startswith(_OF_WALLS)


class _Ending:
    """One open connection that ends when whoever opened it may no more."""

    def __init__(self, login: Login, person: Person, scope: Scope, receive: Receive, send: Send) -> None:
        self._login = login
        self._person = person
        self._scope = scope
        self._receive = receive
        self._send = send
        self._cookies = HTTPConnection(scope).cookies
        self._is_over = False

    @property
    def transport(self) -> object:
        """Of the server's own object: the relay drops the connection of a reader who takes nothing by it."""
        return getattr(getattr(self._receive, "__self__", None), "transport", None)

    async def run(self, app: ASGIApp) -> None:
        self._over = asyncio.create_task(self._wait(), name="end of a session")
        try:
            await app(self._scope, self.receive, self.send)
        finally:
            self._over.cancel()

    async def receive(self) -> Message:
        """What the browser sends; once the session is over, that it has left."""
        heard = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait({heard, self._over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not heard.done():
                heard.cancel()
        if heard.done() and not heard.cancelled() and not self._is_over:
            return heard.result()
        return await self._left()

    async def send(self, message: Message) -> None:
        if not (self._is_over and self._scope["type"] == "websocket"):
            await self._send(message)

    async def _left(self) -> Message:
        if self._scope["type"] == "http":
            return {"type": "http.disconnect"}
        with suppress(Exception):  # the browser has left by itself
            await self._send({"type": "websocket.close", "code": SESSION_OVER, "reason": "session over"})
        return {"type": "websocket.disconnect", "code": SESSION_OVER}

    async def _wait(self) -> None:
        while self._holds():  # noqa: ASYNC110 -- a clock tells nobody what time it is
            await asyncio.sleep(LOOK_EVERY)
        self._is_over = True
        _log.info("a session is over, what it had open ends", person=self._person.name)

    def _holds(self) -> bool:
        found = self._login.person(self._cookies)
        return isinstance(found, Person) and found.is_alike(self._person)


def _unknown(found: Refusal | None, path: str, asked: HTTPConnection, scope: Scope) -> Response:
    """The answer to whoever has no session: a page leads to the login, and back."""
    if scope["type"] == "websocket" or not _is_opened(path, asked, scope):
        return JSONResponse({"error": found or "Log in first."}, 401, _NO_STORE)
    if found is not None and found is not Refusal.OVER:
        return refused_page(found, _up(path))
    query = scope.get("query_string", b"").decode("latin-1")
    back = quote(path, safe="/") + (f"?{query}" if query else "")
    kept = f"?next={quote(back, safe='')}" if back and len(back) <= _LONGEST_KEPT else ""
    return RedirectResponse(f"{_up(path)}login{kept}", 303, _NO_STORE)


def _up(path: str) -> str:
    """Relative, so that a path which a proxy takes away stays."""
    return "../" * path.count("/") or "./"


def _is_opened(path: str, asked: HTTPConnection, scope: Scope) -> bool:
    """Whether a person opens it as a page."""
    mode = asked.headers.get("sec-fetch-mode")
    is_page = mode == "navigate" if mode else "text/html" in asked.headers.get("accept", "")
    return scope["method"] in ("GET", "HEAD") and is_page and path != "session"


def _forbidden() -> Response:
    return JSONResponse({"error": "You may not see this site here."}, 403, _NO_STORE)


def _is_monitoring(asked: HTTPConnection) -> bool:
    token = get_settings().monitoring_token
    wanted = token.get_secret_value() if token else ""
    given = asked.headers.get("authorization", "").removeprefix("Bearer ")
    return bool(wanted) and compare_digest(given.encode(), wanted.encode())


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    await answer(scope, receive, send)
