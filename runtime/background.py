"""What is read in a thread of its own, so that a page can say meanwhile what it waits for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Outcome = TypeVar("Outcome")


def begin(read: Callable[[], Outcome]) -> Future[Outcome]:
    """What comes of `read`, which is run at once; the future raises what it raises."""
    outcome: Future[Outcome] = Future()

    def run() -> None:
        try:
            outcome.set_result(read())
        except Exception as error:  # noqa: BLE001 - raised where the outcome is asked for
            outcome.set_exception(error)

    # Not an executor: the end of the process would wait for its threads while a service hangs.
    Thread(target=run, name="background", daemon=True).start()
    return outcome
