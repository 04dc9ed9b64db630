from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from contract import Address, Device, Passage
from service.store.errors import PassageTakenError
from service.store.protocol import Organization, SiteRecord, Store
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.every_store import Opened


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened()


def test_a_site_comes_back_as_it_was_saved(store: Store) -> None:
    record = crowded_site("Europe/Zurich", reset_hour=5)
    full = record.site.model_copy(
        update={
            "category": "shop",
            "address": Address(street="Gasse 1", post_code="8000", city="Zürich", country="Schweiz"),
            "created_at": datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
            "construction_year": 1931,
            "zones": (
                record.site.zones[0].model_copy(
                    update={"capacity": 12.5, "devices": (Device(id="d", name="D", status="Online"),)}
                ),
                *record.site.zones[1:],
            ),
        }
    )
    store.catalogue.save(ORGANIZATION, [replace(record, site=full)])
    assert store.catalogue.find("crowded") == replace(record, site=full)
    assert store.catalogue.find("nowhere") is None


def test_saving_again_updates(store: Store) -> None:
    record = crowded_site("Europe/Zurich")
    store.catalogue.save(ORGANIZATION, [record])
    renamed = SiteRecord(record.site.model_copy(update={"name": "Quiet"}), record.top_zone_id)
    store.catalogue.save(Organization(ORGANIZATION.id, "Crowd & Sons"), [renamed])
    assert store.catalogue.find("crowded") == renamed
    assert store.catalogue.organizations() == [Organization("crowd", "Crowd & Sons")]


def test_sites_are_listed_by_page_name_and_organization_without_archived_ones(store: Store) -> None:
    records = [crowded_site(None, site_id=f"s{number}") for number in range(4)]
    names = ["Delta", "Alpha", "Charlie", "Bravo"]
    named = [
        replace(record, site=record.site.model_copy(update={"name": name, "archived": name == "Charlie"}))
        for record, name in zip(records, names, strict=True)
    ]
    store.catalogue.save(ORGANIZATION, named)
    others = crowded_site(None, site_id="r")
    others = replace(others, site=others.site.model_copy(update={"organization_id": "rival"}))
    store.catalogue.save(Organization("rival", "Rival"), [others])

    def page(limit: int, offset: int) -> tuple[list[str], int]:
        sites, total = store.catalogue.list_sites("crowd", limit=limit, offset=offset)
        return [record.site.name for record in sites], total

    assert page(10, 0) == (["Alpha", "Bravo", "Delta"], 3)
    assert page(2, 1) == (["Bravo", "Delta"], 3)
    assert page(2, 5) == ([], 3)
    assert store.catalogue.find("s2") is not None


def test_passages_are_found_with_their_sites_while_these_have_them(store: Store) -> None:
    record = crowded_site(None)
    store.catalogue.save(ORGANIZATION, [record])
    assert store.catalogue.site_ids_of_passages(["north", "trapdoor"]) == {"north": "crowded"}
    fewer = replace(record, site=record.site.model_copy(update={"passages": record.site.passages[1:]}))
    store.catalogue.save(ORGANIZATION, [fewer])
    assert store.catalogue.site_ids_of_passages(["north", "south"]) == {"south": "crowded"}


def test_a_passage_of_another_site_is_refused_with_all_that_came_with_it(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [crowded_site(None)])
    thief = crowded_site(None, site_id="thief")
    stolen = thief.site.model_copy(update={"passages": (Passage(id="north", name="", to_zone_id="hall"),)})
    with pytest.raises(PassageTakenError, match="north"):
        store.catalogue.save(Organization("rival", "Rival"), [replace(thief, site=stolen)])
    assert store.catalogue.find("thief") is None
    assert store.catalogue.organizations() == [ORGANIZATION]


def test_listeners_hear_of_saved_sites(store: Store) -> None:
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    store.catalogue.save(ORGANIZATION, [crowded_site(None)])
    assert heard == [{"crowded": 0}]


def test_several_organizations_are_saved_whole_or_not_at_all(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [crowded_site(None)])
    thief = crowded_site(None, site_id="thief")
    stolen = thief.site.model_copy(update={"passages": (Passage(id="north", name="", to_zone_id="hall"),)})
    honest = (Organization("honest", "Honest"), [crowded_site(None, site_id="second")])
    rival = Organization("rival", "Rival")
    with pytest.raises(PassageTakenError, match="north"):
        store.catalogue.save_all([honest, (rival, [replace(thief, site=stolen)])])
    assert store.catalogue.organizations() == [ORGANIZATION]
    store.catalogue.save_all([honest, (rival, [thief])])
    assert [organization.id for organization in store.catalogue.organizations()] == [
        ORGANIZATION.id,
        "honest",
        "rival",
    ]


def test_a_site_is_recalled_as_it_was_saved_here_and_elsewhere_after_a_refresh(
    store: Store, opened: Opened
) -> None:
    record = crowded_site(None)
    store.catalogue.save(ORGANIZATION, [record])
    assert store.catalogue.find("crowded") == record
    assert store.catalogue.find_at_once("crowded") in (record, None)
    assert store.catalogue.find("nowhere") is None
    assert store.catalogue.find_at_once("nowhere") is None
    renamed = replace(record, site=record.site.model_copy(update={"name": "Quiet"}))
    opened().catalogue.save(ORGANIZATION, [renamed])
    store.metrics.poll_changes()
    assert store.catalogue.find("crowded") == renamed


def test_sites_are_listed_as_they_are_stored_and_not_as_memory_has_them(opened: Opened) -> None:
    here, elsewhere = opened(), opened()
    first, second = (crowded_site(None, site_id=site_id) for site_id in ("a", "b"))
    here.catalogue.save(ORGANIZATION, [first, second])
    renamed = replace(first, site=first.site.model_copy(update={"name": "Zulu"}))
    new = crowded_site(None, site_id="c")
    elsewhere.catalogue.save(ORGANIZATION, [renamed, new])
    assert here.catalogue.find_at_once("a") == first, "not refreshed yet"
    assert here.catalogue.all_sites(ORGANIZATION.id) == [second, new, renamed]
    assert here.catalogue.list_sites(ORGANIZATION.id, limit=2, offset=1) == ([new, renamed], 3)
    assert here.catalogue.find_at_once("a") == first, "listing refreshes nothing"
