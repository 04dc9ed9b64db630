"""What the store costs: a year of minutes loaded, then asked for through the HTTP API and as bare SQL.

    python -m benchmarks.store                          20 sites x 8 zones x 365 days, 42 M zone minutes
    python -m benchmarks.store --sites 2 --days 60      a small one

Every site has eight zones, one of them the whole, and eight passages in a row, counted every minute from
08:00 to 20:00 local. Counts go in through the store's public write path; each of them is stored once as it
was counted and once more as the zone minute derived from it. Each query is then put by turns as the one
statement that finds its rows, compiled beforehand and run on the sqlite3 module, row by row, and as requests
to a service in a process of its own, over one kept-alive connection on loopback, the answer read to its end
and not parsed.
For several zones the statement sums their quarter-hours and leaves the hours to the reader.

The ratio is HTTP by the clock, client and loopback included, over the statement. The last column is the
processor time that the service's process took for the same, whatever else the machine was doing, measured
over at least a second of the query alone. Last comes a route of FastAPI that asks nothing: no request can
take less.
"""

from __future__ import annotations

import argparse
import http.client
import json
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from benchmarks.bare_route import running_bare_route
from contract import Granularity, MetricKey, Passage, Site, Zone, format_local
from contract.minutes import minute_number
from service.open_store import open_store, store_url
from service.store.bucket_keys import minute_range
from service.store.bucket_query import Reduction
from service.store.buckets import zone_statement
from service.store.protocol import (
    BucketQuery,
    KeyScope,
    Organization,
    PassageCount,
    SiteRecord,
    Store,
    WriteMode,
)
from service.store.sqlite.database import SqliteDatabase
from service.store.sqlite.store_file import FILE_NAME
from service.store.topology import read_topology
from tests.running_service import free_port, start_service

TIMEZONE = ZoneInfo("Europe/Zurich")
FIRST_DAY = datetime(2025, 1, 1, tzinfo=TIMEZONE)
ZONES = 8
OPEN_HOURS = (8, 20)
OPEN_MINUTES = (OPEN_HOURS[1] - OPEN_HOURS[0]) * 60
DAYS_AN_APPEND = 30
METRICS = (MetricKey.ENTRANCES, MetricKey.EXITS, MetricKey.VISITORS_INSIDE)
MEBIBYTE = 1024 * 1024
QUARTERS_OF_ZONES = """
    SELECT stored.minute, COUNT(*), MIN(minutes), SUM(entrances), SUM(exits), SUM(inside)
    FROM json_each(:zones) AS zones CROSS JOIN zone_quarters AS stored ON stored.number = zones.value
    WHERE stored.minute >= :start AND stored.minute < :end GROUP BY stored.minute"""


class Statement(NamedTuple):
    """SQL and its parameters, as SQLite's driver takes them."""

    text: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """The same query asked in two ways."""

    name: str
    statements: Sequence[Statement]
    bodies: Sequence[bytes]


@dataclass(frozen=True)
class Client:
    """As little as speaks HTTP, so that what is measured is the service."""

    connection: http.client.HTTPConnection
    secret: str
    service: psutil.Process

    def ask(self, body: bytes) -> None:
        headers = {"x-api-key": self.secret, "content-type": "application/json"}
        self.connection.request("POST", "/v3/metrics", body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text

    def service_seconds(self) -> float:
        times = self.service.cpu_times()
        return float(times.user + times.system)


@dataclass(frozen=True)
class Figures:
    """In milliseconds for the whole query."""

    statement: float
    http: float
    service: float
    """Processor time of the service's process."""


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        data_dir = arguments.data_dir or Path(scratch)
        store = open_store(store_url(data_dir))
        stored = _load(store, arguments.sites, arguments.days)
        _, secret = store.keys.create("benchmark", "benchmark", KeyScope.READ)
        store.close()
        size = (data_dir / FILE_NAME).stat().st_size
        print(f"size: {size / MEBIBYTE:,.0f} MiB, {size / stored / 2:.1f} bytes a minute row with its rollup")
        service = start_service(data_dir, is_anew=True)
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)) as connection:
                client = Client(connection, secret, psutil.Process(service.process.pid))
                _ask(client, data_dir / FILE_NAME, arguments)
        finally:
            service.stop()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--runs", type=int, default=30, help="times each query is asked each way")
    parser.add_argument("--data-dir", type=Path, help="keep the file here (default: a temporary folder)")
    return parser.parse_args()


