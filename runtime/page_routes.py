"""The routes of the pages: the HTML that a browser loads first, and the answer where there is no page.

The HTML is Streamlit's, with hints on what its scripts would find out late. Without them the same happens one
or two answers of the network later:

- Where the server is. Streamlit's script would ask below the page's own address first, then one level up,
  and open its WebSocket after both answers.
- The scripts of what our pages show, which it asks for once it is asked to draw that. They come after the
  first ones (`low`), while the WebSocket opens; the one that draws charts on History alone.
- The font of the text comes after the scripts, too: until then there is another one.

Three things are no hints: the steps back, `_ENTRIES`, what happens when the page stops, `_STOPPED`, and,
where there is a login, that a page whose session is over goes there, `_SESSION`.
"""

from __future__ import annotations

from hashlib import sha256
from html import escape
from typing import Final

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from page_list import PAGES
from runtime._compat import element_scripts, page_of_streamlit
from runtime.login import installed_login

_ELEMENTS: Final = {page.address: page.elements for page in PAGES}
_WHERE: Final = (
    '<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href, '
    "HOST_CONFIG: {allowedOrigins: [location.origin], useExternalAuthToken: false}}</script>"
)
"""Both names must be there for the WebSocket to open without being asked for first."""
_ENTRIES: Final = """<script>{
  let pressed = false;
  let asked = false;
  const opened = new WeakSet();
  const push = history.pushState;
  const send = WebSocket.prototype.send;
  const note = (event) => { pressed = pressed || event.type !== "click" || !event.detail; };
  ["pointerdown", "click", "keydown"].forEach((kind) => addEventListener(kind, note, true));
  WebSocket.prototype.send = function (message) {
    asked = asked || (pressed && opened.has(this));
    pressed = false;
    opened.add(this);
    return send.call(this, message);
  };
  history.pushState = (state, title, url) => {
    (asked ? push : history.replaceState).call(history, state, title, url);
    asked = false;
  };
}</script>"""
"""A press or a key that the dashboard hears of writes at most one entry of the browser's history; opening a
page by itself writes none.

A press is noted as it begins: what is pressed may be gone when the click would come. A click without a press
(`detail` 0) is one of a keyboard or of an aid. What the dashboard does not hear of (a list that opens, a
touch that scrolls) asks for nothing, nor does what came before the first message of a connection, which opens
the page: while a page completes its address, it would write an entry.

Streamlit's script writes one for each parameter that a page adds to its address: eight where History opens.
"""
_STOPPED: Final = """<script>addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("root");
  const opened = performance.now();
  const look = () => {
    if (!root.childElementCount && performance.now() - opened > 60000) {
      location.reload();
    } else if (!root.childElementCount) {
      root.innerHTML = '<p role="alert" style="padding:1rem">This page has stopped. <a href="" ' +
        'style="color:inherit">Reload it</a>, or wait: it is loaded again in a minute.</p>';
      setTimeout(() => location.reload(), 60000);
    }
  };
  new MutationObserver(() => setTimeout(look, 1000)).observe(root, {childList: true});
})</script>"""
"""A page that Streamlit's script left empty is loaded anew, at most once a minute, and says so until then."""
_SESSION: Final = """<script>{
  const send = WebSocket.prototype.send;
  const known = new WeakSet();
  let left = -Infinity;
  const isLeft = () => performance.now() - left < 60000;
  const later = () => setTimeout(look, 5000);
  const look = () => {
    if (isLeft()) return later();
    fetch("./session", {cache: "no-store"}).then((answer) => {
      if (answer.status !== 401 && answer.status !== 403) return;
      if (isLeft()) later();
      else location.reload();
    }, later);
  };
  addEventListener("beforeunload", () => {
    left = performance.now();
  });
  WebSocket.prototype.send = function (message) {
    if (!known.has(this)) {
      known.add(this);
      this.addEventListener("close", look);
    }
    return send.call(this, message);
  };
}</script>"""
"""A page whose connection ends asks whether it is because the session has; it is then loaded anew, which
leads to the login and back. What it showed is gone with it. One that is being left, as by "Log out", is not
loaded anew for a minute: that would end the way to the provider, whose session would go on.
"""

_ADDRESSES: Final = {page.name: page.address for page in PAGES}
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 sans-serif;max-width:36rem;margin:15vh auto;"
    "padding:0 1.5rem}h1{font-size:1.5rem}nav{display:flex;flex-wrap:wrap;gap:0.75rem 1rem}"
)
_LONGEST_SHOWN: Final = 80
"""Characters of the address."""


def first_page(address: str = "") -> str:
    """The HTML of one page."""
    scripts = "".join(
        f'<link rel="modulepreload" crossorigin fetchpriority="low" href="./{path}">\n'
        for path in element_scripts(_ELEMENTS[address])
    )
    page = page_of_streamlit().replace('as="font"', 'as="font" fetchpriority="low"')
    own = [_WHERE, _ENTRIES, _STOPPED, *([_SESSION] if installed_login() else [])]
    return page.replace("</head>", "\n".join([*own, f"{scripts}</head>"]), 1)


def first_page_routes(prefix: str = "") -> list[Route]:
    """A route for each page, below the path `prefix`."""
    root = f"/{prefix.strip('/')}".rstrip("/") + "/"
    return [_route(root + page.address, first_page(page.address)) for page in PAGES]


def _route(path: str, page: str) -> Route:
    tag = f'"{sha256(page.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}

    async def answer(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return HTMLResponse(page, headers=headers)

    return Route(path, answer, methods=["GET"])


class _OtherAddress(PathConvertor):
    """What is no file, which has an ending, and none of Streamlit's own: below `_stcore` or `media`."""

    regex = r"(?!_|media/)[^.]+"


class _OtherThanLogins(PathConvertor):
    """Likewise, and none of Streamlit's ways to a provider of logins and back."""

    regex = r"(?!_|media/|auth/log(?:in|out)$|oauth2callback$)[^.]+"


def other_addresses_route(prefix: str = "") -> Route:
    """The route of addresses without a page, below the path `prefix`; goes after the routes of all pages.

    Streamlit would answer each with its own page, and that with the Overview, whose stream and scripts are
    then asked for below the wrong path. Instead an address that is only written otherwise leads to its page,
    and every other one is answered with where the pages are. Both are relative, so that a path which a proxy
    takes away stays.
    """
    login = installed_login()
    register_url_convertor("other", _OtherThanLogins() if login and login.providers else _OtherAddress())
    root = f"/{prefix.strip('/')}".rstrip("/") + "/"
    return Route(root + "{address:other}", _answer, methods=["GET"])


async def _answer(request: Request) -> Response:
    address: str = request.path_params["address"]
    top = "../" * address.count("/") or "./"
    page = _ADDRESSES.get(address.strip("/").lower())
    if page is None:
        return HTMLResponse(_no_such_page(address, top), 404, {"Cache-Control": "no-store"})
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{top}{page}{query}")


def _no_such_page(address: str, top: str) -> str:
    shown = address if len(address) <= _LONGEST_SHOWN else f"{address[: _LONGEST_SHOWN - 1]}…"
    links = "".join(f'<a href="{top}{page.address}">{page.title}</a>' for page in PAGES)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>No such page · Headroom</title><style>{_STYLE}</style></head><body>"
        f"<h1>No such page</h1><p>Headroom has no page at “{escape(shown)}”. Its pages:</p><nav>{links}</nav>"
        "</body></html>\n"
    )
