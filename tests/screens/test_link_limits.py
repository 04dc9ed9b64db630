"""A link that is asked without end has limits; neither other links nor a wall of many displays feel them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest
from structlog.testing import capture_logs

from screens import Composition, LinkLimits, View, ViewKind
from screens.link_limits import LinkUse
from tests.eventually import eventually
from tests.running_service import RunningService
from tests.screens.conftest import SITE_ID, RunningWall, StartWall, number_screen
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SmallSite

CURVE = Composition(name="Curve", views=(View(kind=ViewKind.CURVE, site_id=SITE_ID),))
DISPLAYS = 60
FEW = LinkLimits(requests=2.0, burst=30, of_a_stream=5, streams=3)
NEVER_AGAIN = FEW._replace(requests=0.0)
"""What is taken does not come back."""


@pytest.fixture
def strict(start_wall: StartWall, service: RunningService, site: SmallSite) -> RunningWall:
    return start_wall(service.base_url, site.read_key, FEW)


async def test_a_link_that_is_asked_without_end_gets_a_quiet_page_and_others_go_on(
    strict: RunningWall,
) -> None:
    flooded, other = strict.store.create(number_screen()), strict.store.create(number_screen("Hall"))
    async with httpx.AsyncClient(timeout=30) as client:
        with capture_logs() as logged:
            for _ in range(FEW.burst):
                assert (await client.get(strict.link(flooded))).status_code == 200
            page = await client.get(strict.link(flooded), headers={"Accept-Language": "de"})
            while page.status_code == 200:  # as many as came back meanwhile
                page = await client.get(strict.link(flooded), headers={"Accept-Language": "de"})
        assert (page.status_code, page.headers["retry-after"]) == (429, "10")
        assert "gerade nicht verfügbar" in page.text
        assert [one["screen"] for one in logged if "too often" in one["event"]] == [flooded.id]
        for _ in range(FEW.burst):
            assert (await client.get(strict.link(other))).status_code == 200

        async def is_served() -> bool:
            return (await client.get(strict.link(flooded))).status_code == 200

        for _ in range(100):
            if await is_served():
                break
            await asyncio.sleep(0.1)
        else:
            pytest.fail("the link is not served again")


@pytest.mark.parametrize("rest", ["/stream", "/hours.json", "/day.json?view=0"])
async def test_what_a_page_reads_beside_itself_is_refused_as_quietly(
    start_wall: StartWall, service: RunningService, site: SmallSite, rest: str
) -> None:
    wall = start_wall(service.base_url, site.read_key, NEVER_AGAIN)
    screen = wall.store.create(CURVE)
    async with httpx.AsyncClient(timeout=30) as client:
        for _ in range(FEW.burst):
            assert (await client.get(wall.link(screen))).status_code == 200
        answer = await client.get(wall.link(screen, rest))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")
    assert answer.json()["error"]


async def test_only_so_many_streams_are_open_by_a_link_and_one_that_leaves_makes_room(
    strict: RunningWall,
) -> None:
    screen, other = strict.store.create(number_screen()), strict.store.create(number_screen("Hall"))
    async with AsyncExitStack() as stack:
        leaving = AsyncExitStack()
        await leaving.enter_async_context(strict.watch(screen))
        for _ in range(FEW.streams - 1):
            assert (await stack.enter_async_context(strict.watch(screen))).status == 200
        async with strict.watch(screen) as refused, strict.watch(other) as elsewhere:
            assert (refused.status, elsewhere.status) == (429, 200)
        await leaving.aclose()
        await eventually(lambda: len(strict.viewers.of(screen.id)) < FEW.streams)
        async with strict.watch(screen) as again:
            assert again.status == 200


async def test_a_wall_of_many_displays_behind_one_address_is_never_refused(wall: RunningWall) -> None:
    """All at once, as after the dashboard was started anew."""
    screen = wall.store.create(CURVE)
    async with AsyncExitStack() as stack, httpx.AsyncClient(timeout=60) as client:
        wanted = ["", "/hours.json", "/day.json?view=0"]
        answers = asyncio.gather(
            *(client.get(wall.link(screen, rest)) for _ in range(DISPLAYS) for rest in wanted)
        )
        streams = [await stack.enter_async_context(wall.watch(screen)) for _ in range(DISPLAYS)]
        assert {answer.status_code for answer in await answers} == {200}
        assert {stream.status for stream in streams} == {200}
        assert len(wall.viewers.of(screen.id)) == DISPLAYS


async def test_those_who_wait_while_a_service_hangs_count_too(start_wall: StartWall) -> None:
    """Else a link may have any number of connections open, just then."""
    site = {"id": SITE_ID, "name": "A", "timezone": "Etc/UTC", "zones": [], "passages": []}
    with scripted_service(ScriptedService(sites=[site], now_waits={SITE_ID: 3600.0})) as service:
        wall = start_wall(service.base_url, KEY, FEW)
        screen = wall.store.create(number_screen())
        async with httpx.AsyncClient(timeout=60) as client:
            asked = [asyncio.create_task(client.get(wall.link(screen))) for _ in range(2 * FEW.burst)]
            done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            assert {one.result().status_code for one in done} == {429}
            assert waiting
            guessed = await client.get(f"{wall.base_url}/screen/guessed")
            assert guessed.status_code == 404
            service.ended.set()
            await asyncio.wait(waiting)


def test_a_link_that_leads_nowhere_is_not_remembered() -> None:
    use = LinkUse(FEW, lambda: 0.0)
    for _ in range(FEW.burst):
        use.take("guessed")
    assert use.is_spent("guessed")
    use.forget("guessed")
    assert not use.is_spent("guessed")


def test_what_was_taken_comes_back_with_time_and_never_beyond_the_burst() -> None:
    now = [100.0]
    use = LinkUse(LinkLimits(requests=2.0, burst=3, streams=1), lambda: now[0])
    for _ in range(3):
        assert not use.is_spent("a")
        use.take("a")
    assert use.is_spent("a")
    assert not use.is_spent("b")
    now[0] += 0.5
    assert not use.is_spent("a")
    use.take("a")
    assert use.is_spent("a")
    now[0] += 3600
    for _ in range(3):
        assert not use.is_spent("a")
        use.take("a")
    assert use.is_spent("a")
