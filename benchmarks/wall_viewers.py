"""Wall screens, thousands in one process: open event streams, post counts, note when each screen has them.

Each post raises `inside` by one, so the value in an event says which post it tells of. More screens than a
process may have files open are several processes: one posts, and all look up in a file when that was, by the
machine's clock that never leaps. Prints a line of JSON when all screens are connected, waits for a line, and
prints one with what was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import sys
import time
from array import array
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from mmap import mmap
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import uvloop

CONNECTIONS_AT_ONCE = 100
CONNECT_DEADLINE = 120.0
SETTLING = 6.0
"""Seconds of posts before those that count."""
_CHANGE = b"event: change"
_INSIDE = re.compile(rb'"inside":(\d+)')
Post = Callable[[int], Awaitable[None]]


class PostTimes:
    """When each of the newest thousand posts was, in monotonic seconds, for several processes: in a file."""

    _KEPT = 1000

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            opened.truncate(8 * self._KEPT)
            self._seconds = memoryview(mmap(opened.fileno(), 0)).cast("d")

    def __getitem__(self, inside: int) -> float:
        return self._seconds[inside % self._KEPT]

    def __setitem__(self, inside: int, moment: float) -> None:
        self._seconds[inside % self._KEPT] = moment


class Counters:
    """What all screens of this process saw."""

    def __init__(self, posted: PostTimes) -> None:
        self.connected = 0
        self.lost = 0
        self.events = 0
        self.newest = 0
        self.began = math.inf
        self.posted = posted
        self.latencies = array("d")
        self._texts: dict[bytes, tuple[int, int | None]] = {}

    def received(self, data: bytes) -> None:
        found = self._texts.get(data)
        if found is None:
            values = _INSIDE.findall(data)
            found = data.count(_CHANGE), int(values[-1]) if values else None
            self._texts[data] = found
        events, inside = found
        self.events += events
        if inside is None:
            return
        self.newest = max(self.newest, inside)
        posted_at = self.posted[inside]
        if events and posted_at >= self.began:
            self.latencies.append(time.monotonic() - posted_at)

    def begin(self) -> None:
        """The measured window starts; what was posted before does not count."""
        self.events = 0
        # Processes begin not quite together, and the post before was `pause` ago.
        self.began = time.monotonic() - 0.5
        self.latencies = array("d")

    def forget_texts(self) -> None:
        self._texts.clear()


class Screen(asyncio.Protocol):
    """One open event stream, as a browser holds it."""

    def __init__(self, counters: Counters) -> None:
        self.counters = counters
        self.answered = False

    def data_received(self, data: bytes) -> None:
        if not self.answered:
            self.answered = True
            if b" 200 " not in data[:20]:
                raise SystemExit(f"the server answered {data[:200]!r}")
            self.counters.connected += 1
        self.counters.received(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's signature
        self.counters.lost += 1


async def open_screens(url: str, screens: int, counters: Counters) -> None:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    request = (
        f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        "Accept: text/event-stream\r\nAccept-Encoding: gzip, deflate\r\n\r\n"
    ).encode()
    gate = asyncio.Semaphore(CONNECTIONS_AT_ONCE)
    loop = asyncio.get_running_loop()

    async def open_one() -> None:
        async with gate:
            transport, _ = await loop.create_connection(lambda: Screen(counters), host, port)
            transport.write(request)

    async with asyncio.TaskGroup() as opening:
        for _ in range(screens):
            opening.create_task(open_one())
    async with asyncio.timeout(CONNECT_DEADLINE):
        while counters.connected < screens:  # noqa: ASYNC110 -- each screen would have to look otherwise
            await asyncio.sleep(0.1)


async def measure(
    counters: Counters, post: Post | None, pause: float, seconds: float
) -> dict[str, float | list[float]]:
    """`post`: None where another process posts."""
    print(json.dumps({"ready": counters.connected}), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    # The service tells a stream at most once a second, so a first post may wait; these pauses make up for it.
    await post_each(counters, post, 1.3, SETTLING)
    counters.begin()
    began = time.monotonic()
    posts = await post_each(counters, post, pause, seconds)
    await asyncio.sleep(1)
    return {
        "screens": counters.connected,
        "lost": counters.lost,
        "posts": posts,
        "events": counters.events,
        "seconds": time.monotonic() - began,
        "latencies": sorted(counters.latencies),
    }


async def post_each(counters: Counters, post: Post | None, pause: float, seconds: float) -> int:
    """Post every `pause` seconds, or wait while another process does; how many posts this one made."""
    inside, end, posts = counters.newest, time.monotonic() + seconds, 0
    while (now := time.monotonic()) < end:
        if post is not None:
            inside, posts = inside + 1, posts + 1
            counters.posted[inside] = now
            await post(inside)
        await asyncio.sleep(max(now + pause - time.monotonic(), 0))
        counters.forget_texts()
    return posts


def post_counts(client: httpx.AsyncClient, url: str, key: str) -> Post:
    """One person more, as a counting device reports it."""

    async def post(_inside: int) -> None:
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        count = {"timestamp": moment, "passageId": "entrance", "forward": 1, "backward": 0}
        (await client.post(url, json=[count], headers={"x-api-key": key})).raise_for_status()

    return post


def post_messages(client: httpx.AsyncClient, url: str, size: int) -> Post:
    """A message of `size` bytes for nchan to send on as it is."""

    async def post(inside: int) -> None:
        text = f'{{"now":{time.time():.3f},"inside":{inside},"rest":"'
        body = text + "-" * (size - len(text) - 2) + '"}'
        (await client.post(url, content=body, headers={"X-EventSource-Event": "change"})).raise_for_status()

    return post


async def run(chosen: argparse.Namespace) -> dict[str, float | list[float]]:
    counters = Counters(PostTimes(chosen.times))
    began = time.monotonic()
    await open_screens(chosen.url, chosen.screens, counters)
    opened = time.monotonic() - began
    async with httpx.AsyncClient(timeout=30) as client:
        post: Post | None = None
        if chosen.key:
            post = post_counts(client, chosen.post, chosen.key)
        elif chosen.post:
            post = post_messages(client, chosen.post, chosen.size)
        return await measure(counters, post, chosen.pause, chosen.seconds) | {"opened": opened}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the event stream that every screen opens")
    parser.add_argument("times", type=Path, help="a file for when each post was")
    parser.add_argument(
        "--post", help="where counts, or nchan's messages, are posted; else another process posts"
    )
    parser.add_argument("--key", default="", help="ingest key; without one, messages for nchan are posted")
    parser.add_argument("--size", type=int, default=500, help="bytes of a message for nchan")
    parser.add_argument("--screens", type=int, required=True)
    parser.add_argument("--pause", type=float, default=1.05)
    parser.add_argument("--seconds", type=float, default=15)
    print(json.dumps(uvloop.run(run(parser.parse_args()))), flush=True)


if __name__ == "__main__":
    main()
