"""What counters, walls and people do to a cluster all the time, and what they see of it.

Counters post the people of a minute with an Idempotency-Key, and the same again until it is acknowledged;
some of it is of a hundred days ago. A wall reads a stream of the first site, which is counted twice a second,
and connects again as a browser does. People ask for today, and for a hundred days ago.
"""

from __future__ import annotations

import random
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx

from benchmarks.cluster.chain import Chain, door_of, zone_of
from benchmarks.cluster.parts import Cluster
from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner

COUNTERS: Final = 6
_TIMEOUT: Final = httpx.Timeout(10.0, connect=3.0)
_AGAIN: Final = 0.25
"""Seconds until a counter sends again, and a browser connects again."""
_LATE: Final = 20
"""One of so many posts is of a hundred days ago."""

_INSIDE: Final = re.compile(r'"inside":(\d+)')

Counted = Counter[tuple[str, datetime]]
"""By site and minute, who came in."""


@dataclass
class Seen:
    """What has happened so far; its lock is held by whoever changes it, or reads two things of it."""

    acknowledged: Counted = field(default_factory=Counter)
    """Who came in, by site and minute."""
    posts: int = 0
    failed_posts: int = 0
    queries: int = 0
    failed_queries: int = 0
    value_at: float = field(default_factory=time.monotonic)
    """When the wall was told of a new value last."""
    longest_gap: float = 0.0
    """Between two new values on the wall, in seconds, since it was set to 0."""
    failures: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def told(self) -> None:
        with self.lock:
            now = time.monotonic()
            self.longest_gap = max(self.longest_gap, now - self.value_at)
            self.value_at = now

    def failed(self, kind: str, why: str) -> None:
        with self.lock:
            setattr(self, f"failed_{kind}", getattr(self, f"failed_{kind}") + 1)
            self.failures[f"{kind}: {why}"] += 1


@contextmanager
def loaded(cluster: Cluster, seed: int) -> Iterator[Seen]:
    """The load runs as long as the block; what was begun is acknowledged before it ends. Not after
    Ctrl-C, which all parts have heard, too.
    """
    seen, stop = Seen(), threading.Event()
    runs = [
        threading.Thread(
            target=_count, args=(cluster, seen, stop, number, random.Random(seed + number)), daemon=True
        )
        for number in range(COUNTERS)
    ]
    runs.append(threading.Thread(target=_ask, args=(cluster, seen, stop, random.Random(seed)), daemon=True))
    runs.append(threading.Thread(target=_watch, args=(cluster, seen, stop), daemon=True))
    for run in runs:
        run.start()
    yield seen
    stop.set()
    for run in runs[:-1]:
        run.join()


def _count(cluster: Cluster, seen: Seen, stop: threading.Event, number: int, chance: random.Random) -> None:
    """The counter with the number 0 is at the first site alone."""
    chain = cluster.chain
    sites = chain.site_ids[:1] if number == 0 else chain.site_ids[number::COUNTERS]
    headers = {"x-api-key": chain.ingest_key}
    with httpx.Client(timeout=_TIMEOUT, headers=headers) as client:
        while not stop.wait(0.5 if number == 0 else chance.uniform(0.1, 0.5)):
            site_id, people = chance.choice(sites), chance.randint(1, 3)
            minute = _minute(chain, number, chance)
            body = [
                {
                    "timestamp": minute.isoformat(),
                    "passageId": door_of(site_id, 1),
                    "forward": people,
                    "backward": 0,
                }
            ]
            key = str(uuid.UUID(int=chance.getrandbits(128)))
            # Also after the end: nobody knows whether it is stored before it is acknowledged.
            while not _is_done(client, seen, "posts", f"{cluster.services_url}/ingest/counts", body, key=key):
                time.sleep(_AGAIN)
            with seen.lock:
                seen.acknowledged[site_id, minute] += people


def _minute(chain: Chain, number: int, chance: random.Random) -> datetime:
    if number and not chance.randrange(_LATE):
        return chain.long_ago(chance.randrange(10_000))
    return datetime.now(UTC).replace(second=0, microsecond=0)


def _ask(cluster: Cluster, seen: Seen, stop: threading.Event, chance: random.Random) -> None:
    chain = cluster.chain
    headers = {"x-api-key": chain.read_key}
    with httpx.Client(timeout=_TIMEOUT, headers=headers) as client:
        while not stop.wait(0.25):
            begin = chain.first_day if chance.randrange(3) == 0 else datetime.now(UTC) - timedelta(hours=6)
            body = asked(chance.choice(chain.site_ids), begin, begin + timedelta(hours=6), "hour")
            _is_done(client, seen, "queries", f"{cluster.services_url}/v3/metrics", body)


def _is_done(client: httpx.Client, seen: Seen, kind: str, url: str, body: Any, *, key: str = "") -> bool:
    """Whether it was answered; `kind` is `posts` or `queries`."""
    with seen.lock:
        setattr(seen, kind, getattr(seen, kind) + 1)
    try:
        answer = client.post(url, json=body, headers={"Idempotency-Key": key} if key else {})
    except httpx.TransportError as error:
        seen.failed(kind, type(error).__name__)
        return False
    if answer.is_success:
        return True
    seen.failed(kind, str(answer.status_code))
    return False


def asked(site_id: str, begin: datetime, end: datetime, granularity: str) -> dict[str, Any]:
    """Body of a query of who came in."""
    return {
        "siteId": site_id,
        "metrics": ["entrances"],
        "from": f"{begin:%Y-%m-%dT%H:%M:00}",
        "to": f"{end:%Y-%m-%dT%H:%M:00}",
        "granularity": granularity,
        "timezone": "UTC",
        "filter": {"zoneIds": [zone_of(site_id)]},
    }


def _watch(cluster: Cluster, seen: Seen, stop: threading.Event) -> None:
    """What a wall with the first site shows."""
    site_id = cluster.chain.site_ids[0]
    grant = StreamGrant((GrantedFeed(FeedKey(site_id), "Europe/Zurich"),))
    token = StreamSigner(cluster.secret).sign(grant)
    url = f"{cluster.dashboards_url}/live/stream?token={token}"
    shown = ""
    with httpx.Client(timeout=httpx.Timeout(3.0, read=20.0)) as client:
        while not stop.is_set():
            try:
                with client.stream("GET", url) as answer:
                    for line in answer.iter_lines():
                        found = _INSIDE.search(line) if line.startswith("data:") else None
                        if found and found[1] != shown:
                            seen.told()
                            shown = found[1]
                        if stop.is_set():
                            return
            except httpx.TransportError:
                pass
            time.sleep(_AGAIN)
