from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.ingest.site_file import SiteFileError, conflicts, read_site_file, records
from service.store import open_store
from service.store.protocol import SiteRecord
from tests.small_site import SITE, create_small_site

NOW = datetime(2025, 6, 3, 10, tzinfo=UTC)


def site(**changes: Any) -> dict[str, Any]:
    return SITE.model_dump(mode="json", by_alias=True) | {"topZoneId": "shop"} | changes


def text(*sites: dict[str, Any], organization: str = "corner") -> bytes:
    entry = {"id": organization, "name": "Corner", "sites": list(sites)}
    return json.dumps({"organizations": [entry]}).encode()


def reasons(content: bytes) -> tuple[str, ...]:
    with pytest.raises(SiteFileError) as refused:
        read_site_file(content)
    return refused.value.reasons


def record(content: bytes, stored: SiteRecord | None = None) -> SiteRecord:
    [organization] = read_site_file(content).organizations
    _, [result] = records(organization, lambda _: stored, NOW)
    return result


def test_a_site_is_read_as_the_api_shows_it() -> None:
    assert record(text(site())) == SiteRecord(SITE, "shop", 4)


def test_the_reset_hour_can_be_given() -> None:
    assert record(text(site(dailyResetHour=0))).daily_reset_hour == 0


def test_every_contradiction_is_told() -> None:
    passages = [
        {"id": "door", "name": "Door", "fromZoneId": None, "toZoneId": "attic"},
        {"id": "door", "name": "Door", "fromZoneId": "hall", "toZoneId": "hall"},
        {"id": "void", "name": "Void", "fromZoneId": None, "toZoneId": None},
    ]
    told = reasons(
        text(site(topZoneId="roof", timezone="Nowhere", passages=passages, organizationId="other"))
    )
    assert told == (
        "passage 'door' occurs 2 times",
        "site 'corner-shop' names organization 'other', not 'corner'",
        "site 'corner-shop': its top zone 'roof' is not one of its zones",
        "site 'corner-shop': 'Nowhere' is not an IANA time zone",
        "site 'corner-shop': passage 'door' leads to the unknown zone 'attic'",
        "site 'corner-shop': passage 'door' has the same side twice (hall)",
        "site 'corner-shop': passage 'void' has the same side twice (outside)",
    )


def test_sites_and_zones_named_twice_are_told() -> None:
    zones = [{"id": "shop", "name": "Shop"}, {"id": "shop", "name": "Shop"}]
    told = reasons(text(site(zones=zones, passages=[]), site(passages=[])))
    assert "site 'corner-shop' occurs 2 times" in told
    assert "zone 'shop' occurs 2 times in site 'corner-shop'" in told


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"dailyResetHour": 24}, "organizations[0].sites[0].dailyResetHour"),
        ({"dailyResetHour": "4"}, "organizations[0].sites[0].dailyResetHour"),
        ({"topZoneID": "shop"}, "organizations[0].sites[0].topZoneID"),
        ({"name": None}, "organizations[0].sites[0].name"),
    ],
)
def test_a_wrong_field_is_told_by_its_place(changes: dict[str, Any], place: str) -> None:
    assert [reason.split(":")[0] for reason in reasons(text(site(**changes)))] == [place]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff"])
def test_what_is_no_site_file_is_refused(content: bytes) -> None:
    assert reasons(content)


def test_dates_that_are_left_out_are_kept_or_made() -> None:
    undated = text(site(createdAt=None))
    assert record(undated).site.created_at == NOW
    stored = SiteRecord(SITE, "shop")
    assert record(undated, stored).site == SITE
    renamed = record(text(site(createdAt=None, name="New")), stored).site
    assert (renamed.created_at, renamed.updated_at) == (SITE.created_at, NOW)


def test_what_another_organization_or_site_has_is_a_conflict(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    foreign_door = [{"id": "other-door", "name": "Door", "toZoneId": "hall"}]
    file = read_site_file(text(site(), site(id="elsewhere", organizationId="corner", passages=foreign_door)))
    store = open_store(tmp_path)
    told = conflicts(file, store.catalogue)
    store.close()
    assert told == ["site 'elsewhere' belongs to organization 'rival'"]
    moved = read_site_file(text(site(id="new", passages=foreign_door)))
    store = open_store(tmp_path)
    told = conflicts(moved, store.catalogue)
    store.close()
    assert told == ["passage 'other-door' of site 'new' already belongs to site 'elsewhere'"]
