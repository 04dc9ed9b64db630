from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from starlette.applications import Starlette

from api_client import Client
from live import FeedKey, GrantedFeed, Hub, StreamGrant, StreamSigner
from runtime import usual_routes as usual_routes_module
from runtime.usual_routes import usual_routes
from screens import (
    Composition,
    PreviewSigner,
    ScreenRoutes,
    ScreenStore,
    ShownBook,
    View,
    ViewerRegistry,
    ViewKind,
)
from screens.day_curve import Day, typical_days
from service.open_store import open_store, store_url
from service.store.audit_protocol import Author
from service.store.level_protocol import ZoneLevel
from tests.eventually import PATIENCE
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SITE, SmallSite, create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
SIGNER = StreamSigner("a secret for tests that nobody guesses")
SHOP = FeedKey(SITE.id)
HALL = FeedKey(SITE.id, ("hall",))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """Six weeks: 1, 2, .. 6 people come each minute of a quarter of an hour at noon; to the café in two.

    In the other four, 30 leave the café, and nobody came.
    """
    folder: Path = tmp_path_factory.mktemp("service")
    created = create_small_site(folder)
    today = Day(SHOP, ZURICH, datetime.now(UTC).astimezone(ZURICH).date())
    counts = []
    for weeks in range(1, 7):
        noon = today.earlier(7 * weeks).end - timedelta(hours=12)
        counts += [(noon + timedelta(minutes=minute), "entrance", weeks, 0) for minute in range(15)]
        if weeks <= 2:
            counts += [(noon, "archway", 1, 0)]
        else:
            counts += [(noon + timedelta(minutes=60 + minute), "terrace", 3, 0) for minute in range(10)]
    store_counts(folder, counts)
    return created


@pytest.fixture(scope="module")
def service(site: SmallSite) -> Iterator[RunningService]:
    started = start_service(site.data_dir)
    yield started
    started.kill()


def token(*keys: FeedKey) -> str:
    return SIGNER.sign(StreamGrant(tuple(GrantedFeed(key, "Europe/Zurich") for key in keys)))


async def ask(
    base_url: str, key: str, token: str, *names: str, today: str = ""
) -> tuple[int, dict[str, Any]]:
    with Client(base_url, key, attempts=1) as client:
        return await told(client, token, *names, today=today)


