"""Services with one store that tell each other by NATS: what one stores, the streams of the other have."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import nats
import pytest

from tests.eventually import PATIENCE, eventually
from tests.every_store import URL_IN
from tests.running_nats import RunningNats, running_nats
from tests.running_service import start_service
from tests.service.test_several_services import SELDOM, Pair
from tests.small_site import create_small_site

SUBJECT: Final = "headroom.changes"


@contextmanager
def told_by_nats(folder: Path, kind: str, broker: RunningNats) -> Iterator[Pair]:
    """Two services on one store of this kind, that look for nothing by themselves."""
    url = URL_IN[kind](folder / "store")
    given = {"HEADROOM_SERVICE_STORE": url, "HEADROOM_SERVICE_NATS_URL": broker.url} | SELDOM
    site = create_small_site(folder / "store", url=url)
    with ExitStack() as ending:
        services = [start_service(folder / name, environment=given) for name in ("one", "two")]
        for service in services:
            ending.callback(service.kill)
        yield Pair(site, (services[0], services[1]))


def feed(pair: Pair, number: int) -> dict[str, Any]:
    told: dict[str, Any] = pair.health(number).json()["data"]["feeds"]["nats"]
    return told


def watched(pair: Pair, route: str) -> httpx.Response:
    return httpx.get(f"{pair.services[1].base_url}/{route}")


def connected(pair: Pair, *, is_so: bool = True) -> Callable[[], bool]:
    return lambda: all(feed(pair, number)["isConnected"] is is_so for number in (0, 1))


def told(points: list[Any], inside: int) -> Callable[[], bool]:
    return lambda: any(point["metrics"]["visitorsInside"] == inside for point in points)


async def shouted(broker: RunningNats) -> None:
    """Thousands of messages by a stranger, and some that are as large as they may be."""
    stranger = await nats.connect(broker.url)
    for content in (b"\xff\x00{}[]" * 100, b"x" * 1_000_000):
        for _ in range(5_000_000 // len(content)):
            await stranger.publish(SUBJECT, content)
    await stranger.flush()
    await stranger.close()


@pytest.mark.parametrize("kind", URL_IN)
async def test_streams_have_what_another_process_stores_though_brokers_go_and_strangers_shout(
    kind: str, tmp_path: Path
) -> None:
    with running_nats(tmp_path) as broker, told_by_nats(tmp_path, kind, broker) as pair:
        await eventually(connected(pair), pause=0.05)
        with pair.streaming(1) as points:
            assert pair.post(0, 3).is_success
            await eventually(told(points, 3), pause=0.05)
            assert feed(pair, 0)["told"]
            assert feed(pair, 1)["heard"]
            broker.kill()
            await eventually(connected(pair, is_so=False), pause=0.05)
            ready = watched(pair, "readyz")
            assert ready.status_code == 200, "it answers, a second later at most"
            assert ready.json()["data"]["troubles"]["nats"] == feed(pair, 1)["trouble"]
            numbers = watched(pair, "metrics").text
            assert 'headroom_service_feed_troubled{feed="nats"} 1.0' in numbers
            assert "headroom_service_hints_heard_total 1.0" in numbers
            assert pair.post(0, 4).is_success
            assert pair.inside(0) == 7
            if kind == "postgresql":  # which tells by itself meanwhile
                await eventually(told(points, 7), pause=0.05)
            broker.start()
            await eventually(told(points, 7), pause=0.05)
            await shouted(broker)
            assert pair.post(0, 5).is_success
            await eventually(told(points, 12), pause=0.05)
        log = pair.services[1].log()
        assert log.count("hints not connected") == 1
        assert "Traceback" not in log
        for service in pair.services:
            assert service.stop() == 0


def test_a_service_that_the_broker_refuses_serves_and_says_so_once(tmp_path: Path) -> None:
    with running_nats(tmp_path, "--user", "headroom", "--pass", "right") as broker:
        given = {"URL": broker.url, "USER": "headroom", "PASSWORD": "wrong-but-secret"}
        environment = {f"HEADROOM_SERVICE_NATS_{name}": value for name, value in given.items()}
        service = start_service(tmp_path / "one", environment=environment)
        try:
            ready, deadline = "", time.monotonic() + PATIENCE
            while "Authorization" not in ready and time.monotonic() < deadline:
                answer = httpx.get(f"{service.base_url}/readyz")
                assert answer.status_code == 200
                ready = answer.text
            time.sleep(1.5)  # it is tried again each second
        finally:
            service.kill()
        assert "Authorization" in ready
        assert service.log().count("hints not connected") == 1
        assert "wrong-but-secret" not in service.log() + ready
