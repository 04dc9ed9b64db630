"""What opening the Overview costs a service: asked for each site, and by the stream of all sites.

    python -m benchmarks.latest_sites                1,000 sites, of which a page shows 20
    python -m benchmarks.latest_sites --sites 5000   more of them

Measured is from the first question until the values of all sites are known and the feeds of the page are live
and have today's minutes, each round with a new dashboard: its requests, the processor time of the service and
the streams that it holds then. After that, two minutes in which every site
is counted each ten seconds. Both ways in turn, in one run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from api_client import Client
from live import FeedKey, FeedState, Hub, Snapshot, ToldSite
from live.deliveries import Deliveries
from runtime.site_reports import SiteReader
from runtime.survey import Survey
from service.open_store import open_store, store_url
from service.store.protocol import PassageCount, Store, WriteMode
from tests.many_sites import ManySites, create_many_sites
from tests.running_service import RunningService, start_service

_SHOWN = 20
_MINUTES = 720
_WATCHED = 120.0
"""Seconds for which an open Overview is watched: a round through all sites, and their second turns."""
_BETWEEN = 10.0
"""Seconds from one count of every site to the next."""


class Cost(NamedTuple):
    seconds: float
    processor: float
    """Seconds of the service's."""
    requests: int
    streams: int


class WithoutLatest:
    """A hub as it is against a service that has no stream of all sites."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def deliveries(self, key: FeedKey) -> Deliveries:
        return self._hub.deliveries(key)

    def snapshot(self, key: FeedKey) -> Snapshot:
        return self._hub.snapshot(key)

    def latest(self, _site_id: str, _patience: float = 0.0) -> ToldSite | None:
        return None


@contextmanager
def counted_requests() -> Iterator[Callable[[], int]]:
    """How many requests this process has sent since."""
    sent, send = 0, httpx.AsyncClient.send

    async def counting(self: httpx.AsyncClient, *arguments: Any, **options: Any) -> httpx.Response:
        nonlocal sent
        sent += 1
        return await send(self, *arguments, **options)

    httpx.AsyncClient.send = counting  # type: ignore[method-assign]
    try:
        yield lambda: sent
    finally:
        httpx.AsyncClient.send = send  # type: ignore[method-assign]


class Meter:
    """What a service has been asked and has spent since it was made."""

    def __init__(self, service: RunningService, requests: Callable[[], int]) -> None:
        self._service = service
        self._process = psutil.Process(service.process.pid)
        self._requests = requests
        self._before = self._spent(), requests(), time.perf_counter()

    def _spent(self) -> float:
        return float(sum(self._process.cpu_times()[:2]))

    def cost(self) -> Cost:
        spent, sent, begun = self._before
        taken = Cost(time.perf_counter() - begun, self._spent() - spent, self._requests() - sent, 0)
        health = httpx.get(f"{self._service.base_url}/healthz").json()["data"]
        return taken._replace(streams=health["openStreams"])


def opened(
    service: RunningService, made: ManySites, store: Store, requests: Callable[[], int], *, by_one: bool
) -> tuple[Cost, Cost]:
    """What opening an Overview costs, and two minutes of it in which every site is counted."""
    with ExitStack() as stack:
        client = stack.enter_context(Client(service.base_url, made.read_key))
        hub = stack.enter_context(closing(Hub(service.base_url, made.read_key)))
        meter = Meter(service, requests)
        sites = client.sites()
        if by_one:
            hub.look_at_sites()
        # What is remembered of sites is so by the account: of another one nothing is.
        account = service.base_url, f"dashboard {requests()}"
        reader = SiteReader(client, account, hub if by_one else WithoutLatest(hub))
        survey = Survey(reader.read, reader.streamed)
        survey.look(sites)
        keys = [FeedKey(site.id) for site in sites[:_SHOWN]]
        feeds = [
            stack.enter_context(hub.subscribe(key, timezone="Europe/Zurich", is_listed=by_one))
            for key in keys
        ]
        while len(survey.look(sites)) < len(sites) or not all(map(_is_filled, feeds)):
            time.sleep(0.01)
        opening = meter.cost()
        meter, over = Meter(service, requests), time.perf_counter() + _WATCHED
        while time.perf_counter() < over:
            _count(store, made)
            survey.look(sites)
            time.sleep(_BETWEEN)
        survey.close()
        return opening, meter.cost()


def _is_filled(feed: Any) -> bool:
    known = feed.snapshot
    return known.state is FeedState.LIVE and not known.awaits_past and bool(known.reported)


def _count(store: Store, made: ManySites) -> None:
    minute = int(datetime.now(UTC).timestamp()) // 60
    counts = [PassageCount(f"door-{number}", minute, 1, 0) for number in range(made.count)]
    store.metrics.append(counts, WriteMode.ADD)


def _fill(store: Store) -> None:
    """Today's minutes of the shops on the page."""
    last = int((datetime.now(UTC) - timedelta(minutes=2)).timestamp()) // 60
    counts = [
        PassageCount(f"door-{number}", last - ago, 1, 1)
        for number in range(_SHOWN)
        for ago in range(_MINUTES)
    ]
    store.metrics.append(counts, WriteMode.SET)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sites", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    costs: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory() as folder, counted_requests() as requests:
        made = create_many_sites(Path(folder), arguments.sites)
        with closing(open_store(store_url(made.data_dir))) as store:
            _fill(store)
            service = start_service(made.data_dir, is_anew=True)
            try:
                for _ in range(arguments.rounds):
                    for name, by_one in (("for each site", False), ("one stream", True)):
                        opening, after = opened(service, made, store, requests, by_one=by_one)
                        costs.setdefault(f"open, {name}", []).append(opening)
                        costs.setdefault(f"two minutes, {name}", []).append(after)
            finally:
                service.kill()
    _print(costs)


def _print(costs: dict[str, list[Cost]]) -> None:
    means = {
        name: Cost(*(statistics.median(column) for column in zip(*all_, strict=True)))
        for name, all_ in costs.items()
    }
    for what in ("open", "two minutes"):
        for name in ("for each site", "one stream"):
            one, first = means[f"{what}, {name}"], means[f"{what}, for each site"]
            print(
                f"{what + ', ' + name:27} {one.seconds:6.2f} s   service {one.processor:6.2f} s of processor"
                f" ({one.processor / first.processor:5.2f} times)   {one.requests:5.0f} requests"
                f" ({one.requests / first.requests:6.3f} times)   {one.streams:3.0f} streams"
            )


if __name__ == "__main__":
    main()
