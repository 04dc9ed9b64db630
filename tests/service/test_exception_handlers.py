from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from service.open_store import open_store, store_url
from service.store.errors import StoreBusyError
from service.store.protocol import Store
from service.workers.demo import DemoWorker
from tests.served_here import served_here
from tests.service.test_golden import golden, normalized
from tests.small_site import SmallSite, create_small_site

DEADLINE = 60.0
LIVE = {"siteId": "corner-shop", "metrics": ["exits"], "from": "now", "to": "now"}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[SmallSite, Store]]:
    site = create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))
    yield site, store
    store.close()


def test_a_failure_nobody_foresaw_is_answered_and_logged_under_its_request_id(
    opened: tuple[SmallSite, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, store = opened

    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(store.metrics, "newest", fails)
    with structlog.testing.capture_logs() as log, served_here(store) as service:
        answer = service.post("/v3/metrics", headers=site.headers, json=LIVE)
    assert answer.status_code == 500
    request_id = answer.json()["meta"]["requestId"]
    assert normalized(answer.json()) == golden("error_internal_error.json")
    assert "fire" not in answer.text
    [line] = [line for line in log if line["event"] == "request failed"]
    assert line["request_id"] == request_id
    assert line["exc_info"]


def test_a_busy_store_asks_to_come_again(
    opened: tuple[SmallSite, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, store = opened

    def busy(*_: Any, **__: Any) -> Any:
        raise StoreBusyError("another process writes")

    monkeypatch.setattr(store.metrics, "append_all", busy)
    with served_here(store) as service:
        answer = service.post("/ingest/counts", headers=site.ingest_headers, json=[])
    assert answer.status_code == 503
    assert answer.headers["retry-after"].isdecimal()
    assert answer.json()["meta"]["errors"][0]["code"] == "SERVICE_UNAVAILABLE"


def test_while_the_demo_is_loaded_readers_are_asked_to_come_again(opened: tuple[SmallSite, Store]) -> None:
    site, store = opened
    loaded, played = threading.Event(), threading.Event()

    def load(_: Store) -> None:
        loaded.wait(30.0)

    def play(_: Store, stop: threading.Event) -> None:
        played.set()
        stop.wait(30.0)

    with served_here(store, DemoWorker(load, play)) as service:
        waiting = service.get("/v3/sites", headers=site.headers)
        keyless = service.get("/v3/sites")
        loaded.set()
        assert played.wait(30.0)
        ready = service.get("/v3/sites", headers=site.headers)
    assert waiting.status_code == 503
    assert waiting.headers["retry-after"].isdecimal()
    assert normalized(waiting.json()) == golden("error_service_starting.json")
    assert keyless.status_code == 401
    assert ready.status_code == 200


def test_a_demo_that_cannot_be_loaded_is_said_and_logged(opened: tuple[SmallSite, Store]) -> None:
    site, store = opened

    def load(_: Store) -> None:
        raise OSError("a file is missing")

    demo = DemoWorker(load, lambda *_: None)
    loading, deadline = demo.unready, time.monotonic() + DEADLINE
    with structlog.testing.capture_logs() as log, served_here(store, demo) as service:
        while demo.unready == loading:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        answer = service.get("/v3/sites", headers=site.headers)
    assert answer.status_code == 503
    assert "could not be loaded" in answer.json()["meta"]["errors"][0]["message"]
    assert "demo not loaded" in {line["event"] for line in log}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_method_that_a_path_does_not_have_says_which_it_has(
    opened: tuple[SmallSite, Store], method: str
) -> None:
    _, store = opened
    with served_here(store) as service:
        answer = service.request(method, "/v3/metrics")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert answer.json()["meta"]["errors"][0]["code"] == "METHOD_NOT_ALLOWED"


def test_a_body_that_grows_beyond_the_limit_is_refused_without_a_declared_length(
    opened: tuple[SmallSite, Store],
) -> None:
    site, store = opened

    def pieces() -> Iterator[bytes]:
        for _ in range(9 * 1024):
            yield b" " * 1024

    with served_here(store) as service:
        answer = service.post("/ingest/counts", headers=site.ingest_headers, content=pieces())
        good = service.post("/ingest/counts", headers=site.ingest_headers, json=[])
    assert answer.status_code == 413
    assert good.status_code == 200
