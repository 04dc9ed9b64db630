"""The answer to a login at a provider, kept small enough that the browser can open the page with it.

Streamlit (1.67) puts all claims into cookies, and the tokens besides. The server of its WebSocket
(websockets 17) takes a header of 8,192 bytes: with more, a page would stay empty for ever. It lets them be
sent without TLS, too, which is right for a login without it alone.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime._compat import LOGIN_TOKENS_COOKIE, is_login_cookie
from runtime.access import Refusal
from runtime.access_pages import clock_page, provider_down_page, refused_page
from runtime.provider_clock import ProviderClock

LARGEST: Final = 6_000
"""Bytes of all cookies of a login; the rest is for other cookies."""

_log: Final = structlog.get_logger("runtime.login_answer")


async def send_to_provider(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let `app` lead to the provider; where it cannot, it would say two words without a way on."""
    is_replaced = False

    async def sending(message: Message) -> None:
        nonlocal is_replaced
        if message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST:
            is_replaced = True
            await provider_down_page("../")(scope, receive, send)
        if not is_replaced:
            await send(message)

    await app(scope, receive, sending)


async def answer_login(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, clock: ProviderClock
) -> None:
    """Let `app` answer; without the tokens where they are too large, which only a log-out at the provider
    would use, and with a refusal where the claims alone are, or the clock of this machine is wrong.
    """
    is_replaced = False

    async def sending(message: Message) -> None:
        nonlocal is_replaced
        if message["type"] == "http.response.start":
            if _is_refused(message, scope) and (off := await clock.seconds_off()):
                is_replaced = True
                await clock_page(off, "./")(scope, receive, send)
            elif not _shrunk(message):
                is_replaced = True
                _log.error("nobody is let in: the provider puts too much into its token", most_bytes=LARGEST)
                await refused_page(Refusal.TOO_LARGE, "./")(scope, receive, send)
            elif is_encrypted(scope):
                _keep_to_encrypted(message)
        if not is_replaced:
            await send(message)

    await app(scope, receive, sending)


def _is_refused(message: Message, scope: Scope) -> bool:
    """Whether a provider has let somebody in whom the answer does not log in."""
    cookies = MutableHeaders(scope=message).getlist("set-cookie")
    pairs = [one.partition(";")[0].partition("=") for one in cookies]
    is_let_in = any(is_login_cookie(name) and value.strip('"') for name, _, value in pairs)
    return b"code=" in scope.get("query_string", b"") and not is_let_in


def is_encrypted(scope: Scope) -> bool:
    """Whether the browser asks by TLS, which a proxy may have taken off."""
    return "https" in (scope.get("scheme"), Headers(scope=scope).get("x-forwarded-proto", ""))


def _keep_to_encrypted(message: Message) -> None:
    """Add `Secure` to the cookies of the login."""
    message["headers"] = [
        (name, value + b"; Secure")
        if name.lower() == b"set-cookie" and _is_to_be_secure(value)
        else (name, value)
        for name, value in message["headers"]
    ]


def _is_to_be_secure(cookie: bytes) -> bool:
    return _is_of_login(cookie.decode("latin-1").partition("=")[0]) and b"secure" not in cookie.lower()


def _shrunk(message: Message) -> bool:
    """Whether the cookies that the answer sets are small enough now."""
    headers = MutableHeaders(scope=message)
    cookies = headers.getlist("set-cookie")
    if _size(cookies) > LARGEST:
        cookies = [one for one in cookies if not one.startswith(LOGIN_TOKENS_COOKIE)]
        message["headers"] = [
            *((name, value) for name, value in message["headers"] if name.lower() != b"set-cookie"),
            *((b"set-cookie", one.encode("latin-1")) for one in cookies),
        ]
    return _size(cookies) <= LARGEST


def _size(cookies: list[str]) -> int:
    pairs = [one.partition(";")[0] for one in cookies]
    own = [pair for pair in pairs if _is_of_login(pair.partition("=")[0])]
    return sum(len(pair) + 2 for pair in own)


def _is_of_login(name: str) -> bool:
    return is_login_cookie(name) or name.startswith(LOGIN_TOKENS_COOKIE)
