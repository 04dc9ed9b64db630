from __future__ import annotations

import threading
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx

from contract import Granularity, MetricKey
from service.open_store import open_store, store_url
from service.sensors.taking import take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store.protocol import BucketQuery, Store
from tests.administered import made_admin_key
from tests.eventually import PATIENCE, eventually
from tests.running_service import RunningService, start_service
from tests.small_site import ORGANIZATION, SITE, create_small_site

WAITING: Final = 3_000
MINUTE: Final = timedelta(minutes=1)


def let_wait(folder: Path) -> None:
    """A person a minute, until a minute ago."""
    begin = datetime.now(UTC).replace(second=0, microsecond=0) - WAITING * MINUTE
    with closing(open_store(store_url(folder))) as store, store.sensors.writing() as rows:
        for start in (begin + number * MINUTE for number in range(WAITING)):
            told = ToldCount("S-1", "", Kind.INTERVAL, start, start + MINUTE, 1, 0, start.isoformat())
            take(rows, ORGANIZATION.id, "maker", Report((told,)), start + MINUTE)


def sensor_of(service: RunningService, admin: dict[str, str]) -> dict[str, Any]:
    answer = httpx.get(f"{service.base_url}/admin/sensors", headers=admin, timeout=PATIENCE)
    [sensor] = answer.json()["data"]
    return dict(sensor)


def entrances(store: Store) -> float:
    now = datetime.now(UTC)
    asked = BucketQuery(
        SITE.id, (MetricKey.ENTRANCES,), now - timedelta(days=9), now, Granularity.DAY, ZoneInfo("UTC"),
        passage_ids=("entrance",),
    )  # fmt: skip
    return sum(bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked))


async def test_what_a_kill_cuts_off_is_counted_by_the_service_that_starts_again(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    admin = {"x-api-key": made_admin_key(tmp_path)}
    let_wait(tmp_path)
    service = start_service(tmp_path)
    address = f"{service.base_url}/admin/sensors/{sensor_of(service, admin)['number']}/placement"

    def place() -> None:
        with suppress(httpx.TransportError):
            httpx.put(address, headers=admin, json={"passageId": "entrance"}, timeout=PATIENCE)

    placing = threading.Thread(target=place)
    placing.start()
    await eventually(lambda: sensor_of(service, admin)["waiting"] < WAITING)
    service.kill()
    placing.join()
    with closing(open_store(store_url(tmp_path))) as store:
        [line] = store.sensors.lines(ORGANIZATION.id)
        assert line.placement is not None
        assert 0 < line.waiting < WAITING
        assert entrances(store) == WAITING - line.waiting
    service = start_service(tmp_path)
    try:
        await eventually(lambda: sensor_of(service, admin)["waiting"] == 0, pause=0.1)
    finally:
        service.kill()
    assert "all that waited of a line is counted" in service.log()
    with closing(open_store(store_url(tmp_path))) as store:
        assert entrances(store) == WAITING
