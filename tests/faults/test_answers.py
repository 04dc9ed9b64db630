"""Faults 14 to 18: answers in place of a stream."""

from __future__ import annotations

import asyncio

import pytest

from api_client import BrokenAnswer, Client
from live import FeedState
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.conftest import Watch, shows
from tests.faults.misbehaving_server import (
    Call,
    Script,
    answer_value,
    event,
    failure,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
)


def answering(status: str, body: bytes = b"", headers: str = "", content_type: str = "text/html") -> Script:
    async def script(call: Call) -> None:
        await call.answer(status, body, content_type, headers)

    return script


REFUSALS = {
    "401": ("401 Unauthorized", "INVALID_API_KEY", "does not accept the API key"),
    "403": ("403 Forbidden", "FORBIDDEN_ACCESS", "may not read this"),
    "404": ("404 Not Found", "SITE_NOT_FOUND", "no such site"),
}


@pytest.mark.parametrize(("status", "code", "words"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_fault_14_a_refusal_is_named_and_probed_until_it_is_lifted(
    watch: Watch, status: str, code: str, words: str
) -> None:
    refuse = answering(status, failure(code, "No."), content_type="application/json")
    async with misbehaving_server(refuse) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
        assert words in feed.snapshot.reason
        assert feed.snapshot.request_id == "r-error"
        assert feed.snapshot.retry_at is not None
        server.stream = stream_of(event(point(3)))
        await eventually(lambda: shows(feed, 3))


async def test_fault_14_a_refusal_is_not_hammered(watch: Watch) -> None:
    async with misbehaving_server(answering("401 Unauthorized")) as server:
        feed = watch(server.base_url, probe=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
        await asyncio.sleep(0.3)
        assert len(server.calls) == 1


async def test_fault_15_no_content_means_asking_and_never_connecting_again(watch: Watch) -> None:
    async with misbehaving_server(answering("204 No Content"), answer_value(5)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 5, FeedState.POLLING))
        server.newest = answer_value(6)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))
        assert len(server.streams) == 1


@pytest.mark.parametrize(
    "status",
    [
        "501 Not Implemented",
        "500 Internal Server Error",
        "404 Not Found",
        "405 Method Not Allowed",
        "406 Not Acceptable",
        "200 OK",
    ],
)
async def test_fault_15_a_service_without_streams_is_asked_and_its_stream_tried_again(
    watch: Watch, status: str
) -> None:
    seen = set()
    no_stream = answering(status, failure("NO_STREAM", "No."), content_type="application/json")
    async with misbehaving_server(no_stream, answer_value(5)) as server:
        feed = watch(server.base_url)

        def was_tried_often() -> bool:
            seen.add(feed.snapshot.state)
            return len(server.streams) > 6

        await eventually(was_tried_often)
        assert shows(feed, 5, FeedState.POLLING)
        assert FeedState.REFUSED not in seen
        server.newest = answer_value(6)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))
        server.stream = stream_of(event(point(7)))
        await eventually(lambda: shows(feed, 7))


async def test_fault_15_the_value_is_asked_for_without_waiting_for_the_past(watch: Watch) -> None:
    async with misbehaving_server(answering("204 No Content"), answer_value(5)) as server:
        server.other = Call.hold
        feed = watch(server.base_url, answer=60.0)
        await eventually(lambda: shows(feed, 5, FeedState.POLLING))
        assert feed.snapshot.awaits_past


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
async def test_fault_16_a_pause_that_is_asked_for_is_kept(watch: Watch, status: str) -> None:
    async with misbehaving_server(answering(status, headers="retry-after: 30\r\n")) as server:
        feed = watch(server.base_url, probe=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.RECONNECTING)
        await asyncio.sleep(0.3)
        assert len(server.calls) == 1
        assert feed.snapshot.retry_at is not None


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
async def test_fault_16_a_service_that_limits_streams_is_asked_after_the_pause(
    watch: Watch, status: str
) -> None:
    calls: list[tuple[bool, float]] = []

    def noting(script: Script) -> Script:
        async def noted(call: Call) -> None:
            calls.append((call.is_stream, asyncio.get_running_loop().time()))
            await script(call)

        return noted

    limited = noting(answering(status, headers="retry-after: 1\r\n"))
    async with misbehaving_server(limited, noting(answer_value(5))) as server:
        feed = watch(server.base_url, unheard=0.5, poll=0.5, probe=60.0)
        await eventually(lambda: shows(feed, 5, FeedState.POLLING))
        assert [is_stream for is_stream, _ in calls[:2]] == [True, False]
        assert calls[1][1] - calls[0][1] > 0.9
        server.newest = answer_value(6)
        await eventually(lambda: shows(feed, 6, FeedState.POLLING))
        server.stream = stream_of(event(point(7)))
        await eventually(lambda: shows(feed, 7))


