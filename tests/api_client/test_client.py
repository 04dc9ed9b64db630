"""The synchronous client against a service that a test plays by hand."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import anyio
import pytest
from structlog.testing import capture_logs

from api_client import (
    BrokenAnswer,
    Client,
    InvalidQuery,
    NotFound,
    ServiceFailure,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from api_client.client import BackgroundLoop, LoopEndedError
from api_client.service_clock import ServiceClock
from api_client.site_list import MOST_REPEATED_PAGES
from contract import MetricKey, MetricsQuery
from tests.faults.misbehaving_server import (
    Call,
    Script,
    envelope,
    failure,
    misbehaving_server,
    one_after_another,
    point,
)
from tests.running_service import free_port

QUERY = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id="site-1")


async def reset(call: Call) -> None:
    call.reset()


async def value(call: Call) -> None:
    await call.answer(body=envelope([point(5)]))


def refusing(status: str, code: str, headers: str = "") -> Script:
    async def script(call: Call) -> None:
        await call.answer(status, failure(code, "Why."), headers=headers)

    return script


async def newest(client: Client) -> Any:
    return (await asyncio.to_thread(client.newest, QUERY)).points[0].metrics["visitorsInside"]


async def test_a_read_that_broke_on_the_wire_is_tried_again() -> None:
    async with misbehaving_server(value, one_after_another(reset, reset, value)) as server:
        with Client(server.base_url, "key") as client:
            assert await newest(client) == 5
            assert len(server.calls) == 3
            assert client.recent_errors == ()


async def test_a_pause_that_the_service_asks_for_is_kept_and_the_read_repeated() -> None:
    busy = refusing("503 Service Unavailable", "SERVICE_UNAVAILABLE", "retry-after: 0\r\n")
    async with misbehaving_server(value, one_after_another(busy, value)) as server:
        with Client(server.base_url, "key") as client:
            assert await newest(client) == 5
            assert len(server.calls) == 2


async def test_a_pause_too_long_for_a_page_is_reported_at_once() -> None:
    busy = refusing("429 Too Many Requests", "SLOW_DOWN", "retry-after: 600\r\n")
    async with misbehaving_server(value, busy) as server:
        with Client(server.base_url, "key") as client:
            with pytest.raises(Unavailable) as raised:
                await newest(client)
            assert raised.value.retry_after == 600
            assert len(server.calls) == 1


async def test_that_a_service_is_starting_is_reported_at_once() -> None:
    starting = refusing("503 Service Unavailable", "SERVICE_STARTING", "retry-after: 2\r\n")
    async with misbehaving_server(value, starting) as server:
        with Client(server.base_url, "key") as client:
            with pytest.raises(Unavailable, match=r"^The service is starting\."):
                await newest(client)
            assert len(server.calls) == 1
            assert not client.recent_errors


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("400 Bad Request", "INVALID_TIME_FILTER", InvalidQuery),
        ("401 Unauthorized", "INVALID_API_KEY", Unauthorized),
        ("404 Not Found", "SITE_NOT_FOUND", NotFound),
        ("500 Internal Server Error", "INTERNAL_ERROR", ServiceFailure),
    ],
)
async def test_an_answer_that_will_not_change_is_not_asked_for_again(
    status: str, code: str, kind: type[Exception]
) -> None:
    async with misbehaving_server(value, refusing(status, code)) as server:
        with Client(server.base_url, "key") as client:
            with pytest.raises(kind):
                await newest(client)
            assert len(server.calls) == 1


async def test_the_error_that_stays_is_remembered_once_without_the_key() -> None:
    port = free_port()
    with Client(f"http://127.0.0.1:{port}", "very-secret") as client:
        with pytest.raises(Unreachable):
            await newest(client)
        (record,) = client.recent_errors
        assert (record.operation, record.code) == ("read metrics of site-1", "CONNECTION_FAILED")
        assert "very-secret" not in repr(client.recent_errors)


async def test_remembered_errors_are_bounded_and_newest_first() -> None:
    async with misbehaving_server(value, refusing("400 Bad Request", "OTHER")) as server:
        with Client(server.base_url, "key") as client:
            for _ in range(60):
                with pytest.raises(InvalidQuery):
                    await newest(client)
            times = [record.time for record in client.recent_errors]
            assert len(times) == 50
            assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    "base_url", ["", "nonsense", "ftp://example.com", "http://[", "http://", "http://a b"]
)
def test_a_base_url_that_is_none_is_an_error_of_the_call_not_of_the_construction(base_url: str) -> None:
    with Client(base_url, "key") as client, pytest.raises(Unreachable):
        client.sites()


async def test_an_answer_that_comes_too_slowly_is_a_timeout() -> None:
    async def sleep(call: Call) -> None:
        await call.hold()

    async with misbehaving_server(value, sleep) as server:
        with Client(server.base_url, "key", timeout=0.2, attempts=1) as client:
            with pytest.raises(Unreachable) as raised:
                await newest(client)
            assert raised.value.code == "TIMEOUT"


def sites_page(offset: int, size: int, total: int, *, endless: bool = False) -> bytes:
    sites = [{"id": f"s{number}", "name": "S"} for number in range(offset, min(offset + size, total))]
    more = endless or offset + size < total
    pagination = {"limit": size, "offset": offset, "total": total, "hasPrevious": False, "hasNext": more}
    return json.dumps({"data": sites, "meta": {"serverTag": "t-1", "pagination": pagination}}).encode()


def paging(total: int, *, size: int = 100, endless: bool = False) -> Script:
    async def script(call: Call) -> None:
        query = dict(pair.split("=") for pair in call.path.partition("?")[2].split("&"))
        offset, limit = int(query["offset"]), int(query["limit"])
        await call.answer(body=sites_page(offset, min(size, limit), total, endless=endless))

    return script


@pytest.mark.parametrize(("total", "size"), [(0, 100), (99, 100), (100, 100), (250, 100), (250, 30)])
async def test_all_pages_of_sites_are_walked_whatever_size_the_service_gives(total: int, size: int) -> None:
    async with misbehaving_server(value) as server:
        server.other = paging(total, size=size)
        with Client(server.base_url, "key") as client:
            sites = await asyncio.to_thread(client.sites)
            assert [site.id for site in sites] == [f"s{number}" for number in range(total)]
            assert client.server_tag == "t-1"


async def test_a_service_that_always_promises_more_is_left_at_the_first_page_without_news() -> None:
    async with misbehaving_server(value) as server:
        server.other = paging(150, endless=True)
        with Client(server.base_url, "key") as client:
            assert len(await asyncio.to_thread(client.sites)) == 150
            assert len(server.calls) == 3


async def test_a_site_that_is_added_while_pages_are_walked_hides_none_behind_it() -> None:
    """In pages of one, the page after it has the site of the page before, and nothing that is new."""
    listed = [f"s{number}" for number in range(9)]

    async def growing(call: Call) -> None:
        offset = int(call.path.partition("offset=")[2])
        if offset == 3:
            listed.insert(0, "new")
        await call.answer(body=one_site(listed[offset], has_next=offset + 1 < len(listed)))

    async with misbehaving_server(value) as server:
        server.other = growing
        with Client(server.base_url, "key") as client:
            found = [site.id for site in await asyncio.to_thread(client.sites)]
            assert found == [f"s{number}" for number in range(9)]
            assert not client.left_sites_out


async def test_a_page_told_again_and_again_ends_the_list_and_says_so() -> None:
    async def same(call: Call) -> None:
        await call.answer(body=one_site("s0", has_next=True))

    async with misbehaving_server(value) as server:
        server.other = same
        with Client(server.base_url, "key") as client:
            assert [site.id for site in await asyncio.to_thread(client.sites)] == ["s0"]
            assert client.left_sites_out
            assert len(server.calls) == 1 + MOST_REPEATED_PAGES


async def test_sites_before_a_page_that_is_out_of_range_stay() -> None:
    """The list grew shorter meanwhile, or the service gives no pages beyond some."""

    async def bounded(call: Call) -> None:
        offset = int(call.path.partition("offset=")[2])
        if offset < 2:
            await call.answer(body=one_site(f"s{offset}", has_next=True))
        else:
            await call.answer("400 Bad Request", failure("INVALID_PAGINATION_PARAMS", "Out of range."))

    async with misbehaving_server(value) as server:
        server.other = bounded
        with Client(server.base_url, "key") as client:
            assert [site.id for site in await asyncio.to_thread(client.sites)] == ["s0", "s1"]
            assert client.left_sites_out


def one_site(id_: str, *, has_next: bool) -> bytes:
    meta = {"pagination": {"hasNext": has_next}}
    return json.dumps({"data": [{"id": id_, "name": "S"}], "meta": meta}).encode()


async def test_a_page_of_html_is_not_a_list_without_sites() -> None:
    async def html(call: Call) -> None:
        await call.answer(body=b"<html>", content_type="text/html")

    async with misbehaving_server(value) as server:
        server.other = html
        with Client(server.base_url, "key") as client, pytest.raises(BrokenAnswer):
            await asyncio.to_thread(client.sites)


async def test_a_defect_in_reading_an_answer_is_an_error_like_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OverflowError("date value out of range")

    async with misbehaving_server(value, value) as server:
        with Client(server.base_url, "key") as client:
            with monkeypatch.context() as defect, capture_logs() as logged:
                defect.setattr(ServiceClock, "heard", fail)
                with pytest.raises(BrokenAnswer) as raised:
                    await newest(client)
            assert raised.value.code == client.recent_errors[0].code == "NOT_UNDERSTOOD"
            assert [line["event"] for line in logged] == ["answer not understood"]
            assert await newest(client) == 5


async def test_cookies_of_a_service_are_neither_kept_nor_sent_back() -> None:
    cookies = "".join(f"set-cookie: c{number}=x; path=/\r\n" for number in range(9))

    async def bake(call: Call) -> None:
        await call.answer(body=envelope([point(5)]), headers=cookies)

    async with misbehaving_server(value, bake) as server:
        with Client(server.base_url, "key") as client:
            for _ in range(2):
                assert await newest(client) == 5
        assert [call.headers.get("cookie") for call in server.calls] == [None, None]


async def nothing() -> None:
    pass


async def forever() -> None:
    await asyncio.Event().wait()


async def fail() -> None:
    raise ValueError("why")


async def seven() -> int:
    return 7


def test_results_and_errors_come_back_to_the_caller() -> None:
    loop = BackgroundLoop("test", nothing)
    assert loop.run(seven()) == 7
    with pytest.raises(ValueError, match="why"):
        loop.run(fail())
    loop.close()
    loop.close()


def test_a_loop_that_has_ended_refuses_work() -> None:
    loop = BackgroundLoop("test", nothing)
    loop.close()
    with pytest.raises(LoopEndedError):
        loop.run(seven())


def test_whoever_asks_while_a_loop_ends_is_told_and_not_left_waiting() -> None:
    with ThreadPoolExecutor(8) as pool:
        for attempt in range(50):
            loop = BackgroundLoop("test", nothing)
            asked = [pool.submit(loop.run, forever()) for _ in range(8)]
            time.sleep(attempt % 5 * 0.0005)
            loop.end()
            assert {type(one.exception(timeout=30)) for one in asked} == {LoopEndedError}


def test_a_connection_that_is_just_being_opened_when_a_loop_ends_leaves_nothing_unawaited() -> None:
    loop = BackgroundLoop("test", nothing)

    async def connect() -> None:
        loop.end()
        await asyncio.sleep(0)  # the next turn of the loop ends it, before a new task has its first step
        await anyio.connect_tcp("127.0.0.1", 9)

    with pytest.raises(LoopEndedError):
        loop.run(connect())
    loop.close()
    gc.collect()  # warns of coroutines that were never awaited, and warnings are errors
