"""Real threads that hold their turns until they are let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from threading import Lock, Semaphore

import pytest

from runtime.turns import Turns
from tests.eventually import eventually


class Asking:
    """Pages that ask; each question goes on until it is let go."""

    def __init__(self, turns: Turns, pool: ThreadPoolExecutor) -> None:
        self.turns, self.pool = turns, pool
        self.let_go = Semaphore(0)
        self.lock = Lock()
        self.under_way: Counter[str] = Counter()
        self.begun: list[str] = []
        self.most = 0
        self.abandoned: set[str] = set()

    def ask(self, page: str, questions: int = 1) -> list[Future[None]]:
        return [self.pool.submit(self._ask, page) for _ in range(questions)]

    def _ask(self, page: str) -> None:
        with self.turns.turn(page, lambda: page in self.abandoned):
            with self.lock:
                self.under_way[page] += 1
                self.begun.append(page)
                self.most = max(self.most, self.under_way.total())
            assert self.let_go.acquire(timeout=60)
            with self.lock:
                self.under_way[page] -= 1


@pytest.fixture
def asking() -> Iterator[Asking]:
    with ThreadPoolExecutor(60) as pool:
        found = Asking(Turns(6, spare=2), pool)
        yield found
        found.let_go.release(100)


async def test_a_page_that_asks_much_leaves_room_for_one_that_asks_little(asking: Asking) -> None:
    slow = asking.ask("slow", 20)
    await eventually(lambda: asking.under_way["slow"] == 4)
    quick = [asking.ask(page) for page in ("first", "second")]
    await eventually(lambda: asking.under_way == Counter(slow=4, first=1, second=1))
    late = asking.ask("late")
    asking.let_go.release(100)
    for one in [*slow, *late, *(own for page in quick for own in page)]:
        one.result(60)
    assert asking.most == 6


async def test_whoever_has_none_under_way_is_next(asking: Asking) -> None:
    asking.ask("slow", 8)
    await eventually(lambda: asking.under_way["slow"] == 4)
    asking.ask("first", 2)
    asking.ask("second", 2)
    await eventually(lambda: asking.under_way == Counter(slow=4, first=1, second=1))
    asking.ask("third")
    await eventually(lambda: len(asking.turns._waiting) == 4 + 1 + 1 + 1)
    asking.let_go.release()
    await eventually(lambda: asking.under_way["third"] == 1)
    assert asking.under_way.total() == 6


async def test_who_is_abandoned_while_waiting_leaves_the_row(asking: Asking) -> None:
    asking.ask("slow", 4)
    await eventually(lambda: asking.under_way["slow"] == 4)
    (gone,) = asking.ask("slow")
    asking.abandoned.add("slow")
    with pytest.raises(CancelledError):
        gone.result(60)
    asking.ask("other")
    await eventually(lambda: asking.under_way["other"] == 1)


def test_a_question_that_fails_gives_its_turn_back() -> None:
    turns = Turns(1, spare=0)
    for _ in range(3):
        with pytest.raises(ValueError, match="no"), turns.turn("page"):
            raise ValueError("no")
    with turns.turn("other"):
        pass
