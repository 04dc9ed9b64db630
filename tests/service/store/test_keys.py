from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store import KeyScope, Organization, Store, UnknownOrganizationError, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path)
    store.catalogue.save(Organization("corner", "Corner"), [])
    yield store
    store.close()


def test_the_secret_told_once_is_the_one_that_is_verified(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.INGEST)
    assert store.keys.verify(secret) == record
    assert (record.organization_id, record.name, record.scope) == ("corner", "Till", KeyScope.INGEST)
    assert secret.startswith(f"hr_{record.id}_")
    assert len(secret.rpartition(f"{record.id}_")[2]) == 43


def test_the_file_does_not_hold_the_secret(store: Store, tmp_path: Path) -> None:
    _, secret = store.keys.create("corner", "Till", KeyScope.READ)
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Till" in held
    assert secret.rpartition("_")[2].encode() not in held


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


def test_a_key_is_recalled_once_it_was_verified_and_only_for_its_own_secret(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert store.keys.recall(secret) is None
    store.keys.verify(secret)
    assert store.keys.recall(secret) == record
    assert store.keys.recall(secret[:-1] + ("A" if secret[-1] != "A" else "B")) is None
    assert store.keys.recall("nonsense") is None


def test_a_key_revoked_here_is_forgotten_at_once(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    store.keys.verify(secret)
    store.keys.revoke(record.id)
    assert store.keys.recall(secret) is None


def test_a_key_revoked_by_another_process_is_forgotten_by_the_next_refresh(
    store: Store, tmp_path: Path
) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    store.metrics.refresh()
    store.keys.verify(secret)
    other = open_store(tmp_path)
    other.keys.revoke(record.id)
    other.close()
    store.metrics.refresh()
    assert store.keys.recall(secret) is None
    verified = store.keys.verify(secret)
    assert verified is not None
    assert verified.revoked_at is not None


def test_a_key_read_before_it_was_revoked_is_not_remembered_after(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    read = store.keys._read

    def read_and_lose_the_race(key_id: str) -> object:
        row = read(key_id)
        store.keys.revoke(record.id)
        return row

    monkeypatch.setattr(store.keys, "_read", read_and_lose_the_race)
    store.keys.verify(secret)
    assert store.keys.recall(secret) is None
