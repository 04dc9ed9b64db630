"""How the store grows on each engine: a file, PostgreSQL, and a plain table of PostgreSQL's without a rollup.

    python -m benchmarks.engines                          10, 30 and 100 sites x 8 zones x 30 days
    python -m benchmarks.engines --sites 5 20 --days 7    smaller ones

Counts go in through the store's public write path, every minute of the day, and then some one by one as posts
bring them: of one site and minute, 8 counts, a transaction that is on the disk. Then the store's own answers
are asked for. The plain table has the zone minutes alone, with their key as the only index, filled by COPY;
it is asked in SQL that its reader would write. Times are p50 in ms, the ratio to the file's in the same run
in brackets; bytes are of a minute row of a zone, with all that is derived.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import psycopg

from benchmarks.store import FIRST_DAY, METRICS, TIMEZONE, ZONES, _record
from contract import Granularity
from contract.minutes import minute_number, minute_start
from service.open_store import open_store
from service.store.protocol import BucketQuery, CountSeries, Organization, PassageCount, Store, WriteMode
from service.store.sqlite.store_file import FILE_NAME, sqlite_url
from tests.running_postgresql import RunningPostgresql, begin_postgresql, end_postgresql

_RUNS = 15
_POSTS = 60
_SERVER = {"shared_buffers": "1GB", "jit": "off"}
_MINUTES_A_DAY = 1440


class Engine(Protocol):
    name: str

    def load(self, sites: int, days: int) -> None: ...

    def post(self, site: int, minute: int) -> None: ...

    def asked(self, sites: int, days: int) -> Mapping[str, Callable[[], Any]]: ...

    def bytes_used(self) -> int: ...


def people(site: int, minutes: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Who passes each of the eight doors in each minute: as many in as out over the day, about."""
    return np.random.default_rng(site).poisson(1.5, size=(2, ZONES, minutes)).astype(np.int64)


@dataclass
class OfStore:
    name: str
    store: Store
    size: Callable[[], int]

    def load(self, sites: int, days: int) -> None:
        records = [_record(number) for number in range(sites)]
        self.store.catalogue.save(Organization("benchmark", "Benchmark"), records)
        first = minute_number(FIRST_DAY)
        minutes = np.arange(first, first + days * _MINUTES_A_DAY, dtype=np.int64)
        for number, record in enumerate(records):
            forward, backward = people(number, len(minutes))
            self.store.metrics.append_series(
                CountSeries(passage.id, minutes, forward[door], backward[door])
                for door, passage in enumerate(record.site.passages)
            )

    def post(self, site: int, minute: int) -> None:
        counts = [PassageCount(f"site-{site}-{door}", minute, 2, 1) for door in range(ZONES)]
        self.store.metrics.append(counts, WriteMode.ADD)

    def asked(self, sites: int, days: int) -> Mapping[str, Callable[[], Any]]:
        zones = tuple(zone.id for zone in _record(0).site.zones)

        def buckets(granularity: Granularity, length: int, zone_ids: Sequence[str]) -> Callable[[], Any]:
            query = BucketQuery(
                f"site-{sites // 2}", METRICS, FIRST_DAY, FIRST_DAY + timedelta(days=length), granularity,
                TIMEZONE, tuple(zone_ids),
            )  # fmt: skip
            return lambda: self.store.metrics.buckets(query)

        return {
            "a day by minute": buckets(Granularity.MINUTE, 1, ["room-3"]),
            "all days by day": buckets(Granularity.DAY, days, ["room-3"]),
            "8 zones x all days by hour": buckets(Granularity.HOUR, days, zones),
            "latest of all sites": lambda: [
                self.store.metrics.newest(f"site-{site}", metrics=METRICS) for site in range(sites)
            ],
        }

    def bytes_used(self) -> int:
        return self.size()


