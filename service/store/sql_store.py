"""The store in one database, whichever engine that is of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from contract.minutes import minute_number
from service.store.archive_protocol import Archive
from service.store.archiving import SqlArchiving
from service.store.audit import SqlAuditLog
from service.store.catalogue import SqlSiteCatalogue
from service.store.database import Database, ReplicaState
from service.store.errors import StoreError, StoreUnfinishedError
from service.store.idempotency_keys import IdempotencyKeys
from service.store.keys import SqlKeyRing
from service.store.levels import SqlLevelStore
from service.store.mappings import SqlMappingStore
from service.store.metrics import SqlMetricStore
from service.store.move_mark import is_marked
from service.store.newest import ANY_MINUTE
from service.store.protocol import Store
from service.store.retention import SqlRetention
from service.store.sensors import SqlSensorRegistry
from service.store.series_import import SqlCountImports


class SqlStore:
    """`Store` in a database, which is public for tests alone."""

    def __init__(
        self,
        database: Database,
        archive: Archive,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
    ) -> None:
        self.database = database
        self._clock = clock
        self._archive = archive
        self.audit = SqlAuditLog(database, clock)
        self.keys = SqlKeyRing(database, self.audit, clock)
        idempotency_keys = IdempotencyKeys(database, monotonic)
        self.metrics = SqlMetricStore(database, archive, idempotency_keys, clock)
        self.imports = SqlCountImports(database, self.metrics)
        self.retention = SqlRetention(database, self.metrics, clock)
        self.archiving = SqlArchiving(database, self.metrics, archive)
        self.levels = SqlLevelStore(database, self.metrics, self.audit, idempotency_keys)
        self.sensors = SqlSensorRegistry(database, self.metrics, self.audit)
        self.mappings = SqlMappingStore(database, self.audit, clock)
        self.catalogue = SqlSiteCatalogue(
            database, self.audit, on_change=self._refresh, known_site=self.metrics.known_site
        )

    def _refresh(self, site_ids: frozenset[str]) -> None:
        self.metrics.refresh_stored(dict.fromkeys(site_ids, ANY_MINUTE))

    def reading_together(self) -> AbstractContextManager[None]:
        return self.database.reading_together()

    def wait_for_changes(self, seconds: float, stop: threading.Event) -> None:
        self.database.wait_for_changes(seconds, stop)

    def announce_by(self, announce: Callable[[], None] | None) -> None:
        self.database.announce_by(announce)

    def make_ready(self) -> None:
        self.database.make_ready(minute_number(self._clock()))

    def check(self) -> None:
        self.database.check()

    def trouble(self) -> StoreError | None:
        return self.database.trouble()

    def replica(self) -> ReplicaState | None:
        return self.database.replica()

    def stop_waiting(self) -> None:
        self.database.stop_waiting()

    def close(self) -> None:
        self.database.close()
        self._archive.close()


def opened_store(
    database: Database,
    archive: Archive,
    *,
    clock: Callable[[], datetime],
    monotonic: Callable[[], float],
) -> Store:
    """Takes as long as is missing of an import whose process was killed. Raises StoreError, such as
    StoreUnfinishedError; the database is closed then.
    """
    try:
        with database.reading() as connection:
            if is_marked(connection):
                raise StoreUnfinishedError(  # noqa: TRY301
                    f"A move into {database.where} is not finished: it has a part of the counts alone. Run"
                    " `python -m service migrate-store FROM TO` again with the same URLs, or begin with an"
                    " empty one."
                )
        store = SqlStore(database, archive, clock, monotonic)
        store.make_ready()
        store.imports.take_up()
        return store  # noqa: TRY300
    except BaseException:
        database.close()
        archive.close()
        raise
