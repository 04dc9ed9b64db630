"""The demo as one command gives it: a process that loads its past and then lives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from api_client import Client, Unavailable
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint, MetricsQuery
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


def test_at_the_first_start_the_service_loads_its_demo_and_then_shows_three_sites(client: Client) -> None:
    loaded(client)
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


def test_a_second_start_keeps_everything_and_goes_on(client: Client, service: RunningService) -> None:
    loaded(client)
    port, data_dir = service.port, service.data_dir
    assert service.stop() == 0
    again = start_service(data_dir, demo=True, port=port)
    try:
        loaded(client)
        assert again.log().count("demo history stored") == 6, "three at each start"
        assert len(client.sites()) == 3
    finally:
        again.stop()
