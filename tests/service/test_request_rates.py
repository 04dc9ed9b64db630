from __future__ import annotations

import pytest

from service.request_rates import RequestRates


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_key_may_ask_a_burst_at_once_and_is_then_told_how_long_to_wait(clock: Clock) -> None:
    rates = RequestRates(rate=4.0, burst=3, monotonic=clock)
    assert [rates.take("one") for _ in range(4)] == [0, 0, 0, 0.25]
    assert rates.take("other") == 0, "each key has its own"


def test_who_waits_as_long_as_told_may_ask_again_and_no_oftener_than_the_rate(clock: Clock) -> None:
    rates = RequestRates(rate=4.0, burst=3, monotonic=clock)
    granted = 0
    for _ in range(1000):
        wait = rates.take("one")
        granted += not wait
        clock.now += 0.01
    assert granted == pytest.approx(3 + 4 * 10, abs=1)


def test_a_refusal_takes_nothing_and_a_long_pause_gives_no_more_than_the_burst(clock: Clock) -> None:
    rates = RequestRates(rate=1.0, burst=2, monotonic=clock)
    for _ in range(50):
        rates.take("one")
    clock.now += 1.0
    assert rates.take("one") == 0
    clock.now += 1e6
    assert [rates.take("one") == 0 for _ in range(3)] == [True, True, False]
