"""What a request takes where nothing is asked of a store: a route of FastAPI alone, on the service's server.

    python -m benchmarks.bare_route PORT

It reads a header and a body, goes to a thread, and answers as many bytes as a day by minute has.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Annotated, Final

import httpx
import orjson
import uvicorn
from fastapi import Depends, FastAPI, Request, Security
from fastapi.security import APIKeyHeader
from starlette.responses import Response

PATH: Final = "/v3/metrics"
_BODY: Final = b" " * 72_000
_BEGINS_WITHIN: Final = 30.0
"""Seconds."""

application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
_threads = ThreadPoolExecutor(1)
_Secret = Annotated[str | None, Security(APIKeyHeader(name="x-api-key", auto_error=False))]


async def _key(secret: _Secret) -> str | None:
    return secret


@application.post(PATH)
async def answer(request: Request, _: Annotated[str | None, Depends(_key)]) -> Response:
    orjson.loads(await request.body())
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, lambda: Response(_BODY, media_type="application/json"))


@contextmanager
def running_bare_route(port: int) -> Iterator[int]:
    """Its process's number, once it answers."""
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.bare_route", str(port)])
    try:
        deadline = time.monotonic() + _BEGINS_WITHIN
        while True:
            try:
                httpx.post(f"http://127.0.0.1:{port}{PATH}", json={})
                break
            except httpx.TransportError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    uvicorn.run(application, port=int(sys.argv[1]), log_level="error", access_log=False)
