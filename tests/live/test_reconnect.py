from __future__ import annotations

from random import Random
from typing import Final

from api_client import Forbidden, InvalidQuery, NotFound, Unauthorized, Unavailable, Unreachable
from contract import ErrorCode
from live import FeedLimits
from live.reconnect import Attempts, Backoff, Reconnect, StreamEnd, reconnect


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


LIMITS: Final = FeedLimits()
CUT: Final = Unreachable("The service ended the stream.", code="STREAM_ENDED")


def unavailable(pause: float) -> Unavailable:
    error = Unavailable("No.", code="RATE", retry_after=pause)
    error.status = 429
    return error


def after(*ends: StreamEnd, attempts: Attempts | None = None) -> tuple[Reconnect, Attempts]:
    """What follows the last of these, with the longest waits that may be drawn."""
    attempts = attempts or Attempts()
    for end in ends:
        step, attempts = reconnect(end, attempts, LIMITS, Longest())
    return step, attempts


def test_a_stream_that_brought_a_recent_minute_begins_the_waits_again_unless_it_was_cut() -> None:
    tired = Attempts(failures=5)
    assert after(StreamEnd(CUT, 30.0, brought_recent=True), attempts=tired)[0].wait == 1
    assert after(StreamEnd(CUT, 30.0), attempts=tired)[0].wait == 32
    assert after(StreamEnd(CUT, 60.0), attempts=tired)[0].wait == 1
    assert after(StreamEnd(CUT, 1.0, brought_recent=True), attempts=tired)[0].wait == 32


def test_after_three_streams_that_were_cut_at_once_values_are_asked_for_before_the_next() -> None:
    cut = StreamEnd(CUT, 0.5)
    assert [after(*[cut] * count)[0].polls for count in (1, 2, 3, 4)] == [False, False, True, True]
    assert not after(cut, cut, StreamEnd(CUT, 30.0), cut, cut)[0].polls


def test_a_stream_that_is_refused_for_good_lets_values_be_asked_for_at_once() -> None:
    declined = InvalidQuery("No streams.", code="INVALID")
    declined.status = 400
    assert after(StreamEnd(declined))[0].polls
    assert not after(StreamEnd(declined))[0].is_refused
    assert after(StreamEnd(declined, 30.0))[0].is_refused


def test_a_refused_key_and_an_unknown_site_are_asked_nothing() -> None:
    for error in (
        Unauthorized("No.", code="UNAUTHORIZED"),
        Forbidden("No.", code="FORBIDDEN"),
        NotFound("No.", code=ErrorCode.SITE_NOT_FOUND),
    ):
        step, attempts = after(StreamEnd(error), attempts=Attempts(failures=2))
        assert (step.is_refused, step.may_ask, step.polls) == (True, False, False)
        assert attempts == Attempts(failures=2)


def test_a_service_that_is_not_reached_is_asked_nothing_and_tried_again() -> None:
    away = StreamEnd(Unreachable("Nobody answers.", code="CONNECT_FAILED"))
    step, attempts = after(away, away)
    assert (step.is_refused, step.may_ask, step.wait) == (False, False, 2)
    assert attempts == Attempts(failures=2)


def test_four_pauses_that_a_service_asks_for_pass_before_another_stream() -> None:
    step, _ = after(StreamEnd(unavailable(120.0)))
    assert (step.polls, step.asked_pause) == (True, 120)
    assert step.polling == 4 * 120
    assert after(StreamEnd(unavailable(LIMITS.probe + 1)))[0].asked_pause == LIMITS.probe
    short, _ = after(StreamEnd(unavailable(LIMITS.poll)))
    assert (short.polls, short.polling) == (False, LIMITS.longest_wait)


def test_the_shortest_wait_that_a_stream_asked_for_holds_until_another_is() -> None:
    asked = Attempts().asked(20.0).asked(None)
    assert after(StreamEnd(CUT, 30.0), attempts=asked)[0].wait == 20
    assert after(StreamEnd(CUT, 30.0), attempts=asked.asked(0.0))[0].wait == 1
