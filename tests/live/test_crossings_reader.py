"""The passages of a site, read by a hub for all who look: what they say, what that costs, when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from live import FeedKey, GrantedFeed, GrantedPassages, Hub, RelayLimits, StreamGrant
from live.audience import joined
from live.crossings import Both
from live.crossings_reader import Pace
from live.snapshot import CrossingsKey
from tests.eventually import eventually
from tests.live.conftest import SIGNER, SWIFT, StartRelay
from tests.live.conftest import Screen as Browser
from tests.live.test_audience import Screen
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SITE, SmallSite, count, create_small_site, store_counts
from tests.wide_site import wide_site

PASSAGES = CrossingsKey(SITE.id)
QUICK = replace(SWIFT, question=0.001, round=0.05, recheck=0.01)


@pytest.fixture
def site(tmp_path: Path) -> SmallSite:
    """Two came in by the terrace, and one left by it, a quarter of an hour ago."""
    site = create_small_site(tmp_path)
    before = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=15)
    store_counts(tmp_path, [(before, "terrace", 1, 2)])
    return site


@pytest.fixture
def service(site: SmallSite) -> Iterator[RunningService]:
    service = start_service(site.data_dir)
    yield service
    service.kill()


def told(service: ScriptedService) -> int:
    """Questions about metrics that are over."""
    return len(service.asked) + len(service.asked_now)


async def test_who_crosses_is_told_for_both_directions_and_by_passage(
    site: SmallSite, service: RunningService
) -> None:
    hub = Hub(service.base_url, site.read_key, limits=QUICK)
    try:
        with hub.subscribe(PASSAGES, timezone="Europe/Zurich"):
            await eventually(lambda: len(hub.snapshot(PASSAGES).passages) == 3)
            known = hub.snapshot(PASSAGES).passages
            assert known["terrace"][:2] == ((1, 2), (0, 0))
            assert known["entrance"] == (None, (0, 0), None)
            minute = datetime.now(UTC).replace(second=0, microsecond=0)
            async with httpx.AsyncClient(headers=site.ingest_headers) as client:
                counts = [count(minute, 4, 1, "archway")]
                answer = await client.post(f"{service.base_url}/ingest/counts", json=counts)
                assert answer.is_success
            await eventually(lambda: hub.snapshot(PASSAGES).passages["archway"][:2] == ((4, 1), (4, 1)))
            assert hub.snapshot(PASSAGES).passages["terrace"][:2] == ((1, 2), (0, 0))
            assert hub.health().feeds == ()  # no stream is open for it
    finally:
        hub.close()


def scripted(zones: int, passages: int) -> ScriptedService:
    site = wide_site(zones, passages).model_dump(mode="json", by_alias=True)
    return ScriptedService(sites=[site], newest=0)


WIDE = CrossingsKey("wide")


async def test_five_hundred_who_look_ask_as_much_as_one_and_nobody_asks_nothing() -> None:
    with scripted_service(scripted(60, 100)) as service:
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, round=3600.0))
        screens = [Screen() for _ in range(500)]
        grant = StreamGrant((), (GrantedPassages(WIDE, "Europe/Zurich"),))
        try:
            with ExitStack() as stack:
                for screen in screens:
                    stack.enter_context(hub.subscribe(WIDE))
                    limits = RelayLimits(gather=0.0, merge=0.0)
                    stack.enter_context(
                        joined(hub, grant, limits, screen.send, stuck=screen.end, end=screen.end)
                    )
                await eventually(lambda: all(b'"passage-99"' in b"".join(s.messages) for s in screens))
                assert told(service) == 100
                await eventually(lambda: len({b"".join(screen.messages) for screen in screens}) == 1)
            await eventually(lambda: WIDE not in hub._open_feeds)
            await asyncio.sleep(0.3)
            assert told(service) == 100
        finally:
            hub.close()


async def test_passages_are_pushed_beside_the_feeds(start_relay: StartRelay) -> None:
    with scripted_service(scripted(2, 2)) as service:
        relay, screen = start_relay(service.base_url), Browser()
        feeds = (GrantedFeed(FeedKey("wide"), "Europe/Zurich"),)
        token = SIGNER.sign(StreamGrant(feeds, (GrantedPassages(WIDE, "Europe/Zurich"),)))
        task = asyncio.create_task(relay._show(screen, token))

        def pushed() -> set[str]:
            messages = [*screen.named("state"), *screen.named("change")]
            return {id_ for one in messages for id_ in one["feeds"].get(WIDE.name, {}).get("passages", ())}

        try:
            await eventually(lambda: bool(screen.named("state")))
            assert set(screen.named("state")[0]["feeds"]) == {"wide", WIDE.name}
            await eventually(lambda: pushed() == {"passage-0", "passage-1"})
            await eventually(lambda: relay.hub.snapshot(FeedKey("wide")).newest is not None)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_a_round_is_followed_by_another_and_each_minute_by_its_last_state() -> None:
    with scripted_service(scripted(2, 2)) as service:
        hub = Hub(service.base_url, KEY, limits=QUICK)
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(service.asked_now) > 6)
                assert {query["from"] for query in service.asked[:2]} == {"61 minutes ago"}
                filters = {tuple(query["filter"]["passageIds"]) for query in service.asked}
                assert filters == {("passage-0",), ("passage-1",)}
                before = len(service.asked)
                service.newest, service.metrics = 1, {"visitorsInside": 7, "entrances": 8, "exits": 0}
                await eventually(lambda: len(service.asked) > before)
                assert service.asked[-1]["from"] == "5 minutes ago"
        finally:
            hub.close()


async def test_of_more_passages_than_can_be_read_none_is_and_why_is_said() -> None:
    with scripted_service(scripted(60, 101)) as service:
        hub = Hub(service.base_url, KEY, limits=QUICK)
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: bool(hub.snapshot(WIDE).reason))
                assert hub.snapshot(WIDE).reason.startswith("This site has 101 passages.")
                assert told(service) == 0
        finally:
            hub.close()


async def test_a_service_that_fails_is_let_alone_longer_and_longer_and_read_again_when_it_answers() -> None:
    with scripted_service(scripted(2, 3)) as service:
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, recheck=0.2, longest_wait=0.8))
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 3)
                service.now_failures["wide"] = (500, {})
                await eventually(lambda: bool(hub.snapshot(WIDE).reason))
                before = told(service)
                await asyncio.sleep(1.0)
                # Two at a time, and rests that are drawn by lot; without any they are some hundred.
                assert told(service) - before <= 30
                # What was on its way at the first failure may bring a newer minute; what is known stays.
                assert {way.last_hour for way in hub.snapshot(WIDE).passages.values()} == {Both(90, 60)}
                assert len(hub.snapshot(WIDE).passages) == 3
                del service.now_failures["wide"]
                await eventually(lambda: not hub.snapshot(WIDE).reason)
        finally:
            hub.close()


@pytest.mark.parametrize("status", [400, 404])
async def test_passages_that_cannot_be_asked_for_keep_nobody_waiting(status: int) -> None:
    with scripted_service(scripted(8, 5)) as service:
        service.passage_failures = {f"passage-{number}": status for number in range(3)}
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, recheck=600.0, longest_wait=600.0))
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: set(hub.snapshot(WIDE).passages) == {"passage-3", "passage-4"})
                await eventually(lambda: service.asked_passages.count("passage-4") > 2)
                assert hub.snapshot(WIDE).reason.startswith("3 of 5 passages cannot be read: The service")
                assert service.asked_passages.count("passage-0") < 3
        finally:
            hub.close()


async def test_passages_that_fail_are_let_alone_while_the_others_are_read_on() -> None:
    """Three in a row; of the service nothing else shows that it is well."""
    with scripted_service(scripted(8, 5)) as service:
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, recheck=600.0, longest_wait=600.0))
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 5)
                # The one that was answered last shows that the service is well: it must not be one of these.
                await eventually(lambda: service.asked_passages[-1] == "passage-4", pause=0.001)
                service.passage_failures = {f"passage-{number}": 500 for number in range(3)}
                reason = "3 of 5 passages cannot be read: The service has failed."
                await eventually(lambda: hub.snapshot(WIDE).reason == reason)
                before = service.asked_passages.count("passage-4")
                await eventually(lambda: service.asked_passages.count("passage-4") > before + 5)
                assert hub.snapshot(WIDE).reason == reason
                failures = hub.health().passage_counters.failures
                assert sum(failures.values()) == 3
        finally:
            hub.close()


async def test_a_passage_that_fails_for_long_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two fails; the first is read on and on."""
    monkeypatch.setattr("live.crossings_reader.OLD_CROSSINGS", 0.5)
    with scripted_service(scripted(2, 2)) as service:
        hub = Hub(service.base_url, KEY, limits=QUICK)
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 2)
                service.passage_failures["passage-1"] = 500
                await eventually(lambda: set(hub.snapshot(WIDE).passages) == {"passage-0"})
                service.passage_failures.clear()
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 2)
        finally:
            hub.close()


