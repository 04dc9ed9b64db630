"""Addresses below the dashboard's at which there is no page.

Streamlit would answer each with its own page, and that with the Overview, whose stream and scripts are then
asked for below the wrong path. Instead an address that is only written otherwise leads to its page, and
every other one is answered with where the pages are. Both are relative, so that a path which a proxy takes
away stays.
"""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

_PAGES: Final = {
    "overview": "",
    "live": "live",
    "site": "site",
    "history": "history",
    "screens": "screens",
    "connection": "connection",
}
"""A page's name in small letters -> its address."""
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 sans-serif;max-width:36rem;margin:15vh auto;"
    "padding:0 1.5rem}h1{font-size:1.5rem}nav{display:flex;flex-wrap:wrap;gap:0.75rem 1rem}"
)
_LONGEST_SHOWN: Final = 80
"""Characters of the address."""


class _OtherAddress(Convertor[str]):
    """What is no file, which has an ending, and none of Streamlit's own: below `_stcore` or `media`."""

    regex = r"(?!_|media/)[^.]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


def other_addresses_route(prefix: str = "") -> Route:
    """Below the path `prefix`; to stand after the routes of all pages."""
    register_url_convertor("other", _OtherAddress())
    root = f"/{prefix.strip('/')}".rstrip("/") + "/"
    return Route(root + "{address:other}", _answer, methods=["GET"])


async def _answer(request: Request) -> Response:
    address: str = request.path_params["address"]
    top = "../" * address.count("/") or "./"
    page = _PAGES.get(address.strip("/").lower())
    if page is None:
        return HTMLResponse(_no_such_page(address, top), 404, {"Cache-Control": "no-store"})
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{top}{page}{query}")


def _no_such_page(address: str, top: str) -> str:
    shown = address if len(address) <= _LONGEST_SHOWN else f"{address[: _LONGEST_SHOWN - 1]}…"
    links = "".join(f'<a href="{top}{page}">{name.capitalize()}</a>' for name, page in _PAGES.items())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>No such page · Headroom</title><style>{_STYLE}</style></head><body>"
        f"<h1>No such page</h1><p>Headroom has no page at “{escape(shown)}”. Its pages:</p><nav>{links}</nav>"
        "</body></html>\n"
    )
