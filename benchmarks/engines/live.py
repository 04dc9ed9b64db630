"""What a service tells live: of all sites to one reader, of single sites to some others."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final, NamedTuple

import httpx
import numpy as np
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from benchmarks.engines.engine import Served
from contract.latest_sites import LATEST_SITES_PATH

SINGLE: Final = 20
"""Readers of the stream of one site."""
_POSTS_A_SECOND: Final = 150
_SHORTEST_WINDOW: Final = 2.0
_POSTS: Final = 400
"""That processor time is measured over: its clock ticks a hundred times a second."""
_MOST_ROUNDS: Final = 4
_REST: Final = 3.0
"""Seconds after the last post: what has not come by then is told as missing."""
_BETWEEN: Final = 1.2
"""Seconds between the posts of one round and those of the next: a stream tells a site once a second."""
_AT_ONCE: Final = 16
_TELLING: Final = 200
"""Posts, at least, of which processor time tells something."""


def latest_of_all(served: Served, runs: int, sites: int) -> list[float]:
    """Milliseconds from asking for all sites in one request until all of the answer is read."""
    headers = {"x-api-key": served.read_key, "accept": "application/json"}
    times = []
    with closing(http.client.HTTPConnection("127.0.0.1", served.service.port, timeout=60)) as connection:
        for _ in range(runs + 1):
            begun = time.perf_counter()
            connection.request("GET", LATEST_SITES_PATH, headers=headers)
            answer = connection.getresponse()
            text = answer.read()
            times.append(1000 * (time.perf_counter() - begun))
            assert answer.status == 200, text
    assert len(json.loads(text)["data"]) == sites
    return times[1:]


@dataclass
class Reader:
    """What came of the sites that are awaited, and how late."""

    posted: dict[str, float] = field(default_factory=dict)
    """Site id -> when a post of it that has not been told was begun."""
    delays: list[float] = field(default_factory=list)
    events: int = 0

    def took(self, site_id: str) -> None:
        self.events += 1
        begun = self.posted.pop(site_id, None)
        if begun is not None:
            self.delays.append(time.perf_counter() - begun)


class Heard(NamedTuple):
    of_all: Reader
    of_one: Reader
    """All readers of one site together."""
    processor: float
    """Seconds of the service's."""
    posts: int


async def heard(served: Served, sites: int, *, by_readers: bool) -> Heard:
    """One count of each site, spread over a window, and that again until there are enough posts."""
    of_all, of_one = Reader(), Reader()
    single = range(0, sites, max(1, sites // SINGLE))[:SINGLE] if by_readers else range(0)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=served.service.base_url, timeout=60, limits=limits) as client:
        reading = [asyncio.create_task(_read_one(client, served, number, of_one)) for number in single]
        if by_readers:
            reading.append(asyncio.create_task(_read_all(client, served, of_all)))
        # What they are told at first is told, and has nothing to do with a post.
        await asyncio.sleep(_REST)
        of_all.events = of_one.events = 0
        process, posts = psutil.Process(served.service.process.pid), 0
        before = _spent(process)
        for _ in range(min(ceil(_POSTS / sites), _MOST_ROUNDS)):
            watched = {f"site-{number}" for number in single}
            await _post_all(client, served, sites, lambda site_id, watched=watched: _note(  # type: ignore[misc]
                site_id, [of_all] if by_readers else [], [of_one] if site_id in watched else []
            ))  # fmt: skip
            posts += sites
            await asyncio.sleep(_BETWEEN)
        await asyncio.sleep(_REST - _BETWEEN)
        spent = _spent(process) - before
        for task in reading:
            task.cancel()
        for task in reading:
            with suppress(asyncio.CancelledError):
                await task
    return Heard(of_all, of_one, spent, posts)


def _note(site_id: str, *readers: Iterable[Reader]) -> None:
    now = time.perf_counter()
    for some in readers:
        for reader in some:
            reader.posted[site_id] = now


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def _post_all(
    client: httpx.AsyncClient, served: Served, sites: int, begins: Callable[[str], None]
) -> None:
    room, window = asyncio.Semaphore(_AT_ONCE), max(_SHORTEST_WINDOW, sites / _POSTS_A_SECOND)
    begun, minute = time.perf_counter(), datetime.now(UTC).isoformat()
    headers = {"x-api-key": served.ingest_key}

    async def post(number: int, at: float) -> None:
        await asyncio.sleep(max(0.0, begun + at - time.perf_counter()))
        body = [{"timestamp": minute, "passageId": f"site-{number}-0", "forward": 1, "backward": 0}]
        async with room:
            begins(f"site-{number}")
            answer = await client.post("/ingest/counts", json=body, headers=headers)
        assert answer.is_success, answer.text

    numbers = random.sample(range(sites), sites)
    async with asyncio.TaskGroup() as together:
        for place, number in enumerate(numbers):
            together.create_task(post(number, window * place / sites))


async def _read_all(client: httpx.AsyncClient, served: Served, reader: Reader) -> None:
    headers = {"x-api-key": served.read_key, "accept": "application/x-ndjson"}
    async with client.stream("GET", LATEST_SITES_PATH, headers=headers) as answer:
        async for line in answer.aiter_lines():
            told: dict[str, Any] = json.loads(line)
            if told["kind"] == "site":
                reader.took(told["siteId"])


async def _read_one(client: httpx.AsyncClient, served: Served, number: int, reader: Reader) -> None:
    site_id = f"site-{number}"
    asked = {"siteId": site_id, "metrics": ["entrances"], "granularity": "minute", "live": True}
    headers = {"x-api-key": served.read_key, "accept": "text/event-stream"}
    async with client.stream("POST", "/v3/metrics", json=asked, headers=headers) as answer:
        assert answer.is_success, await answer.aread()
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                reader.took(site_id)


def live_figures(served: Served, sites: int) -> dict[str, float]:
    """By name, in the units that it says."""
    quiet = asyncio.run(heard(served, sites, by_readers=False))
    loud = asyncio.run(heard(served, sites, by_readers=True))
    events = loud.of_all.events + loud.of_one.events
    found = dict[str, float]()
    if events and quiet.posts >= _TELLING:
        a_post = 1e6 * quiet.processor / quiet.posts
        found["processor a post that nobody hears of, µs"] = a_post
        spent = loud.processor - quiet.processor * loud.posts / quiet.posts
        found["processor a delivered event besides, µs"] = 1e6 * spent / events
    for name, reader in (("all sites", loud.of_all), (f"one of {SINGLE} sites", loud.of_one)):
        if reader.delays:
            found |= {
                f"post to event, stream of {name}, p{rank}": 1000 * float(np.percentile(reader.delays, rank))
                for rank in (50, 99)
            }
    found["events that did not come"] = len(loud.of_all.posted) + len(loud.of_one.posted)
    return found
