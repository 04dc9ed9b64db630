"""Mappings over the protocol: kept by name, within their organization, as many as may be."""

from __future__ import annotations

import pytest

from service.store.audit_protocol import Author
from service.store.errors import TooManyMappingsError
from service.store.mapping_protocol import MOST_MAPPINGS, StoredMapping
from service.store.protocol import Store
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, create_records

AUTHOR = Author("Office", "0123456789ab", "Ana")
OWN = ORGANIZATION.id


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    create_records(store)
    return store


def anything(_stored: StoredMapping | None) -> None:
    """Let all be replaced."""


def keep(store: Store, name: str, serial: str = "row.sn", organization_id: str = OWN) -> StoredMapping:
    return store.mappings.keep(organization_id, name, {"serial": serial}, anything, AUTHOR)


def test_a_mapping_is_found_by_its_name_and_by_nobody_elses_organization(store: Store) -> None:
    keep(store, "gym")
    assert store.mappings.written(OWN, "gym") == '{"serial":"row.sn"}'
    assert store.mappings.written(OTHER_ORGANIZATION.id, "gym") is None
    assert store.mappings.written(OWN, "gy_") is None
    keep(store, "gym", "'theirs'", OTHER_ORGANIZATION.id)
    assert [one.written for one in store.mappings.of_organization(OWN)] == [{"serial": "row.sn"}]


def test_the_same_again_is_no_change(store: Store) -> None:
    first = keep(store, "gym")
    before = store.audit.entries(OWN, limit=1)
    assert keep(store, "gym") == first
    assert store.audit.entries(OWN, limit=1) == before


def test_what_its_check_refuses_is_not_kept_and_not_removed(store: Store) -> None:
    def refuse(stored: StoredMapping | None) -> None:
        raise ZeroDivisionError(stored)

    keep(store, "gym")
    with pytest.raises(ZeroDivisionError):
        store.mappings.keep(OWN, "gym", {"serial": "other"}, refuse, AUTHOR)
    with pytest.raises(ZeroDivisionError):
        store.mappings.remove(OWN, "gym", refuse, AUTHOR)
    assert store.mappings.written(OWN, "gym") == '{"serial":"row.sn"}'


def test_no_more_are_kept_than_may_be_and_those_that_are_can_be_changed(store: Store) -> None:
    for number in range(MOST_MAPPINGS):
        keep(store, f"m-{number}")
    with pytest.raises(TooManyMappingsError):
        keep(store, "one-more")
    assert keep(store, "m-0", "row.id").written == {"serial": "row.id"}
    removed = store.mappings.remove(OWN, "m-1", anything, AUTHOR)
    assert removed is not None
    assert store.mappings.remove(OWN, "m-1", anything, AUTHOR) is None
    keep(store, "one-more")
