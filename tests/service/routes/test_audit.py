from __future__ import annotations

import threading
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.audit_protocol import AuditAction, AuditEntry
from service.store.protocol import KeyScope
from tests.running_service import start_service
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, create_small_site


@pytest.fixture(scope="module")
def headers(served: Served) -> dict[str, str]:
    return {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}


def page(served: Served, headers: dict[str, str], **asked: Any) -> httpx.Response:
    return served.client.get("/admin/audit", headers=headers, params=asked)


def test_changes_are_paged_from_the_newest_on(served: Served, headers: dict[str, str]) -> None:
    for number in range(5):
        served.client.put("/admin/organization", headers=headers, json={"name": f"Name {number}"})
    everything = page(served, headers).json()["data"]
    assert [change["after"]["name"] for change in everything[:5]] == [f"Name {n}" for n in (4, 3, 2, 1, 0)]
    found, before = [], everything[0]["number"] + 1
    while more := page(served, headers, limit=2, before=before).json()["data"]:
        assert len(more) <= 2
        found += more
        before = more[-1]["number"]
    assert found == everything
    assert {change["keyName"] for change in everything[5:]} == {"the service itself"}


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        ({"limit": 0, "before": 0}, {"limit", "before"}),
        ({"limit": 101, "before": "x"}, {"limit", "before"}),
        ({"limit": "1.5"}, {"limit"}),
        ({"before": "9" * 400}, {"before"}),
        ({"limit": ["1", "2"]}, {"limit"}),
        ({"before": ""}, {"before"}),
    ],
)
def test_a_page_that_cannot_be_given_is_refused(
    served: Served, headers: dict[str, str], asked: dict[str, Any], fields: set[str]
) -> None:
    answer = page(served, headers, **asked)
    [error] = answer.json()["meta"]["errors"]
    assert (answer.status_code, error["code"]) == (400, "INVALID_PAGINATION_PARAMS")
    assert error["details"].keys() == fields


def test_kills_leave_no_change_without_its_entry_and_no_entry_without_its_change(tmp_path: Path) -> None:
    """And nothing that was answered is lost."""
    site = create_small_site(tmp_path)
    with closing(open_store(store_url(tmp_path))) as store:
        _, secret = store.keys.create(ORGANIZATION.id, "office", KeyScope.ADMIN)
    answered: list[str] = []
    for kill in range(3):
        service = start_service(site.data_dir)
        beginning = len(answered)
        killing = threading.Timer(0.2, service.kill)
        client = httpx.Client(base_url=service.base_url, headers={"x-api-key": secret}, timeout=60.0)
        with client, suppress(httpx.TransportError):
            for number in count():
                name = f"Name {kill}-{number}"
                assert client.put("/admin/organization", json={"name": name}).status_code == 200
                answered.append(name)
                if len(answered) == beginning + 1:
                    killing.start()
        killing.join()
        with closing(open_store(store_url(tmp_path))) as store:
            [organization] = [one for one in store.catalogue.organizations() if one.id == ORGANIZATION.id]
            entries: list[AuditEntry] = []
            while more := store.audit.entries(
                ORGANIZATION.id, limit=100, before=entries[-1].number if entries else None
            ):
                entries += more
        renamed = [one for one in entries if one.change.action is AuditAction.ORGANIZATION_CHANGED]
        assert renamed[0].change.after == {"name": organization.name}
        # Each begins where the one before it ended.
        assert [one.change.before for one in renamed[:-1]] == [one.change.after for one in renamed[1:]]
        assert {str((one.change.after or {})["name"]) for one in renamed} >= set(answered)


def test_changes_are_found_by_site_by_what_was_changed_and_by_whom(
    served: Served, headers: dict[str, str]
) -> None:
    corrections = "/admin/sites/corner-shop/corrections"
    body = {"zoneId": "hall", "visitorsInside": 3, "reason": "we counted"}
    by_ana = headers | {"x-acting-for": "Ana O'Hara 100%"}
    served.client.post(corrections, headers=by_ana, json=body).raise_for_status()
    served.client.put("/admin/organization", headers=by_ana, json={"name": "Found"}).raise_for_status()
    served.client.put("/admin/organization", headers=headers, json={"name": "Other"}).raise_for_status()

    def actions(**asked: str) -> list[str]:
        return [one["action"] for one in page(served, headers, **asked).json()["data"]]

    assert actions(person="o'hara 100%") == ["organization.changed", "level.set"]
    assert actions(person="o'hara", site="corner-shop") == ["level.set"]
    assert actions(kind="level") == ["level.set"]
    assert set(actions(site="corner-shop")) == {"level.set", "site.created"}
    assert set(actions(kind="organization")) <= {"organization.changed", "organization.created"}
    assert actions(kind="%") == actions(kind="site.") == actions(site="nowhere") == actions(person="_") == []


def test_a_counter_that_was_placed_is_among_the_changes_of_its_site(
    served: Served, headers: dict[str, str]
) -> None:
    end = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    measured = {
        "kind": "people-counts",
        "utcFrom": (end - timedelta(minutes=15)).isoformat(),
        "utcTo": end.isoformat(),
        "items": [{"direction": "in", "count": 1}],
    }
    body = {
        "apiName": "Axis Retail Data",
        "sensor": {"serial": "AUDITED"},
        "data": {"measurements": [measured]},
    }
    served.client.post("/ingest/axis-3d", headers=served.site.ingest_headers, json=body).raise_for_status()
    sensors = served.client.get("/admin/sensors", headers=headers).json()["data"]
    (number,) = [one["number"] for one in sensors if one["serial"] == "AUDITED"]
    placed = {"passageId": "entrance"}
    served.client.put(f"/admin/sensors/{number}/placement", headers=headers, json=placed).raise_for_status()
    (found,) = page(served, headers, site="corner-shop", kind="sensor").json()["data"]
    assert found["target"] == "axis-3d AUDITED"
    assert page(served, headers, site="closed-shop", kind="sensor").json()["data"] == []
