"""What people and programs are told over HTTP while the archive of old days is away, and once it is back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.open_store import open_store, store_url
from tests.eventually import eventually
from tests.running_clickhouse import RunningClickHouse, running_clickhouse
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site, store_counts

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
OLD = NOW - timedelta(days=100)
RECENT = NOW - timedelta(hours=2)
KEPT_DAYS = 62
REST_SECONDS = 3.1
"""After no answer it is asked again."""


@dataclass(frozen=True)
class Served:
    site: SmallSite
    client: httpx.Client
    archive: RunningClickHouse
    service: RunningService

    def query(self, start: datetime, **more: Any) -> httpx.Response:
        asked = {"siteId": SITE.id, "metrics": ["entrances"], "granularity": "day", "timezone": "Etc/UTC"}
        whole = asked | {"from": local(start), "to": local(NOW)} | more
        return self.client.post("/v3/metrics", headers=self.site.headers, json=whole)

    def entrances(self, start: datetime) -> int:
        points = self.query(start).raise_for_status().json()["data"]
        return sum(point["metrics"]["entrances"] for point in points)

    def post(self, moment: datetime, forward: int, key: str | None = None) -> httpx.Response:
        headers = self.site.ingest_headers | ({"idempotency-key": key} if key else {})
        return self.client.post("/ingest/counts", headers=headers, json=[count(moment, forward)])

    def told_of_archive(self) -> dict[str, Any]:
        feeds: dict[str, Any] = self.client.get("/healthz").json()["data"]["feeds"]
        return dict(feeds["archive"])


def local(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}"


@contextmanager
def served(folder: Path, archive: RunningClickHouse, **settings: str) -> Iterator[Served]:
    """The small site, of which a day of long ago lies in the archive."""
    url = f"{archive.url(folder)}?answer_seconds=2"
    site = create_small_site(folder)
    counts = [(OLD, "entrance", 4, 0), (OLD, "terrace", 1, 0), (RECENT, "entrance", 3, 0)]
    store_counts(folder, counts)
    with closing(open_store(store_url(folder), archive=url)) as store:
        assert store.archiving.ship(KEPT_DAYS, NOW, threading.Event()) == 1
    environment = {"HEADROOM_SERVICE_ARCHIVE": url, "HEADROOM_SERVICE_ARCHIVE_DAYS": str(KEPT_DAYS)}
    service = start_service(folder, environment=environment | settings)
    try:
        with httpx.Client(base_url=service.base_url, timeout=60.0) as client:
            yield Served(site, client, archive, service)
    finally:
        service.stop()


@pytest.fixture(scope="module")
def archive() -> Iterator[RunningClickHouse]:
    """One that is stopped and started."""
    with running_clickhouse() as server:
        yield server


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory, archive: RunningClickHouse) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("refusing"), archive) as found:
        yield found


@pytest.fixture(scope="module")
def leaving_out(tmp_path_factory: pytest.TempPathFactory, archive: RunningClickHouse) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("leaving-out")
    with served(folder, archive, HEADROOM_SERVICE_ARCHIVE_AWAY="leave_out") as found:
        yield found


@contextmanager
def away(archive: RunningClickHouse) -> Iterator[None]:
    archive.kill()
    try:
        yield
    finally:
        archive.start()


async def test_old_days_are_refused_for_a_while_and_all_else_goes_on(refusing: Served) -> None:
    assert refusing.entrances(OLD) == 7
    with away(refusing.archive):
        refused = refusing.query(OLD)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        [error] = refused.json()["meta"]["errors"]
        assert error["code"] == "ARCHIVE_AWAY"
        assert "Older days lie in an archive that is out of reach" in error["message"]
        assert OLD < datetime.fromisoformat(error["details"]["from"]) <= RECENT
        assert refusing.entrances(RECENT) == 3
        assert refusing.client.get("/healthz").status_code == 200
        assert refusing.post(RECENT, 1).status_code == 200
        await eventually(lambda: not refusing.told_of_archive()["isConnected"], pause=0.2)
        said = refusing.told_of_archive()["trouble"]
        assert f":{refusing.archive.port}/" in said
        assert "cannot be used: Connection refused. What lies in it" in said
    await eventually(lambda: bool(refusing.told_of_archive()["isConnected"]), pause=0.2)
    assert refusing.entrances(OLD) == 8


async def test_the_log_has_one_line_when_the_archive_goes_however_often_it_is_asked(
    refusing: Served,
) -> None:
    begun = len(refusing.service.log())
    with away(refusing.archive):
        await eventually(lambda: not refusing.told_of_archive()["isConnected"], pause=0.2)
        # Two looks more, in each of which it is asked.
        for _ in range(2):
            await asyncio.sleep(REST_SECONDS)
            assert refusing.query(OLD).status_code == 503
        told = refusing.service.log()[begun:].splitlines()
        assert len(told) == 1, told
    assert "event='archive is away'" in told[0]
    await eventually(lambda: bool(refusing.told_of_archive()["isConnected"]), pause=0.2)


def test_the_newest_value_of_a_zone_that_is_long_silent_is_told_with_its_date(leaving_out: Served) -> None:
    now = {
        "from": "now",
        "to": "now",
        "filter": {"zoneIds": ["cafe"]},
        "metrics": ["exits", "visitorsInside"],
    }
    with away(leaving_out.archive):
        [point] = leaving_out.query(OLD, **now, granularity="minute").raise_for_status().json()["data"]
    assert datetime.fromisoformat(point["timestamp"]) == OLD
    assert point["metrics"] == {"exits": 1, "visitorsInside": 0}


NEWEST_HOUR: dict[str, Any] = {
    "from": "now",
    "to": "now",
    "filter": {"zoneIds": ["cafe"]},
    "metrics": ["exits"],
    "granularity": "hour",
}


def test_a_newest_hour_that_lies_there_is_refused_as_a_range_is(tmp_path: Path) -> None:
    with running_clickhouse() as archive, served(tmp_path, archive) as refusing:
        [point] = refusing.query(OLD, **NEWEST_HOUR).raise_for_status().json()["data"]
        assert point["metrics"] == {"exits": 1}
        archive.kill()
        refused = refusing.query(OLD, **NEWEST_HOUR)
        assert refused.status_code == 503
        [error] = refused.json()["meta"]["errors"]
        assert error["code"] == "ARCHIVE_AWAY"
        recent = NEWEST_HOUR | {"filter": {"zoneIds": ["hall"]}, "metrics": ["entrances"]}
        [point] = refusing.query(OLD, **recent).raise_for_status().json()["data"]
        assert point["metrics"] == {"entrances": 3}


def test_where_it_is_set_so_a_newest_hour_is_left_out_and_a_warning_says_so(leaving_out: Served) -> None:
    with away(leaving_out.archive):
        answer = leaving_out.query(OLD, **NEWEST_HOUR).raise_for_status().json()
    assert answer["data"] == []
    [warning] = answer["meta"]["warnings"]
    assert warning["code"] == "ARCHIVE_AWAY"
    assert OLD < datetime.fromisoformat(warning["details"]["from"]) < RECENT


@pytest.mark.parametrize("setting", ["refuse", "leave_out"])
def test_a_stream_of_hours_goes_on_without_a_newest_that_lies_there_and_tells_it_once_it_can(
    tmp_path: Path, archive: RunningClickHouse, setting: str
) -> None:
    settings = {"HEADROOM_SERVICE_ARCHIVE_AWAY": setting, "HEADROOM_SERVICE_HEARTBEAT": "1"}
    with served(tmp_path, archive, **settings) as found:
        headers = found.site.headers | {"accept": "text/event-stream"}
        body = NEWEST_HOUR | {"siteId": SITE.id, "live": True, "timezone": "Etc/UTC"}
        with ExitStack() as opened:
            with away(archive):
                stream = opened.enter_context(
                    found.client.stream("POST", "/v3/metrics", headers=headers, json=body)
                )
                assert stream.status_code == 200
                lines = filter(None, stream.iter_lines())
                assert [next(lines) for _ in range(2)] == [": heartbeat"] * 2
            told = next(line for line in lines if line != ": heartbeat")
    assert '"exits":1' in told


async def test_a_late_count_is_taken_meanwhile_and_arrives_once(refusing: Served) -> None:
    await eventually(lambda: bool(refusing.told_of_archive()["isConnected"]), pause=0.2)
    before = refusing.entrances(OLD)
    with away(refusing.archive):
        for _ in range(2):
            assert refusing.post(OLD, 5, key="late").status_code == 200
        await eventually(lambda: refusing.told_of_archive()["lateMinutesWaiting"] == 1, pause=0.2)
    await eventually(lambda: refusing.told_of_archive()["lateMinutesWaiting"] == 0, pause=0.2)
    assert refusing.entrances(OLD) == before + 5


def test_of_an_archive_that_says_nothing_nobody_waits_for_long(refusing: Served) -> None:
    refusing.archive.pause()
    try:
        # Of a day that has not come back.
        start = OLD - timedelta(days=3)
        with ThreadPoolExecutor(6) as pool:
            several = list(pool.map(refusing.query, [start] * 6))
        assert {answer.status_code for answer in several} == {503}
        assert refusing.entrances(RECENT) >= 3
    finally:
        refusing.archive.resume()


def test_levels_of_old_days_are_refused_and_say_from_when_on_they_are_taken(refusing: Served) -> None:
    told = [{"timestamp": OLD.isoformat(), "siteId": SITE.id, "zoneId": "hall", "visitorsInside": 3}]
    refused = refusing.client.post("/ingest/levels", headers=refusing.site.ingest_headers, json=told)
    assert refused.status_code == 400
    assert "archive" in refused.json()["meta"]["errors"][0]["message"]


def test_where_it_is_set_so_old_days_are_left_out_and_a_warning_says_from_when_on(
    leaving_out: Served,
) -> None:
    assert leaving_out.query(OLD).json()["meta"]["warnings"] == []
    with away(leaving_out.archive):
        answer = leaving_out.query(OLD)
        assert answer.status_code == 200
        assert sum(point["metrics"]["entrances"] for point in answer.json()["data"]) == 3
        [warning] = answer.json()["meta"]["warnings"]
        assert warning["code"] == "ARCHIVE_AWAY"
        start = datetime.fromisoformat(warning["details"]["from"])
        assert OLD < start < RECENT
        only_old = leaving_out.query(OLD, to=local(OLD + timedelta(days=1)))
        assert only_old.json()["data"] == []
        assert [one["code"] for one in only_old.json()["meta"]["warnings"]] == ["ARCHIVE_AWAY"]


@pytest.mark.parametrize("setting", ["refusing", "leaving_out"])
def test_a_stream_that_begins_in_old_days_is_refused_as_a_query_is(
    setting: str, request: pytest.FixtureRequest
) -> None:
    served_: Served = request.getfixturevalue(setting)
    headers = served_.site.headers | {"accept": "text/event-stream"}
    asked = {"siteId": SITE.id, "metrics": ["entrances"], "granularity": "day", "live": True}
    body = asked | {"from": local(OLD - timedelta(days=3)), "to": "now"}
    with away(served_.archive):
        answer = served_.client.post("/v3/metrics", headers=headers, json=body)
        assert answer.status_code == 503
        assert "archive" in answer.json()["meta"]["errors"][0]["message"]
