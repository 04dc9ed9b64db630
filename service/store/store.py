"""The store as a whole: one file, three protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from service.store.catalogue import SqlSiteCatalogue
from service.store.database import Database
from service.store.keys import SqlKeyRing
from service.store.metrics import SqlMetricStore

FILE_NAME: Final = "headroom.sqlite"


class Store:
    """Safe to use from several threads; several processes may open the same folder."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.keys = SqlKeyRing(database)
        self.metrics = SqlMetricStore(database)
        self.catalogue = SqlSiteCatalogue(
            database, on_change=self.metrics.take_in, recall=self.metrics.recall_site
        )

    def close(self) -> None:
        """Close all connections; may be called again."""
        self._database.close()


def open_store(data_dir: Path) -> Store:
    """The store in a folder, made if it is not there.

    Raises OSError when the folder cannot be made, sqlalchemy.exc.DatabaseError or sqlite3.Error when the
    file in it cannot be used, StoreVersionError when a later version made it, StoreBusyError.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    return Store(Database(data_dir / FILE_NAME))
