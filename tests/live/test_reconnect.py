from __future__ import annotations

from random import Random

from live.reconnect import Backoff


class Longest(Random):
    """Always draws the longest wait."""

    def uniform(self, a: float, b: float) -> float:
        return max(a, b)


def test_ceilings_double_up_to_the_longest() -> None:
    backoff = Backoff(Longest())
    assert [backoff.next_wait() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_short_connection_does_not_begin_again() -> None:
    backoff = Backoff(Longest())
    assert [backoff.next_wait(59.9) for _ in range(4)] == [1, 2, 4, 8]


def test_a_connection_that_lasted_begins_again() -> None:
    backoff = Backoff(Longest())
    waits = [backoff.next_wait() for _ in range(4)] + [backoff.next_wait(60.0), backoff.next_wait()]
    assert waits == [1, 2, 4, 8, 1, 2]


def test_waits_are_spread_over_the_whole_span() -> None:
    waits = [Backoff(Random(seed), failures=5).next_wait() for seed in range(400)]
    assert min(waits) < 2
    assert max(waits) > 30
    assert 14 < sum(waits) / len(waits) < 18


def test_failures_without_end_do_not_overflow() -> None:
    assert Backoff(Longest(), failures=10_000).next_wait() == 60
