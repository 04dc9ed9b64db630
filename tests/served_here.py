"""The application in this process, where a test can break its parts, over real HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

import httpx
import uvicorn

from service.application import create_application
from service.clock import present
from service.server import listening_socket
from service.settings import ServiceSettings
from service.store.protocol import Store
from service.workers.worker import Worker


@contextmanager
def served_here(
    store: Store,
    *workers: Worker,
    clock: Callable[[], datetime] = present,
    settings: ServiceSettings | None = None,
) -> Iterator[httpx.Client]:
    """Serves an open store, and ends with the block."""
    listener = listening_socket("127.0.0.1", 0, 30.0)
    application = create_application(store, settings or ServiceSettings(), workers=workers, clock=clock)
    server = uvicorn.Server(uvicorn.Config(application, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30.0) as http:
            yield http
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
