"""A way to ClickHouse on which what is brought there can be held back, and arrive long after its sender has
given it up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote_plus, urlparse

from tests.served_chdb import body_of


@dataclass
class HeldClickHouse:
    port: int
    held: str | None = None
    """Table of which the next rows are held back."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What was set for the last rows that were brought."""
    _release: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)
    """Set once the server has what was held back."""

    def holds(self, asked: str) -> bool:
        """Those that come after the first go through."""
        if self.held is None or "INSERT INTO" not in asked or f"`{self.held}`" not in asked:
            return False
        self.held = None
        return True

    def release(self) -> None:
        self._release.set()
        assert self.arrived.wait(60)

    def wait(self) -> None:
        self._release.wait()


@contextmanager
def held_clickhouse(port: int) -> Iterator[HeldClickHouse]:
    """Before the server at that port, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            self._pass_on("GET", b"")

        def do_POST(self) -> None:
            body = body_of(self)
            asked = unquote_plus(self.path) + body[:200].decode(errors="replace")
            if "INSERT INTO" in asked:
                way.settings = dict(parse_qsl(urlparse(self.path).query))
            is_held = way.holds(asked)
            if is_held:
                way.wait()
            with suppress(OSError):  # its sender has gone
                self._pass_on("POST", body)
            if is_held:
                way.arrived.set()

        def _pass_on(self, method: str, body: bytes) -> None:
            server = HTTPConnection("127.0.0.1", port)
            server.request(method, self.path, body)
            answer = server.getresponse()
            found = answer.read()
            server.close()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(found)))
            self.end_headers()
            self.wfile.write(found)
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    way = HeldClickHouse(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield way
    finally:
        server.shutdown()
        server.server_close()
