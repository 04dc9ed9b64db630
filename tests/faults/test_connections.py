"""Faults 1 to 7: connections that are refused, break, end, are cut at once or fall silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import structlog

from live import FeedState, Subscription
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.conftest import Watch, shows
from tests.faults.misbehaving_server import (
    Call,
    Script,
    answer_failure,
    answer_value,
    event,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
)
from tests.running_service import free_port


async def test_fault_01_a_refused_connection_is_told_once_and_heals_by_itself(watch: Watch) -> None:
    port = free_port()
    with structlog.testing.capture_logs() as log:
        feed = watch(f"http://127.0.0.1:{port}")
        down = feed.snapshot

        def is_offline() -> bool:
            nonlocal down
            down = feed.snapshot  # held: in the next moment it may be trying again
            return down.state is FeedState.OFFLINE

        await eventually(is_offline)
        assert "refused" in down.reason
        assert down.since is not None
        assert down.next_step
        assert down.retry_at is not None
        async with misbehaving_server(stream_of(event(point(7))), port=port):
            await eventually(lambda: shows(feed, 7))
            await eventually(lambda: [line["event"] for line in log] == ["feed down", "feed up"])


async def test_fault_01_a_host_that_does_not_exist_is_named(watch: Watch) -> None:
    feed = watch("http://no-such-host.invalid")
    await eventually(lambda: feed.snapshot.state in {FeedState.RECONNECTING, FeedState.OFFLINE})
    assert "no-such-host.invalid cannot be reached" in feed.snapshot.reason


async def test_fault_02_a_reset_in_the_middle_of_an_event_drops_the_part(watch: Watch) -> None:
    async def break_off(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)) + event(point(99))[:-2])
        await asyncio.sleep(0.05)
        call.reset()

    script = one_after_another(break_off, stream_of(event(point(4))))
    async with misbehaving_server(script) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 4))
        assert all(inside(reading) != 99 for reading in feed.snapshot.readings)
        assert feed.snapshot.reconnects == 1


async def test_fault_03_an_end_without_the_final_chunk_leads_to_a_reconnect(watch: Watch) -> None:
    async def vanish(call: Call) -> None:
        await call.open_chunked_stream()
        await call.send_chunk(event(point(3)))

    async with misbehaving_server(one_after_another(vanish, stream_of(event(point(4))))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 4))


async def test_fault_03_a_clean_end_leads_to_a_reconnect(watch: Watch) -> None:
    async def finish(call: Call) -> None:
        await call.open_chunked_stream()
        await call.send_chunk(event(point(3)))
        await call.send(b"0\r\n\r\n")

    async with misbehaving_server(one_after_another(finish, stream_of(event(point(4))))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 4))


async def cut_at_once(call: Call) -> None:
    await call.open_stream()


async def test_fault_04_a_stream_cut_again_and_again_is_replaced_by_polling(watch: Watch) -> None:
    async with misbehaving_server(cut_at_once, answer_value(5)) as server:
        feed = watch(server.base_url, longest_wait=600.0, cut=60.0)
        await eventually(lambda: shows(feed, 5, FeedState.POLLING))
        assert len(server.streams) == 3
        server.newest = answer_value(6)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))
        assert feed.snapshot.retry_at is not None
        assert len(server.streams) == 3


async def test_fault_04_polling_ends_when_a_stream_stays_open(watch: Watch) -> None:
    script = one_after_another(cut_at_once, cut_at_once, cut_at_once, stream_of(event(point(8))))
    async with misbehaving_server(script, answer_value(5)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 8))


async def test_fault_04_a_stream_on_trial_does_not_look_live_before_it_lasted(watch: Watch) -> None:
    seen: set[FeedState] = set()

    async def cut_after_a_value(call: Call) -> None:
        if len(server.streams) > 3:
            seen.add(feed.snapshot.state)
        await call.open_stream()
        await call.send(event(point(5)))

    async with misbehaving_server(cut_after_a_value, answer_value(5)) as server:
        feed = watch(server.base_url, cut=5.0, longest_wait=1.0)
        await eventually(lambda: len(server.streams) > 6)
        assert seen == {FeedState.POLLING}


async def test_fault_05_silence_with_the_socket_open_ends_in_a_reconnect(watch: Watch) -> None:
    script = one_after_another(stream_of(event(point(3))), stream_of(event(point(4))))
    async with misbehaving_server(script) as server:
        feed = watch(server.base_url, idle=4.0)
        await eventually(lambda: inside(feed.snapshot.newest) == 3)
        await eventually(lambda: shows(feed, 4))


async def test_fault_06_a_stream_that_drips_is_late_and_then_reconnected(watch: Watch) -> None:
    seen: set[FeedState] = set()

    async def drip(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)))
        for byte in b": comment without an end, " * 1000:
            await call.send(bytes([byte]))
            await asyncio.sleep(0.02)
            seen.add(feed.snapshot.state)

    async def fail(call: Call) -> None:
        seen.add(feed.snapshot.state)
        await answer_failure(call)

    script = one_after_another(drip, stream_of(event(point(4))))
    async with misbehaving_server(script, one_after_another(answer_value(3), fail)) as server:
        feed = watch(server.base_url, silence=1.0, idle=60.0)
        await eventually(lambda: inside(feed.snapshot.newest) == 4)
        assert FeedState.LATE in seen


async def test_fault_06_a_stream_that_keeps_new_values_back_is_reconnected(watch: Watch) -> None:
    async def drip(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)))
        while True:
            await call.send(b":")
            await asyncio.sleep(0.02)

    async def answer_rising(call: Call) -> None:
        await answer_value(10 + len(server.calls))(call)

    async with misbehaving_server(drip, answer_rising) as server:
        feed = watch(server.base_url, silence=0.1, idle=60.0)
        await eventually(lambda: len(server.streams) > 1)
        assert feed.snapshot.reconnects >= 1


async def cut_after_a_while(call: Call) -> None:
    await call.open_stream()
    await call.send(event(point(5)))
    await asyncio.sleep(0.1)


async def test_fault_05_a_connection_without_an_answer_is_asked_beside(watch: Watch) -> None:
    async with misbehaving_server(Call.hold, answer_value(5)) as server:
        server.other = answer_value(4, minutes_ago=1)
        feed = watch(server.base_url, unheard=0.1, answer=60.0, idle=60.0)
        await eventually(lambda: shows(feed, 5, FeedState.POLLING))
        await eventually(lambda: len(feed.snapshot.readings) == 2 and not feed.snapshot.awaits_past)
        server.newest = answer_value(6)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))
        assert len(server.streams) == 1
        assert feed.snapshot.reconnects == 0


async def test_fault_05_questions_that_fail_beside_a_connection_come_further_and_further_apart(
    watch: Watch,
) -> None:
    asked_at: list[float] = []

    async def fail(call: Call) -> None:
        asked_at.append(asyncio.get_running_loop().time())
        await answer_failure(call)

    async with misbehaving_server(Call.hold, fail) as server:
        feed = watch(server.base_url, unheard=0.1, answer=60.0, idle=60.0, poll=0.2, longest_wait=60.0)
        await eventually(lambda: len(asked_at) == 5)
        assert feed.snapshot.state is FeedState.RECONNECTING
    pauses = [later - sooner for sooner, later in pairwise(asked_at)]
    assert pauses[3] > 2 * pauses[0]
    # From 0.2 s on each twice as long, less a fifth at most.
    assert all(pause >= 0.16 * 2**number for number, pause in enumerate(pauses))


async def test_fault_03_a_value_that_is_asked_for_stays_true_while_streams_are_tried(watch: Watch) -> None:
    seen: set[FeedState] = set()

    async def refuse(call: Call) -> None:
        await asyncio.sleep(0.2)
        await call.answer("429 Too Many Requests")

    script = one_after_another(cut_after_a_while, refuse)
    async with misbehaving_server(script, answer_value(6)) as server:
        feed = watch(server.base_url, unheard=0.1, cut=0.01)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))

        def was_tried_often() -> bool:
            seen.add(feed.snapshot.state)
            return len(server.streams) > 4

        await eventually(was_tried_often)
        assert seen == {FeedState.POLLING}


async def test_fault_03_a_stream_that_brought_its_newest_value_is_soon_opened_again(watch: Watch) -> None:
    async with misbehaving_server(cut_after_a_while, answer_value(5)) as server:
        watch(server.base_url, cut=0.05, first_wait=0.1, longest_wait=600.0)
        await eventually(lambda: len(server.streams) > 15)


def end_once_live(feed: Callable[[], Subscription]) -> Script:
    async def script(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(5)))
        await eventually(lambda: shows(feed(), 5))
        await asyncio.sleep(0.5)

    return script


async def test_fault_03_a_stream_that_ends_regularly_and_is_back_soon_stays_live(watch: Watch) -> None:
    states: set[FeedState] = set()
    async with misbehaving_server(end_once_live(lambda: feed), answer_value(5)) as server:
        with structlog.testing.capture_logs() as log:
            feed = watch(server.base_url, first_wait=0.1, grace=30.0)
            await eventually(lambda: shows(feed, 5))
            begun = feed.snapshot.reconnects

            def has_ended_often() -> bool:
                states.add(feed.snapshot.state)
                return feed.snapshot.reconnects > begun + 2

            await eventually(has_ended_often)
            assert [line["event"] for line in log] == ["feed up"]
    assert states == {FeedState.LIVE}


async def test_fault_03_a_service_that_does_not_come_back_is_told_after_the_grace(watch: Watch) -> None:
    async with misbehaving_server(end_once_live(lambda: feed), answer_value(5)) as server:
        feed = watch(server.base_url, longest_wait=1.0, grace=0.5)
        await eventually(lambda: shows(feed, 5))
    await eventually(lambda: feed.snapshot.state in {FeedState.RECONNECTING, FeedState.OFFLINE})
    assert feed.snapshot.retry_at is not None
    assert inside(feed.snapshot.reported[-1]) == 5


async def test_fault_03_a_service_without_further_streams_is_polled_within_the_grace(
    watch: Watch,
) -> None:
    states: list[FeedState] = []
    script = one_after_another(end_once_live(lambda: feed), Call.hold)
    async with misbehaving_server(script, answer_value(5)) as server:
        feed = watch(server.base_url, unheard=0.2, answer=60.0, grace=30.0)
        await eventually(lambda: shows(feed, 5))

        def is_polled() -> bool:
            states.append(feed.snapshot.state)
            return states[-1] is FeedState.POLLING

        await eventually(is_polled)
    assert set(states) == {FeedState.LIVE, FeedState.POLLING}


async def heartbeats(call: Call) -> None:
    await call.open_stream()
    await call.send(event(point(3)))
    while True:
        await call.send(b": heartbeat\n\n")
        await asyncio.sleep(0.02)


async def test_fault_07_heartbeats_alone_stay_live_while_checks_confirm_the_value(watch: Watch) -> None:
    async with misbehaving_server(heartbeats, answer_value(3)) as server:
        feed = watch(server.base_url, silence=0.05)
        await eventually(lambda: sum(call.is_newest for call in server.calls) > 5)
        assert shows(feed, 3)
        assert len(server.streams) == 1
        confirmed = feed.snapshot.confirmed_at
        await eventually(lambda: feed.snapshot.confirmed_at != confirmed)


async def test_fault_07_heartbeats_alone_are_late_when_the_check_fails(watch: Watch) -> None:
    newest = one_after_another(answer_value(3), answer_failure)
    async with misbehaving_server(heartbeats, newest) as server:
        feed = watch(server.base_url, silence=1.0, recheck=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LATE)
        assert "failed" in feed.snapshot.reason
        assert feed.snapshot.request_id == "r-error"
        assert inside(feed.snapshot.newest) == 3


async def test_an_old_value_is_not_live_before_a_check_has_confirmed_it(watch: Watch) -> None:
    stream = stream_of(event(point(3, minutes_ago=200)))
    async with misbehaving_server(stream, answer_value(3, minutes_ago=200)) as server:
        feed = watch(server.base_url, first_check=0.5)
        await eventually(lambda: inside(feed.snapshot.newest) == 3)
        assert feed.snapshot.state is FeedState.CONNECTING
        await eventually(lambda: shows(feed, 3))
