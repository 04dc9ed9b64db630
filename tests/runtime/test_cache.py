from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest

from runtime.cache import Cache, _Reading

LONG = timedelta(hours=1)
WAIT = 30.0


class ReadError(Exception):
    pass


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(20) as threads:
        yield threads


def hanging(release: Event, value: int, begun: list[int]) -> Callable[[], int]:
    def read() -> int:
        begun.append(value)
        assert release.wait(WAIT)
        return value

    return read


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_value_is_read_once_while_it_is_young() -> None:
    remembered = Cache[str, int](LONG, most=10)
    assert remembered.get("a", lambda: 1) == 1
    assert remembered.get("a", lambda: 2) == 1
    assert remembered.get("b", lambda: 3) == 3


def test_a_value_that_is_too_old_is_read_again() -> None:
    remembered = Cache[str, int](timedelta(), most=10)
    assert remembered.get("a", lambda: 1) == 1
    assert remembered.get("a", lambda: 2) == 2


def test_what_is_too_old_is_not_known() -> None:
    remembered = Cache[str, int](timedelta(milliseconds=40), most=10)
    assert remembered.known("a") is None
    remembered.get("a", lambda: 1)
    wait_until(lambda: remembered.known("a") is None)


def test_a_value_that_is_young_is_known_without_reading() -> None:
    remembered = Cache[str, int](LONG, most=10)
    remembered.get("a", lambda: 1)
    assert (remembered.known("a"), remembered.known("b")) == (1, None)


def test_what_was_read_last_stays_however_old_until_it_is_forgotten() -> None:
    remembered = Cache[str, int](timedelta(), most=2, keeps_old=True)
    for key, value in (("a", 1), ("b", 2)):
        remembered.get(key, lambda value=value: value)  # type: ignore[misc]
    assert (remembered.known("a"), remembered.last("a"), remembered.last("b")) == (None, 1, 2)
    remembered.get("c", lambda: 3)
    remembered.forget(lambda key: key == "c")
    assert [remembered.last(key) for key in ("a", "b", "c")] == [None, 2, None]


def test_who_waits_for_a_moment_waits_no_other_for_a_read_that_hangs() -> None:
    """Pages that come one after the other are held up once."""
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=WAIT), Event(), list[int]()
    with pytest.raises(TimeoutError):
        remembered.soon("a", hanging(release, 1, begun), 0.05)
    with pytest.raises(TimeoutError):
        remembered.soon("a", hanging(release, 2, begun), 0.05)
    assert begun == [1]
    release.set()
    assert remembered.soon("a", lambda: 3, WAIT) == 1


def test_the_oldest_of_too_many_go() -> None:
    remembered = Cache[int, int](LONG, most=2)
    for number in range(3):
        remembered.get(number, lambda: 1)
    assert [remembered.get(number, lambda: 2) for number in (2, 1, 0)] == [1, 1, 2]


def test_the_oldest_of_what_is_too_heavy_together_go_and_the_newest_stays() -> None:
    remembered = Cache[str, list[int]](LONG, most=10, weigh=len)
    remembered.get("a", lambda: [1] * 6)
    remembered.get("b", lambda: [1] * 4)
    assert list(remembered._kept) == ["a", "b"]
    remembered.get("c", lambda: [1])
    assert list(remembered._kept) == ["b", "c"]
    remembered.get("huge", lambda: [1] * 99)
    assert list(remembered._kept) == ["huge"]
    remembered.get("d", lambda: [1] * 10)
    assert list(remembered._kept) == ["d"]


def test_what_is_read_again_weighs_once() -> None:
    remembered = Cache[str, list[int]](timedelta(), most=10, weigh=len)
    for _ in range(9):
        remembered.get("a", lambda: [1] * 5)
    assert remembered._weight == 5


def test_a_value_may_say_how_long_it_is_kept() -> None:
    remembered = Cache[int, int](lambda value: LONG if value else timedelta(), most=10)
    assert remembered.get(1, lambda: 0) == 0
    assert remembered.get(1, lambda: 7) == 7
    assert remembered.get(1, lambda: 8) == 7


def test_what_is_too_old_is_not_kept() -> None:
    remembered = Cache[int, int](timedelta(), most=100)
    for number in range(10):
        remembered.get(number, lambda: 1)
        time.sleep(0.001)
    assert len(remembered._kept) == 1


def test_those_who_ask_together_share_one_read(pool: ThreadPoolExecutor) -> None:
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=WAIT), Event(), list[int]()
    asked = [pool.submit(remembered.get, "a", hanging(release, 7, begun)) for _ in range(20)]
    wait_until(lambda: bool(begun))
    release.set()
    assert {one.result(WAIT) for one in asked} == {7}
    assert begun == [7]


