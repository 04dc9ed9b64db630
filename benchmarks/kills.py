"""What is lost or doubled of what was acknowledged while the service is killed again and again under load.

    python -m benchmarks.kills                             200 kills
    python -m benchmarks.kills --kills 20 --counters 3     3 counters of each kind and way in

By every way in at once: counts and levels in our own format, each maker's and what a mapping reads over HTTP,
some over MQTT, some from an address that is asked and folders that are watched, and some that nobody has
placed, which are placed at the end. A counter that pushes sends its next report once the last was
acknowledged, and else the same again, as counters do; of what is pulled, acknowledged is what lies there to
be read. `kill -9` comes at random moments, now and then while the service still starts. What `/v3` answers
then is held against what was acknowledged, by zone and minute, and `python -m service check` against the raw
counts.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from benchmarks.acknowledged import Acknowledged, Compared, door_of
from benchmarks.mounted_counters import (
    PATIENCE,
    connected,
    mqtt_environment,
    place_waiting,
    set_up,
    settled,
)
from benchmarks.pulled_sources import AskedSource, FolderSource, pull_environment
from benchmarks.pushing_sources import HttpSource, MqttSource, Source
from benchmarks.simulated_counters import SimulatedCounter, Way
from tests.forked_process import run_forked
from tests.running_mosquitto import running_mosquitto
from tests.running_service import ROOT, RunningService, begin_service, start_service

SITE: Final = "site"
HTTP, MQTT, WAITING, ASKED, FOLDER = "http", "mqtt", "waiting", "asked", "folder"
WAYS: Final = (
    *((HTTP, way) for way in Way),
    *((MQTT, way) for way in (Way.AXIS_3D, Way.HIKVISION, Way.TERABEE, Way.MAPPED)),
    *((WAITING, way) for way in (Way.AXIS_3D, Way.TERABEE, Way.MAPPED_TOTAL)),
    (ASKED, Way.AXIS_3D),
    *((FOLDER, way) for way in (Way.COUNTS, Way.AXIS_3D, Way.TERABEE)),
)
"""How a report comes, and whose."""
UP: Final = 1.5
"""Seconds between a start and the next kill, at most."""
WHILE_STARTING: Final = 0.2
"""Part of the kills that do not wait until the service answers."""


class Found(NamedTuple):
    kills: int
    seconds: float
    acknowledged: Counter[str]
    """Reports, by the way in which they came."""
    compared: Compared
    again: int
    """Requests that were sent again."""
    known: int
    """Reports that had been stored before their acknowledgement got lost."""
    check: str
    """What `python -m service check` says; empty where it finds a difference."""


def survive(
    folder: Path, *, kills: int, counters: int, chance: random.Random, port: int | None = None
) -> Found:
    """`counters` of each of `WAYS`."""
    # Nothing that is told is more than 30 days old when it comes.
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=28)
    oracle = Acknowledged()
    sources = list(_sources(folder, counters, oracle, begin))
    data = folder / "data"
    waiting = [source.counter for source in sources if source.means == WAITING]
    keys = set_up(data, [one.counter for one in sources if one.means != WAITING], waiting)
    with ExitStack() as ending:
        broker = ending.enter_context(running_mosquitto(folder / "broker"))
        pulled = [source for source in sources if isinstance(source, AskedSource | FolderSource)]
        environment = mqtt_environment(broker) | pull_environment(folder / "pull.json", pulled)
        service = start_service(data, port=port, environment=environment)
        # Else what is published before the service has a session is for nobody.
        connected(service)
        client = ending.enter_context(
            httpx.Client(base_url=service.base_url, headers={"x-api-key": keys.read}, timeout=PATIENCE)
        )
        begun = time.monotonic()
        for source in sources:
            if isinstance(source, MqttSource):
                source.publish_to(broker)
            elif isinstance(source, HttpSource):
                source.post_to(service.base_url, keys.ingest)
            else:
                source.start()
        service = killed(service, environment, kills, chance)
        ending.callback(service.kill)
        for source in sources:
            source.stop.set()
        for source in sources:
            source.end()
        seconds = time.monotonic() - begun
        settled(broker, client, keys.admin)
        for one in pulled:
            one.read_by(client)
        place_waiting(client, keys.admin, waiting)
        compared = oracle.compared(client)
    check = run_forked(["service", "check", "--data-dir", str(data)], folder=ROOT)
    told: Counter[str] = Counter()
    for source in sources:
        told[f"{source.means}, {source.counter.way}"] += source.acknowledged
    again, known = sum(one.again for one in sources), sum(one.known for one in sources)
    said = check.stderr.strip() if check.returncode == 0 else ""
    return Found(kills, seconds, told, compared, again, known, said)


def _sources(folder: Path, counters: int, oracle: Acknowledged, begin: datetime) -> Iterator[Source]:
    numbers = iter(range(len(WAYS) * counters))
    for means, way in WAYS:
        zone = f"{means}-{way}"
        for door in range(counters):
            number = next(numbers)
            counter = SimulatedCounter(
                way, number, SITE, zone, door_of(SITE, zone, door), is_swapped=bool(number % 2),
                chance=random.Random(number),
            )  # fmt: skip
            if means == ASKED:
                yield AskedSource(counter, means, oracle, begin)
            elif means == FOLDER:
                yield FolderSource(counter, means, oracle, begin, folder / counter.serial)
            else:
                yield (MqttSource if means == MQTT else HttpSource)(counter, means, oracle, begin)


def killed(
    service: RunningService, environment: dict[str, str], kills: int, chance: random.Random
) -> RunningService:
    """The service that runs after all of them."""
    folder, port = service.data_dir, service.port
    for _ in range(kills):
        time.sleep(chance.uniform(0.0, UP))
        service.kill()
        if chance.random() < WHILE_STARTING:
            service = begin_service(folder, port=port, environment=environment)
        else:
            service = start_service(folder, port=port, environment=environment)
    service.kill()
    return start_service(folder, port=port, environment=environment)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--counters", type=int, default=1)
    parser.add_argument("--port", type=int, help="of the service, if another program may take a free one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = survive(
            Path(folder), kills=given.kills, counters=given.counters, chance=random.Random(7), port=given.port
        )
    print(f"{found.kills} kills within {found.seconds:.0f} s")
    print(f"  reports acknowledged             {found.acknowledged.total():8,}")
    for way, reports in found.acknowledged.items():
        print(f"    {way:30} {reports:8,}")
    print(f"  minutes of zones                 {found.compared.told:8,}")
    print(f"  lost                             {found.compared.lost:8,}")
    print(f"  doubled                          {found.compared.doubled:8,}")
    if found.compared.first:
        print(f"  the first of these: {found.compared.first}")
    print(f"  requests sent again              {found.again:8,}")
    print(f"  of these, stored before          {found.known:8,}")
    print(found.check or "`check` finds a difference")


if __name__ == "__main__":
    main()
