"""Counts that come late, by every way in: they change the buckets that they belong to, and open streams."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import pytest

from benchmarks.acknowledged import door_of
from benchmarks.kills import HTTP, MQTT
from benchmarks.mounted_counters import Keys, connected, lines, mqtt_environment, set_up
from benchmarks.simulated_counters import MINUTE, NOBODY, TOTALS, People, Sent, SimulatedCounter, Way
from tests.eventually import eventually
from tests.running_mosquitto import RunningMosquitto, running_mosquitto
from tests.running_service import start_service

SITE: Final = "site"
ROUTES: Final[Sequence[tuple[str, Way]]] = (
    *((HTTP, way) for way in Way if way is not Way.LEVELS),
    (MQTT, Way.AXIS_3D),
    (MQTT, Way.TERABEE),
)
MAKERS_ROUTES: Final = [route for route in ROUTES if route[1] is not Way.COUNTS]
AGES: Final = {
    "an hour": timedelta(hours=1),
    "28 days": timedelta(days=28),
    "29 days": timedelta(days=29),
    "31 days": timedelta(days=31),
}
OLDEST: Final = "29 days"
TOO_OLD: Final = "31 days"
NOW: Final = datetime.now(UTC).replace(second=0, microsecond=0)


class Steady(random.Random):
    """Of a counter at which as many come each minute, and which never begins again."""

    def randrange(self, *_: object) -> int:
        return 2

    def random(self) -> float:
        return 1.0


def zone_of(means: str, way: Way, age: str) -> str:
    return f"{means}-{way}-{age.replace(' ', '-')}"


@dataclass(frozen=True)
class Open:
    client: httpx.Client
    broker: RunningMosquitto
    keys: Keys
    counters: dict[str, SimulatedCounter]
    """By the zone to which the door leads at which each hangs."""

    async def tell(self, means: str, zone: str, start: datetime) -> People:
        """One report of one minute in which somebody came; who came and went."""
        counter = self.counters[zone]
        if counter.way in TOTALS:  # the first is where counting begins
            await self._send(means, counter, counter.next_report(start - MINUTE, 1))
        sent = counter.next_report(start, 1)
        await self._send(means, counter, sent)
        assert sent.people.came
        return sent.people

    async def _send(self, means: str, counter: SimulatedCounter, sent: Sent) -> None:
        if means == HTTP:
            headers = {"x-api-key": self.keys.ingest, **sent.headers}
            self.client.post(sent.path, content=sent.body, headers=headers).raise_for_status()
            return
        taken = self._taken()
        with self.broker.counter(name=counter.serial) as client:
            client.report(f"headroom/{counter.way}/{counter.serial}", sent.body)
        await eventually(lambda: self._taken() > taken, pause=0.05)

    def _taken(self) -> int:
        return int(self.client.get("/healthz").json()["data"]["feeds"]["mqtt"]["taken"])

    def answered(self, zone: str, granularity: str, start: datetime, length: timedelta) -> list[People]:
        """Of each bucket within `length` from `start`, in UTC, of which anything was told."""
        asked = {
            "siteId": SITE, "metrics": ["entrances", "exits"], "granularity": granularity,
            "timezone": "Etc/UTC", "from": f"{start:%Y-%m-%dT%H:%M:%S}",
            "to": f"{start + length:%Y-%m-%dT%H:%M:%S}", "filter": {"zoneIds": [zone]},
        }  # fmt: skip
        points = self.client.post("/v3/metrics", json=asked).raise_for_status().json()["data"]
        return [People(point["metrics"]["entrances"], point["metrics"]["exits"]) for point in points]

    @contextmanager
    def streaming(self, zone: str) -> Iterator[Iterator[dict[str, Any]]]:
        asked = {
            "siteId": SITE, "metrics": ["entrances", "exits"], "granularity": "minute", "live": True,
            "timezone": "Etc/UTC", "filter": {"zoneIds": [zone]},
        }  # fmt: skip
        headers = {"accept": "text/event-stream"}
        with self.client.stream("POST", "/v3/metrics", json=asked, headers=headers) as answer:
            told = answer.iter_lines()
            next(told)
            yield (json.loads(line.removeprefix("data: ")) for line in told if line.startswith("data: "))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    zones = [(way, zone_of(means, way, age)) for means, way in ROUTES for age in AGES]
    counters = {
        zone: SimulatedCounter(way, number, SITE, zone, door_of(SITE, zone, 0), chance=Steady())
        for number, (way, zone) in enumerate(zones)
    }
    data = tmp_path_factory.mktemp("late") / "data"
    keys = set_up(data, list(counters.values()))
    with ExitStack() as ending:
        broker = ending.enter_context(running_mosquitto(tmp_path_factory.mktemp("broker")))
        service = start_service(data, environment=mqtt_environment(broker))
        ending.callback(service.kill)
        connected(service)
        headers = {"x-api-key": keys.read}
        client = httpx.Client(base_url=service.base_url, headers=headers, timeout=60.0)
        yield Open(ending.enter_context(client), broker, keys, counters)


@pytest.mark.parametrize(("means", "way"), ROUTES)
async def test_a_count_of_29_days_ago_changes_its_minute_its_hour_and_its_day(
    running: Open, means: str, way: Way
) -> None:
    start, zone = NOW.replace(hour=11, minute=34) - AGES[OLDEST], zone_of(means, way, OLDEST)
    hour = start.replace(minute=0)
    buckets = (
        ("minute", start, MINUTE),
        ("hour", hour, timedelta(hours=1)),
        ("day", hour.replace(hour=0), timedelta(days=1)),
    )
    assert [running.answered(zone, *bucket) for bucket in buckets] == [[], [], []]
    people = await running.tell(means, zone, start)
    assert [running.answered(zone, *bucket) for bucket in buckets] == [[people]] * 3


@pytest.mark.parametrize(("means", "way"), ROUTES)
@pytest.mark.parametrize("age", ["an hour", "28 days"])
async def test_a_late_count_reaches_a_stream_that_is_open(
    running: Open, means: str, way: Way, age: str
) -> None:
    zone, start = zone_of(means, way, age), NOW - AGES[age]
    with running.streaming(zone) as points:
        people = await running.tell(means, zone, start)
        point = next(one for one in points if datetime.fromisoformat(one["timestamp"]) == start)
    assert point["metrics"] == {"entrances": people.came, "exits": people.went}


async def test_an_older_count_in_our_own_format_is_of_its_own_minute_still(running: Open) -> None:
    zone, start = zone_of(HTTP, Way.COUNTS, TOO_OLD), NOW - AGES[TOO_OLD]
    people = await running.tell(HTTP, zone, start)
    assert running.answered(zone, "minute", start, MINUTE) == [people]


@pytest.mark.parametrize(("means", "way"), MAKERS_ROUTES)
async def test_an_older_one_of_a_counter_is_of_when_it_arrives_and_its_clock_is_said_to_be_wrong(
    running: Open, means: str, way: Way
) -> None:
    zone, start = zone_of(means, way, TOO_OLD), NOW - AGES[TOO_OLD]
    before = datetime.now(UTC).replace(second=0, microsecond=0)
    found: dict[datetime, People] = {}
    # Batch answers tell of no minute before it has ended.
    with running.streaming(zone) as points:
        people = await running.tell(means, zone, start)
        while sum(found.values(), start=NOBODY) != people:
            point = next(points)
            told = People(point["metrics"]["entrances"], point["metrics"]["exits"])
            found[datetime.fromisoformat(point["timestamp"])] = told
    assert min(found) >= before - MINUTE
    assert running.answered(zone, "minute", start, MINUTE) == []
    serial, known = running.counters[zone].serial, lines(running.client, running.keys.admin)
    [clock] = [line["clock"] for line in known if line["serial"] == serial]
    assert not clock["isTrusted"]
    assert clock["aheadSeconds"] < -timedelta(days=30).total_seconds()
