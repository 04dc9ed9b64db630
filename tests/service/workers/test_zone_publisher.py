"""How many are inside, as a real broker tells it to whoever reads it by the rules of Home Assistant."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx
import pytest
from fastapi import FastAPI

from contract import Site, Zone
from service.application import create_application
from service.mqtt_settings import MqttSettings
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store.protocol import PassageCount, SiteRecord, Store, WriteMode
from service.workers.zone_publisher import ZonePublisher
from tests.eventually import eventually
from tests.home_assistant import HomeAssistant, home_assistant
from tests.many_sites import create_many_sites, has_never_counted
from tests.running_mosquitto import RunningMosquitto, running_mosquitto
from tests.running_service import RunningService, start_service
from tests.small_site import (
    ORGANIZATION,
    SITE,
    SmallSite,
    count,
    create_small_site,
    half_a_day_away,
)

PREFIX: Final = "HEADROOM_SERVICE_MQTT_"
HALL: Final = "headroom_corner-shop_hall_people"
CAFE: Final = "headroom_corner-shop_cafe_people"
SHOP: Final = "headroom_corner-shop_shop_people"
HALL_STATE: Final = "headroom-sites/headroom/corner-shop_hall/state"
STATUS: Final = "headroom-sites/headroom/status"


@dataclass
class Publishing:
    """A service that publishes, and what reads it."""

    site: SmallSite
    environment: dict[str, str]
    service: RunningService
    home: HomeAssistant

    def feed(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.service.base_url}/healthz").json()["data"]["feeds"][
            "mqtt-out"
        ]
        return found

    def came(self, forward: int, backward: int = 0, passage: str = "entrance") -> None:
        """People, this minute."""
        body = [count(datetime.now(UTC), forward, backward, passage)]
        url = f"{self.service.base_url}/ingest/counts"
        httpx.post(url, headers=self.site.ingest_headers, json=body).raise_for_status()

    async def shows(self, unique_id: str, value: str | None) -> None:
        await eventually(lambda: self.home.shown(unique_id) == value, pause=0.05)

    def again(self) -> None:
        self.service = start_service(self.site.data_dir, port=self.service.port, environment=self.environment)

    @contextmanager
    def opened(self) -> Iterator[Store]:
        with closing(open_store(store_url(self.site.data_dir))) as store:
            yield store

    def save(self, **changed: object) -> None:
        save(self.site.data_dir, **changed)


def save(data_dir: Path, **changed: object) -> None:
    """The site with these fields, as another process stores it."""
    with closing(open_store(store_url(data_dir))) as store:
        record = SiteRecord(SITE.model_copy(update=changed), "shop", daily_reset_hour=half_a_day_away())
        store.catalogue.save(ORGANIZATION, [record])


@contextmanager
def publishing(folder: Path, broker: RunningMosquitto, **settings: str) -> Iterator[Publishing]:
    site = create_small_site(folder, reset_hour=half_a_day_away())
    given = {"URL": broker.url, "ORGANIZATION": ORGANIZATION.id, "PUBLISH": "on", "TOPICS": "none"} | settings
    environment = {f"{PREFIX}{name}": value for name, value in given.items()}
    with home_assistant(broker.port) as home:
        run = Publishing(site, environment, start_service(folder, environment=environment), home)
        try:
            yield run
        finally:
            run.service.kill()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningMosquitto]:
    with running_mosquitto(tmp_path / "broker") as broker:
        yield broker


@pytest.fixture
def run(tmp_path: Path, broker: RunningMosquitto) -> Iterator[Publishing]:
    with publishing(tmp_path / "data", broker) as run:
        yield run


async def test_each_zone_and_the_whole_site_is_a_sensor_of_a_device_that_is_the_site(run: Publishing) -> None:
    await run.shows(HALL, "unavailable")  # nothing was ever counted
    run.came(5)
    run.came(2, passage="archway")
    for zone, inside in ((HALL, "3"), (CAFE, "2"), (SHOP, "5")):
        await run.shows(zone, inside)
    await run.shows("headroom_corner-shop_hall_utilisation", "5.0")
    sensors = run.home.sensors
    assert len(sensors) == 6
    assert {one.device.name for one in sensors.values()} == {"Corner shop"}
    assert (sensors[CAFE].name, sensors[CAFE].unit_of_measurement) == ("Café", "people")
    assert sensors[CAFE].state_class == "measurement"
    assert run.feed() == run.feed() | {"isConnected": True, "trouble": None, "zones": 3, "unavailable": 0}


async def test_a_state_is_told_when_it_changes_and_once_a_second_at_most(run: Publishing) -> None:
    run.came(1)
    await run.shows(HALL, "1")
    run.home.came.clear()
    begin = asyncio.get_running_loop().time()
    for _ in range(60):
        run.came(1)
        await asyncio.sleep(0.02)
    await run.shows(HALL, "61")
    seconds = asyncio.get_running_loop().time() - begin
    states = [payload for topic, payload in run.home.came if topic == HALL_STATE]
    assert 1 <= len(states) <= seconds + 2
    assert json.loads(states[-1])["visitorsInside"] == 61


async def test_a_service_that_is_killed_leaves_nothing_that_looks_alive(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    run.service.kill()
    await run.shows(HALL, "unavailable")
    assert run.home.kept[STATUS] == b"offline"
    run.again()
    await run.shows(HALL, "4")


async def test_a_service_that_is_ended_says_so(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    assert run.service.stop() == 0
    await run.shows(HALL, "unavailable")


async def test_what_looks_alive_is_forgotten_by_a_broker_that_nobody_tells_again(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    kept = run.home.expiries
    assert 0 < (kept[STATUS] or 0) <= 180
    assert 0 < (kept[HALL_STATE] or 0) <= 21 * 60
    configuration = "homeassistant/sensor/headroom/corner-shop_hall_people/config"
    assert kept[configuration] is None


async def test_a_broker_that_comes_back_with_nothing_is_told_everything(
    run: Publishing, broker: RunningMosquitto
) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    broker.kill()
    await eventually(lambda: not run.feed()["isConnected"], pause=0.05)
    (broker.folder / "mosquitto.db").unlink(missing_ok=True)
    run.came(3)
    broker.start()
    await run.shows(HALL, "7")
    assert len(run.home.sensors) == 6


async def test_a_home_assistant_that_begins_is_told_everything(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    run.home.kept.clear()
    run.home.begin()
    await run.shows(HALL, "4")
    assert len(run.home.sensors) == 6


async def test_a_renamed_zone_is_the_same_sensor(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    zones = [zone.model_copy(update={"name": f"{zone.name} new"}) for zone in SITE.zones]
    run.save(name="Corner shop, new", zones=tuple(zones))
    await eventually(lambda: run.home.sensors[HALL].name == "Hall new", pause=0.05)
    assert run.home.sensors[HALL].device.name == "Corner shop, new"
    assert run.home.shown(HALL) == "4"
    assert len(run.home.sensors) == 6


async def test_a_number_is_told_again_after_a_new_configuration(run: Publishing) -> None:
    """Home Assistant takes no number for young that came before the configuration was taken in."""
    run.came(4)
    await run.shows(HALL, "4")
    configuration = "homeassistant/sensor/headroom/corner-shop_hall_people/config"
    run.home.came.clear()
    run.save(name="Corner shop, new")
    await eventually(lambda: HALL_STATE in [topic for topic, _ in run.home.came], pause=0.05)
    topics = [topic for topic, _ in run.home.came]
    assert topics.index(configuration) < topics.index(HALL_STATE)


async def test_an_archived_site_is_taken_away(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    run.save(archived=True)
    await eventually(lambda: run.home.kept.keys() == {STATUS}, pause=0.05)
    run.save(archived=False)
    await run.shows(HALL, "4")


async def test_a_zone_that_went_while_the_service_was_down_is_taken_away(run: Publishing) -> None:
    run.came(4)
    await run.shows(HALL, "4")
    run.service.kill()
    zones, passages = SITE.zones[:2], SITE.passages[:1]
    run.save(zones=zones, passages=passages)
    run.again()
    await run.shows(CAFE, None)
    await run.shows(HALL, "4")
    await eventually(lambda: not any("_cafe" in topic for topic in run.home.kept), pause=0.05)


async def test_a_zone_without_a_capacity_has_no_utilisation(run: Publishing) -> None:
    utilisation = "headroom_corner-shop_hall_utilisation"
    await run.shows(utilisation, "unavailable")
    run.save(zones=tuple(zone.model_copy(update={"capacity": None}) for zone in SITE.zones))
    await run.shows(utilisation, None)
    assert len(run.home.sensors) == 3


async def test_of_a_site_that_is_not_named_nothing_is_told(tmp_path: Path, broker: RunningMosquitto) -> None:
    with publishing(tmp_path / "data", broker, PUBLISH_SITES="elsewhere, nowhere") as run:
        await eventually(lambda: run.feed()["trouble"] == "no such sites: 'elsewhere', 'nowhere'", pause=0.05)
        assert run.home.sensors == {}
        run.service.stop()
    with publishing(tmp_path / "second", broker, PUBLISH_SITES=SITE.id) as run:
        await run.shows(HALL, "unavailable")


async def test_without_its_organization_nothing_is_taken_away(
    tmp_path: Path, broker: RunningMosquitto
) -> None:
    with publishing(tmp_path / "data", broker) as run:
        await run.shows(HALL, "unavailable")
        run.service.stop()
        run.environment[f"{PREFIX}ORGANIZATION"] = "corners"
        run.again()
        await eventually(
            lambda: run.feed()["trouble"] == "there is no organization 'corners' yet", pause=0.05
        )
        assert len(run.home.sensors) == 6


@pytest.mark.soak
async def test_five_hundred_sites_are_told(tmp_path: Path, broker: RunningMosquitto) -> None:
    sites = create_many_sites(tmp_path / "data", 500)
    environment = {"URL": broker.url, "ORGANIZATION": "chain", "PUBLISH": "on"}
    named = {f"{PREFIX}{name}": value for name, value in environment.items()}
    with home_assistant(broker.port) as home:
        service = start_service(sites.data_dir, environment=named)
        try:
            await eventually(lambda: home.kept.get(STATUS) == b"online", pause=0.1)
            sensors = home.sensors
            assert len(sensors) == 1_000
            for number in range(500):
                own = f"headroom_shop-{number}_all-{number}_people"
                told = "unavailable" if has_never_counted(number) else str(sites.inside_of(number))
                sensor = sensors[own]
                is_available = all(home.kept[one.topic] == b"online" for one in sensor.availability)
                inside = json.loads(home.kept[sensor.state_topic])["visitorsInside"] if is_available else None
                assert told == (str(inside) if is_available else "unavailable")
        finally:
            service.kill()


class Clock:
    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@asynccontextmanager
async def published_here(data_dir: Path, broker: RunningMosquitto, clock: Clock) -> AsyncIterator[Store]:
    """A service in this process, whose clock can be set."""
    settings = MqttSettings(
        url=broker.url,
        organization=ORGANIZATION.id,
        topics="none",
        publish=True,
    )
    with closing(open_store(store_url(data_dir), clock=clock)) as store:
        given = ServiceSettings(data_dir=data_dir)
        application: FastAPI = create_application(
            store, given, workers=[ZonePublisher(settings)], clock=clock
        )
        async with application.router.lifespan_context(application):
            yield store


def add(store: Store, moment: datetime, people: int) -> None:
    minute = int(moment.timestamp()) // 60
    store.metrics.append([PassageCount("entrance", minute, people, 0)], WriteMode.ADD)


async def shows(home: HomeAssistant, unique_id: str, value: str | None) -> None:
    await eventually(lambda: home.shown(unique_id) == value, pause=0.05)


async def test_a_zone_that_falls_silent_is_unavailable_until_it_counts_again(
    tmp_path: Path, broker: RunningMosquitto
) -> None:
    create_small_site(tmp_path / "data", reset_hour=half_a_day_away())
    clock = Clock()
    with home_assistant(broker.port) as home:
        async with published_here(tmp_path / "data", broker, clock) as store:
            add(store, clock(), 3)
            await shows(home, HALL, "3")
            assert home.shown(CAFE) == "unavailable"  # at whose passages nothing was counted
            clock.ahead = timedelta(minutes=22)
            await shows(home, HALL, "unavailable")
            assert json.loads(home.kept[HALL_STATE])["visitorsInside"] == 3  # nothing new is told
            add(store, clock(), 2)
            await shows(home, HALL, "5")


async def test_what_was_counted_before_a_daily_reset_is_old(tmp_path: Path, broker: RunningMosquitto) -> None:
    now = datetime.now(UTC)
    create_small_site(tmp_path / "data", reset_hour=4)
    local = now.astimezone(ZoneInfo(SITE.timezone or "")).replace(hour=3, minute=58)
    clock = Clock()
    clock.ahead = local.astimezone(UTC) - now
    with home_assistant(broker.port) as home:
        async with published_here(tmp_path / "data", broker, clock) as store:
            add(store, clock(), 3)
            await shows(home, HALL, "3")
            clock.ahead += timedelta(minutes=3)
            await shows(home, HALL, "unavailable")
            add(store, clock(), 1)
            await shows(home, HALL, "1")


async def test_hostile_names_and_ids_make_sensors_like_any_other(
    tmp_path: Path, broker: RunningMosquitto
) -> None:
    create_small_site(tmp_path / "data", reset_hour=half_a_day_away())
    names = {"#": "x" * 200, "a +#": " ", "hall": "\u202e" + "y" * 10_000, "$SYS": "a/+/#\x07"}
    zones = tuple(Zone(id=own, name=name) for own, name in names.items())
    site = Site(
        id="+", name="#" * 200, timezone="UTC", organization_id=ORGANIZATION.id, zones=zones, passages=()
    )
    with home_assistant(broker.port) as home:
        async with published_here(tmp_path / "data", broker, Clock()) as store:
            store.catalogue.save(ORGANIZATION, [SiteRecord(site, "#", daily_reset_hour=0)])
            device = "#" * 99 + "…"
            await eventually(
                lambda: sum(one.device.name == device for one in home.sensors.values()) == 4, pause=0.05
            )
            sensors = [one for one in home.sensors.values() if one.device.name == device]
            assert {one.name for one in sensors} == {"x" * 99 + "…", "a +#", "y" * 99 + "…", "a/+/#"}
