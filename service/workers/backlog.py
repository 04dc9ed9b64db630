"""The backlog: goes on with what waits of lines that are placed, piece by piece beside all that write."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Final

import structlog

from service.application_state import ApplicationState
from service.sensors.counting import Outcome
from service.sensors.taking import go_on
from service.store.errors import StoreError
from service.store.protocol import Store
from service.thread_pools import PoolFullError

_INTERVAL_SECONDS: Final = 5.0


class Backlog:
    """A task that looks every few seconds: who has placed a line need not wait for all of it, what a kill
    cut off is taken up, and a passage that is back has its counters' reports.
    """

    name = "backlog"
    unready = None

    async def start(self, state: ApplicationState) -> None:
        self._log = structlog.get_logger("service.workers.backlog")
        self._task = asyncio.create_task(self._keep_up(state), name=self.name)

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _keep_up(self, state: ApplicationState) -> None:
        while True:
            await asyncio.sleep(_INTERVAL_SECONDS)
            with suppress(StoreError):  # the store's own log line says why, once
                numbers = await asyncio.to_thread(state.store.sensors.uncounted)
                while numbers:
                    # In turns: thousands may wait of one.
                    numbers = [number for number in numbers if await self._has_more(state, number)]

    async def _has_more(self, state: ApplicationState, number: int) -> bool:
        """Count some of what waits of a line; whether there is more that can be counted now."""
        try:
            outcomes = await state.counts.run(partial(_counted, number))
        except (StoreError, PoolFullError):
            return False
        except Exception:  # noqa: BLE001 - the worker's edge: one line must not hold up all others
            self._log.exception("reports that waited are not counted", line=number)
            return False
        if outcomes and not outcomes[Outcome.WAITING]:
            self._log.info("all that waited of a line is counted", line=number)
        return outcomes[Outcome.WAITING] > 0


def _counted(number: int, store: Store) -> Counter[Outcome]:
    with store.sensors.writing() as rows:
        return go_on(rows, number)
