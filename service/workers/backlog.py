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
        self._failed = set[int]()
        """Lines of which the log has said that they cannot be counted."""
        self._task = asyncio.create_task(self._keep_up(state), name=self.name)

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _keep_up(self, state: ApplicationState) -> None:
        while True:
            await asyncio.sleep(_INTERVAL_SECONDS)
            # The store's own log line says why, once. Where too much waits to be written it is others' turn.
            with suppress(StoreError, PoolFullError):
                await self._count_all(state)

    async def _count_all(self, state: ApplicationState) -> None:
        """In turns, as thousands may wait of one; also of those that are placed meanwhile."""
        failed, became = set[int](), Counter[Outcome]()
        try:
            while numbers := [number for number in await _uncounted(state) if number not in failed]:
                for number in numbers:
                    outcomes = await self._counted(state, number)
                    if outcomes is None:
                        failed.add(number)
                    else:
                        became += outcomes
        finally:
            del became[Outcome.WAITING]
            if became:
                self._log.info(
                    "reports that waited are counted",
                    **{outcome.value: number for outcome, number in became.items()},
                )

    async def _counted(self, state: ApplicationState, number: int) -> Counter[Outcome] | None:
        """What became of the next that wait of a line; None where that fails."""
        try:
            return await state.counts.run(partial(_count_next, number))
        except (StoreError, PoolFullError):
            raise
        except Exception:  # noqa: BLE001 - the worker's edge: one line must not hold up all others
            if number not in self._failed:  # else it would fill the log
                self._failed.add(number)
                self._log.exception("reports that waited are not counted", line=number)
            return None


async def _uncounted(state: ApplicationState) -> list[int]:
    return await asyncio.to_thread(state.store.sensors.uncounted)


def _count_next(number: int, store: Store) -> Counter[Outcome]:
    with store.sensors.writing() as rows:
        return go_on(rows, number)
