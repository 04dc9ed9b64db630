"""A disk that is full, for every way in over HTTP; for messages of a broker see `workers/test_mqtt.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
import pytest

from benchmarks.acknowledged import Acknowledged, door_of
from benchmarks.kills import HTTP, SITE, WAITING, WAYS
from benchmarks.mounted_counters import Keys, place_waiting, set_up
from benchmarks.pushing_sources import HttpSource
from benchmarks.simulated_counters import MINUTE, Sent, SimulatedCounter, Way
from tests.forked_process import run_forked
from tests.running_service import ROOT, RunningService, start_service
from tests.small_disk import SmallDisk, small_disk

BEGIN: Final = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=20)
MOST_REPORTS: Final = 4_000
"""That what is left of the store's log may take."""
OVER_HTTP: Final = [(means, way) for means, way in WAYS if means in {HTTP, WAITING}]


@dataclass(frozen=True)
class Filled:
    disk: SmallDisk
    service: RunningService
    client: httpx.Client
    keys: Keys
    sources: dict[tuple[str, Way], HttpSource]
    oracle: Acknowledged

    def send(self, sent: Sent) -> httpx.Response:
        headers = {"x-api-key": self.keys.ingest, **sent.headers}
        return self.client.post(sent.path, content=sent.body, headers=headers)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    oracle, sources = Acknowledged(), dict[tuple[str, Way], HttpSource]()
    for number, (means, way) in enumerate(OVER_HTTP):
        zone = f"{means}-{way}"
        door, chance = door_of(SITE, zone, 0), random.Random(number)
        counter = SimulatedCounter(way, number, SITE, zone, door, chance=chance)
        sources[means, way] = HttpSource(counter, means, oracle, BEGIN)
    with small_disk(tmp_path_factory.mktemp("full") / "disk") as disk:
        waiting = [one.counter for one in sources.values() if one.means == WAITING]
        placed = [one.counter for one in sources.values() if one.means != WAITING]
        keys = set_up(disk.folder / "data", placed, waiting)
        service = start_service(disk.folder / "data")
        try:
            with httpx.Client(
                base_url=service.base_url, headers={"x-api-key": keys.read}, timeout=60.0
            ) as client:
                yield Filled(disk, service, client, keys, sources, oracle)
        finally:
            service.kill()


@pytest.mark.parametrize(("means", "way"), OVER_HTTP)
def test_on_a_full_disk_nothing_is_acknowledged_that_is_not_kept(
    filled: Filled, means: str, way: Way
) -> None:
    source = filled.sources[means, way]
    filled.disk.fill()
    for index in range(MOST_REPORTS):
        sent = source.counter.next_report(BEGIN + index * MINUTE, 1)
        if (answer := filled.send(sent)).status_code != httpx.codes.OK:
            break
        source.note(sent)
    assert answer.status_code == httpx.codes.INSUFFICIENT_STORAGE
    [error] = answer.json()["meta"]["errors"]
    assert (error["code"], answer.json()["data"]) == ("STORAGE_FULL", None)
    assert error["message"].startswith(
        "Nothing was stored. The service's disk has no space left; send it again"
    )
    assert answer.headers["retry-after"].isdecimal()
    filled.disk.make_room()
    again = filled.send(sent)
    assert again.status_code == httpx.codes.OK, again.text
    assert not again.json()["data"].get("duplicate"), "what was refused was not kept"
    source.note(sent)
    place_waiting(filled.client, filled.keys.admin, [source.counter])
    found = filled.oracle.compared(filled.client)
    assert (found.lost, found.doubled, found.first) == (0, 0, "")


def test_what_follows_from_counts_is_whole_after_full_disks(filled: Filled) -> None:
    command = ["service", "check", "--data-dir", str(filled.service.data_dir)]
    assert run_forked(command, folder=ROOT).returncode == 0
    assert "Traceback" not in filled.service.log()
