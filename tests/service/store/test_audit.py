"""The audit log over the protocol: sites, organizations and counters; keys are in `test_keys`."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store.audit_protocol import COMMAND_LINE, SERVICE_ITSELF, AuditAction, AuditEntry, Author
from service.store.errors import PassageTakenError, UnknownPassageError
from service.store.protocol import Organization, SiteRecord, Store
from service.store.sensor_protocol import Placement
from tests.every_store import Opened
from tests.small_site import ARCHIVED_SITE, ORGANIZATION, SITE, create_records

AUTHOR = Author("Office", "0123456789ab", "Ana")
END = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    create_records(store)
    return store


def newest(store: Store, limit: int = 1) -> list[AuditEntry]:
    return store.audit.entries(ORGANIZATION.id, limit=limit)


def test_what_is_created_stands_whole_in_the_log(store: Store) -> None:
    closed, shop, organization = newest(store, 3)
    assert [entry.change.action for entry in (closed, shop, organization)] == [
        *([AuditAction.SITE_CREATED] * 2),
        AuditAction.ORGANIZATION_CREATED,
    ]
    assert closed.author == SERVICE_ITSELF
    assert shop.change.before is None
    assert shop.change.after is not None
    assert shop.change.after["topZoneId"] == "shop"
    assert [zone["id"] for zone in shop.change.after["zones"]] == ["shop", "hall", "cafe"]
    assert closed.change.target == ARCHIVED_SITE.id


def test_the_same_again_is_no_change(store: Store) -> None:
    before = newest(store)
    create_records(store)
    store.catalogue.change_site(SITE.id, lambda _: SiteRecord(SITE, "shop"), author=AUTHOR)
    assert newest(store) == before


def test_of_a_changed_site_what_differs_is_kept(store: Store) -> None:
    changed = SITE.model_copy(update={"name": "New", "updated_at": END})
    store.catalogue.save(ORGANIZATION, [SiteRecord(changed, "hall", 0)], author=COMMAND_LINE)
    [entry] = newest(store)
    assert entry.author == COMMAND_LINE
    assert entry.change.before == {"name": "Corner shop", "topZoneId": "shop", "dailyResetHour": 4}
    assert entry.change.after == {"name": "New", "topZoneId": "hall", "dailyResetHour": 0}


def test_a_renamed_organization_is_in_its_log(store: Store) -> None:
    store.catalogue.save(Organization(ORGANIZATION.id, "New"), [], author=AUTHOR)
    [entry] = newest(store)
    assert (entry.change.action, entry.author) == (AuditAction.ORGANIZATION_CHANGED, AUTHOR)
    assert (entry.change.before, entry.change.after) == ({"name": "Corner shops"}, {"name": "New"})


def test_a_change_that_fails_is_neither_stored_nor_logged(store: Store) -> None:
    before = newest(store)
    taken = SITE.model_copy(update={"id": "thief", "name": "New"})
    with pytest.raises(PassageTakenError):
        store.catalogue.save(Organization(ORGANIZATION.id, "New"), [SiteRecord(taken, "shop")], author=AUTHOR)
    with pytest.raises(ZeroDivisionError):
        store.catalogue.change_site("thief", lambda _: SiteRecord(SITE, str(1 // 0)), author=AUTHOR)
    assert newest(store) == before
    assert store.catalogue.find("thief") is None


def test_where_a_counter_is_placed_is_in_the_log(store: Store) -> None:
    told = ToldCount("S-1", "2", Kind.INTERVAL, END - timedelta(minutes=15), END, 3, 4, "identity")
    with store.sensors.writing() as rows:
        take(rows, ORGANIZATION.id, "maker", Report((told,)), END)
    [line] = store.sensors.lines(ORGANIZATION.id)
    for placement in (
        Placement("entrance", is_swapped=False), Placement("nowhere", is_swapped=False),
        Placement("entrance", is_swapped=True), Placement("entrance", is_swapped=True), None,
    ):  # fmt: skip
        with suppress(UnknownPassageError), store.sensors.writing() as rows:
            place(rows, line, placement, AUTHOR)
    down, swapped, placed = newest(store, 3)
    assert {entry.author for entry in (down, swapped, placed)} == {AUTHOR}
    assert {entry.change.target for entry in (down, swapped, placed)} == {"maker S-1 2"}
    at = [{"passageId": "entrance", "isSwapped": is_swapped} for is_swapped in (False, True)]
    assert (placed.change.before, placed.change.after) == (None, at[0])
    assert (swapped.change.before, swapped.change.after) == (at[0], at[1])
    assert (down.change.before, down.change.after) == (at[1], None)


def test_another_organization_sees_its_own_alone(store: Store) -> None:
    rival = store.audit.entries("rival", limit=100)
    assert {entry.change.organization_id for entry in rival} == {"rival"}
    assert not {entry.number for entry in rival} & {entry.number for entry in newest(store, 100)}


def test_pages_follow_each_other(store: Store) -> None:
    everything = newest(store, 100)
    assert store.audit.entries(ORGANIZATION.id, limit=1, before=everything[0].number) == [everything[1]]
    assert store.audit.entries(ORGANIZATION.id, limit=5, before=everything[-1].number) == []
