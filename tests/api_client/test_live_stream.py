"""An open stream before a service that a test plays by hand, and how its bytes become events.

The rules of https://html.spec.whatwg.org/multipage/server-sent-events.html, one row each.
"""

from __future__ import annotations

import asyncio
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api_client import AsyncClient
from api_client.live_stream import LONGEST_RECONNECTION_TIME, EventStreamDecoder, EventTooLargeError
from contract import MetricKey, MetricsQuery
from tests.faults.misbehaving_server import event, misbehaving_server, point, stream_of

QUERY = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id="site-1")

Event = tuple[str, str, str]
"""Event type, data, last event id."""


async def test_the_last_event_id_is_that_of_what_was_given_not_of_what_came() -> None:
    async with misbehaving_server(stream_of(b"id: 7\n" + event(point(1)))) as server:
        client = AsyncClient(server.base_url, "key")
        try:
            async with client.stream(QUERY) as stream:
                pieces = aiter(stream)
                async with client.turns.take():
                    given = asyncio.ensure_future(anext(pieces))
                    await asyncio.sleep(0.3)  # it has come, and waits for its turn
                    assert stream.last_event_id == ""
                await given
                assert stream.last_event_id == "7"
        finally:
            await client.close()


def decode(*chunks: bytes) -> list[Event]:
    decoder = EventStreamDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [(event.event, event.data, event.id) for event in events]


def one(data: str, event: str = "message", last_id: str = "") -> list[Event]:
    return [(event, data, last_id)]


RULES = {
    "a data line and a blank line": (b"data: a\n\n", one("a")),
    "only one space after the colon is taken off": (b"data:  a\n\n", one(" a")),
    "no space is needed": (b"data:a\n\n", one("a")),
    "several data lines are joined": (b"data: a\ndata: b\n\n", one("a\nb")),
    "a data field without a colon is an empty line": (b"data\ndata\n\n", one("\n")),
    "an empty data field is an event": (b"data:\n\n", one("")),
    "no data field is no event": (b"event: x\n\n", []),
    "only an id is no event": (b"id: 1\n\n", []),
    "only a retry is no event": (b"retry: 1\n\n", []),
    "a comment is no event": (b": hello\n\n", []),
    "a comment after an id is no event": (b"id: 1\ndata: a\n\n:\n\n: beat\n\n", one("a", last_id="1")),
    "an event name": (b"event: x\ndata: a\n\n", one("a", "x")),
    "an empty event name is message": (b"event:\ndata: a\n\n", one("a")),
    "an event name does not outlive its block": (b"event: x\n\ndata: a\n\n", one("a")),
    "field names are exact": (b"Data: a\n data: b\ndatas: c\n\n", []),
    "an id sticks": (b"id: 1\ndata: a\n\ndata: b\n\n", one("a", last_id="1") + one("b", last_id="1")),
    "an id sticks over a block without data": (b"id: 1\n\ndata: b\n\n", one("b", last_id="1")),
    "an empty id resets": (b"id: 1\ndata: a\n\nid\ndata: b\n\n", one("a", last_id="1") + one("b")),
    "an id with NUL is ignored": (b"id: 1\nid: 2\0\ndata: a\n\n", one("a", last_id="1")),
    "a byte order mark is taken off": (b"\xef\xbb\xbfdata: a\n\n", one("a")),
    "only one byte order mark is": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", []),
    "a later byte order mark is text": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", one("a")),
    "CR ends lines": (b"data: a\rdata: b\r\r", one("a\nb")),
    "CRLF ends lines": (b"data: a\r\ndata: b\r\n\r\n", one("a\nb")),
    "line ends may be mixed": (b"data: a\rdata: b\r\ndata: c\n\r\n", one("a\nb\nc")),
    "LF CR is two line ends": (b"data: a\n\rdata: b\n\n", one("a") + one("b")),
    "other separators are text": (
        "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\n\n".encode(),
        one("a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"),
    ),
    "broken UTF-8 becomes the replacement character": (b"data: a\xffb\xe2\x82\n\n", one("a�b�")),
    "an unfinished event is dropped": (b"data: a\n\ndata: b\n", one("a")),
    "a colon in the value stays": (b"data: a:b: c\n\n", one("a:b: c")),
}


