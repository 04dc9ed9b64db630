"""100,000 reports an hour of 5,000 counters, half of them over MQTT, while the service is killed at times.

    python -m benchmarks.devices                 ten minutes, 20 kills
    python -m benchmarks.devices --minutes 1     a look

Counters of every maker and of our own formats report every three minutes what they saw meanwhile, one after
another through the three minutes: 28 reports a second. One in 25 has been placed by nobody until the end, one
report in 33 is sent once more although it was acknowledged, and what was not acknowledged is sent again until
it is. Running totals begin again now and then. At the end what `/v3` answers is held against what was
acknowledged, by zone and minute, and all that is derived against the raw counts.

Acknowledged is, over HTTP, what the service answered; over MQTT, what the broker has. From there to the
answers of `/v3` one counter is watched besides.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import numpy as np
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from benchmarks.acknowledged import Acknowledged, door_of
from benchmarks.mounted_counters import (
    PATIENCE,
    Keys,
    connected,
    mqtt_environment,
    place_waiting,
    set_up,
    settled,
)
from benchmarks.simulated_counters import MAKERS, MINUTE, Sent, SimulatedCounter, Way
from tests.forked_process import run_forked
from tests.running_mosquitto import RunningMosquitto, running_mosquitto
from tests.running_service import ROOT, RunningService, start_service

COUNTERS: Final = 5_000
A_SITE: Final = 50
ZONES: Final = 4
EVERY: Final = 3
"""Minutes between two reports of a counter, which it tells of."""
UNPLACED: Final = 25
"""One counter in so many is placed at the end."""
TWICE: Final = 0.03
"""Part of the reports that are sent once more."""
PAUSE: Final = 0.1
"""Seconds until a counter tries again."""
GIVEN_UP: Final = 600.0
"""Seconds after which it is told that nothing answers."""
UP: Final = 5.0
"""Seconds between a start and the next kill, at least."""
THREADS: Final = 64
LIMITS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=THREADS)
MEBIBYTE: Final = 1024 * 1024


@dataclass
class Load:
    """What all counters share; several threads add to it."""

    broker: RunningMosquitto
    client: httpx.Client
    keys: Keys
    oracle: Acknowledged = field(default_factory=Acknowledged)
    at_once: list[float] = field(default_factory=list)
    """Seconds until reports were acknowledged over HTTP, at the first try."""
    again: list[float] = field(default_factory=list)
    """The same, where it took several."""
    by_broker: list[float] = field(default_factory=list)
    to_answers: list[float] = field(default_factory=list)
    """Seconds from a message to `/v3`."""
    repeated: int = 0
    over_mqtt: int = 0

    def send(self, counter: SimulatedCounter, sent: Sent, *, is_mqtt: bool, is_twice: bool) -> None:
        for _ in range(1 + is_twice):
            if is_mqtt:
                self._publish(counter, sent)
            else:
                self._post(sent)
        self.oracle.add(counter, sent)
        self.repeated += is_twice
        self.over_mqtt += is_mqtt

    def _publish(self, counter: SimulatedCounter, sent: Sent) -> None:
        begun = time.monotonic()
        with self.broker.counter(name=counter.serial) as client:
            client.report(f"headroom/{counter.way}/{counter.serial}", sent.body)
        self.by_broker.append(time.monotonic() - begun)

    def _post(self, sent: Sent) -> None:
        begun, headers = time.monotonic(), {"x-api-key": self.keys.ingest, **sent.headers}
        is_again = False
        while True:
            try:
                answer = self.client.post(sent.path, content=sent.body, headers=headers)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code == httpx.codes.OK:
                    (self.again if is_again else self.at_once).append(time.monotonic() - begun)
                    return
                assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
            is_again = True
            assert time.monotonic() - begun < GIVEN_UP, "the service does not come back"
            time.sleep(PAUSE)


def counters_of_all_sites() -> list[SimulatedCounter]:
    """Those of even numbers report over HTTP, the others over MQTT."""
    own: list[SimulatedCounter] = []
    for number in range(COUNTERS):
        ways = MAKERS if number % 2 else tuple(Way)
        way = ways[number // 2 % len(ways)]
        site_id, place = f"site-{number // A_SITE:03}", number % A_SITE
        zone = f"level-{place}" if way is Way.LEVELS else f"zone-{place % ZONES}"
        door = sum(one.zone_id == zone for one in own[number - place :])
        chance, is_swapped = random.Random(number), number % 3 == 0
        own.append(
            SimulatedCounter(
                way, number, site_id, zone, door_of(site_id, zone, door), is_swapped, chance=chance
            )
        )
    return own


def reports(counters: list[SimulatedCounter], begin: datetime, minutes: float) -> Iterator[tuple[int, Sent]]:
    """Number of a counter and its next report, each when it is due."""
    apart = EVERY * MINUTE / len(counters)
    for index in range(round(minutes * MINUTE / apart)):
        due = begin + index * apart
        time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
        number, told = index % len(counters), due.replace(second=0, microsecond=0)
        yield number, counters[number].next_report(told - EVERY * MINUTE, EVERY)


class Ward(threading.Thread):
    """Kills the service when its time has come, starts it again, and knows how much memory it has at most."""

    def __init__(self, service: RunningService, environment: dict[str, str], deaths: list[float]) -> None:
        """`deaths` are seconds from the start on, ascending; each waits until it has been up for a while."""
        super().__init__(daemon=True)
        self.service = service
        self._environment, self._deaths = environment, deaths
        self.memory = 0
        self.restarts: list[float] = []
        """Seconds from a kill until it answered again."""
        self._stop_asked = threading.Event()

    def run(self) -> None:
        begun = up = time.monotonic()
        while not self._stop_asked.wait(0.2):
            self.memory = max(self.memory, psutil.Process(self.service.process.pid).memory_info().rss)
            now = time.monotonic()
            if self._deaths and now > max(begun + self._deaths[0], up + UP):
                del self._deaths[0]
                self.service.kill()
                killed = time.monotonic()
                self.service = start_service(
                    self.service.data_dir, port=self.service.port, environment=self._environment, is_anew=True
                )
                up = time.monotonic()
                self.restarts.append(up - killed)

    def end(self) -> None:
        self._stop_asked.set()
        self.join()
        self.service.kill()


class Messenger(threading.Thread):
    """A counter whose messages are looked for in the answers."""

    def __init__(self, load: Load, counter: SimulatedCounter, begin: datetime) -> None:
        super().__init__(daemon=True)
        self._load, self._counter, self._begin = load, counter, begin
        self._stop_asked = threading.Event()

    def end(self) -> None:
        """Return when its last message is answered."""
        self._stop_asked.set()
        self.join()

    def run(self) -> None:
        for index in count():
            if self._stop_asked.wait(1.0):
                return
            start = self._begin + index * MINUTE
            sent, begun = self._counter.next_report(start, 1), time.monotonic()
            self._load.send(self._counter, sent, is_mqtt=True, is_twice=False)
            while not self._is_answered(start):
                time.sleep(0.02)
            self._load.to_answers.append(time.monotonic() - begun)

    def _is_answered(self, start: datetime) -> bool:
        asked = {
            "siteId": self._counter.site_id, "metrics": ["entrances"], "granularity": "minute",
            "timezone": "Etc/UTC", "from": f"{start:%Y-%m-%dT%H:%M}:00",
            "to": f"{start + MINUTE:%Y-%m-%dT%H:%M}:00",
            "filter": {"zoneIds": [self._counter.zone_id]},
        }  # fmt: skip
        try:
            answer = self._load.client.post("/v3/metrics", json=asked)
        except httpx.TransportError:
            return False
        return answer.status_code == httpx.codes.OK and bool(answer.json()["data"])


def run(folder: Path, minutes: float, kills: int, port: int | None) -> Iterator[tuple[str, str]]:
    """What is to be printed: what, and how much."""
    counters, chance = counters_of_all_sites(), random.Random(7)
    watched = SimulatedCounter(Way.AXIS_3D, COUNTERS, "watched", "zone", door_of("watched", "zone", 0))
    waiting = [one for one in counters if one.number % UNPLACED == UNPLACED - 1 and one.way in MAKERS]
    unplaced = {one.number for one in waiting}
    data = folder / "data"
    keys = set_up(data, [*(one for one in counters if one.number not in unplaced), watched], waiting)
    with ExitStack() as ending:
        broker = ending.enter_context(running_mosquitto(folder / "broker"))
        environment = mqtt_environment(broker)
        deaths = sorted(chance.uniform(0.05, 0.95) * minutes * 60 for _ in range(kills))
        service = start_service(data, port=port, environment=environment, is_anew=True)
        ward = Ward(service, environment, deaths)
        ending.callback(ward.end)
        ward.start()
        connected(service)
        client = httpx.Client(
            base_url=service.base_url, headers={"x-api-key": keys.read}, timeout=PATIENCE, limits=LIMITS
        )
        load, begin = Load(broker, ending.enter_context(client), keys), datetime.now(UTC)
        messenger = Messenger(load, watched, begin.replace(second=0, microsecond=0) - timedelta(days=20))
        messenger.start()
        with ThreadPoolExecutor(THREADS) as threads:
            sending = [
                threads.submit(
                    load.send,
                    counters[number],
                    sent,
                    is_mqtt=bool(number % 2),
                    is_twice=chance.random() < TWICE,
                )
                for number, sent in reports(counters, begin, minutes)
            ]
        for one in sending:
            one.result()
        seconds = (datetime.now(UTC) - begin).total_seconds()
        messenger.end()
        settled(broker, load.client, keys.admin)
        place_waiting(load.client, keys.admin, waiting)
        compared = load.oracle.compared(load.client)
    check = run_forked(["service", "check", "--data-dir", str(data)], folder=ROOT)
    disk = sum(file.stat().st_size for file in data.iterdir() if file.suffix != ".log")
    number = load.oracle.reports
    yield f"reports within {seconds:.0f} s", f"{number:,}, {number / seconds:.1f} a second"
    yield "counters", f"{COUNTERS:,}, of which {len(waiting):,} were placed at the end"
    yield "kills", f"{len(ward.restarts):,}"
    yield "over MQTT", f"{load.over_mqtt:,}"
    yield "sent once more though acknowledged", f"{load.repeated:,}"
    yield "minutes of zones", f"{compared.told:,}"
    yield "lost", f"{compared.lost:,}"
    yield "doubled", f"{compared.doubled:,}"
    if compared.first:
        yield "the first of these", compared.first
    yield "acknowledged over HTTP", _quantiles(load.at_once)
    yield "the same, sent again through a kill", _quantiles(load.again)
    yield "acknowledged by the broker", _quantiles(load.by_broker)
    yield "from a message to the answers", _quantiles(load.to_answers)
    yield "from a kill until it answers", _quantiles(ward.restarts)
    yield "memory at most", f"{ward.memory / MEBIBYTE:,.0f} MiB"
    yield "disk", f"{disk / MEBIBYTE:,.0f} MiB"
    yield "check", check.stderr.strip()


def _quantiles(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    half, most = np.quantile(seconds, (0.5, 0.99))
    return f"{len(seconds):,}: p50 {half * 1000:,.0f} ms, p99 {most * 1000:,.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--kills", type=int, help="two a minute, if not given")
    parser.add_argument("--port", type=int, help="of the service, if another program may take a free one")
    given = parser.parse_args()
    kills = round(2 * given.minutes) if given.kills is None else given.kills
    with tempfile.TemporaryDirectory() as folder:
        for name, value in run(Path(folder), given.minutes, kills, given.port):
            print(f"{name:38} {value}")


if __name__ == "__main__":
    main()
