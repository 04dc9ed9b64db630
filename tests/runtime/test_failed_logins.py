from __future__ import annotations

import pytest

from runtime.failed_logins import MOST_OF_ADDRESS, MOST_OF_ALL, WINDOW, FailedLogins, place_of


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


def test_a_browser_that_is_known_is_counted_apart() -> None:
    failed = FailedLogins(Clock())
    for number in range(MOST_OF_ALL):
        failed.note(f"address {number}")
    assert failed.pause("browser", is_known=True) == 0.0
    for _ in range(MOST_OF_ADDRESS):
        failed.note("browser", is_known=True)
    assert failed.pause("browser", is_known=True) == WINDOW
    failed.forget("browser", is_known=True)
    assert failed.pause("a new one") == WINDOW, "what strangers did is not forgotten with it"


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("", "a socket", False),
    ],
)
def test_addresses_of_one_network_are_one_place(one: str, other: str, *, are_alike: bool) -> None:
    assert (place_of(one) == place_of(other)) == are_alike
