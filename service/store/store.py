"""The store as a whole: one file, three protocols."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.store.catalogue import SqlSiteCatalogue
from service.store.database import Database
from service.store.idempotency_keys import IdempotencyKeys
from service.store.keys import SqlKeyRing
from service.store.metrics import ANY_MINUTE, SqlMetricStore

FILE_NAME: Final = "headroom.sqlite"


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
            database,
            on_news=self.keys.forget,
            idempotency_keys=IdempotencyKeys(database, monotonic),
            clock=clock,
        )
        self.catalogue = SqlSiteCatalogue(
            database, on_change=self._take_in_saved, recall=self.metrics.recall_site
        )

    def _take_in_saved(self, site_ids: frozenset[str]) -> None:
        self.metrics.take_in(dict.fromkeys(site_ids, ANY_MINUTE))

    def close(self) -> None:
        """Close all connections; may be called again."""
        self._database.close()


def open_store(
    data_dir: Path,
    *,
    clock: Callable[[], datetime] = _present,
    monotonic: Callable[[], float] = time.monotonic,
) -> Store:
    """The store in a folder, made if it is not there.

    `clock` gives the present, aware: minutes after it are never the newest. `monotonic` gives seconds that
    only pass, by which idempotency keys age.

    Raises OSError when the folder cannot be made, sqlalchemy.exc.DatabaseError or sqlite3.Error when the
    file in it cannot be used, StoreVersionError when a later version made it, StoreBusyError.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    return Store(Database(data_dir / FILE_NAME), clock, monotonic)
