from __future__ import annotations

from secrets import token_urlsafe

from screens import Composition, PreviewSigner, View, ViewKind, Words
from screens.previews import LONGEST_TICKET, is_ticket
from screens.store import new_token

NOON = 1_795_262_400.0
HOUR = 3600
DRAFT = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="corner-shop"),))


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
        assert signer.opened_by(ticket) == "screen-1"
        clock.now = begun + 2 * HOUR
        assert signer.opened_by(ticket) is None


def test_ticket_stays_the_same_within_the_hour() -> None:
    """Else the frame that shows the preview would be loaded anew at each rerun."""
    early, late = (PreviewSigner("secret", now=Clock(now)).ticket("a") for now in (NOON + 1, NOON + HOUR - 1))
    assert early == late


def test_ticket_of_another_secret_is_none() -> None:
    assert PreviewSigner("secret").opened_by(PreviewSigner("another").ticket("a")) is None


def test_only_a_ticket_of_ours_is_ever_over() -> None:
    clock = Clock(NOON)
    signer = PreviewSigner("secret", now=clock)
    ticket, foreign = signer.ticket("a"), PreviewSigner("another", now=clock).ticket("a")
    assert not signer.is_over(ticket)
    clock.now += 2 * HOUR
    assert (signer.is_over(ticket), signer.is_over(foreign), signer.is_over("")) == (True, False, False)


def test_ticket_of_a_draft_holds_it_whole_and_is_over_like_any_other() -> None:
    clock = Clock(NOON)
    signer = PreviewSigner("secret", now=clock)
    ticket = signer.draft_ticket(DRAFT) or ""
    assert is_ticket(ticket)
    assert (signer.opened_by(ticket), signer.draft_ticket(DRAFT)) == (DRAFT, ticket)
    assert PreviewSigner("another", now=clock).opened_by(ticket) is None
    clock.now += 2 * HOUR
    assert (signer.opened_by(ticket), signer.is_over(ticket)) == (None, True)


def test_twenty_views_fit_into_a_ticket_and_what_does_not_gets_none() -> None:
    signer = PreviewSigner("secret", now=Clock(NOON))
    light = View(kind=ViewKind.LIGHT, site_id="corner-shop", words=Words(free="Hereinspaziert, bitte"))
    assert signer.draft_ticket(DRAFT.model_copy(update={"views": (light,) * 20}))
    long = View(kind=ViewKind.NUMBER, site_id=token_urlsafe(LONGEST_TICKET))
    assert signer.draft_ticket(DRAFT.model_copy(update={"views": (long,)})) is None


def test_a_draft_that_this_dashboard_does_not_understand_opens_nothing() -> None:
    """It was signed by a newer one beside it."""
    signer = PreviewSigner("secret", now=Clock(NOON))
    assert signer.opened_by(signer._signed({"name": "Door", "views": [{"kind": "hologram"}]})) is None
    assert signer.opened_by(signer._signed(7)) is None


def test_no_link_is_taken_for_a_ticket() -> None:
    assert is_ticket(PreviewSigner("secret").ticket("a"))
    assert not any(is_ticket(new_token()) for _ in range(1000))
