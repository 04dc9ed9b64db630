"""What is lost or doubled of counters' reports while the service is killed again and again under load.

    python -m benchmarks.sensor_kills                          200 kills, 8 counters
    python -m benchmarks.sensor_kills --kills 20 --counters 4

Each counter sends its next report once the last was answered, and the same again until it is, as counters do;
every second one has been placed, the others wait and are placed at the end.
`kill -9` comes at random moments, the service comes back at once. What the store then holds is compared with
what was answered, minute by minute. Also printed: what was sent again, and how much of it had been stored
before its answer got lost.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import httpx

from contract import Granularity, MetricKey
from contract.minutes import minute_number
from service.open_store import open_store, store_url
from service.sensors.taking import place
from service.store.protocol import BucketQuery, KeyScope, Organization, SiteRecord
from service.store.sensor_protocol import Placement
from tests.running_service import RunningService, free_port, start_service
from tests.wide_site import wide_site

UP: Final = (0.2, 1.0)
"""Seconds between a start and the next kill."""
PATIENCE: Final = 60.0
WEEK: Final = timedelta(days=7)


class Found(NamedTuple):
    """Of all counters together."""

    kills: int
    answered: int
    """Reports."""
    lost: int
    """Minutes of a passage with fewer people than were answered, or without a row."""
    doubled: int
    """With more."""
    again: int
    """Requests that were sent again."""
    known: int
    """Reports whose answer got lost after they were stored."""
    seconds: float


class Sensor(threading.Thread):
    """Sends one report after another until it is told to stop, and then ends the one it is at."""

    def __init__(self, number: int, address: str, key: str, start: datetime, stop: threading.Event) -> None:
        super().__init__(name=f"counter {number}")
        self._address, self._key, self._start, self._end = address, key, start, stop
        self._chance = random.Random(number)
        self.number = number
        self.expected: dict[int, int] = {}
        """Minute -> who came in, of reports that were answered."""
        self.again = self.known = 0

    def run(self) -> None:
        with httpx.Client(
            base_url=self._address, headers={"x-api-key": self._key}, timeout=PATIENCE
        ) as client:
            for index in range(7 * 24 * 60):
                if self._end.is_set():
                    return
                start, people = self._start + timedelta(minutes=index), self._chance.randrange(5)
                self._send(client, start, people)
                self.expected[minute_number(start)] = people

    def _send(self, client: httpx.Client, start: datetime, people: int) -> None:
        tried = 0
        while True:
            try:
                answer = client.post("/ingest/axis-3d", json=report(self.number, start, people))
            except httpx.TransportError:
                self.again += 1
            else:
                if answer.status_code == httpx.codes.OK:
                    self.known += tried > 0 and "duplicate" in answer.json()["data"]
                    return
                assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
            tried += 1
            time.sleep(0.02)


def report(number: int, start: datetime, people: int) -> dict[str, Any]:
    measured = {
        "kind": "people-counts",
        "utcFrom": start.isoformat(),
        "utcTo": (start + timedelta(minutes=1)).isoformat(),
        "items": [{"direction": "in", "count": people}, {"direction": "out", "count": 0}],
    }
    return {
        "apiName": "Axis Retail Data",
        "sensor": {"serial": f"counter-{number}"},
        "data": {"measurements": [measured]},
    }


def survive(folder: Path, kills: int, counters: int, chance: random.Random) -> Found:
    site = wide_site(counters, counters)
    with closing(open_store(store_url(folder))) as store:
        store.catalogue.save(Organization("wide", "Wide"), [SiteRecord(site, site.zones[0].id)])
        _, key = store.keys.create("wide", "counters", KeyScope.INGEST)
    port, stop = free_port(), threading.Event()
    service = start_service(folder, port=port)
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - 2 * WEEK
    sensors = [Sensor(number, service.base_url, key, begin, stop) for number in range(counters)]
    # So that every second one is known, and placed before the first kill.
    with httpx.Client(base_url=service.base_url, headers={"x-api-key": key}, timeout=PATIENCE) as client:
        for sensor in sensors[::2]:
            client.post("/ingest/axis-3d", json=report(sensor.number, begin - WEEK, 0)).raise_for_status()
    placed_all(folder)
    begun = time.monotonic()
    for sensor in sensors:
        sensor.start()
    service = killed(service, folder, port, kills, chance)
    stop.set()
    for sensor in sensors:
        sensor.join()
    seconds = time.monotonic() - begun
    service.kill()
    placed_all(folder)
    expected = {(one.number, minute): people for one in sensors for minute, people in one.expected.items()}
    stored = stored_minutes(folder, counters, begin)
    lost = sum(stored.get(at, -1) < people for at, people in expected.items())
    doubled = sum(people > expected.get(at, 0) for at, people in stored.items())
    again, known = sum(one.again for one in sensors), sum(one.known for one in sensors)
    return Found(kills, len(expected), lost, doubled, again, known, seconds)


def killed(
    service: RunningService, folder: Path, port: int, kills: int, chance: random.Random
) -> RunningService:
    """The service that runs after all of them."""
    for _ in range(kills):
        time.sleep(chance.uniform(*UP))
        service.kill()
        service = start_service(folder, port=port)
    return service


def placed_all(folder: Path) -> Counter[str]:
    """Place each counter that waits at the passage of its number; what became of what waited."""
    outcomes: Counter[str] = Counter()
    with closing(open_store(store_url(folder))) as store:
        for line in store.sensors.lines("wide"):
            if line.placement is None:
                passage = f"passage-{line.name.serial.removeprefix('counter-')}"
                with store.sensors.writing() as rows:
                    outcomes.update(place(rows, line, Placement(passage, is_swapped=False)))
    return outcomes


def stored_minutes(folder: Path, counters: int, begin: datetime) -> Mapping[tuple[int, int], float]:
    """(Number of a counter, minute) -> who came in."""
    found = {}
    with closing(open_store(store_url(folder))) as store:
        for number in range(counters):
            for day in range(8):
                start = begin + timedelta(days=day)
                asked = BucketQuery(
                    "wide", (MetricKey.ENTRANCES,), start, start + timedelta(days=1), Granularity.MINUTE,
                    ZoneInfo("UTC"), passage_ids=(f"passage-{number}",),
                )  # fmt: skip
                for one in store.metrics.buckets(asked):
                    found[number, minute_number(one.start)] = one.values[MetricKey.ENTRANCES]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--counters", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = survive(Path(folder), given.kills, given.counters, random.Random(7))
    print(f"{found.kills} kills within {found.seconds:.0f} s, {given.counters} counters:")
    print(f"  reports answered                 {found.answered:8,}")
    print(f"  minutes lost                     {found.lost:8,}")
    print(f"  minutes doubled                  {found.doubled:8,}")
    print(f"  requests sent again              {found.again:8,}")
    print(f"  of these, stored before          {found.known:8,}")


if __name__ == "__main__":
    main()
