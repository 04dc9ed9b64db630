from __future__ import annotations

from random import Random
from typing import Final

import pytest

from api_client import (
    ApiClientError,
    BrokenAnswer,
    Forbidden,
    InvalidQuery,
    NotFound,
    ServiceFailure,
    StreamDeclined,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from live.feed_context import FeedLimits
from live.freshness import STUCK, UNPROVEN
from live.latest_offer import LatestEnd, LatestOffer

LIMITS: Final = FeedLimits()
LOST: Final = Unreachable("It broke.", code="CONNECTION_FAILED")


def after(*ends: LatestEnd) -> LatestOffer:
    offer, random = LatestOffer(), Random(1)
    for end in ends:
        offer = offer.after(end, LIMITS, random)
    return offer


@pytest.mark.parametrize(
    "error",
    [
        NotFound("No.", code="HTTP_404"),
        Forbidden("No.", code="HTTP_403"),
        InvalidQuery("No.", code="HTTP_405"),
        StreamDeclined("No.", code="HTTP_204"),
        BrokenAnswer("A page.", code="NOT_A_STREAM"),
        Unreachable("It hangs.", code="TIMEOUT"),
    ],
)
def test_an_answer_of_another_kind_is_believed_for_minutes(error: ApiClientError) -> None:
    offer = after(LatestEnd(error, None))
    assert not offer.is_expected
    assert 0.8 * LIMITS.offer_again <= offer.wait <= 1.2 * LIMITS.offer_again


def test_a_refused_key_is_tried_again_as_soon_as_elsewhere() -> None:
    offer = after(LatestEnd(Unauthorized("No.", code="HTTP_401"), None))
    assert not offer.is_expected
    assert offer.wait <= 1.2 * LIMITS.probe


def test_a_service_that_is_down_is_asked_further_and_further_apart() -> None:
    random = Random(1)
    longest = [0.0] * 12
    for _ in range(200):
        offer = LatestOffer()
        for attempt in range(12):
            offer = offer.after(LatestEnd(LOST, None), LIMITS, random)
            longest[attempt] = max(longest[attempt], offer.wait)
    assert longest == sorted(longest[:7]) + longest[7:]
    assert max(longest) <= LIMITS.longest_wait


def test_a_pause_that_is_asked_for_is_kept_and_nobody_waits_for_it() -> None:
    error = Unavailable("Later.", code="TOO_MANY_STREAMS", retry_after=30.0)
    offer = after(LatestEnd(error, None))
    assert 30.0 <= offer.wait <= 31.0
    assert not offer.is_expected


def test_a_failure_of_the_service_is_no_word_on_whether_there_is_a_stream() -> None:
    failures = LatestEnd(ServiceFailure("It broke.", code="HTTP_500"), None)
    assert after(failures).wait <= LIMITS.first_wait


def test_streams_that_do_their_work_begin_the_waits_from_the_first_again() -> None:
    worked = LatestEnd(LOST, 40.0)
    assert all(after(*[worked] * count).wait <= LIMITS.first_wait for count in range(1, 9))
    assert after(*[LatestEnd(LOST, None)] * 9, worked).is_expected


@pytest.mark.parametrize("end", [LatestEnd(LOST, 1.0), LatestEnd(Unreachable("No.", code=STUCK), 90.0)])
def test_three_in_a_row_that_are_cut_at_once_or_stuck_are_given_up(end: LatestEnd) -> None:
    assert after(end, end).wait < 10.0
    assert not after(end, end, end).is_expected
    assert after(end, end, end).wait >= 0.8 * LIMITS.offer_again
    assert after(end, end, LatestEnd(LOST, 40.0), end).wait < 10.0


def test_one_that_no_check_could_prove_is_opened_anew_as_often_as_need_be() -> None:
    quiet = LatestEnd(Unreachable("Nobody knows.", code=UNPROVEN), 110.0)
    assert after(*[quiet] * 9).is_expected
