"""Security headers (ASGI middleware) for every answer of the dashboard, Streamlit's pages included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime._compat import inline_script_digests
from runtime.page_routes import first_page

_POLICY: Final = "Content-Security-Policy"
_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    # A screen's link is a secret: it goes nowhere as a referrer.
    "Referrer-Policy": "no-referrer",
}


class SecurityHeaders:
    """`embedders` are the origins whose pages may show the dashboard in a frame; itself always may."""

    def __init__(self, app: ASGIApp, embedders: Sequence[str] = ()) -> None:
        self._app = app
        self._streamlit_policy = streamlit_policy()
        self._framing = "; ".join(["", " ".join(["frame-ancestors", "'self'", *embedders])])
        self._of_documents = {"Cross-Origin-Opener-Policy": "same-origin"}
        if not embedders:
            # For browsers that do not know frame-ancestors; it cannot name several.
            self._of_documents["X-Frame-Options"] = "SAMEORIGIN"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message.setdefault("headers", [])
                self._add(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, sending if scope["type"] in ("http", "websocket") else send)

    def _add(self, headers: MutableHeaders) -> None:
        headers.update({name: value for name, value in _ALWAYS.items() if name not in headers})
        # An answer without a type may be "not modified", which renews the headers of what the browser keeps.
        if headers.get("content-type", "text/html").startswith("text/html"):
            headers.update(self._of_documents)
            headers[_POLICY] = headers.get(_POLICY, self._streamlit_policy) + self._framing


def streamlit_policy() -> str:
    """The narrowest with which Streamlit's pages work; a test watches a browser for violations.

    Emotion and plotly write style elements as they go, and a component's script is loaded from a blob. No
    address of another host stands in it, so that nothing foreign is ever loaded or asked.
    """
    inline = " ".join(f"'{digest}'" for digest in inline_script_digests(first_page()))
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' blob: {inline}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "media-src 'self'",
            "worker-src 'self' blob:",
            "frame-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
