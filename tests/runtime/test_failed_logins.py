from __future__ import annotations

from runtime.failed_logins import MOST_OF_ADDRESS, MOST_OF_ALL, WINDOW, FailedLogins


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_after_a_few_failures_an_address_waits_until_the_first_is_old() -> None:
    clock = Clock()
    failed = FailedLogins(clock)
    for _ in range(MOST_OF_ADDRESS):
        assert failed.pause("here") == 0.0
        failed.note("here")
        clock.now += 10
    assert failed.pause("here") == WINDOW - MOST_OF_ADDRESS * 10
    assert failed.pause("there") == 0.0
    clock.now += failed.pause("here")
    assert failed.pause("here") == 0.0


def test_many_addresses_together_wait_too() -> None:
    clock = Clock()
    failed = FailedLogins(clock)
    for number in range(MOST_OF_ALL):
        failed.note(f"address {number}")
    assert failed.pause("a new one") == WINDOW


def test_the_right_password_forgets_what_was_wrong_from_there() -> None:
    failed = FailedLogins(Clock())
    for _ in range(MOST_OF_ADDRESS):
        failed.note("here")
    failed.forget("here")
    assert failed.pause("here") == 0.0
