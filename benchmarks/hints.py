"""How long after a post to one service the stream of another has it, by each way of hearing of it.

    python -m benchmarks.hints [--posts 25]

Two services on one store; a stream of the second is read, counts are posted to the first. By NATS; by LISTEN
and NOTIFY; and by neither, where each service looks at the store once a second. A stream sends at most once a
second, so posts are further apart than that, at moments that have nothing to do with the second. From before
the post to the event, in ms. Then what strangers cost that send 10,000 messages a second of the services'
subject: the share of a processor of a service, beside the same while they are silent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import httpx
import nats
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from tests.every_store import URL_IN
from tests.running_nats import running_nats
from tests.running_service import start_service
from tests.service.test_several_services import Pair
from tests.small_site import SITE, create_small_site

WAYS: Final = (
    ("postgresql", "NATS"),
    ("postgresql", "LISTEN"),
    ("postgresql", "a look a second"),
    ("sqlite", "NATS"),
    ("sqlite", "a look a second"),
)
FLOOD_SECONDS: Final = 10


def told_by(nats_url: str | None, subject: str) -> dict[str, str]:
    told = {"URL": nats_url, "SUBJECT": subject} if nats_url else {}
    return {f"HEADROOM_SERVICE_NATS_{name}": str(value) for name, value in told.items()}


@contextmanager
def pair_of(kind: str, nats_url: str | None, subjects: tuple[str, str] = ("all", "all")) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        url = URL_IN[kind](Path(folder) / "store")
        site = create_small_site(Path(folder) / "store", url=url)
        given = {"HEADROOM_SERVICE_STORE": url}
        one, two = (
            start_service(Path(folder) / name, environment=given | told_by(nats_url, subject))
            for name, subject in zip(("one", "two"), subjects, strict=True)
        )
        ending.callback(one.kill)
        ending.callback(two.kill)
        time.sleep(2)
        yield Pair(site, (one, two))


def delays(pair: Pair, posts: int) -> list[float]:
    """Seconds."""
    came: dict[int, float] = {}
    asked = {"siteId": SITE.id, "metrics": ["entrances"], "granularity": "day", "live": True}
    headers = pair.site.headers | {"accept": "text/event-stream"}
    address = f"{pair.services[1].base_url}/v3/metrics"
    with httpx.stream("POST", address, json=asked, headers=headers, timeout=60) as answer:

        def listen() -> None:
            with suppress(httpx.TransportError, httpx.StreamError):
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        came[json.loads(line[6:])["metrics"]["entrances"]] = time.monotonic()

        threading.Thread(target=listen, daemon=True).start()
        found = []
        for number in range(1, posts + 1):
            time.sleep(random.uniform(1.2, 2.2))
            begun = time.monotonic()
            assert pair.post(0, 1).is_success
            while number not in came:
                time.sleep(0.001)
            found.append(came[number] - begun)
    return found


async def flood(url: str) -> int:
    """The messages that were sent."""
    stranger = await nats.connect(url)
    sent, begun = 0, time.monotonic()
    while (passed := time.monotonic() - begun) < FLOOD_SECONDS:
        for _ in range(max(0, int(passed * 10_000) - sent)):
            await stranger.publish("all", b"what is of no interest")
            sent += 1
        await asyncio.sleep(0.005)
    await stranger.close()
    return sent


def processor_share(pair: Pair, work: object) -> float:
    process = psutil.Process(pair.services[1].process.pid)
    before, begun = process.cpu_times(), time.monotonic()
    if callable(work):
        work()
    after, passed = process.cpu_times(), time.monotonic() - begun
    return float(after.user + after.system - before.user - before.system) / passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--posts", type=int, default=25)
    posts = parser.parse_args().posts
    with tempfile.TemporaryDirectory() as folder, running_nats(Path(folder)) as broker:
        for kind, way in WAYS:
            # Who publishes does not NOTIFY, and by another subject the other hears nothing.
            subjects = ("all", "all") if way == "NATS" else ("of-one", "of-two")
            with pair_of(kind, None if way == "LISTEN" else broker.url, subjects) as pair:
                found = sorted(1000 * delay for delay in delays(pair, posts))
                median, worst = statistics.median(found), found[-1]
                print(f"{kind:11} {way:16} p50 {median:5.0f}   worst {worst:5.0f}", flush=True)
        with pair_of("sqlite", broker.url) as pair:
            quiet = processor_share(pair, lambda: time.sleep(FLOOD_SECONDS))
            loud = processor_share(pair, lambda: asyncio.run(flood(broker.url)))
            print(f"10,000 messages a second: {loud:.0%} of a processor, {quiet:.0%} without")


if __name__ == "__main__":
    main()
