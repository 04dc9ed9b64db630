from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.ingest.site_file import SiteFileError, SiteImport, conflicts, read_site_file, site_import
from service.open_store import open_store, store_url
from service.store.protocol import Organization, SiteRecord, Store
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, SITE, create_small_site

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


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened()


def meaning(store: Store, content: bytes, **completed: str) -> SiteImport:
    return site_import(read_site_file(content, **completed), store.catalogue, lambda _: frozenset(), NOW)


def record(store: Store, content: bytes, **completed: str) -> SiteRecord:
    [(_, [result])] = meaning(store, content, **completed).content
    return result


def answer(**changes: Any) -> bytes:
    """What `GET /v3/sites/{siteId}` answers."""
    data = SITE.model_dump(mode="json", by_alias=True) | changes
    return json.dumps({"data": data, "meta": {"requestId": "1", "errors": []}}).encode()


def test_a_site_is_read_as_the_api_shows_it(store: Store) -> None:
    assert record(store, text(site())) == SiteRecord(SITE, "shop", 4)


def test_the_reset_hour_can_be_given_and_is_else_what_is_stored(store: Store) -> None:
    assert record(store, text(site(dailyResetHour=0))).daily_reset_hour == 0
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 9)])
    assert record(store, text(site())).daily_reset_hour == 9


def test_an_answer_of_the_api_is_taken_with_its_envelope_or_without(store: Store) -> None:
    enveloped = meaning(store, answer())
    [(organization, [found])] = enveloped.content
    assert found == SiteRecord(SITE, "shop", 4)
    assert organization == Organization("corner", "corner")
    assert enveloped.notes == (
        "Organization 'corner' is new and called by its id, as the file gives no name.",
        "Site 'corner-shop': zone 'shop' was taken for the whole site (topZoneId).",
    )
    assert meaning(store, json.dumps(json.loads(answer())["data"]).encode()) == enveloped


def test_what_an_answer_does_not_show_stays_as_it_is_stored(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "hall", 7)])
    found = meaning(store, answer())
    assert found.content == [(ORGANIZATION, [SiteRecord(SITE, "hall", 7)])]
    assert found.notes == ()


def test_a_site_alone_can_be_given_to_an_organization(store: Store) -> None:
    found = record(store, answer(organizationId="theirs"), organization="ours")
    assert found.site.organization_id == "ours"
    with pytest.raises(SiteFileError, match="--organization"):
        read_site_file(answer(organizationId=""))


def test_a_top_zone_that_cannot_be_inferred_is_asked_for(store: Store) -> None:
    zones = [{"id": name, "name": name} for name in ("hall", "cafe", "attic", "roof")]
    with pytest.raises(SiteFileError) as refused:
        meaning(store, answer(zones=zones))
    [reason] = refused.value.reasons
    assert "add topZoneId, or say --top-zone" in reason
    assert "hall, cafe, attic, roof" in reason
    assert record(store, answer(zones=zones), top_zone="roof").top_zone_id == "roof"


@pytest.mark.parametrize("options", [{"organization": "corner"}, {"top_zone": "shop"}])
def test_options_for_one_site_do_not_go_with_a_file_of_organizations(options: dict[str, str]) -> None:
    with pytest.raises(SiteFileError, match="file of one site"):
        read_site_file(text(site()), **options)


def test_the_list_of_sites_is_refused_with_what_to_import_instead() -> None:
    [reason] = reasons(json.dumps({"data": [], "meta": {}}).encode())
    assert "GET /v3/sites/{siteId}" in reason
    assert reasons(json.dumps({"data": None, "meta": {}}).encode())


@pytest.mark.parametrize(
    ("holder", "entry", "said"),
    [
        (
            "passages",
            {"fromZoneid": "hall"},
            "sites[0].passages[0].fromZoneid: is no field here; did you mean fromZoneId?",
        ),
        ("zones", {"capcity": 4}, "sites[0].zones[0].capcity: is no field here; did you mean capacity?"),
        ("zones", {"post_code": 4}, "sites[0].zones[0].post_code: is no field here; there are id, name"),
        ("passages", {"devices": [{"id": "a", "name": "A", "state": ""}]}, "devices[0].state: is no field"),
        (
            "address",
            {"post_code": "8000"},
            "sites[0].address.post_code: is no field here; did you mean postCode?",
        ),
        (None, {"topzoneID": "hall"}, "sites[0].topzoneID: is no field here; did you mean topZoneId?"),
    ],
)
def test_an_unknown_field_is_refused_wherever_it_stands(
    holder: str | None, entry: dict[str, Any], said: str
) -> None:
    whole = site()
    if holder in {"zones", "passages"}:
        whole[holder][0] |= entry
    elif holder:
        whole[holder] |= entry
    else:
        whole |= entry
    [reason] = reasons(text(whole))
    assert said in reason