def _is_young(hub: Hub) -> bool:
    known = hub.snapshot(WIDE)
    return known.read_at is not None and hub.now().monotonic - known.read_at < known.old_after


async def test_of_a_slow_round_all_passages_are_known_and_how_long_it_takes_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("live.crossings_reader.OLD_CROSSINGS", 0.8)
    monkeypatch.setattr("live.crossings_reader._SLOW_ROUND", 0.5)
    with scripted_service(scripted(8, 20)) as service:
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, question=0.1))
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: "19 of 20 passages are read so far." in hub.snapshot(WIDE).reason)
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 20)
                for _ in range(30):
                    await asyncio.sleep(0.1)
                    # A machine that stands still for seconds reads nothing meanwhile.
                    await eventually(lambda: _is_young(hub))
                    assert len(hub.snapshot(WIDE).passages) == 20
                assert hub.snapshot(WIDE).reason == "To read all 20 takes about 1 min."
        finally:
            hub.close()


async def test_passages_that_come_and_go_are_seen_and_the_others_are_not_read_anew() -> None:
    with scripted_service(scripted(8, 3)) as service:
        hub = Hub(service.base_url, KEY, limits=replace(QUICK, refill=0.2))
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 3)
                wider = wide_site(8, 4).model_dump(mode="json", by_alias=True)
                service.sites[0] = wider | {"passages": wider["passages"][1:]}
                names = {"passage-1", "passage-2", "passage-3"}
                await eventually(lambda: set(hub.snapshot(WIDE).passages) == names)
                hours = [query for query in service.asked if query["from"] == "61 minutes ago"]
                assert len(hours) == 4
        finally:
            hub.close()


