from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope
from tests.every_store import URL_IN, Opened, opener
from tests.running_clickhouse import RunningClickHouse, running_clickhouse
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, create_small_site


@dataclass(frozen=True)
class Served:
    """The small site, served over real HTTP."""

    site: SmallSite
    service: RunningService
    client: httpx.Client

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, headers=self.site.headers, **options)

    def query(self, **body: Any) -> httpx.Response:
        return self.client.post("/v3/metrics", headers=self.site.headers, json=body)

    def ingest(self, counts: Any, **headers: str) -> httpx.Response:
        return self.client.post("/ingest/counts", headers=self.site.ingest_headers | headers, json=counts)


def key_of(served: Served, organization_id: str, scope: KeyScope) -> str:
    """The secret of a new key."""
    store = open_store(store_url(served.site.data_dir))
    try:
        return store.keys.create(organization_id, "of a test", scope)[1]
    finally:
        store.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    site = create_small_site(tmp_path_factory.mktemp("served"))
    service = start_service(site.data_dir, environment={"HEADROOM_SERVICE_HEARTBEAT": "PT0.5S"})
    try:
        with httpx.Client(base_url=service.base_url, timeout=60.0) as client:
            yield Served(site, service, client)
    finally:
        service.stop()


@pytest.fixture(scope="session")
def clickhouse(lasting: set[int]) -> Iterator[RunningClickHouse]:
    """The one of all tests, which nobody stops: each has a database of its own in it."""
    with running_clickhouse() as server:
        assert server.process_id
        lasting.add(server.process_id)
        yield server


@pytest.fixture(params=URL_IN)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """What opens the test's store, of each kind that there is in turn."""
    with opener(request.param, tmp_path) as opened:
        yield opened
