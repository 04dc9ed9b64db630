"""What `counts import` costs in processor time and memory, and how long it locks the store.

    python -m benchmarks.count_import                   715,000 rows at 1, 5 and 15 minutes, and a quarter
    python -m benchmarks.count_import --rows 100000     smaller

Eight passages of one site with two zones, rows in order of time. The yardstick is Python's csv module going
once through the same file and doing nothing with it. The command runs in a process of its own; its processor
time is that process's, start included. Locked is how long, by the clock, another process would have had to
wait to begin a write: it tries again every 20 ms.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from service.store.store_file import FILE_NAME

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
    locked: float
    """Seconds."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=715_000)
    rows: int = parser.parse_args().rows
    for number, interval in ((rows // 4, 5), (rows, 1), (rows, 5), (rows, 15)):
        with tempfile.TemporaryDirectory() as scratch:
            file = _count_file(Path(scratch) / "counts.csv", number, interval)
            yardstick = _read_seconds(file)
            cost = _import(Path(scratch), file, interval)
        print(
            f"{number:,} rows of {interval} min: {number / cost.processor:,.0f} rows and"
            f" {number * interval / cost.processor:,.0f} passage minutes a processor second,"
            f" {cost.processor / yardstick:.1f} times the csv module, {cost.memory / MEBIBYTE:,.0f} MiB,"
            f" store locked {cost.locked:.1f} s"
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
    zones = [{"id": "all", "name": "All"}, {"id": "room", "name": "Room"}]
    passages = [{"id": passage, "name": passage, "toZoneId": "room"} for passage in PASSAGES]
    site = {"id": "site", "name": "Site", "organizationId": "o", "zones": zones, "passages": passages}
    (folder / "site.json").write_text(json.dumps(site))
    subprocess.run(_command(folder, "sites", folder / "site.json"), check=True, capture_output=True)
    command = _command(folder, "counts", file, "--interval", str(interval))
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    locked = 0.0
    with closing(sqlite3.connect(folder / FILE_NAME, timeout=0, isolation_level=None)) as other:
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            before = time.monotonic()
            try:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
                free = True
            except sqlite3.OperationalError:
                free = False
            time.sleep(0.02)
            locked += 0 if free else time.monotonic() - before
    _, status, used = ended
    assert status == 0
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, locked)


def _command(folder: Path, noun: str, file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "service", noun, "import", str(file), *options, "--data-dir", str(folder)]


if __name__ == "__main__":
    main()