async def test_readers_of_passages_stand_in_the_health_of_a_hub() -> None:
    with scripted_service(scripted(2, 3)) as service:
        service.passage_failures["passage-0"] = 400
        hub = Hub(service.base_url, KEY, limits=QUICK)
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: len(hub.snapshot(WIDE).passages) == 2)
                reader = hub.health().readers[0]
                assert (reader.snapshot.key, reader.snapshot.listed, reader.subscribers) == (WIDE, 3, 1)
                assert reader.is_tended
                assert not reader.is_well
                assert hub.health().passage_counters.questions >= 4
                assert set(hub.health().passage_counters.failures) == {"SITE_NOT_FOUND"}
            await eventually(lambda: not hub.health().readers)
        finally:
            hub.close()


async def test_a_pause_that_is_asked_for_is_kept() -> None:
    with scripted_service(scripted(2, 3)) as service:
        service.past_failure = (429, {"retry-after": "30"})
        hub = Hub(service.base_url, KEY, limits=QUICK)
        try:
            with hub.subscribe(WIDE):
                await eventually(lambda: bool(hub.snapshot(WIDE).reason))
                await asyncio.sleep(0.3)
                assert told(service) == 1
        finally:
            hub.close()


async def test_all_who_share_a_pace_ask_so_many_seconds_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("live.crossings_reader.asyncio.sleep", sleep)
    pace = Pace(lambda: 100.0)
    for _ in range(4):
        await pace.turn(0.25)
    assert waited == [0.0, 0.25, 0.5, 0.75]
