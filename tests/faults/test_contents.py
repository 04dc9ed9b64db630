"""Faults 8 to 13 and 21: streams whose bytes, events or values are not as they should be."""

from __future__ import annotations

import asyncio
import json
import time
from itertools import pairwise
from typing import Any

import pytest

from api_client import IMPOSSIBLE
from api_client.site_now import NO_COUNT, NOT_TOLD, UNEVEN
from live import FeedState
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.conftest import Watch, shows
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_value,
    decline,
    envelope,
    event,
    failure,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
    this_minute,
)

WITHOUT_DATA = {
    "a comment after an id": b"id: 7\n\n: hello\n\n",
    "only an id": b"id: 8\n\n",
    "only an event name": b"event: update\n\n",
    "only a retry": b"retry: 10\n\n",
}
ODD_RETRIES = {
    "negative": b"retry: -5\n\n",
    "with an underscore": b"retry: 1_000\n\n",
    "in other digits": "retry: ١٢\n\n".encode(),
}


@pytest.mark.parametrize("noise", WITHOUT_DATA.values(), ids=WITHOUT_DATA.keys())
async def test_fault_08_blocks_without_data_are_no_events(watch: Watch, noise: bytes) -> None:
    await _goes_on_as_if_nothing_was(watch, noise)


@pytest.mark.parametrize("noise", ODD_RETRIES.values(), ids=ODD_RETRIES.keys())
async def test_fault_09_a_retry_that_is_no_number_is_ignored(watch: Watch, noise: bytes) -> None:
    await _goes_on_as_if_nothing_was(watch, noise)


async def _goes_on_as_if_nothing_was(watch: Watch, noise: bytes) -> None:
    async with misbehaving_server(stream_of(event(point(1)), noise, noise, event(point(2)))) as server:
        feed = watch(server.base_url, first_check=60.0)  # or a slow machine asks first, and hears of no value
        await eventually(lambda: shows(feed, 2))
        assert feed.snapshot.skipped == {}
        assert len(server.streams) == 1


async def test_fault_09_a_huge_retry_is_capped(watch: Watch) -> None:
    async def ask_for_ages(call: Call) -> None:
        await call.open_stream()
        await call.send(b"retry: " + b"9" * 6000 + b"\n\n" + event(point(1)))

    async with misbehaving_server(ask_for_ages) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.RECONNECTING)
        snapshot = feed.snapshot
        assert snapshot.retry_at is not None
        assert 0 < snapshot.retry_at - time.monotonic() < 90


async def test_fault_09_what_a_service_asks_for_holds_for_the_connections_after(watch: Watch) -> None:
    before, after = event(point(1, minutes_ago=1)), event(point(2))
    came: list[float] = []

    async def ask_for_a_pause(call: Call) -> None:
        await call.open_stream()
        await call.send(b"retry: 300\n\n" + before)

    async def break_off(call: Call) -> None:
        call.reset()

    script = one_after_another(ask_for_a_pause, break_off, break_off, stream_of(after))

    async def timed(call: Call) -> None:
        came.append(time.monotonic())
        await script(call)

    async with misbehaving_server(timed) as server:
        feed = watch(server.base_url, cuts_before_polling=99)
        await eventually(lambda: shows(feed, 2))
    assert len(came) >= 4
    assert all(later - sooner >= 0.3 for sooner, later in pairwise(came))


def told_ids(server: MisbehavingServer) -> list[str | None]:
    return [call.headers.get("last-event-id") for call in server.streams]


async def test_fault_08_the_last_id_is_told_on_the_way_back_until_it_is_reset(watch: Watch) -> None:
    def ending_with(text: str) -> Script:
        async def script(call: Call) -> None:
            await call.open_stream()
            await call.send(text.encode() + event(point(1)))

        return script

    ids = ("id: 7\n", "", "id: é 8\n", "id\n", f"id: {'9' * 2000}\n", "id: 1\0\n", "id: a\tb\n")
    script = one_after_another(*map(ending_with, ids), stream_of(event(point(2))))
    async with misbehaving_server(script) as server:
        feed = watch(server.base_url, cuts_before_polling=99)
        await eventually(lambda: shows(feed, 2))
        # As httpx sends it: UTF-8, which the playing server decodes.
        assert told_ids(server) == [None, "7", "7", "é 8", None, None, None, None]


