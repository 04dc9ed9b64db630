"""Tells the other processes that something was stored: NOTIFY, after the commit and not within it.

One that notifies has all others that do so wait until it is on the disk (PostgreSQL sends notifications in
the order of commits): within each transaction it would take two thirds and more of what 16 that store at once
get done. It is a hint without content, so one says it for all that were stored meanwhile.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Final

from sqlalchemy import Engine

from service.store.errors import StoreError
from service.store.postgresql.errors import explained

CHANNEL: Final = "headroom"
_PAUSE_SECONDS: Final = 0.05
"""Between two."""
# Nothing is lost with it that is not looked for anyway.
_SAID: Final = f"BEGIN; SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}; COMMIT"


class Announcer:
    """`engine` gives connections that begin no transaction. Safe to use from several threads."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._where = where
        self._due = threading.Event()
        self._stop = threading.Event()
        self._beginning = threading.Lock()
        self._thread: threading.Thread | None = None

    def announce(self) -> None:
        """Soon; nobody waits for it."""
        self._due.set()
        if self._thread is None:
            with self._beginning:
                if self._thread is None and not self._stop.is_set():
                    self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
                    self._thread.start()

    def close(self) -> None:
        """What is due is said first. May be called again."""
        with self._beginning:
            self._stop.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._due.wait()
            is_last = self._stop.is_set()
            self._due.clear()
            # Whoever is not told looks by himself; why the server cannot be had others find out.
            with suppress(StoreError), explained(self._where), self._engine.connect() as connection:
                connection.exec_driver_sql(_SAID)
            if is_last:
                return
            self._stop.wait(_PAUSE_SECONDS)