def test_an_error_is_shared_by_those_who_wait_and_not_kept(pool: ThreadPoolExecutor) -> None:
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=WAIT), Event(), list[int]()

    def fail() -> int:
        hanging(release, 0, begun)()
        raise ReadError

    asked = [pool.submit(remembered.get, "a", fail) for _ in range(5)]
    wait_until(lambda: bool(begun))
    time.sleep(0.05)
    release.set()
    assert {type(one.exception(WAIT)) for one in asked} == {ReadError}
    assert remembered.get("a", lambda: 3) == 3


def test_a_read_that_hangs_holds_up_neither_those_who_wait_nor_those_who_come(
    pool: ThreadPoolExecutor,
) -> None:
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=0.05), Event(), list[int]()
    stuck = pool.submit(remembered.get, "a", hanging(release, 1, begun))
    wait_until(lambda: bool(begun))
    waiting = [pool.submit(remembered.get, "a", lambda: 2) for _ in range(5)]
    assert {one.result(WAIT) for one in waiting} == {2}
    assert remembered.get("a", lambda: 3) == 2
    assert not stuck.done()
    release.set()
    assert stuck.result(WAIT) == 1


def test_one_who_is_interrupted_leaves_the_reading_to_the_next(pool: ThreadPoolExecutor) -> None:
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=WAIT), Event(), list[int]()

    def leave() -> int:
        hanging(release, 0, begun)()
        raise SystemExit

    interrupted = pool.submit(remembered.get, "a", leave)
    wait_until(lambda: bool(begun))
    next_one = pool.submit(remembered.get, "a", lambda: 5)
    time.sleep(0.05)
    release.set()
    assert next_one.result(WAIT) == 5
    assert isinstance(interrupted.exception(WAIT), SystemExit)


class LateOutcome(Future[int]):
    """Comes just after its waiter ran out of patience."""

    def result(self, timeout: float | None = None) -> int:
        if not self.done():
            self.set_result(7)
            raise TimeoutError
        return super().result(timeout)


def test_an_outcome_that_comes_with_the_end_of_patience_is_taken() -> None:
    remembered = Cache[str, int](LONG, most=10, patience=WAIT)
    remembered._under_way["a"] = _Reading(LateOutcome(), time.monotonic())
    assert remembered.get("a", lambda: 8) == 7


def test_a_read_that_was_overtaken_replaces_nothing_newer(pool: ThreadPoolExecutor) -> None:
    remembered, release, begun = Cache[str, int](LONG, most=10, patience=0.05), Event(), list[int]()
    overtaken = pool.submit(remembered.get, "a", hanging(release, 1, begun))
    wait_until(lambda: bool(begun))
    assert remembered.get("a", lambda: 2) == 2
    release.set()
    assert overtaken.result(WAIT) == 1
    assert remembered.get("a", lambda: 3) == 2


def test_who_waits_no_longer_than_he_likes_adds_no_thread_to_a_read_that_hangs() -> None:
    remembered = Cache[str, int](LONG, most=10)
    release, begun = Event(), list[int]()
    waiting = [remembered.begin("a", hanging(release, number, begun)) for number in range(20)]
    with pytest.raises(TimeoutError):
        waiting[0].result(0.01)
    release.set()
    assert {one.result(WAIT) for one in waiting} == {0}
    assert begun == [0]
    assert remembered.begin("a", lambda: 2).result(0) == 0


def test_who_waits_is_told_what_a_read_raised() -> None:
    def fail() -> int:
        raise ReadError

    with pytest.raises(ReadError):
        Cache[str, int](LONG, most=10).begin("a", fail).result(WAIT)


def test_what_is_meant_is_forgotten_and_the_rest_is_known() -> None:
    remembered = Cache[str, int](LONG, most=10)
    for key in ("a1", "a2", "b1"):
        remembered.get(key, lambda: 1)
    remembered.forget(lambda key: key.startswith("a"))
    assert [remembered.known(key) for key in ("a1", "a2", "b1")] == [None, None, 1]
    remembered.forget()
    assert remembered.known("b1") is None


def test_what_was_asked_for_before_all_was_forgotten_is_not_kept(pool: ThreadPoolExecutor) -> None:
    """It may be what somebody wants to be rid of."""
    remembered, release, begun = Cache[str, int](LONG, most=10), Event(), list[int]()
    early = pool.submit(remembered.get, "a", hanging(release, 1, begun))
    wait_until(lambda: begun == [1])
    remembered.forget(lambda key: key == "a")
    assert remembered.get("a", lambda: 2) == 2
    release.set()
    assert early.result(WAIT) == 1, "whoever asked then gets it"
    assert remembered.known("a") == 2


def test_what_is_under_way_is_kept_where_something_else_is_forgotten(pool: ThreadPoolExecutor) -> None:
    """Or one who has a site read again and again would keep all others from knowing theirs."""
    remembered, release, begun = Cache[str, int](LONG, most=10), Event(), list[int]()
    reading = pool.submit(remembered.get, "b", hanging(release, 1, begun))
    wait_until(lambda: begun == [1])
    remembered.forget(lambda key: key == "a")
    release.set()
    assert reading.result(WAIT) == 1
    assert remembered.known("b") == 1
