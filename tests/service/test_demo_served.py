"""The demo as one command gives it: a process that loads its past and then lives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from api_client import Client, Unavailable
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint, MetricsQuery
from service.embedded import start_embedded
from tests.running_service import RunningService, start_service

DEADLINE = 240.0
COUNTED = (*CROSSINGS, MetricKey.VISITORS_INSIDE)
ALWAYS_COUNTED = "shop"
"""The recording of the stop has gaps; the simulated sensors have none."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = start_service(tmp_path_factory.mktemp("demo"), demo=True)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def client(service: RunningService) -> Iterator[Client]:
    key = (service.data_dir / "dashboard.key").read_text().strip()
    opened = Client(service.base_url, key, timeout=30.0, attempts=1)
    yield opened
    opened.close()


def loaded(client: Client) -> None:
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            client.sites()
        except Unavailable:
            assert time.monotonic() < deadline, "the demo is not loaded yet"
            time.sleep(0.2)
        else:
            return


def newest(client: Client, site_id: str) -> MetricPoint:
    (point,) = client.newest(MetricsQuery(metrics=COUNTED, site_id=site_id)).points
    return point


def test_at_the_first_start_the_service_loads_its_demo_and_then_shows_three_sites(
    client: Client, service: RunningService
) -> None:
    key = service.data_dir / "dashboard.key"
    assert key.stat().st_mode & 0o777 == 0o600
    headers = {"x-api-key": key.read_text().strip()}
    deadline = time.monotonic() + DEADLINE
    while (answer := httpx.get(f"{service.base_url}/v3/sites", headers=headers)).status_code == 503:
        assert answer.json()["meta"]["errors"][0]["code"] == "SERVICE_STARTING"
        assert answer.headers["retry-after"].isdecimal()
        assert time.monotonic() < deadline, "the demo is not loaded yet"
        time.sleep(0.2)
    assert {site.id for site in client.sites()} == {"hardbruecke", "sdu-rooms", "shop"}


@pytest.mark.parametrize(
    ("site_id", "weeks", "at_least"),
    [("hardbruecke", 9, 1_900_000), ("sdu-rooms", 9, 15_000), ("shop", 13, 80_000)],
)
def test_the_past_reaches_to_now(client: Client, site_id: str, weeks: int, at_least: int) -> None:
    loaded(client)
    past = MetricsQuery(
        metrics=(MetricKey.ENTRANCES,),
        site_id=site_id,
        from_="14 weeks ago",
        to="now",
        granularity=Granularity.DAY,
        timezone="Europe/Zurich",
    )
    days = client.metrics(past).points
    assert days[-1].timestamp - days[0].timestamp >= timedelta(weeks=weeks) - timedelta(days=1)
    assert sum(day.metrics["entrances"] for day in days) > at_least


def test_the_present_is_fed(client: Client) -> None:
    loaded(client)
    deadline = time.monotonic() + DEADLINE
    started = datetime.now(UTC)
    while newest(client, ALWAYS_COUNTED).timestamp + timedelta(minutes=1) < started:
        assert time.monotonic() < deadline, "the newest minute is not the one that runs"
        time.sleep(0.2)


def test_beside_a_dashboard_it_keeps_everything_and_goes_on_with_its_key(
    client: Client, service: RunningService, capfd: pytest.CaptureFixture[str]
) -> None:
    loaded(client)
    key, sites = (service.data_dir / "dashboard.key").read_text().strip(), client.sites()
    assert service.stop() == 0
    assert service.log().count("demo history stored") == 3
    again = start_embedded(service.data_dir, service.port)
    try:
        loaded(client)
        assert again.api_key == key
        assert client.sites() == sites
    finally:
        again.stop()
    assert not again.is_running()
    assert capfd.readouterr().err.count("demo history stored") == 3, "three at each start"
