"""What a store keeps, read and written past its own protocol."""

from __future__ import annotations

from service.store.protocol import Store
from service.store.sqlite_database import SqliteDatabase
from service.store.sqlite_store import SqliteStore


def database_of(store: Store) -> SqliteDatabase:
    assert isinstance(store, SqliteStore)
    return store.database
