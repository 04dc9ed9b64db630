from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from api_client import AsyncClient, Unreachable
from contract import MetricKey
from live import FeedKey, FeedState, Hub
from live.clock import SystemClock
from live.freshness import STUCK
from live.latest_part import LatestPart
from live.latest_sites import LatestSites
from live.reducer import inside
from tests.eventually import PATIENCE, eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_value,
    complete,
    envelope,
    event,
    failure,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
    told_site,
)
from tests.live.conftest import SWIFT

SITES: Final = 20
KEYS: Final = [FeedKey(f"site-{number}") for number in range(SITES)]
FIVE: Final = answer_value(5)

Look = Callable[..., Hub]


@pytest.fixture
def look() -> Iterator[Look]:
    """`look(service, **limits)`: a hub of which somebody looks at a list of all sites."""
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, **limits: Any) -> Hub:
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **limits)))
        for key in KEYS:
            hubs[-1].subscribe(key, is_listed=True)
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.close()


def all_told() -> bytes:
    return b"".join(told_site(number, 10 + number) for number in range(SITES)) + complete(SITES)


async def tell(call: Call) -> None:
    """All sites, and then nothing."""
    await stream_of(all_told())(call)


async def own(call: Call) -> None:
    """The stream of one site."""
    await stream_of(event(point(5)))(call)


def shown(hub: Hub) -> list[float | None]:
    return [inside(hub.snapshot(key).newest) for key in KEYS]


def states(hub: Hub) -> set[FeedState]:
    return {hub.snapshot(key).state for key in KEYS}


async def are_live(hub: Hub) -> None:
    await eventually(lambda: states(hub) == {FeedState.LIVE})


async def test_all_feeds_of_a_list_are_live_by_one_stream(look: Look) -> None:
    async with misbehaving_server(own, latest=tell) as service:
        hub = look(service, first_check=PATIENCE)  # so long a feed waits for it before it has its own
        await are_live(hub)
        assert shown(hub) == [10 + number for number in range(SITES)]
        [stream] = service.latest_calls
        await stream.send(told_site(3, 77))
        await eventually(lambda: shown(hub)[3] == 77)
        assert service.streams == []
        assert hub.health().open_streams == 1
        assert hub.snapshot(KEYS[3]).top_zone_ids == ("hall-3",)


async def test_minutes_of_today_are_read_beside_it_and_once(look: Look) -> None:
    async def day(call: Call) -> None:
        await call.answer(body=envelope([point(1, minutes_ago=ago) for ago in range(90, 0, -1)]))

    async with misbehaving_server(own, latest=tell) as service:
        service.other = day
        hub = look(service)
        await eventually(lambda: all(len(hub.snapshot(key).readings) == 91 for key in KEYS))
        assert not any(hub.snapshot(key).awaits_past for key in KEYS)
        asked = [call.body["siteId"] for call in service.calls if call.body.get("from")]
        assert sorted(asked) == sorted(key.site_id for key in KEYS)


async def test_what_is_told_first_is_unproven_and_what_is_pushed_is_not(look: Look) -> None:
    quiet = {"newest": point(4, entrances=0)}
    told = event({"kind": "site", "siteId": "site-0", "topZoneId": "hall"} | quiet) + complete(1)
    async with misbehaving_server(own, latest=stream_of(told)) as service:
        hub = look(service)
        await eventually(lambda: hub.snapshot(KEYS[0]).state is FeedState.LIVE)
        assert hub.snapshot(KEYS[0]).unproven == hub.snapshot(KEYS[0]).readings[-1].measured_at
        known = hub.latest("site-0")
        assert known
        assert not known.is_pushed
        await service.latest_calls[0].send(told_site(0, 5, newest=point(5, entrances=0)))
        await eventually(lambda: hub.snapshot(KEYS[0]).unproven is None)
        assert hub.latest("site-0") != known
        known = hub.latest("site-0")
        assert known
        assert known.is_pushed


