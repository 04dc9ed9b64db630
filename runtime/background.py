"""What is read in a thread of its own, so that a page can say meanwhile what it waits for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Lock, Thread, local
from typing import Any, Final, TypeVar

Outcome = TypeVar("Outcome")

_own: Final = local()
"""Of a thread: the future of what it reads."""
_counting: Final = Lock()


class Reading(Future[Outcome]):
    """What is read, and how far that is."""

    asked = 0
    """Questions so far: what is asked next may rest on the answers."""
    answered = 0


def begin(read: Callable[[], Outcome]) -> Reading[Outcome]:
    """What comes of `read`, which is run at once; the future raises what it raises, and may be cancelled."""
    outcome: Reading[Outcome] = Reading()

    def run() -> None:
        _own.outcome = outcome
        try:
            found = read()
        except Exception as error:  # noqa: BLE001 - raised where the outcome is asked for
            with suppress(InvalidStateError):  # it was cancelled
                outcome.set_exception(error)
        else:
            with suppress(InvalidStateError):
                outcome.set_result(found)

    # Not an executor: the end of the process would wait for its threads while a service hangs.
    Thread(target=run, name="background", daemon=True).start()
    return outcome


def abandonment() -> Callable[[], bool]:
    """Tells, in any thread, whether nobody waits any more for what the thread that calls this reads."""
    outcome: Future[Any] | None = getattr(_own, "outcome", None)
    return lambda: outcome is not None and outcome.cancelled()


def counting(asked: int) -> Callable[[], None]:
    """Counts, in any thread, one more answer to so many questions, for whoever waits for what the thread that
    calls this reads.
    """
    outcome: Reading[Any] | None = getattr(_own, "outcome", None)
    if outcome is None:
        return lambda: None
    with _counting:
        outcome.asked += asked

    def answered() -> None:
        with _counting:
            outcome.answered += 1

    return answered
