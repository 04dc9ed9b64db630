"""What a caller hears when the store's file is gone or its disk is full, over real HTTP."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx

from service.open_store import open_store, store_url
from tests.database_of import database_of
from tests.running_service import ROOT, RunningService, start_service
from tests.small_disk import small_disk
from tests.small_site import SmallSite, count, create_small_site

DEADLINE = 60.0
LIVE = {"siteId": "corner-shop", "metrics": ["visitorsInside"], "live": True}
NEWEST = {"siteId": "corner-shop", "metrics": ["visitorsInside"], "from": "now", "to": "now"}


def ingest(service: RunningService, site: SmallSite, **headers: str) -> httpx.Response:
    body = [count(datetime.now(UTC).replace(microsecond=0))]
    address = f"{service.base_url}/ingest/counts"
    return httpx.post(address, headers=site.ingest_headers | headers, json=body, timeout=DEADLINE)


def code(answer: httpx.Response) -> str:
    body = answer.json()
    assert body["data"] is None
    assert body["meta"]["requestId"] == answer.headers["x-request-id"]
    return str(body["meta"]["errors"][0]["code"])


def health(service: RunningService) -> httpx.Response:
    return httpx.get(f"{service.base_url}/healthz", timeout=DEADLINE)


def test_data_folder_removed_under_a_service_is_refused_and_said(tmp_path: Path) -> None:
    site = create_small_site(tmp_path / "data")
    service = start_service(site.data_dir)
    try:
        assert ingest(service, site).status_code == 200
        assert health(service).status_code == 200
        stream = f"{service.base_url}/v3/metrics"
        accept = site.headers | {"accept": "text/event-stream"}
        with httpx.stream("POST", stream, headers=accept, json=LIVE, timeout=DEADLINE) as live:
            pieces = live.iter_raw()
            next(pieces)
            shutil.rmtree(site.data_dir)
            refused = ingest(service, site)
            for _ in pieces:
                pass
        assert (refused.status_code, code(refused)) == (503, "STORE_UNUSABLE")
        assert refused.headers["retry-after"].isdecimal()
        assert str(tmp_path) not in refused.text
        newest = httpx.post(stream, headers=site.headers, json=NEWEST, timeout=DEADLINE)
        assert (newest.status_code, code(newest)) == (503, "STORE_UNUSABLE")
        sick = health(service)
        assert (sick.status_code, code(sick)) == (503, "STORE_UNUSABLE")
        assert not site.data_dir.exists()
    finally:
        service.kill()


def test_full_disk_is_507_and_passes_by_itself(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        site = create_small_site(disk.folder / "data")
        service = start_service(site.data_dir)
        try:
            disk.fill()
            keys = {"Idempotency-Key": "door-1-4711"}
            # What is left in the log's last page may take a few more.
            deadline = time.monotonic() + DEADLINE
            while (answer := ingest(service, site)).status_code == 200:
                assert time.monotonic() < deadline
            refused = ingest(service, site, **keys)
            assert {code(answer), code(refused)} == {"STORAGE_FULL"}
            assert refused.status_code == 507
            assert refused.headers["retry-after"].isdecimal()
            assert httpx.get(f"{service.base_url}/v3/sites", headers=site.headers).status_code == 200
            for asked in (NEWEST, NEWEST | {"from": "1 day ago"}):
                answer = httpx.post(f"{service.base_url}/v3/metrics", headers=site.headers, json=asked)
                assert answer.status_code == 200
            assert (health(service).status_code, code(health(service))) == (507, "STORAGE_FULL")
            before = people(site.data_dir)
            disk.make_room()
            assert health(service).status_code == 200, "although nobody has written since"
            stored = ingest(service, site, **keys)
            assert stored.json()["data"] == {"stored": 1, "duplicate": False}
            assert people(site.data_dir) == before + 1
            assert health(service).status_code == 200
        finally:
            service.stop()
        log = service.log()
        assert "Traceback" not in log
        assert log.count("store cannot be written") == 1
        assert log.count("store can be written again") == 1


def test_start_on_a_full_disk_says_so_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        site = create_small_site(disk.folder / "data")
        service = start_service(site.data_dir)
        assert ingest(service, site).status_code == 200
        service.stop()
        before = people(site.data_dir)
        disk.fill()
        command = [sys.executable, "-m", "service", "serve", "--data-dir", str(site.data_dir)]
        refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert refused.returncode == 1
        assert refused.stderr.startswith("There is no space left on the disk of ")
        assert len(refused.stderr.splitlines()) == 1
        disk.make_room()
        service = start_service(site.data_dir)
        try:
            assert ingest(service, site).status_code == 200
        finally:
            service.stop()
        assert people(site.data_dir) == before + 1


def people(data_dir: Path) -> int:
    store = open_store(store_url(data_dir))
    try:
        with database_of(store).reading() as connection:
            found = connection.exec_driver_sql("SELECT COALESCE(SUM(forward), 0) FROM passage_minutes")
            return int(found.scalar_one())
    finally:
        store.close()


def test_log_removed_under_a_service_is_refused_and_said(tmp_path: Path) -> None:
    site = create_small_site(tmp_path / "data")
    service = start_service(site.data_dir)
    try:
        assert ingest(service, site).status_code == 200
        # It holds what was acknowledged since the last checkpoint, and whatever is acknowledged from now on.
        (site.data_dir / "headroom.sqlite-wal").unlink()
        assert code(ingest(service, site)) == "STORE_UNUSABLE"
        assert code(health(service)) == "STORE_UNUSABLE"
    finally:
        service.kill()