def site_record(number: int) -> SiteRecord:
    """outside -> room 1 -> ... -> room 7 -> outside; the eighth zone is the whole site."""
    rooms = [f"room-{room}" for room in range(1, ZONES)]
    path = [None, *rooms, None]
    site = Site(
        id=f"site-{number}",
        name=f"Site {number}",
        timezone=TIMEZONE.key,
        organization_id="benchmark",
        zones=tuple(Zone(id=zone_id, name=zone_id) for zone_id in ("whole", *rooms)),
        passages=tuple(
            Passage(id=f"site-{number}-{step}", name="", from_zone_id=path[step], to_zone_id=path[step + 1])
            for step in range(ZONES)
        ),
    )
    return SiteRecord(site, "whole")


def _load(store: Store, sites: int, days: int) -> int:
    """How many passage minutes were stored."""
    records = [site_record(number) for number in range(sites)]
    store.catalogue.save(Organization("benchmark", "Benchmark"), records)
    chance = np.random.default_rng(seed=1)
    began = time.perf_counter()
    stored = 0
    for record in records:
        for first in range(0, days, DAYS_AN_APPEND):
            last = min(first + DAYS_AN_APPEND, days)
            store.metrics.append(_counts(record, first, last, chance), WriteMode.SET)
            stored += (last - first) * OPEN_MINUTES * ZONES
        rate = stored / (time.perf_counter() - began)
        print(f"\r{stored:>12,} passage minutes, {rate:>9,.0f} a second", end="", flush=True)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nloaded in {took:,.0f} s: {stored:,} passage minutes and as many zone minutes derived from them")
    print(f"load rate: {stored / took:,.0f} passage minutes a second, derivation, rollup and fsync included")
    print(f"peak memory while loading: {peak:,.0f} MiB")
    return stored


def _counts(record: SiteRecord, first: int, last: int, chance: np.random.Generator) -> Iterator[PassageCount]:
    """In the order in which they would arrive: minute by minute."""
    passages = [passage.id for passage in record.site.passages]
    for day in range(first, last):
        opens = (FIRST_DAY + timedelta(days=day)).replace(hour=OPEN_HOURS[0])
        minute = minute_number(opens)
        people = chance.poisson(1.5, size=(OPEN_MINUTES, ZONES, 2)).tolist()
        for after, by_passage in enumerate(people):
            for passage, (forward, backward) in zip(passages, by_passage, strict=True):
                yield PassageCount(passage, minute + after, forward, backward)


def _ask(client: Client, file: Path, arguments: argparse.Namespace) -> None:
    pragmas = ("cache_size = -32768", "temp_store = MEMORY")
    columns = f"{'statement':>10}{'HTTP':>10}{'ratio':>8}{'service CPU':>13}"
    print(f"\n{'p50 of ' + str(arguments.runs) + ' runs, in ms':<44}{columns}")
    with closing(sqlite3.connect(file)) as connection:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        for asked in _queries(file, arguments.sites, arguments.days):
            figures = _measure(asked, connection, client, arguments.runs)
            ratio = figures.http / figures.statement
            times = f"{figures.statement:>10.2f}{figures.http:>10.2f}{ratio:>8.2f}{figures.service:>13.2f}"
            print(f"{asked.name:<44}{times}")
    with (
        running_bare_route(port := free_port()) as process,
        closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection,
    ):
        bare = Client(connection, client.secret, psutil.Process(process))
        turns = [_timed(lambda: bare.ask(b"{}")) for _ in range(10 * arguments.runs)]
    print(f"{'a route that asks nothing':<54}{statistics.median(turns):>10.2f}")


