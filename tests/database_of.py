"""What a store keeps, read and written past its own protocol."""

from __future__ import annotations

from service.store.database import Database
from service.store.protocol import Store
from service.store.sql_store import SqlStore
from service.store.sqlite.database import SqliteDatabase


def database_of(store: Store) -> Database:
    assert isinstance(store, SqlStore)
    return store.database


def file_of_store(store: Store) -> SqliteDatabase:
    """The same of a store in a file."""
    database = database_of(store)
    assert isinstance(database, SqliteDatabase)
    return database
