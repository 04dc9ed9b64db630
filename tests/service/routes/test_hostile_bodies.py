"""Bodies made to cost much: the service refuses them, goes on answering others and stays small."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.protocol import KeyScope
from tests.running_service import RunningService, start_service
from tests.small_site import ORGANIZATION, SmallSite, count, create_small_site

MEBIBYTE = 1024 * 1024
NEARLY_ALL = 8 * MEBIBYTE - 16
LONG_ENOUGH = 0.4
"""Seconds in which another is answered a few times at least, also where the machine is busy."""
MOMENT = datetime(2025, 2, 3, 11, 15, 20, tzinfo=UTC)

HOSTILE: dict[str, tuple[Callable[[], bytes], int, str]] = {
    "empty objects": (lambda: b"[" + b"{}," * 400_000 + b"{}]", 400, "INVALID_BODY"),
    "as many empty objects as fit": (lambda: b"[" + b"{}," * 2_700_000 + b"{}]", 400, "INVALID_BODY"),
    "numbers": (lambda: b"[" + b"1," * 4_000_000 + b"1]", 400, "INVALID_BODY"),
    "objects in one element": (lambda: b"[[" + b"{}," * 2_700_000 + b"{}]]", 400, "MALFORMED_JSON"),
    "arrays in arrays": (lambda: b"[" * NEARLY_ALL, 400, "MALFORMED_JSON"),
    "objects in objects": (lambda: b"[" + b'{"a":' * 1_600_000, 400, "MALFORMED_JSON"),
    "one number": (lambda: b"[" + b"9" * NEARLY_ALL + b"]", 400, "MALFORMED_JSON"),
    "one string": (lambda: b'["' + b"a" * NEARLY_ALL + b'"]', 400, "MALFORMED_JSON"),
    "one string of wide letters": (
        lambda: b'["' + "\U0001f6aa".encode() * 2_000_000 + b'"]',
        400,
        "MALFORMED_JSON",
    ),
    "one object of many fields": (
        lambda: b"[{" + b",".join(b'"%d":1' % number for number in range(700_000)) + b"}]",
        400,
        "MALFORMED_JSON",
    ),
    "blanks": (lambda: b"[" + b" " * NEARLY_ALL, 400, "MALFORMED_JSON"),
    "unknown passages": (
        lambda: json.dumps([count(MOMENT, passage=f"door-{number}") for number in range(10_000)]).encode(),
        400,
        "UNKNOWN_PASSAGE",
    ),
    "times out of the calendar": (
        lambda: json.dumps([count(MOMENT) | {"timestamp": "2025-02-30T00:00:00Z"}] * 10_000).encode(),
        400,
        "INVALID_BODY",
    ),
    "many days": (
        lambda: json.dumps([count(MOMENT - timedelta(hours=20 * day)) for day in range(6_000)]).encode(),
        413,
        "TOO_MANY_COUNTS",
    ),
    "one count too many": (
        lambda: json.dumps([count(MOMENT)] * 10_001).encode(),
        413,
        "TOO_MANY_COUNTS",
    ),
}


class HealthPoller:
    """Asks /healthz again and again, on a connection and in a thread of its own."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self._done = threading.Event()
        self._has_begun = threading.Event()
        self._answers = 0
        self._thread = threading.Thread(target=self._poll)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._has_begun.wait(60.0)
        self._began, self._answers = time.monotonic(), 0
        return self

    def __exit__(self, *_: object) -> None:
        self.rate = self._answers / (time.monotonic() - self._began)
        self._done.set()
        self._thread.join()

    def _poll(self) -> None:
        with httpx.Client(base_url=self._service.base_url, timeout=60.0) as client:
            while not self._done.is_set():
                assert client.get("/healthz").status_code == 200
                self._answers += 1
                self._has_begun.set()
                time.sleep(0.002)