@pytest.mark.parametrize(("stream", "events"), RULES.values(), ids=RULES.keys())
def test_a_stream_is_read_by_the_rules(stream: bytes, events: list[Event]) -> None:
    assert decode(stream) == events


@pytest.mark.parametrize(("stream", "events"), RULES.values(), ids=RULES.keys())
def test_a_stream_that_comes_byte_by_byte_says_the_same(stream: bytes, events: list[Event]) -> None:
    assert decode(*(bytes([byte]) for byte in stream)) == events


LINES = st.sampled_from(
    [
        *(b"data: ", b"data", b"event: x", b"id: 7", b"id: \0", b"retry: 5", b": c", b"", b"\xef\xbb\xbf"),
        *("data: é€😀".encode(), "data: \u2028".encode(), b"data: \xff", b"other: 1"),
    ]
)
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n"])
STREAMS = st.lists(st.tuples(LINES, ENDS)).map(lambda lines: b"".join(line + end for line, end in lines))


@given(stream=STREAMS, data=st.data())
def test_any_cutting_of_a_stream_gives_the_same_events(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(edges)]
    assert decode(*chunks) == decode(stream)


def test_a_lone_carriage_return_dispatches_without_waiting_for_more() -> None:
    decoder = EventStreamDecoder()
    assert decoder.feed(b"data: a\r") == []
    assert [event.data for event in decoder.feed(b"\r")] == ["a"]


def test_a_line_feed_after_a_cut_pair_ends_a_line_of_its_own() -> None:
    assert decode(b"data: a\r", b"\n", b"\n") == one("a")
    assert decode(b"data: a\r", b"", b"\n", b"data: b\r", b"\n\r", b"\n") == one("a\nb")


@pytest.mark.parametrize(
    ("field", "milliseconds"),
    [
        (b"retry: 2500", 2500),
        (b"retry: 007", 7),
        (b"retry:", None),
        (b"retry", None),
        (b"retry: -5", None),
        (b"retry: +5", None),
        (b"retry: 1_000", None),
        (b"retry: 1.5", None),
        (b"retry: 5 ", None),
        ("retry: ٥".encode(), None),
        ("retry: ²".encode(), None),
        (b"retry: " + b"9" * 5000, LONGEST_RECONNECTION_TIME),
    ],
)
def test_a_reconnection_time_is_ascii_digits_and_bounded(field: bytes, milliseconds: int | None) -> None:
    decoder = EventStreamDecoder()
    decoder.feed(field + b"\n")
    assert decoder.reconnection_time == milliseconds


def test_an_event_of_five_megabytes_is_read_whole() -> None:
    text = "x" * (5 * 1024 * 1024)
    stream = f"data: {text}\n\n".encode()
    chunks = [stream[start : start + 65_536] for start in range(0, len(stream), 65_536)]
    assert decode(*chunks) == one(text)


def feed_for_ever(decoder: EventStreamDecoder, chunk: bytes) -> None:
    for _ in range(1000):
        decoder.feed(chunk)


def test_a_line_without_end_is_given_up_in_bounded_memory() -> None:
    decoder = EventStreamDecoder(maximum_event_size=1024 * 1024)
    tracemalloc.start()
    try:
        with pytest.raises(EventTooLargeError):
            feed_for_ever(decoder, b"x" * 65_536)
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_many_short_lines_of_one_event_are_bounded_too() -> None:
    decoder = EventStreamDecoder(maximum_event_size=10_000)
    with pytest.raises(EventTooLargeError):
        decoder.feed(b"data: abc\n" * 10_000)


def test_many_small_events_are_not_one_large_one() -> None:
    decoder = EventStreamDecoder(maximum_event_size=1_000)
    assert len(decoder.feed(b"data: abc\n\n" * 10_000)) == 10_000