def _queries(file: Path, sites: int, days: int) -> Iterator[Asked]:
    database = SqliteDatabase(file)
    try:
        zone_ids = tuple(zone.id for zone in site_record(0).site.zones)
        middle = days // 2
        first = max(middle - 45, 0)
        for name, granularity, days_asked, zones in (
            ("a year by day, Europe/Zurich, one zone", Granularity.DAY, (0, days), ("room-3",)),
            ("a day by minute, one zone", Granularity.MINUTE, (middle, middle + 1), ("room-3",)),
            ("8 zones x 90 days by hour", Granularity.HOUR, (first, min(first + 90, days)), zone_ids),
        ):
            query = _query(granularity, *days_asked, zones)
            yield Asked(name, [_statement(database, query)], [_body(query)])
        yield _newest_of_all(database, sites)
    finally:
        database.close()


def _query(granularity: Granularity, first: int, last: int, zone_ids: Sequence[str]) -> BucketQuery:
    """Of the days [first, last) of the first site."""
    return BucketQuery(
        site_id="site-0",
        metrics=METRICS,
        start=FIRST_DAY + timedelta(days=first),
        end=FIRST_DAY + timedelta(days=last),
        granularity=granularity,
        timezone=TIMEZONE,
        zone_ids=zone_ids,
    )


def _statement(database: SqliteDatabase, query: BucketQuery) -> Statement:
    start, end = minute_number(query.start), minute_number(query.end)
    with database.reading() as connection:
        topology = read_topology(connection, query.site_id)
    zones = [topology.zones[zone_id] for zone_id in query.zone_ids]
    if len(zones) > 1:
        return Statement(QUARTERS_OF_ZONES, {"zones": json.dumps(zones), "start": start, "end": end})
    minutes = minute_range(start, end, query.granularity, query.timezone)
    reduction = Reduction(tuple(query.metrics), query.granularity, None)
    statement, parameters = zone_statement(reduction, zones[0], minutes)
    return Statement(*statement.for_driver("sqlite", **parameters))


def _body(query: BucketQuery) -> bytes:
    body = {
        "metrics": list(query.metrics),
        "siteId": query.site_id,
        "from": format_local(query.start, query.timezone),
        "to": format_local(query.end, query.timezone),
        "granularity": query.granularity,
        "timezone": query.timezone.key,
        "filter": {"zoneIds": list(query.zone_ids)},
    }
    return json.dumps(body).encode()


def _newest_of_all(database: SqliteDatabase, sites: int) -> Asked:
    site_ids = [site_record(number).site.id for number in range(sites)]
    with database.reading() as connection:
        numbers = [read_topology(connection, site_id).zones["whole"] for site_id in site_ids]
    newest = "SELECT * FROM zone_minutes WHERE number = :number ORDER BY minute DESC LIMIT 1"
    statements = [Statement(newest, {"number": number}) for number in numbers]
    bodies = [
        json.dumps({"metrics": list(METRICS), "siteId": site_id, "from": "now", "to": "now"}).encode()
        for site_id in site_ids
    ]
    return Asked(f"newest of all {sites} sites", statements, bodies)


def _measure(asked: Asked, connection: sqlite3.Connection, client: Client, runs: int) -> Figures:
    """Medians of statement and HTTP, asked by turns after one turn to warm up."""

    def by_statement() -> None:
        for statement in asked.statements:
            connection.execute(statement.text, statement.parameters).fetchall()

    def by_http() -> None:
        for body in asked.bodies:
            client.ask(body)

    turns = [(_timed(by_statement), _timed(by_http)) for _ in range(runs + 1)][1:]
    return Figures(
        statistics.median(bare for bare, _ in turns),
        statistics.median(http for _, http in turns),
        _service_milliseconds(by_http, client),
    )


def _service_milliseconds(by_http: Callable[[], None], client: Client) -> float:
    """The clock of processes ticks a hundred times a second: only over many turns does it tell one."""
    began = client.service_seconds()
    turns = 0
    while (used := client.service_seconds() - began) < 1.0:
        by_http()
        turns += 1
    return used / turns * 1000


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
