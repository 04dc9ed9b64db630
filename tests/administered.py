"""A real service over the small site that is administered: its keys, and counters that report to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx

from contract import Site
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, SiteRecord
from tests.eventually import PATIENCE
from tests.running_service import RunningService, start_service
from tests.small_site import ORGANIZATION, SITE, SmallSite, create_small_site

QUARTER: Final = timedelta(minutes=15)
LATELY: Final = datetime.now(UTC).replace(second=0, microsecond=0) - 3 * QUARTER


@dataclass(frozen=True)
class Administered:
    site: SmallSite
    service: RunningService
    admin_key: str

    @property
    def environment(self) -> dict[str, str]:
        """Of a dashboard that administers it."""
        return {
            "HEADROOM_BASE_URL": self.service.base_url,
            "HEADROOM_API_KEY": self.site.read_key,
            "HEADROOM_ADMIN_KEY": self.admin_key,
        }

    def report(self, serial: str, came: int, went: int, *, start: datetime = LATELY) -> None:
        """A counter of the maker `axis-3d` tells a quarter of an hour."""
        body = axis_report(serial, start, came, went)
        headers = self.site.ingest_headers
        address = f"{self.service.base_url}/ingest/axis-3d"
        httpx.post(address, json=body, headers=headers, timeout=PATIENCE).raise_for_status()

    def sensors(self) -> list[dict[str, Any]]:
        answer = httpx.get(
            f"{self.service.base_url}/admin/sensors", headers={"x-api-key": self.admin_key}, timeout=PATIENCE
        )
        found: list[dict[str, Any]] = answer.raise_for_status().json()["data"]
        return found

    def listed_keys(self) -> list[dict[str, Any]]:
        """Those that are listed, revoked ones among them."""
        answer = httpx.get(
            f"{self.service.base_url}/admin/keys", headers={"x-api-key": self.admin_key}, timeout=PATIENCE
        )
        listed: list[dict[str, Any]] = answer.raise_for_status().json()["data"]
        return listed

    def place(self, serial: str, passage_id: str | None) -> None:
        (number,) = [one["number"] for one in self.sensors() if one["serial"] == serial]
        address = f"{self.service.base_url}/admin/sensors/{number}/placement"
        headers, body = {"x-api-key": self.admin_key}, {"passageId": passage_id}
        httpx.put(address, json=body, headers=headers, timeout=PATIENCE).raise_for_status()

    @contextmanager
    def without_passage(self, passage_id: str) -> Iterator[None]:
        """Somebody takes it out of the site meanwhile."""
        kept = tuple(one for one in SITE.passages if one.id != passage_id)
        save_small_site(self.site.data_dir, SITE.model_copy(update={"passages": kept}))
        yield
        save_small_site(self.site.data_dir, SITE)


def save_small_site(data_dir: Path, site: Site) -> None:
    store = open_store(store_url(data_dir))
    try:
        store.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop")])
    finally:
        store.close()


def axis_report(serial: str, start: datetime, came: int, went: int) -> dict[str, Any]:
    measured = {
        "kind": "people-counts",
        "utcFrom": start.isoformat(),
        "utcTo": (start + QUARTER).isoformat(),
        "items": [{"direction": "in", "count": came}, {"direction": "out", "count": went}],
    }
    return {
        "apiName": "Axis Retail Data",
        "sensor": {"serial": serial},
        "data": {"measurements": [measured]},
    }


def made_admin_key(data_dir: Path) -> str:
    """The secret of a key of scope admin."""
    store = open_store(store_url(data_dir))
    try:
        return store.keys.create(ORGANIZATION.id, "administrates", KeyScope.ADMIN)[1]
    finally:
        store.close()


@contextmanager
def administered(data_dir: Path) -> Iterator[Administered]:
    site = create_small_site(data_dir)
    admin_key = made_admin_key(data_dir)
    service = start_service(data_dir)
    try:
        yield Administered(site, service, admin_key)
    finally:
        service.kill()
