"""What `counts import` costs in processor time and memory, and how long sensors and readers wait beside it.

    python -m benchmarks.count_import                      715,000 rows at 1, 5 and 15 minutes, and a quarter
    python -m benchmarks.count_import --rows 100000        smaller
    python -m benchmarks.count_import --beside 5000000     beside a service, its sensor and its reader

Eight passages of one site with two zones, rows in order of time. The yardstick is Python's csv module going
once through the same file and doing nothing with it. The command runs in a process of its own; its processor
time is that process's, start included.

Beside a service: a sensor posts a count every 50 ms and a reader asks for a year by the day every 100 ms,
over HTTP, for half a minute alone and then for as long as the import takes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import httpx

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope
from tests.running_service import start_service

PASSAGES = [f"door-{number}" for number in range(8)]
FIRST = datetime(2020, 1, 1, tzinfo=UTC)
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Cost:
    """Of one import."""

    processor: float
    """Seconds."""
    memory: int
    """Peak of the process, in bytes."""


@dataclass
class Waits:
    """Of who asks over HTTP, in seconds."""

    answered: list[float] = field(default_factory=list)
    refused: int = 0

    def __str__(self) -> str:
        median, longest = statistics.median(self.answered), max(self.answered)
        tenth = statistics.quantiles(self.answered, n=100)[98]
        return (
            f"{len(self.answered):,} answers, half of them within {median * 1e3:,.0f} ms, 99 % within"
            f" {tenth * 1e3:,.0f}, the longest wait {longest * 1e3:,.0f}; {self.refused} refused"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=715_000)
    parser.add_argument("--beside", type=int, help="rows of an import beside a service")
    arguments = parser.parse_args()
    if arguments.beside:
        _beside(arguments.beside)
        return
    rows: int = arguments.rows
    for number, interval in ((rows // 4, 5), (rows, 1), (rows, 5), (rows, 15)):
        with tempfile.TemporaryDirectory() as scratch:
            file = _count_file(Path(scratch) / "counts.csv", number, interval)
            yardstick = _read_seconds(file)
            cost = _import(Path(scratch), file, interval)
        print(
            f"{number:,} rows of {interval} min: {number / cost.processor:,.0f} rows and"
            f" {number * interval / cost.processor:,.0f} passage minutes a processor second,"
            f" {cost.processor / yardstick:.1f} times the csv module, {cost.memory / MEBIBYTE:,.0f} MiB"
        )


def _count_file(path: Path, rows: int, interval: int) -> Path:
    random = Random(1)
    with path.open("w") as file:
        file.write("timestamp,passageId,forward,backward\n")
        for row in range(0, rows, len(PASSAGES)):
            start = FIRST + timedelta(minutes=row // len(PASSAGES) * interval)
            file.writelines(
                f"{start.isoformat()},{passage},{random.randrange(12)},{random.randrange(12)}\n"
                for passage in PASSAGES[: rows - row]
            )
    return path


def _read_seconds(file: Path) -> float:
    started = time.process_time()
    with file.open(newline="") as text:
        for _ in csv.reader(text):
            pass
    return time.process_time() - started


def _import(folder: Path, file: Path, interval: int) -> Cost:
    _make_site(folder)
    command = _command(folder, "counts", file, "--interval", str(interval))
    return _run(command)


def _make_site(folder: Path) -> None:
    zones = [{"id": "all", "name": "All"}, {"id": "room", "name": "Room"}]
    passages = [{"id": passage, "name": passage, "toZoneId": "room"} for passage in PASSAGES]
    site = {"id": "site", "name": "Site", "organizationId": "o", "zones": zones, "passages": passages}
    (folder / "site.json").write_text(json.dumps(site))
    subprocess.run(_command(folder, "sites", folder / "site.json"), check=True, capture_output=True)


def _beside(rows: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        file = _count_file(folder / "counts.csv", rows, 1)
        _make_site(folder)
        with closing(open_store(store_url(folder))) as store:
            keys = {scope: store.keys.create("o", scope, scope)[1] for scope in KeyScope}
        service = start_service(folder, is_anew=True)
        try:
            with _asking(service.base_url, keys) as alone:
                time.sleep(30)
            with _asking(service.base_url, keys) as meanwhile:
                started = time.monotonic()
                cost = _run(_command(folder, "counts", file))
                took = time.monotonic() - started
        finally:
            service.stop()
        with closing(open_store(store_url(folder))) as store:
            assert not any(site.differences for site in store.metrics.check())
    print(
        f"{rows:,} rows imported in {took:.0f} s beside a service, {cost.memory / MEBIBYTE:,.0f} MiB at most"
    )
    for who in alone:
        print(f"{who} alone: {alone[who]}")
        print(f"{who} beside the import: {meanwhile[who]}")


def _run(command: list[str]) -> Cost:
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


@contextmanager
def _asking(address: str, keys: dict[KeyScope, str]) -> Iterator[dict[str, Waits]]:
    """A sensor and a reader, for as long as the block takes."""
    waits = {"sensor": Waits(), "reader": Waits()}
    ended = threading.Event()

    def ask(who: Waits, path: str, key: str, body: Callable[[], object], pause: float) -> None:
        with httpx.Client(base_url=address, headers={"x-api-key": key}, timeout=60) as client:
            while not ended.wait(pause):
                before = time.monotonic()
                answer = client.post(path, json=body())
                who.refused += answer.status_code != 200
                who.answered.append(time.monotonic() - before)

    def count() -> object:
        now = datetime.now(UTC).isoformat()
        return [{"timestamp": now, "passageId": "door-0", "forward": 1, "backward": 0}]

    def query() -> object:
        asked = {"metrics": ["visitorsInside", "entrances"], "siteId": "site", "granularity": "day"}
        return asked | {"from": "2020-01-01T00:00:00", "to": "2021-01-01T00:00:00"}

    askers = [
        threading.Thread(
            target=ask, args=(waits["sensor"], "/ingest/counts", keys[KeyScope.INGEST], count, 0.05)
        ),
        threading.Thread(target=ask, args=(waits["reader"], "/v3/metrics", keys[KeyScope.READ], query, 0.1)),
    ]
    for asker in askers:
        asker.start()
    try:
        yield waits
    finally:
        ended.set()
        for asker in askers:
            asker.join()


def _command(folder: Path, noun: str, file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "service", noun, "import", str(file), *options, "--data-dir", str(folder)]


if __name__ == "__main__":
    main()
