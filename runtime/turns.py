"""How many questions are under way together at one service, and who may put the next: whoever has fewest.

Each page puts a few at once, and twenty pages would put a hundred to a service that answers three. One page
that asks forty may wait; one that asks two need not wait for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Condition
from typing import Final

_LOOK_UP: Final = 0.5
"""Seconds after which it is looked whether anybody still waits."""


class Turns:
    """Of one service, for all pages of the process. Safe to use from any thread.

    At most `most` questions are under way. The last `spare` of them are for those who have none under way, so
    that a few who wait for a slow answer do not keep everybody else from asking.
    """

    def __init__(self, most: int, *, spare: int) -> None:
        self._most, self._spare = most, spare
        self._changed = Condition()
        self._waiting: dict[object, Hashable] = {}
        """Whose they are, in the order in which they came."""
        self._under_way: Counter[Hashable] = Counter()

    @contextmanager
    def turn(self, whose: Hashable, is_abandoned: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Waits for a turn, which ends with the block. Raises CancelledError once it is abandoned."""
        self._wait(whose, is_abandoned)
        try:
            yield
        finally:
            with self._changed:
                self._under_way[whose] -= 1
                self._under_way += Counter()  # those who have none are forgotten
                self._changed.notify_all()

    def _wait(self, whose: Hashable, is_abandoned: Callable[[], bool]) -> None:
        mine = object()
        with self._changed:
            self._waiting[mine] = whose
            try:
                while self._next() is not mine:
                    self._changed.wait(_LOOK_UP)
                    if is_abandoned():
                        raise CancelledError
                self._under_way[whose] += 1
            finally:
                del self._waiting[mine]
                # There may be a turn for another one, too.
                self._changed.notify_all()

    def _next(self) -> object | None:
        """Who waits and may go: has fewest under way, and of those came first."""
        chosen = min(self._waiting, key=lambda one: self._under_way[self._waiting[one]])
        free = self._most - self._under_way.total()
        if self._under_way[self._waiting[chosen]]:
            free -= self._spare
        return chosen if free > 0 else None
