"""Two shops of one key, in two time zones, their service, and a page of the dashboard that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from contract import Passage, Site, Zone
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, SiteRecord
from tests.running_service import ROOT, RunningService, start_service


def shop(name: str, timezone: str) -> SiteRecord:
    top = Zone(id=f"{name}-all", name="All", category="site", capacity=100, area=10)
    hall = Zone(id=f"{name}-hall", name=f"Hall of {name}", category="hall", capacity=50, area=10)
    door = Passage(id=f"{name}-door", name="Door", to_zone_id=hall.id)
    site = Site(
        id=name, name=name.title(), timezone=timezone, organization_id="pair", zones=(top, hall),
        passages=(door,),
    )  # fmt: skip
    return SiteRecord(site, top.id)


def key_and_service(data_dir: Path) -> Iterator[tuple[str, RunningService]]:
    store = open_store(store_url(data_dir))
    try:
        shops = [shop("north", "Europe/Zurich"), shop("south", "Europe/Lisbon")]
        store.catalogue.save(Organization("pair", "Pair"), shops)
        key = store.keys.create("pair", "reads", KeyScope.READ)[1]
    finally:
        store.close()
    service = start_service(data_dir)
    yield key, service
    service.kill()


def configure(
    monkeypatch: pytest.MonkeyPatch, key_and_service: tuple[str, RunningService], data_dir: Path
) -> None:
    key, service = key_and_service
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", key)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(data_dir))


def run(page: str, /, **parameters: str | list[str]) -> AppTest:
    """In a browser session of its own."""
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app
