"""What is read in a thread of its own, so that a page can say meanwhile what it waits for.

A page that says so gives its way of waiting to `waiting_by`, once around all that it does; what asks the
service goes through `waited`, and needs to know no page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import partial, wraps
from threading import Lock, Thread, local
from typing import Any, Final, ParamSpec, TypeVar

Outcome = TypeVar("Outcome")
Parameters = ParamSpec("Parameters")

Wait = Callable[[Future[Any], str], Any]
"""Gives the outcome, or raises what it raises; the text says what is waited for and ends a sentence."""

_own: Final = local()
"""Of a thread: the future of what it reads; how it waits."""
_counting: Final = Lock()


class Reading(Future[Outcome]):
    """What is read, and how far that is."""

    asked = 0
    """Questions so far: what is asked next may rest on the answers."""
    answered = 0
    is_lacking = False
    """Whether an answer failed, so that what comes of it is not all that was asked for."""


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


@contextmanager
def waiting_by(wait: Wait) -> Iterator[None]:
    """Within it, `waited` of this thread waits by `wait`; afterwards as before."""
    before: Wait | None = getattr(_own, "wait", None)
    _own.wait = wait
    try:
        yield
    finally:
        _own.wait = before


def waited(read: Callable[[], Outcome], what: str) -> Outcome:
    """What `read` gives: in a thread of its own, where no page is known, if this one has a way of waiting.

    `what` ends the sentence "The service has not said yet". Raises what `read` does.
    """
    wait: Wait | None = getattr(_own, "wait", None)
    outcome: Outcome = read() if wait is None else wait(begin(read), what)
    return outcome


def waits(what: str) -> Callable[[Callable[Parameters, Outcome]], Callable[Parameters, Outcome]]:
    """Makes what is decorated be `waited` for; who looks at the page is not known in it."""

    def decorated(read: Callable[Parameters, Outcome]) -> Callable[Parameters, Outcome]:
        @wraps(read)
        def waiting(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Outcome:
            return waited(partial(read, *args, **kwargs), what)

        return waiting

    return decorated


def abandonment() -> Callable[[], bool]:
    """Tells, in any thread, whether nobody waits any more for what the thread that calls this reads."""
    outcome: Future[Any] | None = getattr(_own, "outcome", None)
    return lambda: outcome is not None and outcome.cancelled()


def counting(asked: int) -> Callable[[bool], None]:
    """Counts, in any thread, one more answer to so many questions, for whoever waits for what the thread that
    calls this reads; it is told whether that answer came, or failed.
    """
    outcome: Reading[Any] | None = getattr(_own, "outcome", None)
    if outcome is None:
        return lambda _: None
    with _counting:
        outcome.asked += asked

    def answered(came: bool) -> None:
        with _counting:
            outcome.answered += 1
            outcome.is_lacking |= not came

    return answered
