"""The store as a whole: one file, three protocols."""

from __future__ import annotations

from pathlib import Path

from service.store.catalogue import SqlSiteCatalogue
from service.store.data_folder import FILE_NAME, make_folder
from service.store.database import Database
from service.store.errors import StoreError, no_access, reason_of
from service.store.keys import SqlKeyRing
from service.store.metrics import SqlMetricStore


class Store:
    """Safe to use from several threads; several processes may open the same folder."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.keys = SqlKeyRing(database)
        self.metrics = SqlMetricStore(database, on_news=self.keys.forget)
        self.catalogue = SqlSiteCatalogue(
            database, on_change=self.metrics.take_in, recall=self.metrics.recall_site
        )

    def check_place(self) -> None:
        """Raise StoreMissingError where the folder no longer holds the file that was opened."""
        self._database.check_place()

    def trouble(self) -> StoreError | None:
        """What keeps the file from being read or written; None when all is well."""
        return self._database.trouble()

    def close(self) -> None:
        """Close all connections; may be called again."""
        self._database.close()


def open_store(data_dir: Path) -> Store:
    """The store in a folder, made if it is not there. Raises StoreError."""
    try:
        make_folder(data_dir)
    except OSError as error:
        raise no_access(data_dir, reason_of(error)) from error
    database = Database(data_dir / FILE_NAME)
    try:
        return Store(database)
    except BaseException:
        database.close()
        raise
