from __future__ import annotations

from typing import cast

import structlog

from contract import ErrorEntry
from service.application_state import ApplicationState
from service.workers.worker import running

STATE = cast(ApplicationState, object())


class Noted:
    """A worker that notes when it begins and ends, and may fail at either."""

    unready: ErrorEntry | None = None

    def __init__(self, name: str, noted: list[str], *, fails_at: str = "") -> None:
        self.name = name
        self._noted = noted
        self._fails_at = fails_at

    async def start(self, state: ApplicationState) -> None:
        assert state is STATE
        self._note("start")

    async def stop(self) -> None:
        self._note("stop")

    def _note(self, step: str) -> None:
        if step == self._fails_at:
            raise OSError("a socket is gone")
        self._noted.append(f"{step} {self.name}")


async def test_workers_start_in_order_and_end_in_the_reverse_order() -> None:
    noted: list[str] = []
    async with running([Noted("first", noted), Noted("second", noted)], STATE):
        noted.append("serve")
    assert noted == ["start first", "start second", "serve", "stop second", "stop first"]


async def test_a_worker_that_cannot_start_is_named_in_the_log_and_the_others_start() -> None:
    noted: list[str] = []
    workers = [Noted("broken", noted, fails_at="start"), Noted("sound", noted)]
    with structlog.testing.capture_logs() as log:
        async with running(workers, STATE):
            noted.append("serve")
    assert noted == ["start sound", "serve", "stop sound"]
    assert [(line["event"], line["worker"]) for line in log] == [("worker not started", "broken")]
    assert log[0]["exc_info"]


async def test_a_worker_that_cannot_end_is_named_in_the_log_and_the_others_end() -> None:
    noted: list[str] = []
    workers = [Noted("sound", noted), Noted("broken", noted, fails_at="stop")]
    with structlog.testing.capture_logs() as log:
        async with running(workers, STATE):
            pass
    assert noted == ["start sound", "start broken", "stop sound"]
    assert [(line["event"], line["worker"]) for line in log] == [("worker not ended", "broken")]
