"""What sensors get through while many readers ask and many streams are open.

    python -m benchmarks.ingest_under_load                     200 readers, 200 streams, 8 sensors
    python -m benchmarks.ingest_under_load --readers 20 --streams 20 --seconds 5

Sensors and readers each send their next request when the last was answered. The sensors are measured twice
in one run: alone, and with the readers and the streams. The ratio of the two carries over to other machines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from contract.minutes import minute_floor
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, count, create_small_site, store_counts

DAYS = 14
UNLIMITED = {"HEADROOM_SERVICE_KEY_REQUESTS": "1e9", "HEADROOM_SERVICE_KEY_BURST": "1000000000"}
"""All sensors have one key, and all readers."""
PASSAGES = ("entrance", "archway", "terrace")


@dataclass
class Answers:
    """Of one kind of client."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def line(self, name: str, duration: float) -> str:
        ordered = sorted(self.seconds) or [float("nan")]
        worst = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        return (
            f"{name:<18} {self.statuses[200] / duration:8.1f}/s taken, p50 "
            f"{statistics.median(ordered) * 1000:7.1f} ms, p99 {worst * 1000:7.1f} ms, {dict(self.statuses)}"
        )


class Connection:
    """One kept-alive connection, with as little HTTP as it takes."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, path: str, key: str, body: bytes, accept: str = "application/json") -> int:
        """Send, and read the whole answer; its status."""
        self.send(path, key, body, accept)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await self._reader.readexactly(length)
        return int(head[9:12])

    def send(self, path: str, key: str, body: bytes, accept: str) -> None:
        method = "POST" if body else "GET"
        head = f"{method} {path} HTTP/1.1\r\nHost: test\r\nx-api-key: {key}\r\nAccept: {accept}\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def swallow(self) -> None:
        while await self._reader.read(65536):
            pass

    def close(self) -> None:
        self._writer.close()


async def closed_loop(port: int, end: float, answers: Answers, request: Any, pause: float = 0) -> None:
    connection = Connection(port)
    await connection.open()
    while (began := time.monotonic()) < end:
        answers.statuses[await connection.ask(*request())] += 1
        answers.seconds.append(time.monotonic() - began)
        await asyncio.sleep(pause)
    connection.close()


async def measure(
    service: RunningService, site: SmallSite, seconds: float, *, sensors: int, readers: int, streams: int
) -> tuple[Answers, Answers, Answers]:
    live = json.dumps({"siteId": site.site_id, "metrics": ["visitorsInside"], "live": True}).encode()
    history = json.dumps(
        {"siteId": site.site_id, "metrics": ["entrances", "exits", "visitorsInside"], "granularity": "hour"}
        | {"from": f"{DAYS - 1} days ago", "to": "now", "timezone": "Europe/Zurich"}
    ).encode()

    def post() -> tuple[str, str, bytes]:
        now = datetime.now(UTC)
        return "/ingest/counts", site.ingest_key, json.dumps([count(now, passage=PASSAGES[0])]).encode()

    opened = [Connection(service.port) for _ in range(streams)]
    for stream in opened:
        await stream.open()
        stream.send("/v3/metrics", site.read_key, live, "text/event-stream")
    swallowing = [asyncio.create_task(stream.swallow()) for stream in opened]
    posted, asked, polled = Answers(), Answers(), Answers()
    end = time.monotonic() + seconds
    await asyncio.gather(
        *(closed_loop(service.port, end, posted, post) for _ in range(sensors)),
        *(
            closed_loop(service.port, end, asked, lambda: ("/v3/metrics", site.read_key, history))
            for _ in range(readers)
        ),
        closed_loop(service.port, end, polled, lambda: ("/healthz", "", b""), pause=0.05),
    )
    for stream, task in zip(opened, swallowing, strict=True):
        stream.close()
        task.cancel()
    return posted, asked, polled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sensors", type=int, default=8)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=8.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = create_small_site(Path(folder))
        first = minute_floor(datetime.now(UTC)) - timedelta(days=DAYS)
        store_counts(
            Path(folder),
            [(first + timedelta(minutes=m), p, m % 3, m % 2) for p in PASSAGES for m in range(DAYS * 1440)],
        )
        service = start_service(Path(folder), is_anew=True, environment=UNLIMITED)
        try:
            rates = []
            for readers, streams in ((0, 0), (asked.readers, asked.streams)):
                posts, reads, health = asyncio.run(
                    measure(
                        service, site, asked.seconds, sensors=asked.sensors, readers=readers, streams=streams
                    )
                )
                rates.append(posts.statuses[200])
                print(f"\n{asked.sensors} sensors, {readers} readers, {streams} streams")
                for name, answers in (("posts", posts), ("reads", reads), ("/healthz", health)):
                    print(answers.line(name, asked.seconds))
            print(
                f"\nposts taken beside readers and streams: {rates[1] / max(rates[0], 1):.2f} of those alone"
            )
        finally:
            service.stop()


if __name__ == "__main__":
    main()
