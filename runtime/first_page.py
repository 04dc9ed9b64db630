"""The page that a browser loads first: Streamlit's, told what its scripts would find out late.

What follows are hints alone. Without them the same happens one or two answers of the network later:

- Where the server is. Streamlit's script would ask below the page's own address first, then one level up,
  and open its WebSocket after both answers.
- The scripts of what our pages show, which it asks for once it is told to draw that. They come after the
  first ones (`low`), while the WebSocket opens; the one that draws charts on History alone.
- The font of the text comes after the scripts, too: until then there is another one.

One thing is no hint: the steps back, `_ENTRIES`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from runtime._compat import element_scripts, page_of_streamlit

_CHOICES: Final = ("BidiComponent", "Selectbox")
_ELEMENTS: Final = {
    "": _CHOICES,
    "live": _CHOICES,
    "site": _CHOICES,
    "history": (*_CHOICES, "PlotlyChart"),
    "screens": _CHOICES,
    "connection": ("BidiComponent",),
}
"""Page -> the elements of Streamlit's that it shows to everybody."""
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


def first_page(name: str = "") -> str:
    """The HTML of one page."""
    scripts = "".join(
        f'<link rel="modulepreload" crossorigin fetchpriority="low" href="./{path}">\n'
        for path in element_scripts(_ELEMENTS[name])
    )
    page = page_of_streamlit().replace('as="font"', 'as="font" fetchpriority="low"')
    return page.replace("</head>", f"{_WHERE}\n{_ENTRIES}\n{scripts}</head>", 1)


def first_page_routes(prefix: str = "") -> list[Route]:
    """One for each page, below the path `prefix`."""
    root = f"/{prefix.strip('/')}".rstrip("/") + "/"
    return [_route(root + name, first_page(name)) for name in _ELEMENTS]


def _route(path: str, page: str) -> Route:
    tag = f'"{sha256(page.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}

    async def answer(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return HTMLResponse(page, headers=headers)

    return Route(path, answer, methods=["GET"])
