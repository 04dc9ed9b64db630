"""What a worker is, and how the application starts and ends its workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

import structlog

from contract import ErrorEntry
from service.application_state import ApplicationState


class Worker(Protocol):
    """Work that goes on while the service serves: in a task of the event loop or a thread of its own.

    What fails while it works is the worker's to log and to try again: it must not end the process.
    """

    @property
    def name(self) -> str:
        """What the log calls it."""

    @property
    def unready(self) -> ErrorEntry | None:
        """Why the service cannot answer yet; None when that is not for this worker."""

    async def start(self, state: ApplicationState) -> None:
        """Begin; returns at once. Called once, in the event loop of the application."""

    async def stop(self) -> None:
        """End within seconds; returns when nothing of it runs any more. Called once, after `start`."""


@asynccontextmanager
async def running(workers: Sequence[Worker], state: ApplicationState) -> AsyncIterator[None]:
    """Start the workers in order, and end them in the reverse order after the block.

    One that cannot be started or ended is logged by its name; the others are started and ended all the same.
    """
    log = structlog.get_logger()
    started: list[Worker] = []
    for worker in workers:
        try:
            await worker.start(state)
        except Exception:
            log.exception("worker not started", worker=worker.name)
        else:
            started.append(worker)
    try:
        yield
    finally:
        for worker in reversed(started):
            try:
                await worker.stop()
            except Exception:
                log.exception("worker not ended", worker=worker.name)
