"""Counts that come late, on a dashboard that is open, by the ways in which they come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from benchmarks.simulated_counters import LINES, Way
from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.sensors.taking import place
from service.store.sensor_protocol import Placement, SensorName
from tests.e2e.conftest import Stage, opened_stage
from tests.service.sensors.adapters.payload_files import changed
from tests.small_site import ORGANIZATION, create_small_site, half_a_day_away

SERIAL = "ACCC8E000001"
HOUR = timedelta(hours=1)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Of which the day is not begun anew while a test counts; a counter hangs at its entrance."""
    site = create_small_site(tmp_path / "service", reset_hour=half_a_day_away())
    store = open_store(store_url(site.data_dir))
    heard = datetime.now(UTC) - HOUR
    with store.sensors.writing() as rows:
        rows.note_heard(ORGANIZATION.id, Way.AXIS_3D, SERIAL, heard_again(None, heard))
        name = SensorName(ORGANIZATION.id, Way.AXIS_3D, SERIAL, LINES.get(Way.AXIS_3D, ""))
        place(rows, rows.line(name, heard), Placement("entrance", is_swapped=False))
    store.close()
    with opened_stage(tmp_path, site) as opened:
        yield opened


def test_counts_of_an_hour_ago_move_an_open_gauge(page: Page, stage: Stage) -> None:
    stage.post(3)
    page.goto(stage.url("/live?site=corner-shop"))
    number = page.locator(".hero .number")
    expect(number).to_have_text("3")
    late = datetime.now(UTC).replace(second=0, microsecond=0) - HOUR
    told = [{"timestamp": late.isoformat(), "passageId": "entrance", "forward": 20, "backward": 0}]
    post(stage, "counts", httpx.Request("POST", "http://here", json=told).content)
    expect(number).to_have_text("23")
    measured = {
        "kind": "people-counts",
        "utcFrom": late.isoformat(),
        "utcTo": (late + timedelta(minutes=15)).isoformat(),
        "items": [{"direction": "in", "count": 30}],
    }
    post(stage, Way.AXIS_3D, changed(Way.AXIS_3D, "data", "measurements", to=[measured]))
    expect(number).to_have_text("53")


def post(stage: Stage, way: str, body: bytes) -> None:
    headers = stage.site.ingest_headers | {"content-type": "application/json"}
    address = f"{stage.service.base_url}/ingest/{way}"
    httpx.post(address, content=body, headers=headers).raise_for_status()
