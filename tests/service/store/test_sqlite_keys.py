from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, Store
from tests.database_of import database_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(store_url(tmp_path))
    store.catalogue.save(Organization("corner", "Corner"), [])
    yield store
    store.close()


def test_the_file_does_not_hold_the_secret(store: Store, tmp_path: Path) -> None:
    _, secret = store.keys.create("corner", "Till", KeyScope.READ)
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Till" in held
    assert secret[-43:].encode() not in held, "what follows the id"


def test_key_is_verified_while_another_connection_writes(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("UPDATE keys SET name = 'other'")
        assert store.keys.verify(secret) == record
