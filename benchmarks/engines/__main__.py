"""How the store grows on each engine, in one run: a file, PostgreSQL, PostgreSQL with its old days in
ClickHouse, and a plain table of PostgreSQL's without anything derived.

    python -m benchmarks.engines                               100, 1,000 and 5,000 sites x 8 zones
    python -m benchmarks.engines --sites 5 20 --year 30        a small run
    python -m benchmarks.engines --only file PostgreSQL        some of the engines
    python -m benchmarks.engines --sites 100 --grown 10 30     more days of as many sites

One site has every minute of a year and is asked; all others have some hours of the last days, so that what
is asked is the same in a table that grows: first by days, of the first number of sites, and then by sites.
Counts go in through the store's public write path, a site at a time; into the plain table by COPY, zone
minutes alone. After each size: the bytes of a zone's minute with all that belongs to it; posts of 8 counts at
the running minute, each a transaction that is on the disk; four processes that post at once; the store's own
answers, p50 of 15, of the plain table in SQL that its reader would write; a service that is started on the
store, asked for the newest values of all sites (`GET /live/sites`, one answer) and heard live while one count
of each site is posted over HTTP, by one reader of all sites and 20 of one. Processor time is the service's.

ClickHouse is chDB, its engine in one process that answers one question at a time, over HTTP. All days but the
last are archived there, of all sites but the one that is asked for as long as `--archive` says.

Times are in ms but where it says otherwise; the ratio to the first engine's in brackets.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.engines.engine import Engine
from benchmarks.engines.measured import Found, measured
from benchmarks.engines.plain import Plain
from benchmarks.engines.sizes import YEAR, Calendar, Step
from benchmarks.engines.stores import in_file, in_postgresql, with_archive
from benchmarks.engines.told import GIGABYTE, bends, on_paper, planned, table
from tests.running_clickhouse import running_clickhouse
from tests.running_postgresql import RunningPostgresql, begin_postgresql, end_postgresql

_SERVER: Final = {"shared_buffers": "1GB", "jit": "off", "max_wal_size": "4GB"}


@contextmanager
def postgresql() -> Iterator[RunningPostgresql]:
    server = begin_postgresql(_SERVER)
    try:
        yield server
    finally:
        end_postgresql(server)


def _file(ending: ExitStack, _: argparse.Namespace) -> Engine:
    return in_file(Path(ending.enter_context(tempfile.TemporaryDirectory())))


def _postgresql(ending: ExitStack, _: argparse.Namespace) -> Engine:
    return in_postgresql(ending.enter_context(postgresql()))


def _archive(ending: ExitStack, asked: argparse.Namespace) -> Engine:
    server, clickhouse = ending.enter_context(postgresql()), ending.enter_context(running_clickhouse())
    return with_archive(server, clickhouse, asked.archive)


def _plain(ending: ExitStack, _: argparse.Namespace) -> Engine:
    return Plain(ending.enter_context(postgresql()))


ENGINES: Final[dict[str, Callable[[ExitStack, argparse.Namespace], Engine]]] = {
    "file": _file,
    "PostgreSQL": _postgresql,
    "archive": _archive,
    "plain": _plain,
}


def main() -> None:
    asked = _arguments()
    # Ended by others it ends all that it has started, as by Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sites = sorted(set(asked.sites))
    grown = [Step(sites[0], days) for days in sorted(set(asked.grown)) if days > asked.days]
    steps = [Step(sites[0], asked.days), *grown, *(Step(more, asked.days) for more in sites[1:])]
    free = shutil.disk_usage(tempfile.gettempdir()).free
    calendar = Calendar(asked.year, asked.hours)
    plan = planned(steps, calendar, asked.only, free, asked.minutes)
    for one in plan:
        said = f"about {one.minutes:.0f} min" if one.why_not is None else f"left out: {one.why_not}"
        _tell(f"{one.step.sites:,} sites, {one.step.days} days: {one.rows / 1e6:.1f} million rows, {said}")
    _tell(f"each on {', '.join(asked.only)}; {free / GIGABYTE:.0f} GB of disk are free")
    kept = [one.step for one in plan if one.why_not is None]
    found: dict[str, list[Found]] = {}
    try:
        for name in asked.only:
            _measure(name, asked, calendar, kept, found)
    finally:
        # Also of what ends early.
        found = {name: rows for name, rows in found.items() if rows}
        for line in (*table(found, kept), *bends(found), *on_paper(found)):
            print(line)


def _measure(
    name: str,
    asked: argparse.Namespace,
    calendar: Calendar,
    steps: Sequence[Step],
    found: dict[str, list[Found]],
) -> None:
    with ExitStack() as ending:
        engine = ending.enter_context(closing(ENGINES[name](ending, asked)))
        rows = found.setdefault(engine.name, [])
        try:
            for one in measured(engine, steps, calendar, _tell):
                rows.append(one)
        except Exception:  # noqa: BLE001 - the others are measured nevertheless
            traceback.print_exc()
            _tell(f"{engine.name} ends here: what is said above kept it from going on")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, nargs="+", default=[100, 1_000, 5_000])
    parser.add_argument("--days", type=int, default=1, help="of each site, but the one that is asked")
    parser.add_argument("--grown", type=int, nargs="*", default=[7], help="days of the fewest sites, then")
    parser.add_argument("--year", type=int, default=YEAR, help="days of the site that is asked")
    parser.add_argument("--hours", type=int, default=3, help="of each of these days")
    parser.add_argument("--only", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--minutes", type=float, default=60, help="a size that would take longer is left out")
    parser.add_argument("--archive", type=float, default=60, help="seconds for which a load is archived")
    return parser.parse_args()


_BEGUN: Final = time.monotonic()


def _tell(text: str) -> None:
    print(f"[{time.monotonic() - _BEGUN:6.0f} s] {text}", flush=True)


if __name__ == "__main__":
    main()
