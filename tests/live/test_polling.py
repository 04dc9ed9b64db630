"""When the newest value is asked for while there is no stream."""

from __future__ import annotations

from math import inf

from api_client import Unavailable, Unreachable
from live import FeedLimits
from live.polling import PollSchedule

LIMITS = FeedLimits(poll=10.0, longest_wait=60.0)
AWAY = Unreachable("Nobody answers.", code="CONNECT_FAILED")


def failed(schedule: PollSchedule, now: float, error: Unreachable | Unavailable = AWAY) -> PollSchedule:
    return schedule.failed(error, now, LIMITS, lambda seconds: seconds)


def test_nothing_is_asked_before_it_is_due() -> None:
    assert PollSchedule().next_at == inf
    assert PollSchedule().at(5.0).next_at == 5
    assert PollSchedule().at(5.0).stopped().next_at == inf


def test_while_no_answer_comes_the_queries_come_further_apart_up_to_the_longest_wait() -> None:
    schedule, pauses = PollSchedule().at(0.0), []
    for _ in range(5):
        now = schedule.next_at
        schedule = failed(schedule, now)
        pauses.append(schedule.next_at - now)
    assert pauses == [10, 20, 40, 60, 60]
    assert failed(schedule.answered(300.0, 10.0), 310.0).next_at == 320


def test_failures_without_end_do_not_overflow() -> None:
    assert failed(PollSchedule(failures=30), 0.0) == PollSchedule(due=60.0, failures=30)


def test_a_pause_that_is_asked_for_is_kept_by_the_next_query() -> None:
    limited = Unavailable("No.", code="RATE", retry_after=90.0)
    schedule = failed(PollSchedule().at(0.0), 100.0, limited)
    assert (schedule.due, schedule.next_at) == (110, 190)
    assert schedule.at(120.0).next_at == 190
    assert schedule.let_alone(150.0).next_at == 190


def test_no_pause_is_kept_longer_than_a_refusal_is_probed() -> None:
    limited = Unavailable("No.", code="RATE", retry_after=86_400.0)
    assert failed(PollSchedule(), 0.0, limited).next_at == LIMITS.probe
