from __future__ import annotations

from screens import PreviewSigner
from screens.links import new_token
from screens.previews import is_ticket

NOON = 1_795_262_400.0
HOUR = 3600


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_ticket_names_its_screen_for_an_hour_at_least_and_two_at_most() -> None:
    for begun in (NOON, NOON + HOUR / 2, NOON + HOUR - 1):
        clock = Clock(begun)
        signer = PreviewSigner("secret", now=clock)
        ticket = signer.ticket("screen-1")
        clock.now = begun + HOUR
        assert signer.screen_id(ticket) == "screen-1"
        clock.now = begun + 2 * HOUR
        assert signer.screen_id(ticket) is None


def test_ticket_stays_the_same_within_the_hour() -> None:
    """Else the frame that shows the preview would be loaded anew at each rerun."""
    early, late = (PreviewSigner("secret", now=Clock(now)).ticket("a") for now in (NOON + 1, NOON + HOUR - 1))
    assert early == late


def test_ticket_of_another_secret_is_none() -> None:
    assert PreviewSigner("secret").screen_id(PreviewSigner("another").ticket("a")) is None


def test_only_a_ticket_of_ours_is_ever_over() -> None:
    clock = Clock(NOON)
    signer = PreviewSigner("secret", now=clock)
    ticket, foreign = signer.ticket("a"), PreviewSigner("another", now=clock).ticket("a")
    assert not signer.is_over(ticket)
    clock.now += 2 * HOUR
    assert (signer.is_over(ticket), signer.is_over(foreign), signer.is_over("")) == (True, False, False)


def test_no_link_is_taken_for_a_ticket() -> None:
    assert is_ticket(PreviewSigner("secret").ticket("a"))
    assert not any(is_ticket(new_token()) for _ in range(1000))
