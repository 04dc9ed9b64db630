"""A camera that does not push: it answers over real HTTP what a test lets it answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Final

USER: Final = "root"
PASSWORD: Final = "pass-of-the-camera"
_NONCE: Final = "0123456789"


@dataclass
class Camera:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asks_digest: bool = False
    knows_etags: bool = False
    """Gives one of the body, and 304 to whoever has it."""
    hangs: Event | None = None
    """What ends its silence."""
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    """Method and address, headers in lower case, body."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/export"


def _may(camera: Camera, method: str, path: str, authorization: str) -> bool:
    """RFC 7616, as cameras have it: MD5, `qop=auth`."""
    told = dict(re.findall(r'(\w+)="?([^",]+)"?', authorization))
    known = _md5(f"{USER}:camera:{PASSWORD}")
    wanted = _md5(
        ":".join(
            (known, _NONCE, told.get("nc", ""), told.get("cnonce", ""), "auth", _md5(f"{method}:{path}"))
        )
    )
    return not camera.asks_digest or told.get("response") == wanted


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@contextmanager
def camera(**given: object) -> Iterator[Camera]:
    made = Camera(**given)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.asked.append((f"{self.command} {self.path}", headers, content))
            if made.hangs:
                made.hangs.wait(60)
            tag = f'"{_md5(made.body.decode(errors="replace"))}"'
            if not _may(made, self.command, self.path, headers.get("authorization", "")):
                challenge = f'Digest realm="camera", nonce="{_NONCE}", qop="auth"'
                self._answer(401, {"WWW-Authenticate": challenge}, b"")
            elif made.knows_etags and headers.get("if-none-match") == tag:
                self._answer(304, {"ETag": tag}, b"")
            else:
                tagged = {"ETag": tag} if made.knows_etags else {}
                self._answer(made.status, made.headers | tagged, made.body)

        def do_POST(self) -> None:
            self.do_GET()

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            with suppress(OSError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made.port = server.server_address[1]
        # So often it looks whether it is to end.
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield made
        finally:
            server.shutdown()
