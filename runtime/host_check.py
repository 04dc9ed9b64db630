"""Host check (ASGI middleware): the names by which this dashboard may be asked, for HTTP and WebSocket.

Against DNS rebinding: a foreign page whose name was made to point at this machine has the same origin as the
dashboard behind it, and only the name in `Host` tells them apart. An IP address cannot be rebound, so every
one is answered; names are those of the loopback interface, of this machine, and those that were configured.

A browser lets any page open a WebSocket to anywhere and only names its origin. Streamlit takes every port of
this machine for its own, so whatever else serves pages there could drive the dashboard: here the origin must
be the very host and port that were asked. A frame of the dashboard in a foreign page has its own origin.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from html import escape
from ipaddress import ip_address
from typing import Final

import structlog
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ANY: Final = "*"
_LOOPBACK: Final = ("localhost", "*.localhost")
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{0,5}))?", re.IGNORECASE)
"""Of the header: a name or an address, and a port."""
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_LONGEST_NAME: Final = 253
_STYLE: Final = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}"
_MOST_LOGGED: Final = 100
"""Names and origins that are logged, each once; whoever asks under ever new ones does not fill the log."""

_log = structlog.get_logger("runtime.host_check")


class HostCheck:
    """Answers 421 to requests under other names. `configured` may hold `*.example.org` and `*` (any name)."""

    def __init__(self, app: ASGIApp, configured: Iterable[str] = ()) -> None:
        self._app = app
        self._allowed = frozenset(map(_plain, (*_LOOPBACK, *own_names(), *configured)))
        self._logged: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        # A request without the header is no browser's; of two, a server behind might take the other.
        names = [host_name(value) for value in Headers(scope=scope).getlist("host")]
        refused = [name for name in names if name is None or not is_allowed(name, self._allowed)]
        if refused:
            self._log_name(refused[0])
            await _refusal(refused[0])(scope, receive, send)
        elif scope["type"] == "websocket" and not is_own_page(Headers(scope=scope)):
            self._log_origin(Headers(scope=scope))
            await PlainTextResponse("Only for pages of this dashboard.\n", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _log_name(self, name: str | None) -> None:
        if name and self._is_news(name):
            _log.warning(
                "a request under an unknown host name was refused",
                host=name,
                remedy="if the name is this dashboard's, add it to HEADROOM_HOSTS",
            )

    def _log_origin(self, headers: Headers) -> None:
        origin, host = headers["origin"][:_LONGEST_NAME], headers["host"]
        if self._is_news(f"{origin} {host}"):
            _log.warning(
                "a page from elsewhere was refused",
                origin=origin,
                host=host,
                remedy="if the page is this dashboard's, let the proxy hand on Host as it was asked",
            )

    def _is_news(self, refused: str) -> bool:
        is_news = refused not in self._logged and len(self._logged) < _MOST_LOGGED
        if is_news:
            self._logged.add(refused)
        return is_news


def host_name(header: str) -> str | None:
    """The name or address in a `Host` header, without its port; None: there is none in it."""
    found = _HOST.fullmatch(header)
    if found is None or len(found["name"]) > _LONGEST_NAME:
        return None
    return _plain(found["name"].strip("[]"))


def is_allowed(name: str, allowed: frozenset[str]) -> bool:
    """Whether `name`, from `host_name`, is an address or one of `allowed`."""
    if ANY in allowed or name in allowed or _is_address(name):
        return True
    labels = name.split(".")
    return any("*." + ".".join(labels[parent:]) in allowed for parent in range(1, len(labels)))


def is_own_page(headers: Headers) -> bool:
    """Whether the page that asks comes from the host and port that it asks; no browser, no origin.

    The scheme does not matter: a proxy may have taken TLS off. `X-Forwarded-Host` is not read: a proxy hands
    `Host` on as it was asked, and others could say anything.
    """
    hosts = headers.getlist("host")
    return all(_is_same_place(origin, host) for origin in headers.getlist("origin") for host in hosts)


def _is_same_place(origin: str, host: str) -> bool:
    scheme, _, place = origin.partition("://")
    default = _DEFAULT_PORTS.get(scheme.lower())
    found, asked = _HOST.fullmatch(place), _HOST.fullmatch(host)
    if default is None or found is None or asked is None:
        return False
    same_name = _plain(found["name"]) == _plain(asked["name"])
    return same_name and (found["port"] or default) == (asked["port"] or default)


def own_names() -> tuple[str, ...]:
    """This machine's name, whole and short, and as it is called in a local network without a name server.

    No foreign page can have them: `.local` is not for sale.
    """
    whole = socket.gethostname()
    short = whole.partition(".")[0]
    return (whole, short, f"{short}.local") if short else ()


def is_for_this_machine(address: str | None) -> bool:
    """Whether a server that listens at `address` (None: on every interface) is reached from here alone."""
    if not address:
        return False
    return address == "localhost" or (_is_address(address) and ip_address(address).is_loopback)


def say_who_may_open(address: str | None, *, has_login: bool, is_meant: bool) -> None:
    """One line in the log where the dashboard listens beyond this machine. None: on every interface.

    `is_meant`: somebody said that the network may open it without a login.
    """
    if is_for_this_machine(address):
        return
    listens = address or "every interface"
    if has_login:
        _log.info("the dashboard is open to the network, behind its login", address=listens)
    elif is_meant:
        _log.warning(
            "the dashboard is open to the network, without a login",
            address=listens,
            visible="all sites that the key reads, Screens with Revoke and Delete, /readyz, /metrics",
            remedy="a login: docs/operation.md; or a proxy with one before it, and HOST=127.0.0.1",
        )
    else:
        _log.error(
            "the dashboard serves no page: it is open to the network and has no login",
            address=listens,
            served="screens of walls by their links, /healthz",
            remedy="python -m runtime.password, or [auth] in .streamlit/secrets.toml: docs/operation.md; or "
            "HOST=127.0.0.1; or HEADROOM_OPEN_TO_NETWORK=yes, where everybody may see and change everything",
        )


def _plain(name: str) -> str:
    return name.lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _refusal(name: str | None) -> HTMLResponse:
    if name is None:
        what, remedy = "this name", ""
    else:
        what = f"the name <b>{escape(name)}</b>"
        remedy = (
            " If the name is right, whoever runs the dashboard adds it to its setting "
            f"<code>HEADROOM_HOSTS</code> and starts it again: <code>HEADROOM_HOSTS={escape(name)}</code>."
        )
    return HTMLResponse(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Unknown host name</title><style>{_STYLE}</style></head><body>"
        f"<h1>Unknown host name</h1><p>This dashboard does not answer to {what}.{remedy}</p>"
        "</body></html>\n",
        421,
        {
            "Cache-Control": "no-store",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
            "form-action 'none'",
        },
    )