async def test_a_value_that_cannot_be_right_is_not_shown(look: Look) -> None:
    told = told_site(0, -3) + told_site(1, 2, newest={"timestamp": "2199-01-01T00:00:00Z", "metrics": {}})
    async with misbehaving_server(own, latest=stream_of(told + complete(2))) as service:
        hub = look(service)
        await eventually(lambda: all(hub.snapshot(key).state is FeedState.LATE for key in KEYS[:2]))
        assert shown(hub)[:2] == [None, None]
        assert "not shown" in hub.snapshot(KEYS[0]).reason


async def test_who_looks_at_one_site_gets_its_own_stream_and_gives_it_back(look: Look) -> None:
    async with misbehaving_server(own, latest=tell) as service:
        hub = look(service)
        await are_live(hub)
        with hub.subscribe(KEYS[0]):
            await eventually(lambda: [call.body["siteId"] for call in service.streams] == ["site-0"])
            await eventually(lambda: hub.health().open_streams == 2)
            assert hub.snapshot(KEYS[0]).state is FeedState.LIVE
        await eventually(lambda: hub.health().open_streams == 1)
        assert hub.snapshot(KEYS[0]).state is FeedState.LIVE
        assert len(service.latest_calls) == 1


async def test_a_feed_that_nobody_sees_in_a_list_asks_for_no_such_stream() -> None:
    async with misbehaving_server(own, latest=tell) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            with hub.subscribe(KEYS[0]):
                await eventually(lambda: hub.snapshot(KEYS[0]).state is FeedState.LIVE)
                assert service.latest_calls == []
        finally:
            hub.close()


async def answer_page(call: Call) -> None:
    await call.answer(body=b"<html>Welcome</html>", content_type="text/html")


async def answer_json(call: Call) -> None:
    await call.answer(body=envelope([]))


def refusal(status: str, headers: str = "") -> Script:
    async def script(call: Call) -> None:
        await call.answer(status, failure("SOME_CODE", "No."), headers=headers)

    return script


async def endless(call: Call) -> None:
    """Events of another kind, for ever."""
    await call.open_stream()
    while True:
        await call.send(event({"hello": "world"}) * 50)
        await asyncio.sleep(0.001)


async def huge(call: Call) -> None:
    await call.open_stream()
    await call.send(b"data: " + b"x" * 2**20)
    await call.hold()


FOREIGN: Final[dict[str, Script]] = {
    **{status: refusal(f"{status} No") for status in ("400", "401", "403", "404", "405", "410", "501")},
    "204": refusal("204 No Content"),
    "a page": answer_page,
    "JSON": answer_json,
    "events of another kind": endless,
    "an event without an end": huge,
    "a point": own,
}


@pytest.mark.parametrize("name", FOREIGN)
async def test_any_other_answer_says_that_there_is_none_and_is_remembered(look: Look, name: str) -> None:
    async with misbehaving_server(own, FIVE, latest=FOREIGN[name]) as service:
        hub = look(service, answer=2.0 if name == "a point" else 30.0)
        await are_live(hub)
        assert shown(hub) == [5] * SITES
        assert len(service.streams) == SITES
        assert len(service.latest_calls) == 1
        assert hub.latest("site-0", 1.0) is None
        if name not in {"events of another kind", "an event without an end"}:
            assert not [error for error in hub.health().recent_errors if "all sites" in error.operation]


async def test_a_service_that_hangs_there_keeps_no_feed_waiting(look: Look) -> None:
    async with misbehaving_server(own, FIVE, latest=Call.hold) as service:
        hub = look(service)
        await are_live(hub)
        assert len(service.streams) == SITES


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
async def test_a_pause_that_is_asked_for_is_kept_and_feeds_join_after_it(look: Look, status: str) -> None:
    paused = refusal(status, "retry-after: 3\r\n")
    latest = one_after_another(paused, tell)
    async with misbehaving_server(own, FIVE, latest=latest) as service:
        hub = look(service)
        await eventually(lambda: len(service.streams) == SITES)
        assert len(service.latest_calls) == 1
        await are_live(hub)
        await eventually(lambda: len(service.latest_calls) == 2)
        await eventually(lambda: hub.health().open_streams == 1)
        await eventually(lambda: shown(hub) == [10 + number for number in range(SITES)])
        await are_live(hub)


