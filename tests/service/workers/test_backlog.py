from __future__ import annotations

import threading
from collections import Counter
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

import httpx
import pytest
from pydantic import TypeAdapter
from structlog.testing import capture_logs

from contract import Granularity, MetricKey
from service.application_state import ApplicationState
from service.ingest.count_writer import CountWriter
from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store.protocol import BucketQuery, Store
from service.store.sensor_protocol import Placement, SensorLine, SensorName, WaitingReport
from service.workers import backlog
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
        await eventually(lambda: "reports that waited are counted" in service.log())
    finally:
        service.kill()
    with closing(open_store(store_url(tmp_path))) as store:
        assert entrances(store) == WAITING


async def test_a_line_that_cannot_be_counted_holds_up_no_other_and_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "_INTERVAL_SECONDS", 0.01)
    create_small_site(tmp_path)
    at = datetime.now(UTC).replace(second=0, microsecond=0)

    def keep_waiting(store: Store, serial: str) -> None:
        """Of a line that is placed: one that cannot be read any more, or one that can."""
        told = ToldCount(serial, "", Kind.EVENT, None, at, 1, 0, "1")
        with store.sensors.writing() as rows:
            if serial == "S-1":
                rows.keep_waiting(line_of(store, serial), WaitingReport(at, "of another version"))
            else:
                report = TypeAdapter(ToldCount).dump_json(told).decode()
                rows.keep_waiting(line_of(store, serial), WaitingReport(at, report))

    with closing(open_store(store_url(tmp_path))) as store, capture_logs() as log:
        for serial in ("S-1", "S-2", "S-3"):
            with store.sensors.writing() as rows:
                rows.note_heard(ORGANIZATION.id, "maker", serial, heard_again(None, at))
                line = rows.line(SensorName(ORGANIZATION.id, "maker", serial, ""), at)
                place(rows, line, Placement("entrance", is_swapped=False))
        keep_waiting(store, "S-1")
        keep_waiting(store, "S-2")
        state = cast("ApplicationState", SimpleNamespace(store=store, counts=CountWriter(store, 8)))
        worker = backlog.Backlog()
        await worker.start(state)
        await eventually(lambda: line_of(store, "S-2").waiting == 0)
        # It goes on after that, too.
        keep_waiting(store, "S-3")
        await eventually(lambda: line_of(store, "S-3").waiting == 0)
        await worker.stop()
        state.counts.close()
        assert line_of(store, "S-1").waiting == 1
        assert entrances(store) == 2
    events = Counter(entry["event"] for entry in log)
    assert events["reports that waited are not counted"] == 1
    assert events["reports that waited are counted"] in {1, 2}


def line_of(store: Store, serial: str) -> SensorLine:
    [line] = [one for one in store.sensors.lines(ORGANIZATION.id) if one.name.serial == serial]
    return line