async def test_fault_08_what_came_but_was_not_taken_in_comes_again(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a service that goes on after the id that it is told. Pieces of a replay wait for one another."""
    monkeypatch.setattr("live.stream_session._MOMENT", 5.0)
    points = point(1, minutes_ago=60), point(2, minutes_ago=59), point(3)
    pieces = [f"id: {number}\n".encode() + event(one) for number, one in enumerate(points, 1)]
    was_sent = asyncio.Event()

    async def stream(call: Call) -> None:
        told = int(call.headers.get("last-event-id", 0))
        await call.open_stream()
        if told:
            await call.send(b"".join(pieces[told:]))
        else:
            await call.send(pieces[0])
            await eventually(lambda: bool(feed.snapshot.readings))
            await call.send(pieces[1])
            was_sent.set()
        await call.hold()

    async def refuse(call: Call) -> None:
        await was_sent.wait()
        await asyncio.sleep(0.3)
        await call.answer("403 Forbidden", failure("FORBIDDEN_ACCESS", "No."))

    async with misbehaving_server(stream, one_after_another(refuse, answer_value(3))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 3))
        assert told_ids(server) == [None, "1"]
        assert [inside(reading) for reading in feed.snapshot.readings] == [1, 2, 3]


def as_bytes(value: int, line_end: str, name: str = "Café \u2028 😀") -> bytes:
    text = json.dumps(point(value) | {"name": name}, ensure_ascii=False)
    return f"data: {text}{line_end}{line_end}".encode()


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
async def test_fault_10_any_line_end_is_read_bytewise_and_at_once(watch: Watch, line_end: str) -> None:
    stream = b"\xef\xbb\xbf" + as_bytes(1, line_end) + as_bytes(2, line_end)
    async with misbehaving_server(stream_of(*(bytes([byte]) for byte in stream))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 2))
        assert feed.snapshot.skipped == {}


async def test_fault_10_another_charset_in_the_header_changes_nothing(watch: Watch) -> None:
    async def claim_latin(call: Call) -> None:
        await call.open_stream("text/event-stream; charset=iso-8859-1")
        await call.send(as_bytes(2, "\n"))
        await call.hold()

    async with misbehaving_server(claim_latin) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 2))


UNUSABLE = {
    "invalid UTF-8": (b'data: {"timestamp": "\xff"}\n\n', "not a metric point"),
    "bad JSON": (b"data: {\n\n", "not JSON"),
    "null": (b"data: null\n\n", "not a metric point"),
    "NaN": (event(point(float("nan"))), IMPOSSIBLE),
    "infinite": (event(point(float("inf"))), IMPOSSIBLE),
    "text for a number": (event(point("many")), IMPOSSIBLE),
    "beyond all numbers": (event(point(2**64)), IMPOSSIBLE),
    "beyond all people": (event(point(2**53)), IMPOSSIBLE),
    "below zero": (event(point(-57)), IMPOSSIBLE),
    "a time beyond UTC": (
        event({**point(9), "timestamp": "9999-12-31T23:59:59-12:00"}),
        "not a metric point",
    ),
    "the year 1": (event({**point(9), "timestamp": "0001-01-01T00:00:00+00:00"}), "not a metric point"),
    "the year 9999": (event({**point(9), "timestamp": "9999-01-01T00:00:00+00:00"}), "not a metric point"),
    "a time within a minute": (
        event({**point(9), "timestamp": this_minute().isoformat().replace(":00+", ":00.000001+")}),
        "not of a whole minute",
    ),
    "no timestamp": (b'data: {"metrics": {"visitorsInside": 9}}\n\n', "not a metric point"),
    "a null value": (event(point(None)), "no visitorsInside"),
    "a missing metric": (event({**point(9), "metrics": {"exits": 1}}), "no visitorsInside"),
}


@pytest.mark.parametrize(("bad", "reason"), UNUSABLE.values(), ids=UNUSABLE.keys())
async def test_fault_11_an_unusable_event_is_counted_and_the_value_kept(
    watch: Watch, bad: bytes, reason: str
) -> None:
    async with misbehaving_server(stream_of(event(point(3)), bad)) as server:
        feed = watch(server.base_url, first_check=60.0)
        await eventually(lambda: feed.snapshot.skipped == {reason: 1} and shows(feed, 3))
        confirmed = feed.snapshot.confirmed_at
        await server.streams[0].send(bad)
        await eventually(lambda: feed.snapshot.skipped == {reason: 2})
        assert feed.snapshot.confirmed_at == confirmed
        await server.streams[0].send(event(point(4)))
        await eventually(lambda: shows(feed, 4))


@pytest.mark.parametrize("count", [2**53, -57, "many"])
@pytest.mark.parametrize("declined", [False, True], ids=["streaming", "polling"])
async def test_fault_11_a_number_that_no_counter_sends_is_named_and_not_shown(
    watch: Watch, count: Any, *, declined: bool
) -> None:
    script = decline if declined else stream_of(event(point(count)))
    async with misbehaving_server(script, answer_value(count)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.LATE)
        assert feed.snapshot.reason == NO_COUNT
        assert feed.snapshot.readings == ()


@pytest.mark.parametrize("declined", [False, True], ids=["streaming", "polling"])
async def test_a_place_whose_people_inside_are_not_told_is_not_called_never_counted(
    watch: Watch, *, declined: bool
) -> None:
    script = decline if declined else stream_of(event(point(None)))
    async with misbehaving_server(script, answer_value(None)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.LATE)
        assert feed.snapshot.reason == NOT_TOLD
        if not declined:
            await server.streams[0].send(event(point(4)))
            await eventually(lambda: shows(feed, 4) and feed.snapshot.state is FeedState.LIVE)


async def test_whoever_looks_on_is_not_told_to_change_a_question_that_is_refused(watch: Watch) -> None:
    async def refuse(call: Call) -> None:
        await call.answer("422 Unprocessable Content", failure("BRAND_NEW", "No such metric."))

    async with misbehaving_server(refuse, refuse) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
        assert feed.snapshot.summary == "The service does not accept the question."
        assert "No such metric." in feed.snapshot.reason


async def test_counts_that_are_not_of_whole_minutes_are_named_and_not_called_missing(watch: Watch) -> None:
    uneven = point(7)
    uneven["timestamp"] = uneven["timestamp"].replace(":00+", ":37+")

    async def answer(call: Call) -> None:
        await call.answer(body=envelope([uneven]))

    async with misbehaving_server(stream_of(event(uneven)), answer) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.LATE)
        assert feed.snapshot.reason == UNEVEN
        assert feed.snapshot.readings == ()


async def test_fault_11_an_unknown_metric_does_no_harm(watch: Watch) -> None:
    async with misbehaving_server(stream_of(event(point(3, happiness=0.5)))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 3))
        assert feed.snapshot.skipped == {}


async def test_fault_12_a_line_without_end_is_dropped_with_its_connection(watch: Watch) -> None:
    async def never_end_the_line(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(3)) + b"data: ")
        while True:
            await call.send(b"x" * 65_536)

    script = one_after_another(never_end_the_line, stream_of(event(point(4))))
    async with misbehaving_server(script) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 4))
        assert len(server.streams) == 2


async def test_fault_13_a_value_never_goes_back_in_time(watch: Watch) -> None:
    newest, older, oldest = (event(point(5 - ago, minutes_ago=ago)) for ago in range(3))
    async with misbehaving_server(stream_of(newest, older, newest, older)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: len(feed.snapshot.readings) == 2)
        await server.streams[0].send(oldest)
        await eventually(lambda: len(feed.snapshot.readings) == 3)
        assert [inside(reading) for reading in feed.snapshot.readings] == [3, 4, 5]


async def test_fault_13_history_replayed_after_a_reconnect_is_merged(watch: Watch) -> None:
    async def give_and_go(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(1, minutes_ago=2)) + event(point(2, minutes_ago=1)))

    replay = stream_of(*(event(point(value, minutes_ago=2 - value)) for value in (0, 1, 2)))
    async with misbehaving_server(one_after_another(give_and_go, replay)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: len(feed.snapshot.readings) == 3)
        assert [inside(reading) for reading in feed.snapshot.readings] == [0, 1, 2]


async def test_fault_13_an_answer_that_the_stream_overtook_does_not_bring_the_value_back(
    watch: Watch,
) -> None:
    asked, overtaken = asyncio.Event(), asyncio.Event()

    async def answer_late(call: Call) -> None:
        asked.set()
        await overtaken.wait()
        await answer_value(3)(call)

    async with misbehaving_server(stream_of(event(point(3))), answer_late) as server:
        feed = watch(server.base_url)
        await asked.wait()
        await server.streams[0].send(event(point(9)))
        await eventually(lambda: inside(feed.snapshot.newest) == 9)
        overtaken.set()
        await eventually(lambda: feed.snapshot.server_tag == "misbehaving")
        assert shows(feed, 9)


async def test_fault_21_a_thousand_events_at_once_cost_few_snapshots(watch: Watch) -> None:
    burst = b"".join(event(point(value)) for value in range(1000))
    async with misbehaving_server(stream_of(burst)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 999))
        assert len(feed.snapshot.readings) == 1