async def cut_in_an_event(call: Call) -> None:
    await call.open_stream()
    await call.send(all_told())
    await asyncio.sleep(2 * SWIFT.cut)
    await call.send(told_site(0, 99)[:-10])
    call.reset()


async def test_a_stream_that_is_cut_in_an_event_is_opened_anew_and_no_feed_shows_it(look: Look) -> None:
    seen: set[FeedState] = set()
    async with misbehaving_server(own, latest=one_after_another(cut_in_an_event, tell)) as service:
        hub = look(service, grace=60.0)
        await are_live(hub)

        def is_back() -> bool:
            seen.update(states(hub))
            return len(service.latest_calls) == 2 and hub.health().open_streams == 1

        await eventually(is_back)
        assert seen == {FeedState.LIVE}
        assert shown(hub)[0] == 10


async def cut_at_once(call: Call) -> None:
    await call.open_stream()
    await call.send(all_told())


async def test_a_stream_that_is_cut_at_once_again_and_again_is_given_up(look: Look) -> None:
    async with misbehaving_server(own, latest=cut_at_once) as service:
        hub = look(service, cut=5.0, unheard=0.1)
        await eventually(lambda: len(service.streams) >= SITES)
        await eventually(lambda: states(hub) <= {FeedState.LIVE, FeedState.POLLING})
        assert len(service.latest_calls) == 3
        hub.close()


async def test_a_site_that_is_listed_no_more_goes_on_by_its_own_stream(look: Look) -> None:
    async with misbehaving_server(own, latest=tell) as service:
        hub = look(service)
        await are_live(hub)
        await service.latest_calls[0].send(event({"kind": "gone", "siteId": "site-7"}))
        await eventually(lambda: [call.body["siteId"] for call in service.streams] == ["site-7"])
        await eventually(lambda: shown(hub)[7] == 5)
        assert hub.latest("site-7") is None
        await service.latest_calls[0].send(told_site(7, 31))
        await eventually(lambda: shown(hub)[7] == 31)
        await eventually(lambda: hub.health().open_streams == 1)


async def test_a_site_that_is_lacking_after_a_reconnect_is_gone(look: Look) -> None:
    fewer = b"".join(told_site(number, 40) for number in range(SITES - 1)) + complete(SITES - 1)
    async with misbehaving_server(
        own, latest=one_after_another(cut_in_an_event, stream_of(fewer))
    ) as service:
        hub = look(service)
        await eventually(lambda: shown(hub)[:-1] == [40] * (SITES - 1))
        await eventually(lambda: [call.body["siteId"] for call in service.streams] == ["site-19"])
        assert hub.latest("site-19") is None


async def test_a_service_that_comes_back_without_it_is_asked_for_each_site(look: Look) -> None:
    async with AsyncExitStack() as first:
        service = await first.enter_async_context(misbehaving_server(own, latest=tell))
        hub = look(service)
        await are_live(hub)
        port = service.port
    async with misbehaving_server(own, FIVE, port=port) as older:
        await eventually(lambda: len(older.streams) == SITES)
        await are_live(hub)
        assert shown(hub) == [5] * SITES
        assert len(older.latest_calls) == 1


async def test_feeds_that_wait_for_a_stream_join_as_soon_as_there_is_one(look: Look) -> None:
    """A key that may have one stream more, and no second."""
    full = refusal("429 Too Many Requests")
    async with misbehaving_server(full, FIVE, latest=one_after_another(full, tell)) as service:
        hub = look(service, longest_wait=600.0, first_wait=0.5)
        await eventually(lambda: hub.health().open_streams == 1 and states(hub) == {FeedState.LIVE})
        assert shown(hub) == [10 + number for number in range(SITES)]


