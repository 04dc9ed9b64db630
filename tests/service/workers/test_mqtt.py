"""Counters that report by way of a real broker to a real service."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import pytest

from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.sensors.taking import place
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.protocol import Store
from service.store.sensor_protocol import (
    MOST_WAITING,
    Placement,
    SensorLine,
    SensorName,
    SensorRows,
    WaitingReport,
)
from tests.eventually import eventually
from tests.running_mosquitto import Counter, RunningMosquitto, made_certificates, running_mosquitto
from tests.running_service import RunningService, start_service
from tests.small_disk import small_disk
from tests.small_site import ORGANIZATION, SmallSite, create_small_site
from tests.soaking import in_the_soak

MAKER: Final = "axis-3d"
SERIALS: Final = (f"ACCC8E{number:06}" for number in count())
MINUTE: Final = timedelta(minutes=1)
BEGIN: Final = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=3)
TIME: Final = "%Y-%m-%dT%H:%M:%S"
MINUTES_AT_ONCE: Final = 1_000
"""Of an answer by the minute."""
MOST_MINUTES: Final = 4_000
PREFIX: Final = "HEADROOM_SERVICE_MQTT_"


def topic(serial: str, last: str = "counts") -> str:
    return f"headroom/{MAKER}/{serial}/{last}"


def report(serial: str, minute: int, came: int, went: int = 0) -> str:
    start = BEGIN + minute * MINUTE
    items = [{"direction": "in", "count": came}, {"direction": "out", "count": went}]
    measured = {
        "kind": "people-counts",
        "utcFrom": start.isoformat(),
        "utcTo": (start + MINUTE).isoformat(),
        "items": items,
    }
    told = {"apiName": "Axis Retail Data", "sensor": {"serial": serial}, "data": {"measurements": [measured]}}
    return json.dumps(told)


def line_of(rows: SensorRows, name: SensorName) -> SensorLine:
    """Of a counter that was never heard of before."""
    rows.note_heard(name.organization_id, name.maker, name.serial, heard_again(None, BEGIN))
    return rows.line(name, BEGIN)


@dataclass
class Counting:
    """A site whose service reads a broker; at its entrance a counter is placed."""

    broker: RunningMosquitto
    site: SmallSite
    environment: dict[str, str]
    service: RunningService

    def feed(self) -> dict[str, Any]:
        told = httpx.get(f"{self.service.base_url}/healthz").json()
        found: dict[str, Any] = told["data"]["feeds"]["mqtt"]
        return found

    async def connected(self) -> None:
        await eventually(lambda: bool(self.feed()["isConnected"]), pause=0.05)

    async def troubled(self, part: str) -> None:
        await eventually(lambda: part in (self.feed()["trouble"] or ""), pause=0.05)

    async def taken(self, number: int) -> None:
        """So many more messages than the service had taken at its start."""
        await eventually(lambda: int(self.feed()["taken"]) >= number, pause=0.05)

    def again(self) -> None:
        self.service = started(self.site, self.environment, self.service.port)

    def place(self, *, maker: str = MAKER, line: str = "") -> str:
        """The serial of a new counter at the entrance."""
        serial = next(SERIALS)
        with self.opened() as store, store.sensors.writing() as rows:
            heard = line_of(rows, SensorName(ORGANIZATION.id, maker, serial, line))
            place(rows, heard, Placement("entrance", is_swapped=False))
        return serial

    def waiting(self, serial: str) -> int:
        with self.opened() as store:
            return sum(
                one.waiting for one in store.sensors.lines(ORGANIZATION.id) if one.name.serial == serial
            )

    def counted(self, minutes: int, first: int = 0) -> list[tuple[int, int]]:
        """Who came and went through the entrance in each of so many minutes that anything was told of."""
        asked = {
            "siteId": "corner-shop",
            "metrics": ["entrances", "exits"],
            "granularity": "minute",
            "filter": {"passageIds": ["entrance"]},
        }
        people = []
        for begin in range(first, first + minutes, MINUTES_AT_ONCE):
            end = min(begin + MINUTES_AT_ONCE, first + minutes)
            times = {"from": f"{BEGIN + begin * MINUTE:{TIME}}", "to": f"{BEGIN + end * MINUTE:{TIME}}"}
            url = f"{self.service.base_url}/v3/metrics"
            points = httpx.post(url, headers=self.site.headers, json=asked | times).json()["data"]
            people += [(point["metrics"]["entrances"], point["metrics"]["exits"]) for point in points]
        return people

    async def not_stored(self, counter: Counter, serial: str) -> int:
        """One person a minute until the store fails: what is left on its disk may take some. So many."""
        for minute in range(MOST_MINUTES):
            counter.report(topic(serial), report(serial, minute, 1))
            if "reports not stored, trying again" in self.service.log():
                return minute + 1
            await asyncio.sleep(0)
        raise AssertionError("the disk is not full")

    @contextmanager
    def opened(self) -> Iterator[Store]:
        with closing(open_store(store_url(self.site.data_dir))) as store:
            yield store


def started(site: SmallSite, environment: dict[str, str], port: int | None = None) -> RunningService:
    return start_service(site.data_dir, port=port, environment=environment)


@contextmanager
def counting(folder: Path, broker: RunningMosquitto, **settings: str) -> Iterator[Counting]:
    """`settings` by their names after MQTT_; others whole."""
    site = create_small_site(folder)
    given = {"URL": broker.url, "ORGANIZATION": ORGANIZATION.id} | settings
    environment = {
        name if name.startswith("HEADROOM_") else f"{PREFIX}{name}": value for name, value in given.items()
    }
    run = Counting(broker, site, environment, started(site, environment))
    try:
        yield run
    finally:
        run.service.kill()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counting]:
    """For tests that end neither."""
    with (
        running_mosquitto(tmp_path_factory.mktemp("broker")) as broker,
        counting(tmp_path_factory.mktemp("served") / "data", broker) as run,
    ):
        yield run


@pytest.fixture
def counter(both: Counting) -> Iterator[Counter]:
    with both.broker.counter() as counter:
        yield counter


async def test_a_report_is_counted_and_acknowledged(both: Counting, counter: Counter) -> None:
    await both.connected()
    serial, before = both.place(), both.feed()["taken"]
    counter.report(topic(serial), report(serial, 0, 3, 1))
    await both.taken(before + 1)
    assert both.counted(1) == [(3, 1)]
    await eventually(lambda: "Received PUBACK from headroom" in both.broker.log())


async def test_the_same_report_twice_counts_once(both: Counting, counter: Counter) -> None:
    await both.connected()
    serial, before = both.place(), both.feed()["taken"]
    for _ in range(2):
        counter.report(topic(serial), report(serial, 10, 2))
    await both.taken(before + 2)
    assert both.counted(1, first=10) == [(2, 0)]


async def test_what_was_sent_without_acknowledgement_counts_too(both: Counting, counter: Counter) -> None:
    await both.connected()
    serial, before = both.place(), both.feed()["taken"]
    counter.report(topic(serial), report(serial, 20, 4), quality=0)
    await both.taken(before + 1)
    assert both.counted(1, first=20) == [(4, 0)]


async def test_nonsense_is_said_once_for_its_topic_and_keeps_nobody_out(
    both: Counting, counter: Counter
) -> None:
    await both.connected()
    serial, before = both.place(), both.feed()
    for nonsense in (b"hello", b"hello", b"hello", b"[]"):
        counter.report(topic(serial), nonsense)
    counter.report("headroom/nobody/1/counts", b"{}")
    counter.report(topic(serial), report(serial, 30, 1))
    await both.taken(before["taken"] + 1)
    assert both.feed()["refused"] == before["refused"] + 5
    assert both.counted(1, first=30) == [(1, 0)]
    said = [line for line in both.service.log().splitlines() if "report refused" in line]
    own = [line for line in said if serial in line]
    assert ["Invalid JSON" in line for line in own] == [True, False]
    assert len([line for line in said if "no counters of 'nobody' are known" in line]) == 1


async def test_a_counter_that_nobody_placed_waits(both: Counting, counter: Counter) -> None:
    await both.connected()
    serial, before = next(SERIALS), both.feed()["taken"]
    counter.report(topic(serial), report(serial, 40, 1))
    await both.taken(before + 1)
    assert both.waiting(serial) == 1


async def test_a_mapping_is_kept_under_what_stands_in_the_topic(both: Counting, counter: Counter) -> None:
    await both.connected()
    before, where = both.feed(), "headroom/gym-doors/GYM-1/counts"
    told: dict[str, Any] = {"box": "GYM-1", "from": int(BEGIN.timestamp()), "in": 5, "out": 2}
    counter.report(where, json.dumps(told))
    await eventually(lambda: both.feed()["refused"] == before["refused"] + 1)
    written = {
        "kind": "interval", "timeFormat": "seconds", "serial": "body.box", "start": "row.from",
        "intervalSeconds": 60, "forward": "row.in", "backward": "row.out",
    }  # fmt: skip
    with both.opened() as store:
        store.mappings.keep(ORGANIZATION.id, "gym-doors", written, lambda _: None, SERVICE_ITSELF)
    for _ in range(2):
        counter.report(where, json.dumps(told))
    counter.report("headroom/gym-doors/GYM-1/status", b"offline")
    await both.taken(before["taken"] + 3)
    assert both.waiting("GYM-1") == 2
    with both.opened() as store:
        (said,) = {
            one.sensor.said for one in store.sensors.lines(ORGANIZATION.id) if one.name.serial == "GYM-1"
        }
    assert said
    assert not said[0]
    with both.opened() as store, store.sensors.writing() as rows:
        name = SensorName(ORGANIZATION.id, "gym-doors", "GYM-1", "")
        place(rows, line_of(rows, name), Placement("entrance", is_swapped=False))
    counter.report(where, json.dumps(told | {"from": told["from"] + 60, "in": 6}))
    await both.taken(before["taken"] + 4)
    # What came before it was placed, twice, counts once.
    assert both.counted(2, first=0)[1] == (6, 2)


async def test_the_last_will_of_a_counter_is_taken_as_its_status(both: Counting) -> None:
    await both.connected()
    serial, before = both.place(), both.feed()
    with both.broker.counter(will=(topic(serial, "status"), b"offline")) as counter:
        counter.report(topic(serial, "status"), b"online")
        await both.taken(before["taken"] + 1)
        counter.vanish()
        await both.taken(before["taken"] + 2)
    assert both.feed()["refused"] == before["refused"]


async def test_another_client_of_the_same_name_is_named(both: Counting) -> None:
    await both.connected()
    with both.broker.counter(name="headroom"):
        await both.troubled("another client may have the id 'headroom', too")
    await both.connected()


async def test_counts_go_on_when_the_broker_is_back(tmp_path: Path) -> None:
    with running_mosquitto(tmp_path / "broker") as broker, counting(tmp_path / "data", broker) as run:
        await run.connected()
        serial = run.place()
        for number, end in enumerate((broker.stop, broker.kill)):
            end()
            await eventually(lambda: not run.feed()["isConnected"], pause=0.05)
            assert run.feed()["trouble"]
            broker.start()
            await run.connected()
            assert run.feed()["trouble"] is None
            with broker.counter() as counter:
                counter.report(topic(serial), report(serial, number, 1))
            await run.taken(number + 1)
        assert run.counted(2) == [(1, 0), (1, 0)]
        lines = run.service.log().splitlines()
        assert len([line for line in lines if "broker connected" in line]) == 3
        # Lost, and then perhaps refused while nobody listens.
        assert 2 <= len([line for line in lines if "broker not connected" in line]) <= 4


async def test_what_came_while_the_service_was_down_is_counted_when_it_is_back(tmp_path: Path) -> None:
    with running_mosquitto(tmp_path / "broker") as broker, counting(tmp_path / "data", broker) as run:
        await run.connected()
        serial = run.place()
        assert run.service.stop() == 0
        with broker.counter() as counter:
            for minute in range(30):
                counter.report(topic(serial), report(serial, minute, 1, minute))
        broker.stop()
        broker.start()
        run.again()
        await run.taken(30)
        assert run.counted(30) == [(1, minute) for minute in range(30)]
        assert "session='resumed'" in run.service.log().split("service ended")[1]


@pytest.mark.parametrize("kills", [3, *in_the_soak(20)])
async def test_nothing_is_lost_or_doubled_when_the_service_is_killed(tmp_path: Path, kills: int) -> None:
    chance, minutes = Random(kills), count()
    expected: list[tuple[int, int]] = []
    with running_mosquitto(tmp_path / "broker") as broker, counting(tmp_path / "data", broker) as run:
        await run.connected()
        serial = run.place()
        with broker.counter() as counter:
            for _ in range(kills):
                sent = []
                for minute in (next(minutes) for _ in range(120)):
                    expected.append((chance.randrange(1, 9), chance.randrange(9)))
                    sent.append(counter.send(topic(serial), report(serial, minute, *expected[-1])))
                begun = run.feed()["taken"]
                await run.taken(begun + chance.randrange(1, 40))
                run.service.kill()
                for one in sent:
                    one.wait_for_publish(60.0)
                run.again()
            counter.report(topic(serial, "status"), b"online")
        await drained(broker)
        assert run.counted(len(expected)) == expected
    again = broker.log().count("Sending PUBLISH to headroom (d1")
    assert again
    print(f"{kills} kills, {len(expected)} reports, {again} sent again, 0 lost, 0 doubled")  # noqa: T201 - the figures


async def drained(broker: RunningMosquitto) -> None:
    """Until all is acknowledged, however long that takes while more and more is: after many kills most of
    what was sent still waits, thousands of reports, each written to the disk by itself.
    """

    def is_more_than(before: int) -> bool:
        return settled(broker) or acknowledged(broker) > before

    while not settled(broker):
        await eventually(partial(is_more_than, acknowledged(broker)), pause=0.5)


def acknowledged(broker: RunningMosquitto) -> int:
    return broker.log().count("Received PUBACK from headroom")


def settled(broker: RunningMosquitto) -> bool:
    """Whether all that was sent over the last connection is acknowledged, the status that came last, too."""
    last = broker.log().rpartition("Sending CONNACK to headroom")[2]
    sent, taken = last.count("Sending PUBLISH to headroom"), last.count("Received PUBACK from headroom")
    return sent == taken and "/status'" in last


async def test_a_full_disk_acknowledges_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk") as disk,
        running_mosquitto(tmp_path / "broker") as broker,
        counting(disk.folder / "data", broker) as run,
    ):
        await run.connected()
        serial = run.place()
        with broker.counter() as counter:
            disk.fill()
            sent = await run.not_stored(counter, serial)
            assert broker.log().count("Received PUBACK from headroom") < sent
            disk.make_room()
            await run.taken(sent)
        assert run.counted(sent) == [(1, 0)] * sent
        assert run.feed()["trouble"] is None
        assert run.service.log().count("reports not stored, trying again") == 1


async def test_little_room_lets_everything_through_and_keeps_no_service_from_ending(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk") as disk,
        running_mosquitto(tmp_path / "broker") as broker,
        counting(disk.folder / "data", broker, HEADROOM_SERVICE_INGEST_BODY_LIMIT="4096") as run,
    ):
        await run.connected()
        serial = run.place()
        with broker.counter() as counter:
            disk.fill()
            sent = await run.not_stored(counter, serial)
            for minute in range(sent, sent + 100):
                counter.report(topic(serial), report(serial, minute, 1))
        assert run.service.stop() == 0
        disk.make_room()
        run.again()
        await eventually(lambda: run.counted(sent + 100) == [(1, 0)] * (sent + 100), pause=0.1)


async def test_a_full_waiting_list_is_left_with_the_broker_and_keeps_nobody_out(tmp_path: Path) -> None:
    with running_mosquitto(tmp_path / "broker") as broker, counting(tmp_path / "data", broker) as run:
        await run.connected()
        serial, placed = next(SERIALS), run.place()
        with run.opened() as store:
            with store.sensors.writing() as rows:
                line = line_of(rows, SensorName(ORGANIZATION.id, MAKER, serial, ""))
                for _ in range(MOST_WAITING):
                    rows.keep_waiting(line, WaitingReport(BEGIN, "{}"))
            with broker.counter() as counter:
                for minute in range(8):
                    counter.report(topic(serial), report(serial, minute, 1))
                await eventually(lambda: run.feed()["held"] == 8, pause=0.05)
                counter.report(topic(serial), report(serial, 9, 1))
                counter.report(topic(placed), report(placed, 20, 5))
                await run.taken(1)
            assert run.counted(1, first=20) == [(5, 0)]
            assert (run.feed()["held"], run.feed()["refused"]) == (8, 1)
            with store.sensors.writing() as rows:
                rows.forget_waiting(line, MOST_WAITING)
            await run.taken(9)
            assert run.feed()["held"] == 0
        assert run.waiting(serial) == 8


async def test_a_wrong_password_is_named_once_and_a_right_one_is_enough(tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text("headroom:of-before\n")
    run_passwd(passwords)
    lines = ("allow_anonymous false", f"password_file {passwords}")
    with (
        running_mosquitto(tmp_path / "broker", *lines) as broker,
        counting(tmp_path / "data", broker, USER="headroom", PASSWORD="of-today") as run,
    ):
        await run.troubled("the broker refuses the connection: Not authorized")
        await eventually(lambda: broker.log().count("Sending CONNACK to 127.0.0.1 (0, 135)") >= 3, pause=0.05)
        assert run.service.log().count("broker not connected") == 1
        passwords.write_text("headroom:of-today\n")
        run_passwd(passwords)
        broker.stop()
        broker.start()
        await run.connected()
        assert "of-today" not in run.service.log()


async def test_both_ends_are_known_by_their_certificates(tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    made_certificates(folder)
    made_certificates(folder / "other")
    lines = (
        "allow_anonymous true",
        f"cafile {folder / 'authority.crt'}",
        f"certfile {folder / 'server.crt'}",
        f"keyfile {folder / 'server.key'}",
        "require_certificate true",
    )
    known = {
        "CA_FILE": str(folder / "authority.crt"),
        "CERTIFICATE_FILE": str(folder / "client.crt"),
        "KEY_FILE": str(folder / "client.key"),
    }
    with running_mosquitto(tmp_path / "broker", *lines) as broker:
        url = {"URL": broker.url.replace("mqtt:", "mqtts:")}
        with counting(tmp_path / "data", broker, **url, **known) as run:
            await run.connected()
        strangers = known | {"CA_FILE": str(folder / "other" / "authority.crt")}
        with counting(tmp_path / "other", broker, **url, **strangers) as run:
            await run.troubled("it cannot be reached: self-signed certificate in certificate chain")
        with counting(tmp_path / "none", broker, **url, CA_FILE=known["CA_FILE"]) as run:
            await eventually(lambda: "peer did not return a certificate" in broker.log(), pause=0.05)
            await run.troubled("it may be no broker of MQTT 5, or asks for a certificate")


async def test_a_broker_that_does_not_keep_what_it_sends_is_named(tmp_path: Path) -> None:
    lines = ("max_qos 0", "allow_anonymous true")
    with running_mosquitto(tmp_path / "broker", *lines) as broker, counting(tmp_path / "data", broker) as run:
        await run.troubled(
            "topics are not read as they have to be, at least once: headroom/+/#: Granted QoS 0"
        )
        assert run.feed()["isConnected"]
        assert run.service.log().count("broker refuses topics") == 1


async def test_a_rule_that_names_nothing_known_is_told_at_the_start(tmp_path: Path) -> None:
    with (
        running_mosquitto(tmp_path / "broker") as broker,
        counting(tmp_path / "data", broker, TOPICS="shop/#=gym-dors, {maker}/#") as run,
    ):
        await run.connected()
        await eventually(lambda: "no counters of 'gym-dors' are known" in run.service.log())


async def test_what_is_no_broker_is_tried_again_and_ends_nothing(tmp_path: Path, both: Counting) -> None:
    with counting(tmp_path / "data", both.broker, URL=f"mqtt://127.0.0.1:{both.service.port}") as run:
        await run.troubled("it may be no broker of MQTT 5")
        assert run.service.stop() == 0


async def test_an_organization_is_waited_for(tmp_path: Path, both: Counting) -> None:
    with counting(tmp_path / "data", both.broker, ORGANIZATION="later", CLIENT_ID="second") as run:
        await run.troubled("there is no organization 'later' yet: import its sites")
        with run.opened() as store:
            store.catalogue.save(type(ORGANIZATION)("later", "Later"), [])
        await run.connected()


def run_passwd(passwords: Path) -> None:
    """Hash what stands in the file."""
    subprocess.run(["mosquitto_passwd", "-U", str(passwords)], check=True)
