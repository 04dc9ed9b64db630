"""What stands between a dashboard and a real service, and fails what the dashboard wants changed."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Final

import httpx

from tests.eventually import PATIENCE

_OWN: Final = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding"})


@dataclass(frozen=True)
class Fault:
    """How a change is answered instead."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False
    """The connection ends before the answer is whole: without a body, before its first byte."""
    hangs: float = 0.0
    """Seconds before it is answered."""
    comes_through: bool = False
    """Whether the service gets it, and makes the change."""


@dataclass
class FaultyService:
    target: str
    """Address of the service."""
    fault: Fault | None = None
    """None: everything is handed on."""
    is_down: bool = False
    """Whether what only reads is cut off, too."""
    reads: dict[str, Fault] = field(default_factory=dict)
    """How what only reads is answered instead, by path."""
    changes: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of what was to be changed."""
    base_url: str = ""
    ended: Event = field(default_factory=Event)


@contextmanager
def faulty(target: str) -> Iterator[FaultyService]:
    service = FaultyService(target)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": service}))
    server.daemon_threads = True
    service.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    # So often it looks whether it is to end.
    thread = Thread(target=server.serve_forever, args=(0.05,), name="faulty-administration", daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    service: FaultyService

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        is_change = self.command != "GET" and self.path.startswith("/admin/")
        if is_change:
            self.service.changes.append((self.command, self.path))
        fault = self.service.fault if is_change else None
        if not is_change:
            fault = self.service.reads.get(self.path.partition("?")[0])
        if self.service.is_down and not is_change:
            fault = Fault(is_cut=True)
        with suppress(OSError):  # who asked has left
            if fault is None or fault.comes_through:
                answer = self._from_service(body)
                if fault is None:
                    self._answer(answer.status_code, answer.content, dict(answer.headers))
                    return
            self.service.ended.wait(fault.hangs)
            if fault.is_cut and not fault.body:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            self._answer(fault.status, fault.body, fault.headers, is_cut=fault.is_cut)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815 - by these names it is called

    def _from_service(self, body: bytes) -> httpx.Response:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
        address = f"{self.service.target}{self.path}"
        return httpx.request(self.command, address, content=body, headers=headers, timeout=PATIENCE)

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str], *, is_cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in _OWN | {"content-encoding", "date", "server"}:
                self.send_header(name, value)
        self.send_header("content-length", str(len(body) * (2 if is_cut else 1)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.close_connection or is_cut

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""
