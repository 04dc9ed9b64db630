"""When the places of a screen are closed: read once for all walls that show the same sites."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime

import httpx
from starlette.requests import Request

from analysis.closed_ahead import ClosedSpans
from api_client import Client
from gauge.levels import Thresholds
from live.snapshot import FeedKey
from screens import Composition, View, ViewKind
from screens.closed_hours import ClosedAnswers
from screens.definition import Words
from screens.shown import ShownFeed, ShownView
from tests.screens.conftest import SITE_ID, RunningWall, number_screen


async def test_who_asks_for_hours_a_hundred_times_has_them_read_once_and_walls_of_other_sites_theirs(
    wall: RunningWall,
) -> None:
    screen, other = wall.store.create(number_screen()), wall.store.create(number_screen("Hall"))
    elsewhere = wall.store.create(
        Composition(name="x", views=(View(kind=ViewKind.NUMBER, site_id="elsewhere"),))
    )
    wall.hours.begin = datetime.now(UTC)
    async with httpx.AsyncClient(timeout=30, headers={"Accept-Encoding": "identity"}) as client:
        asked = [client.get(wall.link(one, "/hours.json")) for one in (screen, other) * 50]
        answers = await asyncio.gather(*asked)
        nothing = await client.get(wall.link(elsewhere, "/hours.json"))
        wall.store.revoke(screen.id)
        revoked = await client.get(wall.link(screen, "/hours.json"))
    told = {SITE_ID: [[wall.hours.begin.timestamp(), None]]}
    assert all(answer.json() == {"closed": told} for answer in answers)
    assert wall.hours.asked == [SITE_ID]
    assert nothing.json() == {"closed": {}}
    assert revoked.status_code == 404


async def test_hours_that_are_changed_are_told_soon() -> None:
    begin = 0.0
    feed = ShownFeed(FeedKey("hall"), "Hall", "Europe/Zurich", None)
    view = ShownView(ViewKind.NUMBER, 20, Thresholds(), Words(), "Hall", "Europe/Zurich", (feed,))

    def read(_sites: Mapping[str, str], _now: datetime) -> Mapping[str, ClosedSpans]:
        return {"hall": [(begin, None)]}

    client = Client("http://127.0.0.1:1", "key")
    answers = ClosedAnswers(lambda: client, read, fresh=0.0)
    for begin in (1.0, 2.0):
        answer = await answers.response([view], Request({"type": "http", "headers": []}), {})
        assert json.loads(bytes(answer.body)) == {"closed": {"hall": [[begin, None]]}}
