"""ClickHouse of today over HTTP, on this machine: chDB is its engine without a server, this is the server.

`python -m tests.served_chdb PORT FOLDER`, which says so once it answers, and ends with its standard input. It
speaks as much of ClickHouse's HTTP interface as its client for Python asks for; what is asked is answered by
the engine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlparse

import lz4.frame  # type: ignore[import-untyped]

_NOT_SETTINGS: Final = frozenset({"query", "database", "default_format", "client_protocol_version"})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet, for which the client's kernel need not wait.
    wbufsize = -1
    session: Any
    """Of chDB, which has no types."""
    one_at_a_time = threading.Lock()

    def do_GET(self) -> None:
        self._answer(200, b"Ok.\n")

    def do_POST(self) -> None:
        asked = {name: values[-1] for name, values in parse_qs(urlparse(self.path).query).items()}
        body = body_of(self)
        try:
            with self.one_at_a_time:
                self._answer(
                    200, self._insert(asked["query"], body) if "query" in asked else self._query(body)
                )
        except Exception as error:  # noqa: BLE001 - whatever it is, the client is told
            self._answer(500, str(error).encode())

    def _query(self, body: bytes) -> bytes:
        if body.startswith(b"INSERT INTO"):
            before, form, rows = body.partition(b" FORMAT Native\n")
            return self._insert((before + form).decode().strip(), rows)
        text = body.decode()
        found: Any = self.session.query(text, "Native" if "FORMAT Native" in text else "TabSeparated")
        return bytes(found.bytes())

    def _insert(self, text: str, body: bytes) -> bytes:
        with tempfile.NamedTemporaryFile(suffix=".native") as file:
            file.write(body)
            file.flush()
            before, _, form = text.rpartition(" FORMAT ")
            self.session.query(f"{before} FROM INFILE '{file.name}' FORMAT {form}")
        return b""

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        return


def body_of(request: BaseHTTPRequestHandler) -> bytes:
    """Whole, in pieces or not, packed or not."""
    if request.headers.get("Transfer-Encoding") == "chunked":
        pieces = []
        while length := int(request.rfile.readline(), 16):
            pieces.append(request.rfile.read(length))
            request.rfile.readline()
        request.rfile.readline()
        body = b"".join(pieces)
    else:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
    return bytes(lz4.frame.decompress(body)) if request.headers.get("Content-Encoding") == "lz4" else body


def serve(port: int, folder: Path) -> None:
    # A quarter of a second, and what an engine needs of memory.
    from chdb.session import Session  # noqa: PLC0415

    _Handler.session = Session(str(folder))  # type: ignore[no-untyped-call]
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    threading.Thread(target=_end_with_input, daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.serve_forever()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    # The engine has threads of its own, which would be waited for.
    os._exit(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]))