async def told(client: Client, token: str, *names: str, today: str = "") -> tuple[int, dict[str, Any]]:
    routes = usual_routes(lambda: client, lambda: SIGNER, typical_days(lambda: client))
    transport = httpx.ASGITransport(app=Starlette(routes=routes))
    async with httpx.AsyncClient(transport=transport, base_url="http://dashboard") as browser:
        answer = await browser.get(
            "/live/usual", params={"token": token, "feed": list(names), "today": today}
        )
    return answer.status_code, answer.json()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer waits for what a busy machine reads slowly."""
    monkeypatch.setattr("runtime.usual_routes._PATIENCE", PATIENCE)


async def test_a_typical_day_is_told_of_what_is_asked_for(
    site: SmallSite, service: RunningService, patient: None
) -> None:
    status, body = await ask(service.base_url, site.read_key, token(SHOP, HALL), SHOP.name)
    assert (status, body["missing"]) == (200, 0)
    (told,) = body["feeds"].values()
    today = datetime.now(ZURICH).date()
    assert told["timezone"] == "Europe/Zurich"
    assert told["weekday"] == f"{today:%A}"
    assert dict(told["typical"])[12 * 60 + 7.5] == 28.0
    assert (told["typical_days"], told["spoilt_days"]) == (6, 0)
    end = datetime.fromtimestamp(told["until"], ZURICH)
    assert (end.date(), end.hour) == (today + timedelta(days=1), 0)


@pytest.mark.parametrize("ahead", [timedelta(days=-3), timedelta(days=3)])
async def test_today_is_the_day_that_it_is_for_the_service(ahead: timedelta) -> None:
    with scripted_service(ScriptedService([{"id": SITE.id, "name": "Shop"}], ahead=ahead)) as service:
        with Client(service.base_url, KEY, attempts=1) as client:
            client.sites()  # as the page did that holds the token
            _, body = await told(client, token(SHOP), today=SHOP.name)
        present = service.now()
    day = body["feeds"][SHOP.name]
    assert day["weekday"] == f"{present.astimezone(ZURICH):%A}"
    assert day["day_start"] <= present.timestamp() < day["until"]
    assert abs(day["as_of"] - present.timestamp()) < 60


async def test_a_page_and_a_wall_ask_once_for_the_same_typical_day(tmp_path: Path) -> None:
    shop = {"id": SITE.id, "name": "Shop", "timezone": "Europe/Zurich"}
    door = Composition(name="Door", views=(View(kind=ViewKind.CURVE, site_id=SITE.id),))
    with (
        scripted_service(ScriptedService([shop])) as service,
        Client(service.base_url, KEY, attempts=1) as client,
        closing(ScreenStore(tmp_path)) as store,
    ):
        days = typical_days(lambda: client)
        getters = (lambda: store, lambda: client, no_hub, ViewerRegistry, lambda: PreviewSigner("a secret"))
        screens = ScreenRoutes(*getters, get_shown=ShownBook, typical=days)
        routes = [*usual_routes(lambda: client, lambda: SIGNER, days), *screens.routes()]
        transport = httpx.ASGITransport(app=Starlette(routes=routes))
        async with httpx.AsyncClient(transport=transport, base_url="http://dashboard") as browser:
            curve = await browser.get(f"/screen/{store.create(door).token}/day.json?view=0")
            asked = len(service.asked)
            parameters = {"token": token(SHOP), "feed": SHOP.name}
            usual = (await browser.get("/live/usual", params=parameters)).json()
    assert curve.status_code == 200
    assert asked > 6  # the weeks of the typical day, and today
    assert usual["missing"] == 0
    assert usual["feeds"][SHOP.name]["typical"] == curve.json()["typical"]
    assert len(service.asked) == asked


async def test_what_was_set_by_hand_is_told_to_whoever_asks_since_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usual_routes_module, "_YOUNG", timedelta(0))
    site = create_small_site(tmp_path)
    lately = datetime.now(UTC) - timedelta(minutes=2)
    store_counts(tmp_path, [(lately, "entrance", 3, 0)])
    service = start_service(tmp_path)
    try:
        with Client(service.base_url, site.read_key, attempts=1) as client:
            client.sites()
            routes = usual_routes(lambda: client, lambda: SIGNER, typical_days(lambda: client))
            transport = httpx.ASGITransport(app=Starlette(routes=routes))
            async with httpx.AsyncClient(transport=transport, base_url="http://dashboard") as browser:

                async def notes(**since: str | float) -> tuple[int, list[str]]:
                    wanted = {"token": token(HALL), "today": HALL.name} | since
                    body = (await browser.get("/live/usual", params=wanted)).json()
                    return body["missing"], [note[1] for note in body["feeds"][HALL.name]["notes"]]

                assert await notes() == (0, [])
                with closing(open_store(store_url(tmp_path))) as store:
                    level = ZoneLevel(SITE.id, "hall", int(datetime.now(UTC).timestamp()) // 60, 12)
                    store.levels.correct(level, "we counted", Author("Desk", "key"), datetime.now(UTC))
                for kept in (
                    {},
                    {"since": "0"},
                    {"since": "nonsense"},
                    {"since": "nan"},
                    {"since": "-1e300"},
                ):
                    assert await notes(**kept) == (0, [])
                set_ = (0, ["set to 12 by hand: we counted"])
                assert await notes(since="1e300") in (set_, (0, [])), "no later than now"
                assert await notes(since=datetime.now(UTC).timestamp()) == set_
                monkeypatch.setattr(usual_routes_module, "_YOUNG", timedelta(hours=1))
                assert await notes(since=datetime.now(UTC).timestamp()) == (1, set_[1]), "to be asked again"
    finally:
        service.kill()


def no_hub() -> Hub:
    raise AssertionError("no live value is asked for")


async def test_the_day_so_far_is_told_where_it_is_asked_for(
    site: SmallSite, service: RunningService, patient: None
) -> None:
    _, body = await ask(service.base_url, site.read_key, token(SHOP, HALL), HALL.name, today=SHOP.name)
    assert body["missing"] == 0
    assert "today" not in body["feeds"][HALL.name]
    told = body["feeds"][SHOP.name]
    assert "typical" not in told
    assert (told["today"], told["time_inside"]) == ([], None)
    assert told["day_start"] < told["as_of"] < told["until"]


async def test_too_few_weeks_make_no_typical_day_and_days_of_drift_are_none(
    site: SmallSite, service: RunningService
) -> None:
    cafe = FeedKey(SITE.id, ("cafe",))
    _, body = await ask(service.base_url, site.read_key, token(cafe), cafe.name)
    told = body["feeds"][cafe.name]
    assert (told["typical"], told["typical_days"], told["spoilt_days"]) == ([], 2, 4)


async def test_what_a_page_may_not_see_is_not_told(site: SmallSite, service: RunningService) -> None:
    _, body = await ask(service.base_url, site.read_key, token(SHOP), HALL.name, "elsewhere")
    assert body == {"feeds": {}, "missing": 0}
    status, body = await ask(service.base_url, site.read_key, "forged", SHOP.name)
    assert status == 403
    assert "feeds" not in body


async def test_a_service_that_refuses_leaves_the_comparison_out(
    site: SmallSite, service: RunningService
) -> None:
    _, body = await ask(service.base_url, "hr_nobody", token(SHOP), SHOP.name)
    assert body == {"feeds": {}, "missing": 1}
