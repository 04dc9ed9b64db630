from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from contract import Site
from service.clock import present
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store.protocol import KeyScope, SiteRecord, Store
from tests.database_of import database_of
from tests.eventually import PATIENCE, eventually
from tests.served_here import served_here
from tests.service.conftest import Served
from tests.small_site import ORGANIZATION, SITE, create_small_site

QUERY = {"siteId": "nowhere", "metrics": ["exits"], "from": "now", "to": "now"}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What the store waits for; open when the test is over."""
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.mark.parametrize(
    "asked",
    [{"method": "GET", "url": "/v3/sites/nowhere"}, {"method": "POST", "url": "/v3/metrics", "json": QUERY}],
    ids=["site", "metrics"],
)
async def test_others_are_answered_while_a_site_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event, asked: dict[str, Any]
) -> None:
    site = create_small_site(tmp_path)
    looked_for = threading.Event()

    def find_across_a_network(_: str) -> SiteRecord | None:
        looked_for.set()
        gate.wait(PATIENCE)
        return None

    with closing(open_store(store_url(tmp_path))) as store, served_here(store) as service:
        monkeypatch.setattr(store.catalogue, "find", find_across_a_network)
        async with httpx.AsyncClient(
            base_url=service.base_url, headers=site.headers, timeout=PATIENCE
        ) as http:
            waiting = asyncio.create_task(http.request(**asked))
            await eventually(looked_for.is_set)
            assert (await http.get(f"/v3/sites/{site.site_id}")).status_code == 200
            assert not waiting.done()
            gate.set()
            assert (await waiting).status_code == 404


def second_shop() -> SiteRecord:
    site: Site = SITE.model_copy(update={"id": "second-shop", "name": "Second shop", "passages": ()})
    return SiteRecord(site, "shop")


def limited_key(served: Served, site_id: str) -> dict[str, str]:
    """Headers of a key that reads this site alone."""
    with closing(open_store(store_url(served.site.data_dir))) as store:
        store.catalogue.save(ORGANIZATION, [second_shop()])
        _, secret = store.keys.create(ORGANIZATION.id, "limited", KeyScope.READ, site_ids=[site_id])
    return {"x-api-key": secret, "accept": "text/event-stream"}


def test_a_key_for_one_site_lists_that_site_alone(served: Served) -> None:
    headers = limited_key(served, "second-shop")
    answer = served.client.get("/v3/sites", headers=headers).json()
    assert [site["id"] for site in answer["data"]] == ["second-shop"]
    assert answer["meta"]["pagination"]["total"] == 1
    archived = served.client.get("/v3/sites", headers=limited_key(served, "closed-shop")).json()
    assert (archived["data"], archived["meta"]["pagination"]["total"]) == ([], 0)


DAY = {"from": "2025-05-05T06:00:00", "to": "2025-05-05T09:00:00"}


@pytest.mark.parametrize(
    "asked",
    [None, DAY, {"from": "now", "to": "now"}, {"live": True}, DAY | {"live": True, "granularity": "hour"}],
    ids=["site", "batch", "newest", "live", "live after history"],
)
def test_a_key_for_one_site_reads_no_other(served: Served, asked: dict[str, Any] | None) -> None:
    headers = limited_key(served, "second-shop")
    for site_id, status in (("second-shop", 200), ("corner-shop", 403), ("closed-shop", 403), ("x", 404)):
        if asked is None:
            request = served.client.build_request("GET", f"/v3/sites/{site_id}", headers=headers)
        else:
            body = {"siteId": site_id, "metrics": ["entrances"], **asked}
            request = served.client.build_request("POST", "/v3/metrics", headers=headers, json=body)
        answer = served.client.send(request, stream=True)
        assert answer.status_code == status, site_id
        if status == 403:
            answer.read()
            [error] = answer.json()["meta"]["errors"]
            assert error["code"] == "FORBIDDEN_ACCESS"
            assert "'limited'" in error["message"]
        answer.close()


def test_a_key_is_refused_from_the_second_in_which_it_expires(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    moment = [present()]
    end = (moment[0] + timedelta(days=1)).replace(microsecond=0)
    with (
        closing(open_store(store_url(tmp_path))) as store,
        served_here(store, clock=lambda: moment[0]) as service,
    ):
        _, secret = store.keys.create(ORGANIZATION.id, "for a day", KeyScope.READ, expires_at=end)
        said = []
        for moment[0] in (end - timedelta(seconds=1), end, end + timedelta(days=400)):
            answer = service.get("/v3/sites", headers={"x-api-key": secret})
            said.append((answer.status_code, [error["message"] for error in answer.json()["meta"]["errors"]]))
    refused = (401, ["The key 'for a day' has expired; ask for a new one."])
    assert said == [(200, []), refused, refused]


def test_a_stream_ends_within_seconds_after_its_key_expired(served: Served) -> None:
    with closing(open_store(store_url(served.site.data_dir))) as store:
        end = present() + timedelta(seconds=2)
        _, secret = store.keys.create(ORGANIZATION.id, "short", KeyScope.READ, expires_at=end)
    headers = {"x-api-key": secret, "accept": "text/event-stream"}
    body = {"siteId": "corner-shop", "metrics": ["entrances"], "live": True}
    with served.client.stream("POST", "/v3/metrics", headers=headers, json=body) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        assert next(lines)
        # Ends by itself; what it waits for is no answer but the end of it.
        assert all(line in ("", ": heartbeat") or line.startswith("data: ") for line in lines)
    assert served.client.get("/v3/sites", headers=headers).status_code == 401


async def test_the_last_use_of_a_key_is_stored_with_where_it_came_from(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    began = present().replace(microsecond=0)
    settings = ServiceSettings(key_use_interval=timedelta(seconds=0.05))
    with closing(open_store(store_url(tmp_path))) as store:
        with served_here(store, settings=settings) as service:
            service.get("/v3/sites", headers=site.headers)
            service.post("/ingest/counts", headers=site.headers, json=[])
            await eventually(lambda: _used(store) == {"reads"})
            # What was noted since is stored at the end.
            service.post("/ingest/counts", headers=site.ingest_headers, json=[])
        assert _used(store) == {"reads", "counts"}
        [used] = [key.last_used for key in store.keys.list_keys() if key.id == site.read_key_id]
    assert used is not None
    assert used.address == "127.0.0.1"
    assert used.at >= began


def test_requests_write_nothing_for_a_key_that_is_used(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    with closing(open_store(store_url(tmp_path))) as store, served_here(store) as service:
        service.get("/v3/sites", headers=site.headers)
        before = database_of(store).data_version()
        for _ in range(20):
            assert service.get("/v3/sites", headers=site.headers).status_code == 200
        assert database_of(store).data_version() == before


def _used(store: Store) -> set[str]:
    """Names of the keys whose last use is stored."""
    return {key.name for key in store.keys.list_keys() if key.last_used}


def test_an_open_stream_uses_its_key(tmp_path: Path) -> None:
    """Whoever looks for keys that nobody uses must not revoke one that has been read with for days."""
    site = create_small_site(tmp_path)
    settings = ServiceSettings(key_use_interval=timedelta(seconds=0.05))
    moment = [present()]
    body = {"siteId": "corner-shop", "metrics": ["entrances"], "live": True}
    headers = site.headers | {"accept": "text/event-stream"}
    with (
        closing(open_store(store_url(tmp_path))) as store,
        served_here(store, settings=settings, clock=lambda: moment[0]) as service,
        service.stream("POST", "/v3/metrics", headers=headers, json=body) as stream,
    ):
        # Held: the answer is closed with what iterates over it.
        lines = stream.iter_lines()
        next(lines)
        moment[0] += timedelta(hours=3)
        asyncio.run(
            eventually(lambda: _last_use(store, site.read_key_id) == moment[0].replace(microsecond=0))
        )


def _last_use(store: Store, key_id: str) -> datetime | None:
    key = store.keys.find(key_id)
    return key.last_used.at if key and key.last_used else None
