"""Opening a store by its URL: the one module that knows every kind of store that there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from service.clock import present
from service.settings import ServiceSettings
from service.store.archive_protocol import Archive, NoArchive
from service.store.database import Database
from service.store.errors import StoreUrlError
from service.store.postgresql.database import PostgresqlDatabase
from service.store.protocol import Store
from service.store.sql_store import opened_store
from service.store.sqlite.database import open_sqlite
from service.store.sqlite.store_file import sqlite_url

DATABASES: Final[dict[str, Callable[..., Database]]] = {
    "sqlite": open_sqlite,
    "postgresql": PostgresqlDatabase,
}
"""Scheme of the URL -> what opens such a database, given the URL, and `alone`. Another kind is a package
of its own and a row here; which one the service and its commands open is what `chosen_store` answers.
"""


_WITH_REPLICA: Final = "postgresql"
_OF_ARCHIVES: Final = ("clickhouse", "clickhouses")
_ARCHIVE_ALONE: Final = (
    " ClickHouse has days of long ago, beside one of these: set HEADROOM_SERVICE_ARCHIVE to it."
)


def store_url(data_dir: Path) -> str:
    """URL of the SQLite file in a data folder, which the store is unless the settings say otherwise."""
    return sqlite_url(data_dir)


def chosen_store(settings: ServiceSettings) -> str:
    """URL of the store that the service and its commands use."""
    return settings.store.get_secret_value() if settings.store else store_url(settings.data_dir)


def chosen_replica(settings: ServiceSettings) -> str | None:
    """URL of the replica that the service reads, too."""
    return settings.store_replica.get_secret_value() if settings.store_replica else None


def chosen_archive(settings: ServiceSettings) -> str | None:
    """URL of the archive that the service and its commands use; None: they have none."""
    return settings.archive.get_secret_value() if settings.archive else None


def open_database(url: str, replica: str | None = None, *, alone: bool = False) -> Database:
    """The database at a URL, with the tables of a store, made if they are not there. Raises StoreError.

    `replica` is the URL of a copy of it that is kept up to date, from which the past may be read. `alone`:
    nobody else has it open, of any process, until it is closed; StoreBusyError where somebody has.
    """
    # No more of it is named: the rest may hold a password.
    scheme = url.partition(":")[0]
    if scheme not in DATABASES:
        beside = _ARCHIVE_ALONE if scheme in _OF_ARCHIVES else ""
        raise StoreUrlError(
            f"There is no store of the kind {scheme!r}: its URL has to begin with"
            f" {' or '.join(DATABASES)}.{beside}"
        )
    if replica is None:
        return DATABASES[scheme](url, alone=alone)
    if {scheme, replica.partition(":")[0]} != {_WITH_REPLICA}:
        raise StoreUrlError(
            f"No store but one of {_WITH_REPLICA} has a replica, which is of {_WITH_REPLICA}, too: correct"
            " HEADROOM_SERVICE_STORE_REPLICA, or leave it away."
        )
    return PostgresqlDatabase(url, replica, alone=alone)


def open_archive(url: str | None) -> Archive:
    """The archive at a URL, which is not asked for anything yet; without one, none. Raises StoreUrlError."""
    if url is None:
        return NoArchive()
    # A tenth of a second of a start without an archive.
    from service.store.clickhouse.archive import ClickHouseArchive  # noqa: PLC0415

    return ClickHouseArchive(url)


def open_store(
    url: str,
    *,
    replica: str | None = None,
    archive: str | None = None,
    clock: Callable[[], datetime] = present,
    monotonic: Callable[[], float] = time.monotonic,
) -> Store:
    """The store at a URL, made if it is not there, and read from a replica, too; `archive` is the URL of
    where its days of long ago lie. Raises StoreError.

    `clock` gives the present, aware: minutes after it are never the newest. `monotonic` gives seconds that
    only pass, by which idempotency keys age.
    """
    # First, as it opens nothing yet: a database would stay open where this URL is none.
    opened_archive = open_archive(archive)
    return opened_store(open_database(url, replica), opened_archive, clock=clock, monotonic=monotonic)
