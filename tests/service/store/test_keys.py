from __future__ import annotations

import pytest

from service.store.errors import UnknownOrganizationError
from service.store.protocol import KeyScope, Organization, Store
from tests.every_store import Opened


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(Organization("corner", "Corner"), [])
    return store


def test_the_secret_told_once_is_the_one_that_is_verified(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.INGEST)
    assert store.keys.verify(secret) == record
    assert (record.organization_id, record.name, record.scope) == ("corner", "Till", KeyScope.INGEST)
    assert secret.startswith(f"hr_{record.id}_")
    assert len(secret.rpartition(f"{record.id}_")[2]) == 43


@pytest.mark.parametrize(
    "change", [str.swapcase, lambda text: text[:-1], lambda text: text + "A", lambda _: ""]
)
def test_any_other_text_is_no_key(store: Store, change: object) -> None:
    _, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert callable(change)
    assert store.keys.verify(change(secret)) is None


def test_a_secret_does_not_open_another_key(store: Store) -> None:
    one, one_secret = store.keys.create("corner", "One", KeyScope.READ)
    two, _ = store.keys.create("corner", "Two", KeyScope.READ)
    assert store.keys.verify(one_secret.replace(one.id, two.id)) is None


def test_a_revoked_key_is_still_known_with_the_first_time_it_was_revoked(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert store.keys.revoke(record.id)
    revoked = store.keys.verify(secret)
    assert revoked is not None
    assert revoked.revoked_at is not None
    assert store.keys.revoke(record.id)
    assert store.keys.find(record.id) == revoked


def test_a_key_that_is_not_there_is_neither_found_nor_revoked(store: Store) -> None:
    assert store.keys.find("0123456789ab") is None
    assert not store.keys.revoke("0123456789ab")


def test_keys_are_listed_with_revoked_ones(store: Store) -> None:
    made = [store.keys.create("corner", name, KeyScope.READ)[0] for name in ("one", "two")]
    store.keys.revoke(made[0].id)
    assert {key.name: key.revoked_at is not None for key in store.keys.list_keys()} == {
        "one": True,
        "two": False,
    }


def test_a_key_for_an_unknown_organization_is_refused(store: Store) -> None:
    with pytest.raises(UnknownOrganizationError, match="rival"):
        store.keys.create("rival", "Till", KeyScope.READ)
    assert store.keys.list_keys() == []


def test_key_revoked_by_another_process_is_revoked_at_the_next_look(store: Store, opened: Opened) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert store.keys.verify(secret) == record
    opened().keys.revoke(record.id)
    verified = store.keys.verify(secret)
    assert verified is not None
    assert verified.revoked_at is not None
