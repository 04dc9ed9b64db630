"""A service whose fields no calendar and no building holds: every page is drawn, without them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from page_list import PAGES
from runtime import close_resources
from tests.faults.misbehaving_server import Call, misbehaving_server, stream_of
from tests.pages.analysis import UNFOLDED
from tests.running_service import ROOT

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
SITE: dict[str, Any] = {
    "id": "site-1",
    "name": "Corner shop",
    "timezone": "Europe/Zurich",
    "createdAt": "0001-01-01T00:00:00+14:00",
    "updatedAt": "9999-12-31T23:59:59-12:00",
    "constructionYear": 10**9,
}
ZONES = [
    {"id": "hall", "name": "Hall", "capacity": 1e308, "area": -1e308},
    {"id": "cafe", "name": "Café", "capacity": -5, "devices": [{"id": "d", "name": 7}]},
    {"id": "x" * 10_000, "name": "no id"},
]
PASSAGES = [{"id": "door", "name": "Door", "fromZoneId": "nowhere", "toZoneId": "hall"}, {"id": None}]
POINTS = [
    {"timestamp": "0001-01-01T00:00:00+00:00", "metrics": {"visitorsInside": 1}},
    {"timestamp": "1970-01-01T00:00:00+00:00", "metrics": {"visitorsInside": 2, "entrances": 2**63}},
    {"timestamp": NOW.isoformat(), "metrics": {"visitorsInside": 5, "entrances": 1e300, "exits": -(2**63)}},
    {"timestamp": "2199-12-31T23:00:00+00:00", "metrics": {"visitorsInside": 9}},
    {"timestamp": "9999-12-31T23:00:00+00:00", "metrics": {"visitorsInside": 9}},
]


async def answer(call: Call) -> None:
    data: Any = POINTS
    if call.path.startswith("/v3/sites/"):
        data = SITE | {"zones": ZONES, "passages": PASSAGES}
    elif call.path.startswith("/v3/sites"):
        data = [SITE, SITE | {"id": None}]
    await call.answer(body=orjson.dumps({"data": data, "meta": {"serverTag": "absurd"}}))


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    async with misbehaving_server(stream_of(), answer) as server:
        server.other = answer
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        yield server.base_url
        await asyncio.to_thread(close_resources)


@pytest.mark.parametrize("page", [page.name for page in PAGES])
async def test_a_page_is_drawn_whatever_a_service_answers(service: str, page: str) -> None:
    def draw() -> AppTest:
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
        test.query_params["site"] = "site-1"
        for key in UNFOLDED:
            test.session_state[key] = True
        return test.switch_page(f"pages/{page}.py").run()

    test = await asyncio.to_thread(draw)
    assert not test.exception, [one.value for one in test.exception]
    assert "cannot be shown" not in " ".join(one.value for one in test.error)
