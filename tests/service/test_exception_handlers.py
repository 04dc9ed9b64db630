from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import reduce
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import structlog

from service.clock import present
from service.open_store import open_store, store_url
from service.store.errors import (
    QueryTooLargeError,
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreFullError,
    StoreMissingError,
    StoreUncertainError,
)
from service.store.protocol import Store
from service.store.schema import VERSION
from service.store.sqlite.store_file import file_of
from service.workers.demo import DemoWorker
from tests.served_here import served_here
from tests.service.test_golden import golden, normalized
from tests.small_site import SmallSite, count, create_small_site

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


BUSY = "Another process has kept the service's store busy for too long; send it again."


@pytest.mark.parametrize(
    ("asked", "path", "said"),
    [("append_all", "/ingest/counts", f"Nothing was stored. {BUSY}"), ("past", "/v3/metrics", BUSY)],
)
def test_a_busy_store_asks_to_come_again_and_speaks_of_storing_only_to_who_would_have_stored(
    opened: tuple[SmallSite, Store], monkeypatch: pytest.MonkeyPatch, asked: str, path: str, said: str
) -> None:
    site, store = opened
    monkeypatch.setattr(store.metrics, asked, Mock(side_effect=StoreBusyError("another process writes")))
    headers, body = (site.headers, BATCH) if path == "/v3/metrics" else (site.ingest_headers, [])
    with served_here(store) as service:
        answer = service.post(path, headers=headers, json=body)
    assert answer.status_code == 503
    assert answer.headers["retry-after"].isdecimal()
    [error] = answer.json()["meta"]["errors"]
    assert error["code"] == "SERVICE_UNAVAILABLE"
    assert error["message"] == said


def test_of_a_store_that_went_away_at_the_last_instant_nobody_says_that_nothing_was_stored(
    opened: tuple[SmallSite, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    site, store = opened
    monkeypatch.setattr(store.metrics, "append_all", Mock(side_effect=StoreUncertainError("it went away")))
    with served_here(store) as service:
        answer = service.post("/ingest/counts", headers=site.ingest_headers, json=[])
    assert answer.status_code == 503
    [error] = answer.json()["meta"]["errors"]
    assert "is not known" in error["message"]
    assert "Nothing was stored" not in error["message"]


STORE_ERRORS = [
    (StoreBusyError, 503, "SERVICE_UNAVAILABLE"),
    (StoreFullError, 507, "STORAGE_FULL"),
    (StoreDamagedError, 503, "STORE_UNUSABLE"),
    (StoreMissingError, 503, "STORE_UNUSABLE"),
    (StoreAccessError, 503, "STORE_UNUSABLE"),
]
BATCH = LIVE | {"from": "1 day ago", "granularity": "hour"}
PLACES: list[tuple[str, str, str, dict[str, Any] | list[Any] | None]] = [
    ("keys.verify", "GET", "/v3/sites", None),
    ("check", "GET", "/v3/sites", None),
    ("catalogue.list_sites", "GET", "/v3/sites", None),
    ("catalogue.find", "GET", "/v3/sites/nowhere", None),
    ("catalogue.find", "POST", "/v3/metrics", LIVE | {"siteId": "nowhere"}),
    ("metrics.newest", "POST", "/v3/metrics", LIVE),
    ("metrics.past", "POST", "/v3/metrics", BATCH),
    ("metrics.buckets", "POST", "/v3/metrics", BATCH | {"live": True}),
    ("keys.verify", "POST", "/ingest/counts", []),
    ("check", "POST", "/ingest/counts", []),
    ("metrics.append_all", "POST", "/ingest/counts", []),
]


@pytest.mark.parametrize(("place", "method", "path", "body"), PLACES)
def test_wherever_the_store_fails_the_client_hears_why_under_a_request_id(
    opened: tuple[SmallSite, Store], place: str, method: str, path: str, body: Any
) -> None:
    site, store = opened
    headers = site.ingest_headers if path.startswith("/ingest") else site.headers
    [*parts, name] = place.split(".")
    part = reduce(getattr, parts, store)
    with structlog.testing.capture_logs() as log, served_here(store) as service:
        for error, status, code in STORE_ERRORS:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(part, name, Mock(side_effect=error("/var/lib/secret is the reason")))
                accept = {"Accept": "text/event-stream"} if isinstance(body, dict) and "live" in body else {}
                answer = service.request(method, path, headers=headers | accept, json=body)
            meta = answer.json()["meta"]
            assert (answer.status_code, meta["errors"][0]["code"]) == (status, code)
            assert meta["requestId"] == answer.headers["x-request-id"]
            assert answer.headers["retry-after"].isdecimal()
            assert "secret" not in answer.text
            message, would_store = meta["errors"][0]["message"], path.startswith("/ingest")
            assert message.startswith("Nothing was stored. ") is ("stored" in message) is would_store
    assert "request failed" not in {line["event"] for line in log}


def test_a_service_whose_store_a_later_version_took_over_says_so(opened: tuple[SmallSite, Store]) -> None:
    site, store = opened
    with served_here(store) as service:
        with closing(sqlite3.connect(file_of(store_url(site.data_dir)))) as later:
            later.execute(f"PRAGMA user_version = {VERSION + 1}")
        answers = [
            service.post("/ingest/counts", headers=site.ingest_headers, json=[count(present())]),
            service.get("/readyz"),
        ]
    for answer in answers:
        assert answer.status_code == 503
        [error] = answer.json()["meta"]["errors"]
        assert "A later version of the service has taken its store over: update this one" in error["message"]


@pytest.mark.parametrize("live", [False, True])
def test_a_query_that_would_read_too_much_is_refused(
    opened: tuple[SmallSite, Store], monkeypatch: pytest.MonkeyPatch, *, live: bool
) -> None:
    site, store = opened

    def too_large(*_: Any, **__: Any) -> Any:
        raise QueryTooLargeError("ask for less")

    for asked in ("past", "buckets"):
        monkeypatch.setattr(store.metrics, asked, too_large)
    query = LIVE | {"from": "1 hour ago", "live": live, "granularity": "minute"}
    with served_here(store) as service:
        answer = service.post(
            "/v3/metrics", headers=site.headers | {"Accept": "text/event-stream"}, json=query
        )
    assert answer.status_code == 400
    [error] = answer.json()["meta"]["errors"]
    assert (error["code"], error["details"]) == ("RANGE_TOO_LONG", {"from": "ask for less"})


def test_while_the_demo_is_loaded_readers_are_asked_to_come_again(opened: tuple[SmallSite, Store]) -> None:
    site, store = opened
    loaded, played = threading.Event(), threading.Event()

    def load(_: Store, __: threading.Event) -> None:
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

    def load(_: Store, __: threading.Event) -> None:
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