@dataclass(frozen=True)
class Running:
    site: SmallSite
    service: RunningService
    pace: float
    """Answers of /healthz in a second while nobody asks for anything else."""

    def post(self, body: bytes, path: str = "/ingest/counts", **headers: str) -> httpx.Response:
        return httpx.post(
            f"{self.service.base_url}{path}",
            headers=self.site.ingest_headers | {"Content-Type": "application/json"} | headers,
            content=body,
            timeout=60.0,
        )

    def post_beside_health(self, body: bytes, path: str = "/ingest/counts", **headers: str) -> httpx.Response:
        """Post for a while; /healthz must keep a hundredth of the pace that it has without.

        Some 300 answers in a second are usual: a body that kept others waiting for a third of one is found.
        """
        before = peak_memory(self.service)
        with HealthPoller(self.service) as beside:
            began = time.monotonic()
            answer = self.post(body, path, **headers)
            while time.monotonic() < began + LONG_ENOUGH:
                self.post(body, path, **headers)
        assert beside.rate > self.pace / 100
        assert peak_memory(self.service) - before < 150 * MEBIBYTE
        return answer


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    site = create_small_site(folder)
    service = start_service(folder)
    with HealthPoller(service) as idle:
        time.sleep(LONG_ENOUGH)
    yield Running(site, service, idle.rate)
    assert "Traceback" not in service.log()
    assert service.stop() == 0


def peak_memory(service: RunningService) -> int:
    """Bytes of the service's process at its largest so far."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_body_is_refused_while_others_are_answered(running: Running, name: str) -> None:
    make, status, code = HOSTILE[name]
    answer = running.post_beside_health(make())
    assert (answer.status_code, answer.json()["meta"]["errors"][0]["code"]) == (status, code)
    assert len(answer.content) < 50_000


def test_largest_batch_is_taken_while_others_are_answered(running: Running) -> None:
    body = json.dumps([count(MOMENT - timedelta(minutes=number)) for number in range(10_000)]).encode()
    answer = running.post_beside_health(body)
    assert answer.json()["data"] == {"stored": 10_000, "duplicate": False}


def test_body_that_unpacks_to_too_much_is_refused_as_it_unpacks(running: Running) -> None:
    bomb = gzip.compress(b"[" + b" " * (200 * MEBIBYTE), compresslevel=1)
    assert len(bomb) < MEBIBYTE
    answer = running.post_beside_health(bomb, **{"Content-Encoding": "gzip"})
    assert answer.status_code == 413
    assert answer.json()["meta"]["errors"][0]["code"] == "BODY_TOO_LARGE"


# In each row a number of thousands of digits is read again and again, in a body that is small.
SLOW = {
    "kind": "interval",
    "timeFormat": "seconds",
    "rows": "rows",
    "serial": "'A1'",
    "start": "row.t",
    "intervalSeconds": 60,
    "forward": "||".join(["to_number(body.n)<`0`"] * 11 + ["`1`"]),
    "backward": "||".join(["to_number(body.n)<`0`"] * 11 + ["`1`"]),
}
SLOWLY_READ = json.dumps({"n": "9" * 4_200, "rows": [{"t": 1774688400 + 60 * row} for row in range(600)]})


def test_a_body_that_a_mapping_reads_slowly_keeps_no_other_waiting(running: Running) -> None:
    with closing(open_store(store_url(running.site.data_dir))) as store:
        store.mappings.keep(ORGANIZATION.id, "slow", SLOW, lambda _: None, SERVICE_ITSELF)
    answer = running.post_beside_health(SLOWLY_READ.encode(), "/ingest/slow")
    assert (answer.status_code, answer.json()["meta"]["errors"][0]["code"]) == (400, "INVALID_REPORT")
    assert "takes too long" in answer.text


def test_a_mapping_that_is_tried_and_slow_keeps_no_other_waiting(running: Running) -> None:
    with closing(open_store(store_url(running.site.data_dir))) as store:
        _, key = store.keys.create(ORGANIZATION.id, "of a test", KeyScope.ADMIN)
    asked = json.dumps({"mapping": SLOW, "body": SLOWLY_READ}).encode()
    answer = running.post_beside_health(asked, "/admin/mappings/try", **{"x-api-key": key})
    assert answer.json()["data"]["faults"]["forward"].startswith("takes too long")