@pytest.mark.parametrize("header", ["86400", "Fri, 31 Dec 2100 23:59:59 GMT"])
async def test_fault_16_a_pause_of_a_day_is_a_slip_and_cut_short(watch: Watch, header: str) -> None:
    busy = answering("503 Service Unavailable", headers=f"retry-after: {header}\r\n")
    async with misbehaving_server(one_after_another(busy, stream_of(event(point(3))))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 3))


async def test_fault_16_after_the_pause_the_stream_is_opened(watch: Watch) -> None:
    busy = answering("503 Service Unavailable", headers="retry-after: 1\r\n")
    async with misbehaving_server(one_after_another(busy, stream_of(event(point(3))))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 3))


@pytest.mark.parametrize("status", ["408 Request Timeout", "421 Misdirected Request", "425 Too Early"])
async def test_fault_16_what_a_proxy_says_of_itself_is_no_refusal(watch: Watch, status: str) -> None:
    script = one_after_another(answering(status), stream_of(event(point(3))))
    async with misbehaving_server(script) as server:
        feed = watch(server.base_url, probe=600.0)
        await eventually(lambda: shows(feed, 3))
        assert feed.snapshot.reconnects == 1


@pytest.mark.parametrize("content_type", ["text/html", "application/json", ""])
async def test_fault_17_an_answer_that_is_no_stream_is_an_error_with_growing_pauses(
    watch: Watch, content_type: str
) -> None:
    wrong = answering("200 OK", b"<html>", content_type=content_type)
    async with misbehaving_server(wrong, wrong) as server:
        feed = watch(server.base_url)
        await eventually(
            lambda: (
                feed.snapshot.state is FeedState.OFFLINE and "where a stream was due" in feed.snapshot.reason
            )
        )
        server.stream = stream_of(event(point(3)))
        await eventually(lambda: shows(feed, 3))


async def test_fault_18_a_redirect_loop_is_bounded(watch: Watch) -> None:
    loop = answering("307 Temporary Redirect", headers="location: /v3/metrics\r\n")
    async with misbehaving_server(loop) as server:
        feed = watch(server.base_url, first_wait=60.0, unheard=60.0)
        await eventually(lambda: "redirected" in feed.snapshot.reason)
        assert len(server.calls) == 4


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
async def test_fault_18_a_redirect_on_the_same_host_is_followed_with_body_and_key(
    watch: Watch, status: str
) -> None:
    moved = answering(status, headers="location: /elsewhere/v3/metrics\r\n")
    async with misbehaving_server(one_after_another(moved, stream_of(event(point(3))))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: inside(feed.snapshot.newest) == 3)
        assert server.calls[1].path == "/elsewhere/v3/metrics"
        assert server.calls[1].method == "POST"
        assert server.calls[1].is_stream
        assert server.calls[1].headers["x-api-key"] == "secret-key"


async def test_fault_18_the_key_never_goes_to_another_host(watch: Watch) -> None:
    async with misbehaving_server(stream_of(event(point(666)))) as stranger:
        away = answering("307 Temporary Redirect", headers=f"location: {stranger.base_url}/v3/metrics\r\n")
        async with misbehaving_server(away, away) as server:
            feed = watch(server.base_url)
            await eventually(lambda: stranger.base_url in feed.snapshot.reason)
            with Client(server.base_url, "secret-key") as client, pytest.raises(BrokenAnswer):
                await asyncio.to_thread(client.site, "site-1")
            assert stranger.calls == []
