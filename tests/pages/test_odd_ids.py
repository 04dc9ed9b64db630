"""A service whose ids hold what ids elsewhere do not: every page mounts what it has, for each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from page_list import PAGES
from runtime import close_resources
from runtime.floor_plans import keep_picture, read_kept_plan
from runtime.plan_pictures import safe_picture
from tests.faults.misbehaving_server import Call, misbehaving_server, stream_of
from tests.pages.analysis import UNFOLDED
from tests.pages.test_floor_plan import png
from tests.running_service import ROOT
from tests.shown_gauges import component_data

ODD = "a__b-c /d\\\"e'%5F<é>\u202e#?&_"
NOW = datetime.now(UTC).replace(second=0, microsecond=0)
POINTS = [
    {
        "timestamp": (NOW - timedelta(minutes=10 * ago)).isoformat(),
        "metrics": {"visitorsInside": 5, "entrances": 3, "exits": 2},
    }
    for ago in range(8 * 144, 0, -1)
]
SITE: dict[str, Any] = {
    "id": ODD,
    "name": "Shop",
    "timezone": "Etc/UTC",
    "zones": [{"id": ODD, "name": "Hall", "capacity": 10}, {"id": f"{ODD}__", "name": "Café", "capacity": 5}],
    "passages": [
        {"id": ODD, "name": "Door", "fromZoneId": None, "toZoneId": ODD},
        {"id": f"__{ODD}", "name": "Archway", "fromZoneId": ODD, "toZoneId": f"{ODD}__"},
        {"id": f"{ODD}/", "name": "Back door", "fromZoneId": None, "toZoneId": ODD},
    ],
}
MOUNTED = {
    "live": ("headroom_live_gauge",),
    "site": ("headroom_live_site", "headroom_door_ranking", "headroom_plan_editor"),
    "history": ("headroom_chart_picture", "headroom_paper_table"),
    "replay": ("headroom_replay",),
    "doors": ("headroom_door_taps",),
}
"""What a page has of a site."""


async def answer(call: Call) -> None:
    data: Any = POINTS
    if call.path.startswith("/v3/sites/"):
        data = SITE
    elif call.path.startswith("/v3/sites"):
        data = [SITE, SITE | {"id": "other"}]
    await call.answer(body=orjson.dumps({"data": data, "meta": {"serverTag": "odd"}}))


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    async with misbehaving_server(stream_of(), answer) as server:
        server.other = answer
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        yield server.base_url
        await asyncio.to_thread(close_resources)


@pytest.mark.parametrize("page", [page.name for page in PAGES])
async def test_a_page_mounts_what_it_has_whatever_ids_hold(service: str, page: str) -> None:
    def draw() -> AppTest:
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
        test.query_params["site"] = ODD
        test.query_params["door"] = ODD
        for key in (*UNFOLDED, "folded-map"):
            test.session_state[key] = True
        return test.switch_page(f"pages/{page}.py").run()

    keep_picture(ODD, safe_picture(png()), read_kept_plan(ODD))
    test = await asyncio.to_thread(draw)
    assert not test.exception, [one.value for one in test.exception]
    for component in MOUNTED.get(page, ()):
        assert component_data(test, component)
