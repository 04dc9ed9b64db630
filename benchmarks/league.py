"""What it costs to compare hundreds of sites, nothing known before: time, processor and questions.

    python -m benchmarks.league                500 sites, who came in over the last seven whole days
    python -m benchmarks.league --sites 100

Beside it, in turn and as often, the same entries by as many threads, each question about each of the two
periods put by itself.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from analysis.compared_places import compared_sites
from analysis.league_entry import Measure, league_entry
from analysis.league_period import LeaguePeriod
from analysis.subject import Subject
from api_client import Client
from contract import MetricPoint, MetricsQuery
from runtime.league_entries import About, Question, forget_entries, read_league
from service.open_store import open_store, store_url
from service.store.protocol import PassageCount, WriteMode
from tests.many_sites import create_many_sites
from tests.running_service import start_service

_DAYS = 15
_OPEN = range(9, 19)
_EVERY = 10
"""Minutes between two counts."""
_AT_ONCE = 4
_TURN = 2.5
ZURICH = ZoneInfo("Europe/Zurich")


class Cost(NamedTuple):
    seconds: float
    own: float
    """Seconds of this process's processor time."""
    service: float
    questions: float


def store_two_weeks(data_dir: Path, sites: int) -> None:
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=_DAYS)
    minutes = [
        int((begin + timedelta(days=day, hours=hour, minutes=minute)).timestamp()) // 60
        for day in range(_DAYS)
        for hour in _OPEN
        for minute in range(0, 60, _EVERY)
    ]
    store = open_store(store_url(data_dir))
    try:
        for number in range(sites):
            counts = [
                PassageCount(f"door-{number}", minute, number % 7 + 1, number % 7 + 1) for minute in minutes
            ]
            store.metrics.append(counts, WriteMode.SET)
    finally:
        store.close()


def each_by_itself(questions: Mapping[str, Question], client: Client) -> None:
    def entry(question: Question) -> None:
        def run(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, tuple[MetricPoint, ...]]:
            return {subject: client.metrics(query).points for subject, query in queries.items()}

        league_entry(question.request, question.ranges, question.measure, run, question.opening)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(entry, questions.values()))


def turn_after_turn(questions: Mapping[str, Question]) -> None:
    forget_entries(None)
    while len(read_league(questions, _TURN).entries) < len(questions):
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sites", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = create_many_sites(Path(folder), arguments.sites)
        store_two_weeks(made.data_dir, arguments.sites)
        service = start_service(made.data_dir, is_anew=True)
        os.environ |= {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": made.read_key}
        try:
            with Client(service.base_url, made.read_key) as client:
                asked = [0]
                metrics = Client.metrics

                def counted(self: Client, query: MetricsQuery) -> object:
                    asked[0] += 1
                    return metrics(self, query)

                Client.metrics = counted  # type: ignore[method-assign, assignment]
                about = About(LeaguePeriod.WEEK, None, Measure.ENTRANCES, is_sized=False)
                now = client.service_time
                questions = {
                    one.place.id: about.question(one, now, ZURICH, None)
                    for one in compared_sites(client.sites())
                }
                process = psutil.Process(service.process.pid)

                def cost(work: Callable[[], None]) -> Cost:
                    own, its, asked[0] = time.process_time(), sum(process.cpu_times()[:2]), 0
                    began = time.perf_counter()
                    work()
                    return Cost(
                        time.perf_counter() - began,
                        time.process_time() - own,
                        sum(process.cpu_times()[:2]) - its,
                        asked[0],
                    )

                ways: dict[str, Callable[[], None]] = {
                    "each question by itself": lambda: each_by_itself(questions, client),
                    "both periods in one": lambda: turn_after_turn(questions),
                }
                costs: dict[str, list[Cost]] = {name: [] for name in ways}
                for _ in range(arguments.rounds):
                    for name, way in ways.items():
                        costs[name].append(cost(way))
        finally:
            service.kill()
    for name, own in costs.items():
        middle = Cost(*(statistics.median(column) for column in zip(*own, strict=True)))
        print(
            f"{name:26} {middle.seconds:6.1f} s   own processor {middle.own:6.2f} s   "
            f"service's {middle.service:6.2f} s   {middle.questions:.0f} questions"
        )


if __name__ == "__main__":
    main()
