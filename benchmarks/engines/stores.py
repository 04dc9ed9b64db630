"""The service's own store: in a file, in PostgreSQL, and in PostgreSQL with its old days in ClickHouse."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.engines.engine import Asked, Post, Served
from benchmarks.engines.sizes import Piece, people
from benchmarks.store import METRICS, TIMEZONE, ZONES, site_record
from contract import Granularity
from service.latest_values import latest_of_site, listed_sites
from service.open_store import open_store
from service.store.protocol import (
    BucketQuery,
    CountSeries,
    KeyScope,
    Organization,
    PassageCount,
    Store,
    WriteMode,
)
from service.store.sqlite.store_file import FILE_NAME, sqlite_url
from tests.running_clickhouse import RunningClickHouse
from tests.running_postgresql import RunningPostgresql
from tests.running_service import start_service

ORGANIZATION: Final = Organization("benchmark", "Benchmark")
KEPT_DAYS: Final = 1
"""That stay in PostgreSQL where there is an archive."""


def post_to(store: Store) -> Post:
    def post(site: int, minute: int) -> None:
        counts = [PassageCount(f"site-{site}-{door}", minute, 2, 1) for door in range(ZONES)]
        store.metrics.append(counts, WriteMode.ADD)

    return post


@dataclass(frozen=True)
class StorePoster:
    url: str
    archive: str | None

    @contextmanager
    def opened(self) -> Iterator[Post]:
        with closing(open_store(self.url, archive=self.archive)) as store:
            yield post_to(store)


@dataclass
class OfStore:
    name: str
    url: str
    size: Callable[[], int]
    after_load: Callable[[Store], Mapping[str, float]]
    archive: str | None = None
    _secrets: tuple[str, ...] = ()
    store: Store = field(init=False)

    def __post_init__(self) -> None:
        self.store = open_store(self.url, archive=self.archive)

    @property
    def poster(self) -> StorePoster:
        return StorePoster(self.url, self.archive)

    def add_sites(self, first: int, end: int) -> None:
        self.store.catalogue.save(ORGANIZATION, [site_record(number) for number in range(first, end)])

    def load(self, piece: Piece) -> None:
        forward, backward = people(piece)
        self.store.metrics.append_series(
            CountSeries(f"site-{piece.site}-{door}", piece.minutes, forward[door], backward[door])
            for door in range(ZONES)
        )

    @property
    def post(self) -> Post:
        return post_to(self.store)

    def settle(self) -> Mapping[str, float]:
        return self.after_load(self.store)

    def asks(self, asked: Asked, start: datetime, end: datetime) -> Callable[[], Any]:
        rooms = [zone.id for zone in site_record(0).site.zones]
        zones = tuple(rooms if asked.zones == ZONES else rooms[3:4])
        query = BucketQuery("site-0", METRICS, start, end, Granularity(asked.unit), TIMEZONE, zones)
        return lambda: self.store.metrics.past(query)

    def latest(self, sites: int) -> Callable[[], Any]:  # noqa: ARG002 - all that it has
        def told() -> list[Any]:
            now = datetime.now(UTC)
            listed = listed_sites(self.store, ORGANIZATION.id, now, now)
            return [latest_of_site(self.store.metrics, site) for site in listed.values()]

        return told

    def served(self) -> AbstractContextManager[Served] | None:
        return self._served()

    @contextmanager
    def _served(self) -> Iterator[Served]:
        if not self._secrets:
            self._secrets = tuple(
                self.store.keys.create(ORGANIZATION.id, scope, scope)[1]
                for scope in (KeyScope.READ, KeyScope.INGEST)
            )
        environment = {"HEADROOM_SERVICE_STORE": self.url, "HEADROOM_SERVICE_KEY_REQUESTS": "100000"}
        if self.archive:
            environment["HEADROOM_SERVICE_ARCHIVE"] = self.archive
        with tempfile.TemporaryDirectory() as folder:
            service = start_service(Path(folder), environment=environment, is_anew=True)
            try:
                yield Served(service, *self._secrets)
            finally:
                service.kill()

    def bytes_used(self) -> int:
        return self.size()

    def close(self) -> None:
        self.store.close()


def in_file(folder: Path) -> OfStore:
    file = folder / FILE_NAME

    def settled(_: Store) -> Mapping[str, float]:
        # Its log is not counted, as PostgreSQL's is not either: what is in it belongs to the file.
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint")
        return {}

    return OfStore("file", sqlite_url(folder), lambda: file.stat().st_size, settled)


def in_postgresql(server: RunningPostgresql) -> OfStore:
    def settled(_: Store) -> Mapping[str, float]:
        vacuum(server)
        return {}

    server.run("CREATE SCHEMA growth")
    return OfStore("PostgreSQL", server.url("growth"), lambda: size_of_schema(server), settled)


def with_archive(server: RunningPostgresql, clickhouse: RunningClickHouse, seconds: float) -> OfStore:
    """Days are brought there for so many seconds after each load, at most; the first load is always."""
    shipped_before = False

    def settled(store: Store) -> Mapping[str, float]:
        nonlocal shipped_before
        before, begun, stop = rows_of_schema(server), time.perf_counter(), threading.Event()
        ending = threading.Timer(seconds, stop.set)
        if shipped_before:
            ending.start()
        shipped_before = True
        store.archiving.ship(KEPT_DAYS, datetime.now(UTC), stop)
        ending.cancel()
        took = time.perf_counter() - begun
        if trouble := store.archiving.trouble():
            raise trouble
        after = rows_of_schema(server)
        vacuum(server)
        return {"archived rows a second": (before - after) / took, "million rows not archived": after / 1e6}

    server.run("CREATE SCHEMA growth")
    return OfStore(
        "PostgreSQL, archive",
        server.url("growth"),
        lambda: size_of_schema(server) + size_of(clickhouse.folder),
        settled,
        archive=clickhouse.url(clickhouse.folder),
    )


def vacuum(server: RunningPostgresql) -> None:
    """What PostgreSQL does by itself a while after."""
    for statement in ("VACUUM (ANALYZE)", "CHECKPOINT"):
        server.run(statement)


def size_of(folder: Path) -> int:
    """Of its files, of which some may go meanwhile."""
    found = 0
    for path in folder.rglob("*"):
        try:
            found += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return found


def rows_of_schema(server: RunningPostgresql) -> int:
    with psycopg.connect(server.address) as connection:
        found = connection.execute("SELECT COUNT(*) FROM growth.zone_minutes").fetchone()
    assert found
    return int(found[0])


def size_of_schema(server: RunningPostgresql) -> int:
    with psycopg.connect(server.address) as connection:
        total = connection.execute(
            "SELECT SUM(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'growth'::regnamespace"
        ).fetchone()
    assert total
    return int(total[0])
