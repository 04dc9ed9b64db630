from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.eventually import PATIENCE, eventually
from tests.served_here import served_here
from tests.small_site import create_small_site

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
