"""The store in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from service.store.audit import SqlAuditLog
from service.store.catalogue import SqlSiteCatalogue
from service.store.errors import StoreError
from service.store.idempotency_keys import IdempotencyKeys
from service.store.keys import SqlKeyRing
from service.store.levels import SqlLevelStore
from service.store.mappings import SqlMappingStore
from service.store.metrics import ANY_MINUTE, SqlMetricStore
from service.store.protocol import Store
from service.store.retention import SqlRetention
from service.store.sensors import SqlSensorRegistry
from service.store.series_import import SqlCountImports
from service.store.sqlite_database import SqliteDatabase
from service.store.store_file import file_of, make_folder, no_access, reason_of


class SqliteStore:
    """`Store` in a file. `database` is public for tests alone."""

    def __init__(
        self, database: SqliteDatabase, clock: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        self.database = database
        self.audit = SqlAuditLog(database, clock)
        self.keys = SqlKeyRing(database, self.audit, clock)
        idempotency_keys = IdempotencyKeys(database, monotonic)
        self.metrics = SqlMetricStore(database, idempotency_keys=idempotency_keys, clock=clock)
        self.imports = SqlCountImports(database, self.metrics)
        self.retention = SqlRetention(database, self.metrics, clock)
        self.levels = SqlLevelStore(database, self.metrics, self.audit, idempotency_keys)
        self.sensors = SqlSensorRegistry(database, self.metrics, self.audit)
        self.mappings = SqlMappingStore(database, self.audit, clock)
        self.catalogue = SqlSiteCatalogue(
            database, self.audit, on_change=self._refresh, known_site=self.metrics.known_site
        )

    def _refresh(self, site_ids: frozenset[str]) -> None:
        self.metrics.refresh_stored(dict.fromkeys(site_ids, ANY_MINUTE))

    def check(self) -> None:
        self.database.check_files()

    def trouble(self) -> StoreError | None:
        return self.database.trouble()

    def close(self) -> None:
        self.database.close()


def open_sqlite(url: str, *, clock: Callable[[], datetime], monotonic: Callable[[], float]) -> Store:
    """The store in the file that a URL names, made if it is not there. Raises StoreError.

    Takes as long as is missing of an import whose process was killed.
    """
    file = file_of(url)
    try:
        make_folder(file.parent)
    except OSError as error:
        raise no_access(file.parent, reason_of(error)) from error
    database = SqliteDatabase(file)
    try:
        store = SqliteStore(database, clock, monotonic)
        store.imports.take_up()
        return store  # noqa: TRY300
    except BaseException:
        database.close()
        raise
