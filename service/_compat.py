"""Inner parts of other packages: all that the service uses of them, with the version it was seen in."""

from __future__ import annotations

import asyncio
import http
from collections import deque
from typing import Any, Final
from uuid import uuid4

import structlog
from httptools import HttpParserError, HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from contract import ErrorCode
from service.envelope import failure
from service.exception_handlers import RETRY_AFTER_SECONDS, entry

LONGEST_HEAD: Final = 64 * 1024
"""Bytes that request line and headers may have together."""

_LINGER: Final = 1.0
"""Seconds for which a refused client may go on sending: a connection that is closed at once is reset, and
what was answered is lost."""

_LOG_PAUSE: Final = 10.0
"""Seconds between two log lines about too many connections."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection: uvicorn's HTTP/1.1 over httptools, with the bounds that uvicorn (0.54) leaves out.

    Headers have a size and a time to arrive in, the whole request has a time, what is not HTTP is answered
    in the envelope, and an offer of another protocol (`Upgrade: h2c`) is passed over. Overridden are
    callbacks of asyncio and httptools; used are uvicorn's attributes `cycle`, `connections`, `headers`,
    `parser`, `transport` and `timeout_keep_alive_task` and its `_unset_keepalive_if_required`.
    """

    header_timeout: float
    """Seconds. These three are set on a subclass by `bounded_protocol`."""
    body_timeout: float
    connection_limit: int
    _logged_at: float = float("-inf")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._in_head = True
        self._head_bytes = 0
        self._refused = False
        self._trailer_bytes = 0
        self._passes_over = False
        self._unanswered: deque[RequestResponseCycle] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        super().connection_made(transport)
        if len(self.connections) > self.connection_limit:
            self._refuse_connection()
        else:
            self._expect(self.header_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        # uvicorn tells only the last of them, and those before it would go on writing.
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        self._unset_keepalive_if_required()
        try:
            self._parse(data)
        except HttpParserError:
            self._refuse(ErrorCode.MALFORMED_REQUEST, "This is not a request of HTTP/1.1.")
        if self._refused or self.transport.is_closing():
            return
        if self._in_head and self._head_bytes > LONGEST_HEAD:
            message = f"Request line and headers have more than {LONGEST_HEAD} bytes."
            self._refuse(ErrorCode.HEADERS_TOO_LARGE, message)
        elif self._trailer_bytes > LONGEST_HEAD:
            self.transport.close()
        elif self._is_idle() and self._deadline is None:
            # Blank lines between requests: they end uvicorn's own limit of idle connections.
            self._expect(self.header_timeout)

    def on_message_begin(self) -> None:
        if self._passes_over:
            return
        super().on_message_begin()
        self._in_head = True
        self._expect(self.header_timeout)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Fields after a body, which nothing here reads, are counted and dropped: uvicorn would keep them."""
        if self._passes_over:
            return
        if self._in_head:
            super().on_header(name, value)
        else:
            self._trailer_bytes += len(name) + len(value)

    def on_url(self, url: bytes) -> None:
        if not self._passes_over:
            super().on_url(url)

    def on_headers_complete(self) -> None:
        if self._passes_over:
            return
        self._in_head, self._head_bytes = False, 0
        self._expect(self.header_timeout + self.body_timeout)
        super().on_headers_complete()
        while self._unanswered and self._unanswered[0].response_complete:
            self._unanswered.popleft()
        self._unanswered.append(self.cycle)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade() and self._framing():
            return  # Its body is still to come.
        self._head_bytes = 0
        self._expect(None)
        super().on_message_complete()

    def _parse(self, data: bytes) -> None:
        """Raises HttpParserError.

        httptools (0.9) takes what follows a head with an offer to upgrade for the other protocol: it has to
        be told again how the body is framed.
        """
        left = data
        while left:
            try:
                self.parser.feed_data(left)
            except HttpParserUpgrade as offer:
                left = left[offer.args[0] :]
                if framing := self._framing():
                    self._passes_over = True
                    self.parser.feed_data(b"POST / HTTP/1.1\r\n%s\r\n" % framing)
                    self._passes_over = False
            else:
                return

    def _framing(self) -> bytes:
        """The header lines of the present request that say how long its body is; b"" when it has none."""
        names = (b"content-length", b"transfer-encoding")
        return b"".join(b"%s: %s\r\n" % header for header in self.headers if header[0] in names)

    def _is_idle(self) -> bool:
        """Whether neither a request nor an answer is under way."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered and self.timeout_keep_alive_task is None

    def _expect(self, seconds: float | None) -> None:
        """The request goes on within so many seconds, or the connection ends; None: nothing is expected."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._too_late)

    def _too_late(self) -> None:
        self._deadline = None
        if self._in_head and self._head_bytes and not self._refused:
            message = f"The headers did not arrive within {self.header_timeout:g} s."
            self._refuse(ErrorCode.REQUEST_TIMEOUT, message)
        else:
            # Nothing was asked, or the body is late although it was already refused for that.
            self.transport.close()

    def _refuse_connection(self) -> None:
        cls, now = type(self), self.loop.time()
        if now - cls._logged_at > _LOG_PAUSE:
            cls._logged_at = now
            structlog.get_logger().warning("connections refused", open=len(self.connections) - 1)
        message = "The service has as many connections as it can."
        self._refuse(ErrorCode.SERVICE_UNAVAILABLE, message, linger=False)

    def _refuse(self, code: ErrorCode, message: str, *, linger: bool = True) -> None:
        """Answer outside of the application, and close."""
        request_id = str(uuid4())
        headers = {"x-request-id": request_id, "Connection": "close"}
        if code is ErrorCode.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = RETRY_AFTER_SECONDS
        self._refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            if self.cycle.response_started or not self.cycle.more_body or self.pipeline:
                # An answer that has begun cannot become another one, nor come before those that are due.
                self.transport.close()
                return
            # What is wrong is the body of the only request; whoever waits for that is let go.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        answer = failure(request_id, [entry(code, message)], headers)
        status = http.HTTPStatus(answer.status_code)
        head = b"".join(b"%s: %s\r\n" % header for header in answer.raw_headers)
        line = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
        self.transport.write(b"%s%s\r\n%s" % (line, head, answer.body))
        if linger:
            self.transport.write_eof()
            self._expect(_LINGER)
        else:
            self.transport.close()


def bounded_protocol(
    *, header_timeout: float, body_timeout: float, connection_limit: int
) -> type[BoundedProtocol]:
    """The protocol with these bounds; both times in seconds."""
    bounds = {
        "header_timeout": header_timeout,
        "body_timeout": body_timeout,
        "connection_limit": connection_limit,
    }
    return type("BoundedProtocol", (BoundedProtocol,), bounds)


def is_nats_encrypted(client: Any) -> bool:
    """Whether the server to which nats-py (2.16) connects has asked for TLS: only then does it encrypt,
    whatever the URL says. Used is its attribute `_server_info`.
    """
    return bool(client._server_info.get("tls_required"))  # noqa: SLF001
