"""Keeps the embedded service running: starts it, and starts it again with backoff whenever it has ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

import structlog

from live.reconnect import Backoff
from service.embedded import EmbeddedService, EmbeddedServiceError

Start = Callable[[threading.Event], EmbeddedService]

_log = structlog.get_logger("runtime.supervisor")

_LONGEST_IN_SECONDS: Final = 100


@dataclass(frozen=True, slots=True)
class Outage:
    """Why the service is not there."""

    since: datetime
    """Aware, UTC; of the first failure since it last ran."""
    reason: str
    """What the process said, or how it ended, as a sentence."""
    next_start: datetime | None
    """Aware, UTC; None while it is being started."""

    def __str__(self) -> str:
        now = datetime.now(UTC)
        again = f"in {_span(self.next_start - now)}" if self.next_start else "now"
        return (
            f"The service beside the dashboard has been down for {_span(now - self.since)}. {self.reason} "
            f"It is started again by itself, {again}."
        )


class ServiceSupervisor:
    """One thread that waits for the child to end. `start` blocks until the first attempt is decided.

    `start_service` makes an attempt, which ends early when its event is set; `on_new_key` is called in the
    thread when the service came up with another key than before.
    """

    def __init__(
        self, start_service: Start, on_new_key: Callable[[], None], *, backoff: Backoff | None = None
    ) -> None:
        self._start_service = start_service
        self._on_new_key = on_new_key
        self._backoff = backoff or Backoff(Random())  # noqa: S311 - spreads attempts, keeps no secret
        self._closing = threading.Event()
        self._decided = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="service-supervisor", daemon=True)
        self.service: EmbeddedService | None = None
        """The child that runs, or ran last; None before it ran."""
        self.outage: Outage | None = None
        """None while the service runs."""

    def start(self) -> None:
        """Start the service; returns when it answers or when it is known why not."""
        self._thread.start()
        self._decided.wait()

    def close(self) -> None:
        """End the service and start it no more. May be called again."""
        self._closing.set()
        with self._lock:
            if self.service is not None:
                self.service.stop()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._closing.is_set():
                self._attempt()
        finally:
            self._decided.set()  # whatever ends this thread: nobody waits for it for ever

    def _attempt(self) -> None:
        """Serve for as long as the child lives, then wait until the next attempt is due."""
        began = time.monotonic()
        try:
            reason = self._serve()
        except EmbeddedServiceError as error:
            reason, began = str(error), time.monotonic()
        except Exception as error:  # noqa: BLE001 - the supervisor's edge: the next attempt comes
            _log.exception("embedded service not started")
            reason, began = f"It could not be started: {error}.", time.monotonic()
        if not self._closing.is_set():
            self._pause(reason, self._backoff.next_wait(time.monotonic() - began))

    def _serve(self) -> str:
        """Start it and wait until it has ended; the reason. Raises EmbeddedServiceError."""
        service = self._start_service(self._closing)
        with self._lock:
            if self._closing.is_set():
                service.stop()
            known = self.service.api_key if self.service else None
            self.service = service
            was_down, self.outage = self.outage is not None, None
        if was_down:
            _log.info("embedded service up again", process=service.process_id)
            if known != service.api_key:
                self._on_new_key()
        self._decided.set()
        return service.wait()

    def _pause(self, reason: str, seconds: float) -> None:
        now = datetime.now(UTC)
        since = self.outage.since if self.outage else now
        _log.error("embedded service down", reason=reason, next_start_in_seconds=round(seconds, 1))
        self.outage = Outage(since, reason, now + timedelta(seconds=seconds))
        self._decided.set()
        if not self._closing.wait(seconds):
            self.outage = Outage(since, reason, None)


def _span(time: timedelta) -> str:
    """A span and no clock: whoever reads it has a time zone that is not known here."""
    seconds = max(0, round(time.total_seconds()))
    return f"{seconds} s" if seconds < _LONGEST_IN_SECONDS else f"{seconds // 60} min"
