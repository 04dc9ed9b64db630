"""`/login` and `/logout`: by a provider (Streamlit's `st.login`), or by the administrator's password."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final
from urllib.parse import parse_qs, quote

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from runtime._compat import login_path
from runtime.access import LONGEST_SESSION, Person, Refusal
from runtime.access_pages import login_page
from runtime.failed_logins import FailedLogins, place_of
from runtime.host_check import is_own_page
from runtime.login import (
    BACK_COOKIE,
    KNOWN_COOKIE,
    LONGEST_KNOWN,
    SESSION_COOKIE,
    Login,
    is_own,
    usable_back,
)
from runtime.login_answer import is_encrypted
from runtime.password import LONGEST, is_right

_BACK_AGE: Final = 900
"""Seconds."""
_LONGEST_BODY: Final = 4 * LONGEST + 200
_PATIENCE: Final = 10.0
"""Seconds for a body."""
_MOST_WAITING: Final = 8
"""Passwords that are looked at, one after the other: each takes 64 MiB for a moment."""
_OVER: Final = f"{Refusal.OVER} Log in again."
_WRONG: Final = "This is not the password."
_NO_STORE: Final = {"Cache-Control": "no-store"}

_log: Final = structlog.get_logger("runtime.login_routes")


class LoginRoutes:
    """Within one event loop. `prefix` is the path below which the dashboard is."""

    def __init__(self, login: Login, prefix: str = "") -> None:
        self._login = login
        self._path = f"/{prefix.strip('/')}"
        self._failed = FailedLogins()
        self._looking = asyncio.Semaphore(1)
        self._waiting = 0

    def routes(self) -> list[Route]:
        return [
            Route("/login", self.login, methods=["GET", "POST"]),
            Route("/logout", self.logout, methods=["GET"]),
        ]

    async def login(self, request: Request) -> Response:
        if request.method == "POST" and self._login.by_password:
            return await self._try(request)
        provider = request.query_params.get("provider", "")
        if provider in self._login.providers:
            answer: Response = RedirectResponse(f"./{login_path(provider)}", 303, _NO_STORE)
            self._keep(answer, request, BACK_COOKIE, quote(_back(request), safe=""), _BACK_AGE)
            return answer
        found = self._login.person(request.cookies)
        if isinstance(found, Person):
            return RedirectResponse(f"./{_back(request)}", 303, _NO_STORE)
        return self._page(request, _OVER if found is Refusal.OVER else "")

    async def logout(self, request: Request) -> Response:
        """The session is over here, and at the provider if that was the way in."""
        self._login.end(request.cookies)
        is_of_provider = any(is_own(name) and name != SESSION_COOKIE for name in request.cookies)
        answer = RedirectResponse("./auth/logout" if is_of_provider else "./login", 303, _NO_STORE)
        for name in (SESSION_COOKIE, BACK_COOKIE):
            answer.delete_cookie(name, path=self._path)
        return answer

    async def _try(self, request: Request) -> Response:
        address = request.client.host if request.client else ""
        known = self._login.known_browser(request.cookies)
        place, is_known = (f"browser {known}", True) if known else (place_of(address), False)
        # A page of elsewhere must not log anybody in, or try passwords by other people's browsers.
        if not is_own_page(request.headers) or request.headers.get("sec-fetch-site") == "cross-site":
            return self._page(request, "The login has to be sent from its own page.", 403)
        password = await _password(request)
        # Not before: of many whose bodies end at once, each would have found no failure.
        if pause := self._failed.pause(place, is_known=is_known):
            return self._too_often(request, pause)
        if self._waiting >= _MOST_WAITING:
            return self._too_often(request, 5.0)
        self._failed.note(place, is_known=is_known)
        self._waiting += 1
        try:
            async with self._looking:
                is_let_in = password is not None and await run_in_threadpool(self._is_right, password)
        finally:
            self._waiting -= 1
        if not is_let_in:
            _log.warning("a wrong password was given", address=address)
            return self._page(request, _WRONG, 401)
        self._failed.forget(place, is_known=is_known)
        _log.info("the administrator logged in", address=address)
        answer = RedirectResponse(f"./{_back(request)}", 303, _NO_STORE)
        self._keep(answer, request, SESSION_COOKIE, self._login.session(), int(LONGEST_SESSION))
        self._keep(answer, request, KNOWN_COOKIE, self._login.known_from_now_on(known), LONGEST_KNOWN)
        return answer

    def _is_right(self, password: str) -> bool:
        try:
            hashed = self._login.password_hash()
        except OSError as error:
            _log.error("nobody can log in by a password", path=error.filename, reason=error.strerror)
            return False
        return bool(hashed) and is_right(password, hashed)

    def _page(self, request: Request, problem: str = "", status: int = 200) -> Response:
        back = quote(_back(request), safe="")
        made = partial(login_page, self._login.providers, by_password=self._login.by_password, back=back)
        return made(problem=problem, status=status)

    def _too_often(self, request: Request, pause: float) -> Response:
        minutes = f"{pause / 60:.0f} minutes" if pause > 90 else "a minute"  # noqa: PLR2004 - seconds
        answer = self._page(request, f"Too many tries. Try again in {minutes}.", 429)
        answer.headers["Retry-After"] = f"{pause:.0f}"
        return answer

    def _keep(self, answer: Response, request: Request, name: str, value: str, age: int) -> None:
        is_secure = is_encrypted(request.scope)
        answer.set_cookie(
            name, value, max_age=age, path=self._path, httponly=True, samesite="lax", secure=is_secure
        )


async def _password(request: Request) -> str | None:
    """None: none that can be right was sent, or not in time."""
    body = b""
    try:
        async with asyncio.timeout(_PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _LONGEST_BODY:
                    return None
    except TimeoutError:
        return None
    try:
        given = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10).get("password", [])
    except ValueError:
        return None
    return given[0] if len(given) == 1 else None


def _back(request: Request) -> str:
    return usable_back(request.query_params.get("next", ""))
