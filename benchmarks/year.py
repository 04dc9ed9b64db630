"""What a year by the hour of eight zones costs on History, and a heat map of a year on Rhythm.

    python -m benchmarks.year
    python -m benchmarks.year --zones 2

A real service holds a year of a mall: its passages count every minute while it is open. Each page is
opened as a script, as Streamlit runs it, first with nothing remembered and then again. Beside it stand the
metric queries that the page made, asked by one client one after another, of which nothing is remembered:
neither a table nor a chart is made of them. Printed is the wall clock time, and the processor time of the
dashboard's process, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple
from unittest.mock import patch
from zoneinfo import ZoneInfo

from streamlit.testing.v1 import AppTest

from api_client import Client, MetricsAnswer
from contract import MetricsQuery
from contract.buckets import local_midnight
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, PassageCount, SiteRecord, WriteMode
from tests.mall_site import mall_site
from tests.running_service import ROOT, start_service

HALLS: Final = 2
SHOPS: Final = 3
MALL: Final = mall_site(HALLS, SHOPS)
ZURICH: Final = ZoneInfo("Europe/Zurich")
DAYS: Final = 365
OPEN: Final = range(9 * 60, 20 * 60)
"""Minutes of a day."""
PATIENCE: Final = 300
WARM: Final = 3
"""Openings of each page of which the median is told."""


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    processor: float
    """Of the dashboard's process alone, without the service's."""


class Taken(NamedTuple):
    cold: Spent
    warm: Spent
    plain: Spent
    queries: int


def counts(until: datetime) -> Iterator[PassageCount]:
    chance = random.Random(9)
    for ago in range(DAYS, -1, -1):
        midnight = local_midnight(until.astimezone(ZURICH).date() - timedelta(days=ago), ZURICH)
        first = int(midnight.timestamp()) // 60
        for minute in OPEN:
            for passage in MALL.passages:
                came = chance.randrange(4)
                yield PassageCount(
                    passage.id, first + minute, came, came if minute % 2 else chance.randrange(4)
                )


def fill(data_dir: Path) -> str:
    """Create the store with its year; the key that reads it."""
    with closing(open_store(store_url(data_dir))) as store:
        organization = Organization(MALL.organization_id, "Mall")
        store.catalogue.save(organization, [SiteRecord(MALL, MALL.zones[0].id)])
        now = datetime.now(UTC)
        rows = (row for row in counts(now) if row.minute < now.timestamp() // 60)
        while some := list(islice(rows, 50_000)):
            store.metrics.append(some, WriteMode.SET)
        return store.keys.create(MALL.organization_id, "reads", KeyScope.READ)[1]


def timed(work: Callable[[], object]) -> Spent:
    started, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - started, time.process_time() - processor)


def open_page(name: str, parameters: Mapping[str, str | list[str]]) -> None:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    for parameter, value in parameters.items():
        test.query_params[parameter] = value
    test.switch_page(f"pages/{name}.py").run()
    assert not test.exception, test.exception
    assert test.get("plotly_chart"), f"{name} draws no chart"


def measure(client: Client, name: str, parameters: Mapping[str, str | list[str]]) -> Taken:
    asked: list[MetricsQuery] = []
    ask = Client.metrics

    def noted(self: Client, query: MetricsQuery) -> MetricsAnswer:
        asked.append(query)
        return ask(self, query)

    with patch.object(Client, "metrics", noted):
        cold = timed(lambda: open_page(name, parameters))
    again = [timed(lambda: open_page(name, parameters)) for _ in range(WARM)]
    warm = Spent(*(median(values) for values in zip(*again, strict=True)))
    plain = timed(lambda: [client.metrics(query) for query in asked])
    return Taken(cold, warm, plain, len(asked))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--zones", type=int, default=len(MALL.zones), choices=range(1, len(MALL.zones) + 1))
    zones = [zone.id for zone in MALL.zones[: parser.parse_args().zones]]
    with tempfile.TemporaryDirectory() as folder:
        read_key = fill(Path(folder))
        service = start_service(Path(folder), is_anew=True)
        os.environ |= {
            "HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": read_key, "HEADROOM_DATA_DIR": folder,
        }  # fmt: skip
        client = Client(service.base_url, read_key, timeout=PATIENCE)
        today = datetime.now(ZURICH).date()
        year = {
            "from": f"{today - timedelta(days=DAYS)}T00:00",
            "to": f"{today}T00:00",
            "granularity": "hour",
        }
        try:
            open_page("history", {})  # what a process does once
            history = measure(client, "history", year | {"zone": zones, "metric": "visitorsInside"})
            rhythm = measure(client, "rhythm", {"weeks": "52"})
        finally:
            client.close()
            service.kill()
    for name, taken in (
        (f"History, a year by the hour of {len(zones)} zones", history),
        ("Rhythm, a heat map of a year", rhythm),
    ):
        plain = f"its {taken.queries} queries alone, one after another"
        print(f"{name}:")
        for what, spent in (
            ("opened, nothing remembered", taken.cold),
            ("opened again", taken.warm),
            (plain, taken.plain),
        ):
            print(f"  {what:46}{spent.wall:6.2f} s, processor {spent.processor:6.2f} s")
        print(f"  opened, per that time                         {taken.cold.wall / taken.plain.wall:6.2f}")
        print(f"  opened again, per that time                   {taken.warm.wall / taken.plain.wall:6.2f}")


if __name__ == "__main__":
    main()
