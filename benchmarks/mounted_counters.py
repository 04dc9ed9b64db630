"""Simulated counters in a store and beside a broker: set up before they send, placed and waited for after."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from benchmarks.acknowledged import site_of
from benchmarks.simulated_counters import MAKERS, MINUTE, WRITTEN, SimulatedCounter, Way
from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.sensors.taking import place
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.protocol import KeyScope, Organization, SiteRecord
from service.store.sensor_protocol import Placement, SensorName
from tests.running_mosquitto import RunningMosquitto
from tests.running_service import RunningService

ORGANIZATION: Final = Organization("many", "Many ways in")
PATIENCE: Final = 60.0
SETTLING: Final = 600.0
"""Seconds that the broker's queue may take to be empty at the end."""
LAST: Final = SimulatedCounter(Way.AXIS_3D, 999_999, "", "", "")
"""What it sends comes after all else."""


class Keys(NamedTuple):
    read: str
    ingest: str
    admin: str


def mqtt_environment(broker: RunningMosquitto) -> dict[str, str]:
    return {
        "HEADROOM_SERVICE_MQTT_URL": broker.url,
        "HEADROOM_SERVICE_MQTT_ORGANIZATION": ORGANIZATION.id,
    }


def set_up(
    folder: Path, counters: Collection[SimulatedCounter], waiting: Collection[SimulatedCounter] = ()
) -> Keys:
    """Sites with all doors, and at these `counters`, but for those that wait until somebody places them."""
    doors: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in (*counters, *waiting):
        doors[one.site_id][one.zone_id] += one.way is not Way.LEVELS
    heard = datetime.now(UTC) - timedelta(days=1)
    with closing(open_store(store_url(folder))) as store:
        sites = [site_of(site_id, ORGANIZATION.id, own) for site_id, own in doors.items()]
        store.catalogue.save(ORGANIZATION, [SiteRecord(site, site.zones[0].id) for site in sites])
        scopes = (KeyScope.READ, KeyScope.INGEST, KeyScope.ADMIN)
        keys = Keys(*(store.keys.create(ORGANIZATION.id, scope.value, scope)[1] for scope in scopes))
        for way, written in WRITTEN.items():
            store.mappings.keep(ORGANIZATION.id, way.value, written, lambda _: None, SERVICE_ITSELF)
        with store.sensors.writing() as rows:
            for one in counters:
                if one.way in MAKERS:
                    maker = one.way.value
                    rows.note_heard(ORGANIZATION.id, maker, one.serial, heard_again(None, heard))
                    name = SensorName(ORGANIZATION.id, maker, one.serial, one.line)
                    place(rows, rows.line(name, heard), Placement(one.passage_id, one.is_swapped))
    return keys


def settled(broker: RunningMosquitto, client: httpx.Client, key: str) -> None:
    """Return when all that the broker had is taken, in its order: this message is the last."""
    start = datetime.now(UTC).replace(second=0, microsecond=0) - MINUTE
    with broker.counter(name=LAST.serial) as publisher:
        publisher.report(f"headroom/{LAST.way}/{LAST.serial}", LAST.next_report(start, 1).body)
    deadline = time.monotonic() + SETTLING
    while LAST.serial not in {line["serial"] for line in lines(client, key)}:
        assert time.monotonic() < deadline, "what the broker has is not taken"
        time.sleep(0.2)


def lines(client: httpx.Client, key: str) -> list[dict[str, Any]]:
    answer = client.get("/admin/sensors", headers={"x-api-key": key}).raise_for_status()
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def place_waiting(client: httpx.Client, key: str, counters: Iterable[SimulatedCounter]) -> None:
    """Each of them that waits, at its door: as somebody does in the browser. All is counted then."""
    by_serial = {counter.serial: counter for counter in counters}
    for line in lines(client, key):
        counter = by_serial.get(line["serial"])
        if line["placement"] is None and counter:
            body = {"passageId": counter.passage_id, "isSwapped": counter.is_swapped}
            address = f"/admin/sensors/{line['number']}/placement"
            headers = {"x-api-key": key}
            client.put(address, headers=headers, json=body, timeout=SETTLING).raise_for_status()
    deadline = time.monotonic() + SETTLING
    while any(line["waiting"] for line in lines(client, key) if line["placement"]):
        assert time.monotonic() < deadline, "what had waited is not counted"
        time.sleep(0.2)


def connected(service: RunningService) -> None:
    """Return when it has its session with the broker: what was sent before is for nobody."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        told = httpx.get(f"{service.base_url}/healthz").json()
        if told["data"]["feeds"]["mqtt"]["isConnected"]:
            return
        time.sleep(0.05)
    raise RuntimeError(service.log())
