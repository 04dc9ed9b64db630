from __future__ import annotations

import pytest

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner, TokenError, TokenExpiredError

GRANT = StreamGrant(
    (
        GrantedFeed(FeedKey("site-1"), "Europe/Zurich"),
        GrantedFeed(FeedKey("site-1", ("hall", "café")), "Europe/Zurich"),
    )
)


def test_a_grant_comes_back_as_it_was_signed() -> None:
    signer = StreamSigner("secret")
    assert signer.read(signer.sign(GRANT)) == GRANT


def test_another_secret_reads_nothing() -> None:
    with pytest.raises(TokenError):
        StreamSigner("other").read(StreamSigner("secret").sign(GRANT))


@pytest.mark.parametrize("position", [0, 10, -1])
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


def test_an_expired_token_says_so() -> None:
    with pytest.raises(TokenExpiredError):
        StreamSigner("secret", lifetime=-1).read(StreamSigner("secret").sign(GRANT))


def test_a_token_of_a_thousand_feeds_of_one_page_fits_an_address() -> None:
    feeds = tuple(GrantedFeed(FeedKey(f"site-{number:06}"), "Europe/Zurich") for number in range(100))
    assert len(StreamSigner("secret").sign(StreamGrant(feeds))) < 4000


def test_who_comes_together_gets_the_same_token_and_another_grant_another() -> None:
    signer = StreamSigner("secret")
    assert len({signer.sign(GRANT) for _ in range(100)}) <= 2
    assert signer.sign(StreamGrant(GRANT.feeds[:1])) != signer.sign(GRANT)