def test_a_misspelt_list_of_organizations_is_told() -> None:
    told = reasons(json.dumps({"organisations": []}).encode())
    assert any("did you mean organizations?" in reason for reason in told)


@pytest.mark.parametrize("number", [-1, -0.5, float("nan"), float("inf"), 1e308, "40", True])
@pytest.mark.parametrize("field", ["capacity", "area"])
def test_a_capacity_or_area_that_no_place_has_is_refused(field: str, number: Any) -> None:
    whole = site()
    whole["zones"][1][field] = number
    [reason] = reasons(text(whole))
    assert reason.startswith(f"organizations[0].sites[0].zones[1].{field}: {number!r} is not a number from 0")


@pytest.mark.parametrize(
    "wrong", ["", "a/b", ".", "..", "a\x00b", "a\nb", " a", "a ", "a\u200bb", "\u2028", "x" * 201]
)
@pytest.mark.parametrize("holder", ["organization", "site", "zone", "passage", "device"])
def test_an_id_that_no_url_can_carry_is_refused(holder: str, wrong: str) -> None:
    whole = site()
    if holder == "site":
        whole["id"] = wrong
    elif holder == "zone":
        whole["zones"].append({"id": wrong, "name": "Zone"})
    elif holder == "passage":
        whole["passages"][0]["id"] = wrong
    elif holder == "device":
        whole["passages"][0]["devices"][0]["id"] = wrong
    content = text(whole, organization=wrong) if holder == "organization" else text(whole)
    [reason] = reasons(content)
    assert ".id: " in reason


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "Ha\x00ll", "Ha\nll"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    [reason] = reasons(text(site(name=name)))
    assert reason.startswith("organizations[0].sites[0].name: ")


@pytest.mark.parametrize("timezone", ["localtime", "Factory", "posixrules", "Europe", "Mars/Olympus", ""])
def test_what_is_no_time_zone_of_a_place_is_refused(timezone: str) -> None:
    [reason] = reasons(text(site(timezone=timezone)))
    assert f"{timezone!r} is not an IANA time zone" in reason


def test_a_time_zone_that_was_probably_meant_is_told() -> None:
    [reason] = reasons(text(site(timezone="Europe/Zürich")))
    assert reason.endswith("did you mean Europe/Zurich?")


def test_a_date_outside_the_calendar_is_refused() -> None:
    [reason] = reasons(text(site(createdAt="9999-12-31T23:59:59-12:00")))
    assert "beyond the years 1 to 9999" in reason


def test_a_byte_order_mark_is_read(store: Store) -> None:
    assert record(store, b"\xef\xbb\xbf" + text(site())) == SiteRecord(SITE, "shop", 4)


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
        "site 'corner-shop': 'Nowhere' is not an IANA time zone of a place, as Europe/Zurich is",
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


def test_dates_that_are_left_out_are_kept_or_made(store: Store) -> None:
    undated = text(site(createdAt=None))
    assert record(store, undated).site.created_at == NOW
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop")])
    assert record(store, undated).site == SITE
    renamed = record(store, text(site(createdAt=None, name="New"))).site
    assert (renamed.created_at, renamed.updated_at) == (SITE.created_at, NOW)


def test_what_another_organization_or_site_has_is_a_conflict(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    foreign_door = [{"id": "other-door", "name": "Door", "toZoneId": "hall"}]
    file = read_site_file(text(site(), site(id="elsewhere", organizationId="corner", passages=foreign_door)))
    store = open_store(store_url(tmp_path))
    told = conflicts(file, store.catalogue)
    store.close()
    assert told == ["site 'elsewhere' belongs to organization 'rival'"]
    moved = read_site_file(text(site(id="new", passages=foreign_door)))
    store = open_store(store_url(tmp_path))
    told = conflicts(moved, store.catalogue)
    store.close()
    assert told == ["passage 'other-door' of site 'new' already belongs to site 'elsewhere'"]
