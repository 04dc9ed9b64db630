"""When a feed asks for the newest value beside its stream, and what it makes of an answer that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, repeat
from math import inf
from typing import Any, Final

import pytest

from api_client import MetricsAnswer
from api_client.site_now import UNEVEN
from contract import MetricKey, MetricPoint
from live import FeedKey, FeedLimits, FeedState, Reading, Snapshot, Subscription
from live.clock import Moment
from live.events import CheckFailed, ValueConfirmed
from live.freshness import Asking, StreamFreshness, meaning
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_failure,
    answer_value,
    envelope,
    event,
    failure,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import Subscribe

HALL: Final = FeedKey("site-1", ("hall",))
"""Of which nobody asks for the top zone."""


def stream_every(seconds: float, minutes_ago: int = 0) -> Script:
    """A value at once, and another one after so many seconds, again and again."""

    async def script(call: Call) -> None:
        await call.open_stream()
        value = 0
        while True:
            await call.send(event(point(value, minutes_ago=minutes_ago)))
            await asyncio.sleep(seconds)
            value += 1

    return script


def checks(service: MisbehavingServer) -> int:
    return sum(call.is_newest for call in service.calls)


async def states_until(feed: Subscription, is_over: Callable[[], bool]) -> set[FeedState]:
    """From the first value on."""
    states = set()

    def looked() -> bool:
        states.add(feed.snapshot.state)
        return is_over()

    await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
    await eventually(looked)
    return states


def refusing(status: str) -> Script:
    async def refuse(call: Call) -> None:
        await call.answer(status, b"" if status[0] in "23" else failure("RATE", "No."))

    return refuse


FAILED_CHECKS = ["500 Internal Server Error", "429 Too Many Requests", "304 Not Modified", "204 No Content"]
NO_PROOF = {
    "failing": answer_failure,
    "limited": refusing("429 Too Many Requests"),
    "impossible": answer_value(-57),
    "old": answer_value(9, minutes_ago=30),
}


@pytest.mark.parametrize("answer", NO_PROOF.values(), ids=NO_PROOF.keys())
async def test_a_stream_of_one_value_a_minute_stays_live_whatever_is_answered_between_two(
    subscribe: Subscribe, answer: Script
) -> None:
    async with misbehaving_server(stream_every(1.6), answer) as service:
        feed = subscribe(service, HALL, silence=1.4, recheck=0.05)
        states = await states_until(
            feed, lambda: (inside(feed.snapshot.newest) or 0) >= 3 and checks(service) >= 3
        )
        assert states == {FeedState.LIVE}
        assert len(service.streams) == 1


async def test_a_stream_of_the_minutes_that_are_over_is_not_given_up_for_the_one_that_runs(
    subscribe: Subscribe,
) -> None:
    async def answer_rising(call: Call) -> None:
        await answer_value(100 + checks(service))(call)

    async with misbehaving_server(stream_every(2.2, minutes_ago=1), answer_rising) as service:
        feed = subscribe(service, HALL, silence=1.0)
        assert await states_until(feed, lambda: checks(service) > 7) == {FeedState.LIVE}
        assert (inside(feed.snapshot.newest) or 0) > 104
        assert len(service.streams) == 1


async def test_a_stream_that_brings_nothing_more_is_late_and_then_given_up_where_no_check_is_answered(
    subscribe: Subscribe,
) -> None:
    opened: list[float] = []
    states = set()

    async def stream(call: Call) -> None:
        opened.append(asyncio.get_running_loop().time())
        await call.open_stream()
        await call.send(event(point(3)))
        await call.hold()

    async def fail(call: Call) -> None:
        states.add(feed.snapshot.state)  # which it may leave in the next moment
        await answer_failure(call)

    async with misbehaving_server(stream, fail) as service:
        feed = subscribe(
            service, HALL, first_check=0.8, silence=2.0, recheck=0.08, longest_wait=60.0, idle=60.0
        )

        def is_given_up() -> bool:
            states.add(feed.snapshot.state)
            return len(opened) > 1

        await eventually(is_given_up)
        asked = [call.is_stream for call in service.calls].index(True, 1) - 1
    assert {FeedState.LIVE, FeedState.LATE} <= states
    assert opened[1] - opened[0] > 4 * 2.0
    # One for each silence that is usual, then ever further apart: every 80 ms would be twenty-five more.
    assert asked <= 9


@pytest.mark.parametrize("status", [*FAILED_CHECKS, "400 Bad Request"])
async def test_an_unanswered_question_about_the_top_zone_costs_no_stream_that_brings_values(
    subscribe: Subscribe, status: str
) -> None:
    seen = set()

    async def stream(call: Call) -> None:
        await call.open_stream()
        while True:
            await call.send(event(point(3)))
            await asyncio.sleep(0.01)

    refuse = refusing(status)
    async with misbehaving_server(stream, refuse) as service:
        feed = subscribe(service, first_check=0.5, silence=1.0, recheck=0.01)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)

        def asked_often() -> bool:
            seen.add(feed.snapshot.state)
            return sum(call.is_newest for call in service.calls) > 2

        await eventually(asked_often)
        assert seen == {FeedState.LIVE}
        assert len(service.streams) == 1


async def test_an_answer_that_lacks_the_value_which_a_stream_brings_is_no_reason_for_doubt(
    subscribe: Subscribe,
) -> None:
    seen = set()
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        feed = subscribe(service, first_check=1.0, silence=60.0)

        def was_asked() -> bool:
            seen.add(feed.snapshot.state)
            return bool(feed.snapshot.server_tag)

        await eventually(was_asked)
        assert feed.snapshot.state is FeedState.LIVE
        assert FeedState.LATE not in seen


async def test_a_stream_of_nothing_but_old_minutes_is_checked_as_a_silent_one(subscribe: Subscribe) -> None:
    async def stream(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)))
        while True:
            await call.send(event(point(9, minutes_ago=120)))
            await asyncio.sleep(0.05)

    async with misbehaving_server(stream, answer_value(3)) as service:
        feed = subscribe(service, silence=2.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
        service.newest = answer_value(4)
        await eventually(lambda: inside(feed.snapshot.newest) == 4)


async def test_newer_and_newer_minutes_that_are_all_old_are_checked_as_silence_is(
    subscribe: Subscribe,
) -> None:
    newest = point(900, minutes_ago=900)

    async def stream(call: Call) -> None:
        nonlocal newest
        await call.open_stream()
        for back in chain(range(900, 60, -1), repeat(60)):
            newest = point(back, minutes_ago=back)
            await call.send(event(newest))
            await asyncio.sleep(0.01)

    async def answer_newest(call: Call) -> None:
        await call.answer(body=envelope([newest]))

    async with misbehaving_server(stream, answer_newest) as service:
        feed = subscribe(service, silence=2.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
        service.newest = answer_value(4)
        await eventually(lambda: inside(feed.snapshot.newest) == 4)


async def test_an_answer_that_cannot_be_trusted_ends_no_asking_for_the_top_zone(subscribe: Subscribe) -> None:
    pieces = 0

    async def stream(call: Call) -> None:
        nonlocal pieces
        await call.open_stream()
        while True:
            pieces += 1
            await call.send(event(point(3)))
            await asyncio.sleep(0.01)

    answers = iter([envelope([point(3, minutes_ago=-30)])])
    named = envelope([point(3) | {"matchingFilters": {"zoneIds": ["shop"]}}])

    async def answer_newest(call: Call) -> None:
        await call.answer(body=next(answers, named))

    async with misbehaving_server(stream, answer_newest) as service:
        feed = subscribe(service, first_check=0.5, silence=0.5)
        await eventually(lambda: feed.snapshot.top_zone_ids == ("shop",))
        assert feed.snapshot.state is FeedState.LIVE
        assert pieces < 500  # a silence is fifty of them long


LIMITS: Final = FeedLimits(first_check=2.0, silence=25.0)
NOON: Final = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
OPENED: Final = StreamFreshness.opened(100.0)


def minute(ago: int, value: int = 5) -> Reading:
    return Reading(NOON - timedelta(minutes=ago), {MetricKey.VISITORS_INSIDE: value})


def live_with(*readings: Reading) -> Snapshot:
    return Snapshot(HALL, FeedState.LIVE, readings=readings)


def test_a_check_is_due_after_a_silence_and_soon_where_the_top_zone_or_the_value_is_not_known() -> None:
    due = partial(OPENED.check_due, limits=LIMITS)
    assert due(FeedState.LIVE, inf) == 125
    assert due(FeedState.LIVE, 0.0) == 102
    assert due(FeedState.LIVE, 110.0) == 110
    assert due(FeedState.CONNECTING, inf) == 102


def test_past_minutes_that_come_put_a_check_off_no_longer_than_a_silence() -> None:
    replaying = replace(OPENED, fresh_at=110.0)
    assert replaying.check_due(FeedState.CONNECTING, inf, LIMITS) == 112
    assert replace(OPENED, fresh_at=130.0).check_due(FeedState.CONNECTING, inf, LIMITS) == 125


def test_a_stream_is_usual_for_three_silences_after_a_recent_minute_and_stuck_after_four() -> None:
    recent = OPENED.received(NOON, live_with(minute(1)), Moment(110.0, NOON))
    assert recent.is_usual(110 + 74.0, LIMITS)
    assert not recent.is_usual(110 + 75.0, LIMITS)
    assert not OPENED.is_usual(101.0, LIMITS)
    assert not recent.is_stuck(110 + 100.0, LIMITS)
    assert recent.is_stuck(110 + 101.0, LIMITS)
    assert not recent.answered(150.0).is_stuck(250.0, LIMITS)


def test_an_old_minute_makes_no_live_stream_fresh() -> None:
    doubted = replace(OPENED, failed_checks=2)
    known = live_with(minute(120))
    old = doubted.received(minute(60).measured_at, known, Moment(110.0, NOON))
    assert (old.fresh_at, old.heard_at, old.failed_checks, old.has_recent) == (100.0, 110.0, 2, False)
    recent = doubted.received(NOON, known, Moment(110.0, NOON))
    assert (recent.fresh_at, recent.failed_checks, recent.has_recent) == (110.0, 0, True)
    while_late = replace(known, state=FeedState.RECONNECTING)
    assert doubted.received(minute(60).measured_at, while_late, Moment(110.0, NOON)).fresh_at == 110


def answer_of(*points: MetricPoint) -> MetricsAnswer:
    return MetricsAnswer(points, {}, (), "r-1", "a service")


def counted(ago: int, value: int) -> MetricPoint:
    reading = minute(ago, value)
    return MetricPoint(timestamp=reading.measured_at, metrics={"visitorsInside": value})


def asking(**fields: Any) -> Asking:
    quiet = Asking(False, False, False, None, False, False, None)
    return quiet._replace(**fields)


def said(answer: MetricsAnswer, asked: Asking, known: Snapshot) -> Reading | None:
    event = meaning(answer, asked, known, NOON)
    assert isinstance(event, ValueConfirmed)
    return event.reading


def test_an_answer_gives_the_value_that_the_stream_lacks() -> None:
    assert said(answer_of(counted(0, 7)), asking(), live_with(minute(1))) == minute(0, 7)
    assert said(answer_of(), asking(), live_with(minute(1))) is None


def test_for_the_same_minute_the_stream_holds_where_it_overtook_the_answer_or_was_fresh() -> None:
    answer, known = answer_of(counted(0, 7)), live_with(minute(0, 8))
    assert said(answer, asking(), known) == minute(0, 7)
    assert said(answer, asking(is_overtaken=True), known) == minute(0, 8)
    assert said(answer, asking(is_confirmed=True), known) == minute(0, 7)
    assert said(answer, asking(is_confirmed=True, was_fresh=True), known) == minute(0, 8)


def test_an_answer_that_cannot_be_right_is_a_reason_for_doubt_unless_the_stream_confirms_its_value() -> None:
    answer = answer_of(replace(counted(0, 7), timestamp=NOON + timedelta(seconds=30)))
    event = meaning(answer, asking(), live_with(minute(0)), NOON)
    assert isinstance(event, CheckFailed)
    assert (event.reason, event.request_id) == (UNEVEN, "r-1")
    assert meaning(answer, asking(is_confirmed=True), live_with(minute(0)), NOON) is None