@dataclass
class Plain:
    """Zone minutes in one table."""

    server: RunningPostgresql
    name: str = "plain table"

    def __post_init__(self) -> None:
        self._connection = psycopg.connect(self.server.address)
        self._connection.execute(
            "CREATE TABLE plain (zone int, minute timestamptz, entrances int, exits int, inside int,"
            " PRIMARY KEY (zone, minute))"
        )
        self._connection.commit()

    def load(self, sites: int, days: int) -> None:
        first, length = minute_number(FIRST_DAY), days * _MINUTES_A_DAY
        stamps = [minute_start(first + minute) for minute in range(length)]
        copied = "COPY plain FROM STDIN"
        for site in range(sites):
            forward, backward = people(site, length)
            with self._connection.cursor() as cursor, cursor.copy(copied) as rows:
                for door in range(ZONES):
                    inside = np.maximum(np.cumsum(forward[door] - backward[door]), 0)
                    columns = zip(
                        stamps, forward[door].tolist(), backward[door].tolist(), inside.tolist(), strict=True
                    )
                    for row in columns:
                        rows.write_row((site * ZONES + door, *row))
            self._connection.commit()
        self._connection.execute("ANALYZE plain")
        self._connection.commit()

    def post(self, site: int, minute: int) -> None:
        rows = [(site * ZONES + door, minute_start(minute)) for door in range(ZONES)]
        with self._connection.cursor() as cursor:
            cursor.executemany("INSERT INTO plain VALUES (%s, %s, 2, 1, 1)", rows)
        self._connection.commit()

    def asked(self, sites: int, days: int) -> Mapping[str, Callable[[], Any]]:
        first = (sites // 2) * ZONES
        zones = list(range(first, first + ZONES))

        def grouped(unit: str, length: int, numbers: list[int]) -> Callable[[], Any]:
            statement = (
                f"SELECT date_trunc('{unit}', minute AT TIME ZONE 'Europe/Zurich'), SUM(entrances),"
                " SUM(exits), AVG(inside) FROM (SELECT minute, SUM(entrances) AS entrances,"
                " SUM(exits) AS exits, SUM(inside) AS inside FROM plain"
                " WHERE zone = ANY(%s) AND minute >= %s AND minute < %s"
                " GROUP BY minute) AS summed GROUP BY 1 ORDER BY 1"
            )
            asked = (numbers, FIRST_DAY, FIRST_DAY + timedelta(days=length))
            return lambda: self._rows(statement, asked)

        latest = (
            "SELECT zone, newest.* FROM unnest(%s::int[]) AS zone, LATERAL"
            " (SELECT minute, entrances, exits, inside FROM plain WHERE plain.zone = zone.zone"
            " ORDER BY minute DESC LIMIT 1) AS newest"
        )
        tops = [site * ZONES for site in range(sites)]
        return {
            "a day by minute": grouped("minute", 1, zones[3:4]),
            "all days by day": grouped("day", days, zones[3:4]),
            "8 zones x all days by hour": grouped("hour", days, zones),
            "latest of all sites": lambda: self._rows(latest, (tops,)),
        }

    def _rows(self, statement: str, asked: tuple[Any, ...]) -> list[Any]:
        rows = self._connection.execute(statement.encode(), asked).fetchall()
        self._connection.rollback()
        return rows

    def bytes_used(self) -> int:
        [[size]] = self._rows("SELECT pg_total_relation_size('plain')", ())
        return int(size)


def size_of_schema(server: RunningPostgresql) -> int:
    with psycopg.connect(server.address) as connection:
        total = connection.execute(
            "SELECT SUM(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'growth'::regnamespace"
        ).fetchone()
    assert total
    return int(total[0])


def p50(ask: Callable[[], Any]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(_RUNS):
        begin = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def measured(engine: Engine, sites: int, days: int) -> Iterator[tuple[str, float]]:
    begin = time.perf_counter()
    engine.load(sites, days)
    rows = sites * ZONES * days * _MINUTES_A_DAY
    yield "rows loaded a second", rows / (time.perf_counter() - begin)
    yield "bytes a row", engine.bytes_used() / rows
    last = minute_number(FIRST_DAY) + days * _MINUTES_A_DAY
    posted = iter(range(_POSTS + 1))

    def post() -> None:
        number = next(posted)
        engine.post(number % sites, last + number // sites)

    post()
    times = []
    for _ in range(_POSTS):
        begin = time.perf_counter()
        post()
        times.append(1000 * (time.perf_counter() - begin))
    yield "a post of 8 counts", statistics.median(times)
    for name, ask in engine.asked(sites, days).items():
        ask()
        yield name, p50(ask)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--days", type=int, default=30)
    arguments = parser.parse_args()
    for sites in arguments.sites:
        with ExitStack() as ending:
            found = {engine.name: dict(measured(engine, sites, arguments.days)) for engine in engines(ending)}
        _print(sites, arguments.days, found)


def engines(ending: ExitStack) -> Iterator[Engine]:
    folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
    file = ending.enter_context(closing(open_store(sqlite_url(folder))))
    yield OfStore("file", file, lambda: (folder / FILE_NAME).stat().st_size)
    server = begin_postgresql(_SERVER)
    ending.callback(end_postgresql, server)
    server.run("CREATE SCHEMA growth")
    store = ending.enter_context(closing(open_store(server.url("growth"))))
    yield OfStore("PostgreSQL", store, lambda: size_of_schema(server))
    yield Plain(server)


def _print(sites: int, days: int, found: Mapping[str, Mapping[str, float]]) -> None:
    print(
        f"\n{f'{sites} sites x {ZONES} zones x {days} days':<30}" + "".join(f"{name:>22}" for name in found)
    )
    for name, of_file in found["file"].items():
        told = (f"{figures[name]:,.1f} ({figures[name] / of_file:.2f})" for figures in found.values())
        print(f"{name:<30}" + "".join(f"{one:>22}" for one in told))


if __name__ == "__main__":
    main()
