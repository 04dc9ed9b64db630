"""Streamlit's own files (ASGI middleware): small on the wire, and kept by browsers while they are right.

Streamlit leaves its scripts uncompressed, because compressing them again for every reader costs more than it
saves. Here each is compressed once, when it is first asked for, and kept: less than 7 MB if all of them are.
What has a hash in its name may be kept for ever; everything else is asked for again.

What pages, walls and streams answer passes as it comes. None of these files holds a secret, so that their
compressed size tells nobody anything.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Iterable
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOR_EVER: Final = "public, max-age=31536000, immutable"
_HASHED: Final = re.compile(r"static/.+\.[A-Za-z0-9_-]{8}\.[a-z0-9]+")
_TYPES: Final = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
"""What is worth it: fonts and pictures are compressed already."""
_WEIGHT: Final = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


class CompressedFiles:
    """`folder` is what is served below the path `prefix`. To be used within one event loop."""

    def __init__(self, app: ASGIApp, folder: Path, prefix: str = "") -> None:
        self._app = app
        self._page = GZipMiddleware(app)
        self._folder = folder
        self._root = f"/{prefix.strip('/')}".rstrip("/") + "/"
        self._names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        self._compressed: dict[str, asyncio.Task[_Compressed]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        takes_gzip = accepts_gzip(asked.getlist("accept-encoding"))
        if not takes_gzip:  # who is behind looks for the word alone, be it in a refusal
            others = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
            scope = {**scope, "headers": others}
        name = scope["path"].removeprefix(self._root)
        if name in self._names:
            small = await self._small(name) if takes_gzip and _is_worth_it(name, scope, asked) else None
            answer = self._app if small is None else small.answer(name, asked)
            await answer(scope, receive, _named(name, send))
        elif f"{scope['path']}/" in (self._root, f"{self._root}/"):
            await self._page(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _small(self, name: str) -> _Compressed | None:
        """None: the file cannot be read any more. Readers that come meanwhile wait for the same."""
        if name not in self._compressed:
            reading = asyncio.to_thread(_compress, self._folder / name)
            self._compressed[name] = asyncio.create_task(reading)
        try:
            return await asyncio.shield(self._compressed[name])
        except OSError:
            self._compressed.pop(name, None)
            return None


class _Compressed(NamedTuple):
    content: bytes
    tag: str
    """ETag of the compressed form; the file as it is has another."""

    def answer(self, name: str, asked: Headers) -> Response:
        headers = {"Content-Encoding": "gzip", "ETag": self.tag, "Cache-Control": _FOR_EVER}
        known = {tag.strip().removeprefix("W/") for tag in asked.get("if-none-match", "").split(",")}
        if known & {self.tag, "*"}:
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers, media_type=_TYPES[Path(name).suffix])


def accepts_gzip(values: Iterable[str]) -> bool:
    """Whether values of `Accept-Encoding` allow gzip; what cannot be read of them counts as absent."""
    weights: dict[str, float] = {}
    for part in ",".join(values).split(","):
        coding, _, weight = part.partition(";")
        read = _WEIGHT.fullmatch(weight.strip().lower() or "q=1")
        weights[coding.strip().lower()] = float(read[1]) if read else 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _compress(file: Path) -> _Compressed:
    content = gzip.compress(file.read_bytes(), 9, mtime=0)
    return _Compressed(content, f'"{sha256(content).hexdigest()[:32]}"')


def _is_worth_it(name: str, scope: Scope, asked: Headers) -> bool:
    """Whether to answer compressed: not for a range, which counts the bytes of the file as it is."""
    whole = scope["method"] in ("GET", "HEAD") and "range" not in asked
    return whole and Path(name).suffix in _TYPES and _HASHED.fullmatch(name) is not None


def _named(name: str, send: Send) -> Send:
    """`send`, adding the headers by which caches know the file."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if Path(name).suffix in _TYPES:
                headers.add_vary_header("Accept-Encoding")
            if not _HASHED.fullmatch(name):
                headers["Cache-Control"] = "no-cache"
            elif message["status"] == HTTPStatus.NOT_MODIFIED:  # Streamlit tells it with the file alone
                headers["Cache-Control"] = _FOR_EVER
        await send(message)

    return sending
