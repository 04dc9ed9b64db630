"""Before a service that gives values and refuses the past, or fails to tell it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from live import FeedKey, FeedState, Hub, Subscription
from live.reducer import inside
from live.refusals import Refusals
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_nothing,
    answer_value,
    envelope,
    event,
    failure,
    misbehaving_server,
    point,
)
from tests.live.conftest import SWIFT

SITE = FeedKey("site-1")
ZONES = tuple(FeedKey("site-1", (f"zone-{number}",)) for number in range(5))
ENDING = 1.0
"""Seconds after which a stream ends: a busy machine answers a question in less, and one that is asked in vain
is asked again."""
REFUSALS = ("403 Forbidden", "404 Not Found", "422 Unprocessable Content", "501 Not Implemented")

SubscribeAll = Callable[..., list[Subscription]]


@pytest.fixture
def subscribe_all() -> Iterator[SubscribeAll]:
    """All places of a site, through one hub."""
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, **limits: Any) -> list[Subscription]:
        given = {"poll": 0.05, "refill": 0.05, "refill_day": 600.0, **limits}
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **given)))
        return [hubs[-1].subscribe(key, timezone="Europe/Zurich") for key in (SITE, *ZONES)]

    yield start
    for hub in hubs:
        hub.close()


def ending(*pieces: bytes) -> Script:
    """A stream that is ended soon."""

    async def script(call: Call) -> None:
        await call.open_stream()
        for piece in pieces:
            await call.send(piece)
        await asyncio.sleep(ENDING)

    return script


def refusing(status: str) -> Script:
    async def script(call: Call) -> None:
        await call.answer(status, failure("NOT_FOR_YOU", "There is no past."))

    return script


def of_the_past(service: MisbehavingServer) -> list[Call]:
    return [call for call in service.calls if not call.is_stream and not call.is_newest]


@pytest.mark.parametrize("status", REFUSALS)
async def test_a_past_that_is_refused_is_asked_for_by_each_place_once_at_most(
    subscribe_all: SubscribeAll, status: str
) -> None:
    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = refusing(status)
        feeds = subscribe_all(service)
        await eventually(lambda: len(service.streams) > 20)
        assert 1 <= len(of_the_past(service)) <= len(feeds)
        service.stream, service.newest = ending(event(point(7))), answer_value(7)
        await eventually(lambda: all(inside(feed.snapshot.newest) == 7 for feed in feeds))
        assert FeedState.REFUSED not in {feed.snapshot.state for feed in feeds}


@pytest.mark.parametrize("status", REFUSALS)
async def test_a_place_without_counts_asks_for_a_past_that_is_refused_once(
    subscribe_all: SubscribeAll, status: str
) -> None:
    async with misbehaving_server(ending()) as service:
        service.other = refusing(status)
        feeds = subscribe_all(service)
        await eventually(lambda: len(service.streams) > 20)
        assert 1 <= len(of_the_past(service)) <= len(feeds)


async def test_the_past_of_places_without_counts_is_not_asked_for_with_each_stream(
    subscribe_all: SubscribeAll,
) -> None:
    async with misbehaving_server(ending()) as service:
        feeds = subscribe_all(service, refill=600.0)
        await eventually(lambda: len(service.streams) > 20)
        assert len(of_the_past(service)) <= len(feeds)


async def test_places_that_are_opened_later_begin_with_what_is_known(subscribe_all: SubscribeAll) -> None:
    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = refusing("422 Unprocessable Content")
        hub = Hub(service.base_url, "key", limits=replace(SWIFT, refill=0.05, linger=0.01))
        try:
            with hub.subscribe(SITE), hub.subscribe(ZONES[0]):
                await eventually(lambda: len({str(call.body) for call in of_the_past(service)}) > 1)
            await eventually(lambda: not hub.health().feeds)
            asked, opened = len(of_the_past(service)), len(service.streams)
            with hub.subscribe(SITE), hub.subscribe(ZONES[1]):
                await eventually(lambda: len(service.streams) > opened + 10)
            assert len(of_the_past(service)) == asked
        finally:
            hub.close()


async def test_a_past_that_is_given_after_all_is_read_for_all_places(subscribe_all: SubscribeAll) -> None:
    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = refusing("501 Not Implemented")
        feeds = subscribe_all(service, refill_day=1.0)
        await eventually(lambda: bool(of_the_past(service)))

        async def tell(call: Call) -> None:
            await call.answer(body=envelope([point(3, minutes_ago=9), point(5)]))

        service.other = tell
        await eventually(lambda: all(len(feed.snapshot.readings) == 2 for feed in feeds))


async def test_a_place_that_is_refused_for_itself_keeps_no_other_from_its_past(
    subscribe_all: SubscribeAll,
) -> None:
    async def tell_but_one(call: Call) -> None:
        if "zone-1" in str(call.body):
            await call.answer("422 Unprocessable Content", failure("NO_ZONE", "No such zone."))
            return
        await call.answer(body=envelope([point(3, minutes_ago=9), point(5)]))

    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = tell_but_one
        feeds = subscribe_all(service)
        told = [feed for feed in feeds if feed.key != ZONES[1]]
        await eventually(lambda: all(len(feed.snapshot.readings) == 2 for feed in told))
        await eventually(lambda: len(service.streams) > 20)
        assert sum("zone-1" in str(call.body) for call in of_the_past(service)) == 1


async def test_what_fails_is_asked_for_further_and_further_apart(subscribe_all: SubscribeAll) -> None:
    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = refusing("500 Internal Server Error")
        feeds = subscribe_all(service, refill=2.0)
        await eventually(lambda: len(service.streams) > 60)
        assert len(of_the_past(service)) < len(service.streams)
        service.other = answer_nothing
        await eventually(lambda: not any(feed.snapshot.awaits_past for feed in feeds))


async def test_a_pause_that_is_asked_for_before_the_past_is_kept(subscribe_all: SubscribeAll) -> None:
    async def busy(call: Call) -> None:
        await call.answer("503 Service Unavailable", headers="retry-after: 60\r\n")

    async with misbehaving_server(ending(event(point(5))), answer_value(5)) as service:
        service.other = busy
        feeds = subscribe_all(service)
        await eventually(lambda: len(service.streams) > 20)
        assert len(of_the_past(service)) <= len(feeds)


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "404 Not Found"])
async def test_a_refusal_of_the_newest_value_too_ends_the_feed(
    subscribe_all: SubscribeAll, status: str
) -> None:
    async def open_for_ever(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(5)))
        await call.hold()

    async with misbehaving_server(open_for_ever, refusing(status)) as service:
        service.other = refusing(status)
        feeds = subscribe_all(service, first_check=60.0, silence=60.0)
        await eventually(lambda: all(feed.snapshot.state is FeedState.REFUSED for feed in feeds))


def test_the_second_place_that_is_refused_speaks_for_its_site_alone() -> None:
    refusals = Refusals()
    refusals.refused(SITE, 10.0)
    assert (refusals.may_ask(SITE, 9.0), refusals.may_ask(ZONES[0], 9.0)) == (False, True)
    refusals.refused(ZONES[0], 12.0)
    assert not refusals.may_ask(ZONES[1], 11.0)
    assert refusals.may_ask(FeedKey("site-2"), 11.0)
    assert refusals.may_ask(ZONES[1], 12.0)


def test_one_place_asks_for_all_of_a_site_that_was_refused() -> None:
    refusals = Refusals()
    refusals.refused(SITE, 10.0)
    refusals.refused(ZONES[0], 10.0)
    refusals.asks(ZONES[1], 30.0)
    assert not refusals.may_ask(SITE, 11.0)
    refusals.answered(ZONES[1])
    assert all(refusals.may_ask(key, 11.0) for key in (SITE, *ZONES))


def test_a_site_that_answered_one_place_and_now_refuses_it_too_is_refused() -> None:
    refusals = Refusals()
    refusals.answered(SITE)
    refusals.refused(ZONES[0], 20.0)
    refusals.refused(ZONES[1], 20.0)
    assert refusals.may_ask(ZONES[2], 10.0)
    refusals.refused(SITE, 20.0)
    assert not refusals.may_ask(ZONES[2], 10.0)
