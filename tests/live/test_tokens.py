from __future__ import annotations

import pytest
from itsdangerous import URLSafeSerializer

from live import (
    CrossingsKey,
    FeedKey,
    GrantedFeed,
    GrantedPassages,
    StreamGrant,
    StreamSigner,
    TokenError,
    TokenExpiredError,
)
from live.tokens import LIFETIME, LONGEST_RENEWED

GRANT = StreamGrant(
    (
        GrantedFeed(FeedKey("site-1"), "Europe/Zurich"),
        GrantedFeed(FeedKey("site-1", ("hall", "café")), "Europe/Zurich"),
    )
)


def test_a_grant_comes_back_as_it_was_signed() -> None:
    signer = StreamSigner("secret")
    assert signer.read(signer.sign(GRANT)) == GRANT


def test_passages_come_back_beside_the_feeds() -> None:
    signer = StreamSigner("secret")
    grant = StreamGrant(GRANT.feeds, (GrantedPassages(CrossingsKey("site-1"), "Europe/Zurich"),))
    assert signer.read(signer.sign(grant)) == grant
    assert grant.everything == grant.feeds + grant.passages


def test_that_feeds_are_seen_in_a_list_comes_back_and_changes_no_other_token() -> None:
    signer = StreamSigner("secret", clock=lambda: 0.0)
    listed = StreamGrant(GRANT.feeds, is_listed=True)
    assert signer.read(signer.sign(listed)) == listed
    assert signer.renewed(signer.sign(listed))[0] == listed
    feeds = [["site-1", [], "Europe/Zurich"], ["site-1", ["hall", "café"], "Europe/Zurich"]]
    before = URLSafeSerializer("secret", salt="headroom live stream").dumps([0, 0, feeds])
    assert signer.sign(GRANT) == before


def test_another_secret_reads_nothing() -> None:
    with pytest.raises(TokenError):
        StreamSigner("other").read(StreamSigner("secret").sign(GRANT))


@pytest.mark.parametrize("position", [0, 10, -2])  # of the last character not all bits count
def test_a_changed_token_reads_nothing(position: int) -> None:
    token = StreamSigner("secret").sign(GRANT)
    changed = list(token)
    changed[position] = "A" if changed[position] != "A" else "B"
    with pytest.raises(TokenError):
        StreamSigner("secret").read("".join(changed))


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é"])
def test_what_is_no_token_reads_nothing(token: str) -> None:
    with pytest.raises(TokenError):
        StreamSigner("secret").read(token)


HOUR = 3600


class Clock:
    def __init__(self) -> None:
        self.seconds = 1_780_000_000.0

    def __call__(self) -> float:
        return self.seconds


def test_an_expired_token_says_so() -> None:
    clock = Clock()
    signer = StreamSigner("secret", clock=clock)
    token = signer.sign(GRANT)
    clock.seconds += LIFETIME - HOUR
    assert signer.read(token) == GRANT
    clock.seconds += 2 * HOUR
    with pytest.raises(TokenExpiredError):
        signer.read(token)


def renewed_until_refused(clock: Clock, step: int) -> float:
    """Seconds from the first token to the last of its line that still granted something."""
    signer = StreamSigner("secret", clock=clock)
    opened, token = clock.seconds, signer.sign(GRANT)
    while clock.seconds < opened + 10 * LONGEST_RENEWED:
        clock.seconds += step
        try:
            grant, token = signer.renewed(token)
        except TokenExpiredError:
            return clock.seconds - step - opened
        assert grant == GRANT
    return clock.seconds - opened


@pytest.mark.parametrize("step", [2 * HOUR, LIFETIME - 120], ids=["a page that stays open", "kept aside"])
def test_a_token_is_renewed_for_a_week_and_no_longer(step: int) -> None:
    renewed_for = renewed_until_refused(Clock(), step)
    assert LONGEST_RENEWED - step - HOUR <= renewed_for <= LONGEST_RENEWED


def test_a_token_of_a_clock_that_was_days_ahead_is_refused_once_it_is_right() -> None:
    clock = Clock()
    signer = StreamSigner("secret", clock=clock)
    clock.seconds += 10 * LIFETIME
    token = signer.sign(GRANT)
    clock.seconds -= 10 * LIFETIME
    with pytest.raises(TokenExpiredError):
        signer.read(token)


def test_a_new_secret_ends_every_token() -> None:
    token = StreamSigner("old").renewed(StreamSigner("old").sign(GRANT))[1]
    with pytest.raises(TokenError):
        StreamSigner("new").renewed(token)


def test_what_an_older_dashboard_signed_is_no_token_and_no_failure() -> None:
    feeds = [["site-1", [], "Europe/Zurich"]]
    signed = URLSafeSerializer("secret", salt="headroom live stream").dumps(feeds)
    with pytest.raises(TokenError):
        StreamSigner("secret").read(str(signed))


def test_a_token_of_a_hundred_feeds_of_one_page_fits_an_address() -> None:
    feeds = tuple(GrantedFeed(FeedKey(f"site-{number:06}"), "Europe/Zurich") for number in range(100))
    assert len(StreamSigner("secret").sign(StreamGrant(feeds))) < 4000


def test_who_comes_together_gets_the_same_token_and_another_grant_another() -> None:
    signer = StreamSigner("secret")
    assert len({signer.sign(GRANT) for _ in range(100)}) <= 2
    assert signer.sign(StreamGrant(GRANT.feeds[:1])) != signer.sign(GRANT)
