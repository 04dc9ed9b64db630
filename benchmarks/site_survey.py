"""What reading the values of all sites costs a service, and how long another question waits meanwhile.

    python -m benchmarks.site_survey                 500 sites, ten sessions
    python -m benchmarks.site_survey --sites 2000    more of them

Measured is one round through all sites, which a survey makes once for all sessions, beside as many rounds as
there are sessions, each by a pool of eight threads without rest, as when each page asks for itself.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from api_client import Client
from contract import SiteSummary
from live import Hub
from runtime.site_reports import SiteReader
from runtime.survey import Survey
from tests.many_sites import create_many_sites
from tests.running_service import start_service

_BETWEEN = 0.02


class Round(NamedTuple):
    seconds: float
    processor: float
    """Seconds of the service's."""
    waits: list[float]
    """Seconds that somebody else's question took, each time it was asked meanwhile."""


def measured(process: psutil.Process, ask: Callable[[], object], work: Callable[[], None]) -> Round:
    waits: list[float] = []
    over = threading.Event()

    def somebody_else() -> None:
        while not over.wait(_BETWEEN):
            started = time.perf_counter()
            ask()
            waits.append(time.perf_counter() - started)

    other = threading.Thread(target=somebody_else)
    before, started = sum(process.cpu_times()[:2]), time.perf_counter()
    other.start()
    work()
    taken = time.perf_counter() - started
    over.set()
    other.join()
    return Round(taken, sum(process.cpu_times()[:2]) - before, waits)


def surveyed(reader: SiteReader, sites: list[SiteSummary]) -> None:
    survey = Survey(reader.read, reader.streamed)
    while len(survey.look(sites)) < len(sites):
        time.sleep(0.05)
    survey.close()


def each_for_itself(reader: SiteReader, sites: list[SiteSummary], sessions: int) -> None:
    def session() -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda site: reader.read(site, None), sites))

    with ThreadPoolExecutor(sessions) as pool:
        for one in [pool.submit(session) for _ in range(sessions)]:
            one.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sites", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = create_many_sites(Path(folder), arguments.sites)
        service = start_service(made.data_dir, is_anew=True)
        try:
            with (
                Client(service.base_url, made.read_key) as client,
                Client(service.base_url, made.read_key) as mine,
                closing(Hub(service.base_url, made.read_key)) as hub,
            ):
                sites = client.sites()
                process = psutil.Process(service.process.pid)
                ask = partial(mine.site, sites[0].id)
                reader = SiteReader(client, (service.base_url, made.read_key), hub)
                each_for_itself(reader, sites, 1)  # capacities and devices are known from here on
                rounds = {
                    "nothing else": measured(process, ask, partial(time.sleep, 5.0)),
                    "one survey for all": measured(process, ask, partial(surveyed, reader, sites)),
                    f"{arguments.sessions} sessions, each for itself": measured(
                        process, ask, partial(each_for_itself, reader, sites, arguments.sessions)
                    ),
                }
        finally:
            service.kill()
    alone = statistics.median(rounds["nothing else"].waits)
    for name, one in rounds.items():
        wait = statistics.quantiles(one.waits, n=20)[-1]
        print(
            f"{name:32} {one.seconds:6.1f} s   service {one.processor:6.2f} s of processor   "
            f"another question: 95 % within {1000 * wait:6.1f} ms, {wait / alone:5.1f} times the usual alone"
        )


if __name__ == "__main__":
    main()