async def test_a_stream_that_brings_nothing_although_values_change_is_opened_anew(look: Look) -> None:
    people = iter(range(1_000, 10_000))

    async def changing(call: Call) -> None:
        await call.answer(body=envelope([point(next(people))]))

    async with misbehaving_server(own, changing, latest=tell) as service:
        hub = look(service, silence=0.3, recheck=0.1)
        await eventually(lambda: len(service.latest_calls) > 1)
        await eventually(lambda: bool(service.streams))  # given up, after some of that
        hub.close()


async def test_a_stream_that_is_not_believed_is_not_joined_again_while_it_ends() -> None:
    async with misbehaving_server(own, latest=tell) as service:
        client = AsyncClient(service.base_url, "key")
        latest = LatestSites(client, SWIFT, SystemClock(), Random())
        part = LatestPart(KEYS[0], latest, is_listed=True)
        assert await part.may_join(30)
        with pytest.raises(Unreachable), part.joined():
            raise Unreachable("It brings nothing although values change.", code=STUCK)
        with part.joined() as view:
            assert view is None
        assert not latest.is_flowing
        latest.close()
        await client.close()


async def test_a_thousand_sites_that_all_change_are_taken_and_a_reader_gets_the_last(look: Look) -> None:
    many = 1_000
    told = [b"".join(told_site(number, people) for number in range(many)) for people in range(5)]
    async with misbehaving_server(own, latest=stream_of(told[0] + complete(many))) as service:
        hub = look(service, first_check=PATIENCE)
        await are_live(hub)
        for more in told[1:]:
            await service.latest_calls[0].send(more)
        await eventually(lambda: shown(hub) == [4] * SITES)
        await eventually(lambda: told_inside(hub, many - 1) == 4)
        assert service.streams == []


async def test_no_more_sites_are_kept_than_are_listed(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("live.latest_sites._MOST_SITES", SITES)
    more = b"".join(told_site(number) for number in range(SITES, 3 * SITES))
    async with misbehaving_server(own, latest=stream_of(all_told() + more)) as service:
        hub = look(service)
        await are_live(hub)
        await service.latest_calls[0].send(more + told_site(0, 99))
        await eventually(lambda: shown(hub)[0] == 99)
        assert hub.latest(f"site-{SITES}") is None


async def test_nobody_looks_any_more_and_the_stream_ends(look: Look) -> None:
    async with misbehaving_server(own, latest=tell) as service:
        hub = Hub(service.base_url, "key", limits=replace(SWIFT, looked=0.2))
        try:
            hub.look_at_sites()
            assert await asyncio.to_thread(hub.latest, "site-4", 60.0)
            assert hub.health().open_streams == 1
            await eventually(lambda: hub.health().open_streams == 0)
            await eventually(lambda: not service.tasks)
        finally:
            hub.close()


@pytest.mark.parametrize("is_offered", [True, False])
async def test_who_comes_back_to_a_list_finds_what_there_was(is_offered: bool) -> None:
    """That a service has no such stream is remembered, too."""
    async with misbehaving_server(own, FIVE, latest=tell if is_offered else answer_json) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            for visit in range(1, 4):
                feeds = [hub.subscribe(key, is_listed=True) for key in KEYS]
                await are_live(hub)
                assert shown(hub) == [10 + number if is_offered else 5 for number in range(SITES)]
                assert len(service.latest_calls) == (visit if is_offered else 1)
                assert len(service.streams) == (0 if is_offered else visit * SITES)
                for feed in feeds:
                    feed.close()
                await eventually(lambda: not hub.health().feeds and hub.health().open_streams == 0)
        finally:
            hub.close()


def told_inside(hub: Hub, number: int) -> float | None:
    told = hub.latest(f"site-{number}")
    return told.latest.answer.points[-1].metrics[MetricKey.VISITORS_INSIDE] if told else None
