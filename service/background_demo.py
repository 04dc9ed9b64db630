"""The demo beside the server: loaded once, then fed at the pace of the clock, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import structlog

from contract import ErrorCode, ErrorEntry
from service.exception_handlers import entry
from service.store import Store, StoreError

_STARTING: Final = entry(
    ErrorCode.SERVICE_STARTING,
    "The demo's counts up to this minute are being stored. A first start takes up to a minute.",
)
_FAILED: Final = entry(
    ErrorCode.SERVICE_UNAVAILABLE, "The demo's counts could not be loaded; the service's log says why."
)
_NOT_STORED: Final = entry(
    ErrorCode.SERVICE_UNAVAILABLE,
    "The demo's counts cannot be stored yet, it is tried again; the service's log says why.",
)
_PAUSE_AFTER_FAILURE: Final = 5.0
_STOP_DEADLINE: Final = 2.0


class BackgroundDemo:
    """`load` and `play` are `service.demo`'s."""

    def __init__(
        self, store: Store, load: Callable[[Store], None], play: Callable[[Store, threading.Event], None]
    ) -> None:
        self._store = store
        self._load = load
        self._play = play
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self.loading: ErrorEntry | None = _STARTING
        """Why the service cannot answer yet; None when it can."""

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end and wait for it; a load that is under way is given up with the process."""
        self._stop.set()
        self._thread.join(_STOP_DEADLINE)

    def _run(self) -> None:
        log = structlog.get_logger()
        try:
            loaded = self._load_when_possible()
        except Exception:
            log.exception("demo not loaded")
            self.loading = _FAILED
            return
        if not loaded:
            return
        self.loading = None
        try:
            self._play(self._store, self._stop)
        except Exception:
            log.exception("demo stopped playing")

    def _load_when_possible(self) -> bool:
        """Load until it is done: over a full disk, too, it goes on where it stopped. False: told to end."""
        while True:
            try:
                self._load(self._store)
            except StoreError:
                # The store's own log line says why, once.
                self.loading = _NOT_STORED
                if self._stop.wait(_PAUSE_AFTER_FAILURE):
                    return False
            else:
                return True
