"""The store as a whole: one file, three protocols."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from service.store.catalogue import SqlSiteCatalogue
from service.store.data_folder import FILE_NAME, make_folder
from service.store.database import Database
from service.store.errors import StoreError, no_access, reason_of
from service.store.idempotency_keys import IdempotencyKeys
from service.store.keys import SqlKeyRing
from service.store.metrics import ANY_MINUTE, SqlMetricStore


def _present() -> datetime:
    return datetime.now(UTC)


class Store:
    """Safe to use from several threads; several processes may open the same folder."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        self._database = database
        self.keys = SqlKeyRing(database)
        self.metrics = SqlMetricStore(
            database, idempotency_keys=IdempotencyKeys(database, monotonic), clock=clock
        )
        self.catalogue = SqlSiteCatalogue(database, on_change=self._saved, recall=self.metrics.recall_site)

    def _saved(self, site_ids: frozenset[str]) -> None:
        self.metrics.take_in_stored(dict.fromkeys(site_ids, ANY_MINUTE))

    def check_place(self) -> None:
        """Raise StoreMissingError where the folder no longer holds the file that was opened."""
        self._database.check_place()

    def trouble(self) -> StoreError | None:
        """What keeps the file from being read or written; None when all is well."""
        return self._database.trouble()

    def close(self) -> None:
        """Close all connections; may be called again."""
        self._database.close()


def open_store(
    data_dir: Path,
    *,
    clock: Callable[[], datetime] = _present,
    monotonic: Callable[[], float] = time.monotonic,
) -> Store:
    """The store in a folder, made if it is not there. Raises StoreError.

    `clock` gives the present, aware: minutes after it are never the newest. `monotonic` gives seconds that
    only pass, by which idempotency keys age.
    """
    try:
        make_folder(data_dir)
    except OSError as error:
        raise no_access(data_dir, reason_of(error)) from error
    database = Database(data_dir / FILE_NAME)
    try:
        return Store(database, clock, monotonic)
    except BaseException:
        database.close()
        raise
