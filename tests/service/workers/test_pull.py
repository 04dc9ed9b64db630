"""Sources that are pulled by a real service: cameras over HTTP, and folders into which files are dropped."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from threading import Event
from typing import Any, Final

import httpx
import pytest

from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.sensors.taking import place
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.protocol import Store
from service.store.sensor_protocol import MOST_WAITING, Placement, SensorName, WaitingReport
from tests import hasty_service
from tests.camera import PASSWORD, USER, Camera, camera
from tests.eventually import eventually
from tests.running_service import RunningService, start_service
from tests.small_disk import small_disk
from tests.small_site import ORGANIZATION, SmallSite, create_small_site
from tests.soaking import in_the_soak

SERIAL: Final = "ACCC8E000001"
MINUTE: Final = timedelta(minutes=1)
BEGIN: Final = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=10)
TIME: Final = "%Y-%m-%dT%H:%M:%S"


def rows(*people: tuple[int, int], first: datetime = BEGIN) -> bytes:
    """What a camera answers whose clock is UTC: people of minutes, one after the other."""
    data = [
        {
            "start": f"{first + number * MINUTE:%Y-%m-%d %H:%M:%S}",
            "end": f"{first + (number + 1) * MINUTE:%Y-%m-%d %H:%M:%S}",
            "in": came,
            "out": went,
        }
        for number, (came, went) in enumerate(people)
    ]
    return json.dumps({"data": data}).encode()


def report(minute: int, came: int) -> str:
    """What a camera pushes."""
    start = BEGIN + minute * MINUTE
    measured = {
        "kind": "people-counts",
        "utcFrom": start.isoformat(),
        "utcTo": (start + MINUTE).isoformat(),
        "items": [{"direction": "in", "count": came}, {"direction": "out", "count": 0}],
    }
    told = {"apiName": "Axis Retail Data", "sensor": {"serial": SERIAL}, "data": {"measurements": [measured]}}
    return json.dumps(told)


@dataclass
class Pulling:
    site: SmallSite
    settings: Path
    service: RunningService

    def feed(self, name: str = "source") -> dict[str, Any]:
        told = httpx.get(f"{self.service.base_url}/healthz").json()
        found: dict[str, Any] = told["data"]["feeds"][f"pull/{name}"]
        return found

    async def taken(self, number: int, name: str = "source") -> None:
        await eventually(lambda: int(self.feed(name)["taken"]) >= number, pause=0.05)

    async def troubled(self, part: str, name: str = "source") -> None:
        await eventually(lambda: part in (self.feed(name)["trouble"] or ""), pause=0.05)

    async def well(self, name: str = "source") -> None:
        await eventually(lambda: self.feed(name)["trouble"] is None, pause=0.05)

    def counted(self, minutes: int, first: datetime = BEGIN) -> list[tuple[int, int]]:
        """Who came and went through the entrance in each of the minutes that anything was told of."""
        asked = {
            "siteId": "corner-shop",
            "metrics": ["entrances", "exits"],
            "granularity": "minute",
            "filter": {"passageIds": ["entrance"]},
            "from": f"{first:{TIME}}",
            "to": f"{first + minutes * MINUTE:{TIME}}",
        }
        url = f"{self.service.base_url}/v3/metrics"
        points = httpx.post(url, headers=self.site.headers, json=asked).json()["data"]
        return [(point["metrics"]["entrances"], point["metrics"]["exits"]) for point in points]

    def again(self) -> None:
        self.service = started(self.site, self.settings, self.service.port)


def started(site: SmallSite, settings: Path, port: int | None = None) -> RunningService:
    environment = {"HEADROOM_SERVICE_PULL": str(settings), hasty_service.CLOCK: str(ahead_file(settings))}
    return start_service(site.data_dir, port=port, environment=environment, program=hasty_service.PROGRAM)


def ahead_file(settings: Path) -> Path:
    """By how much the clock of the service goes ahead."""
    return settings.with_name("ahead.txt")


@contextmanager
def pulling(folder: Path, *sources: dict[str, Any], is_placed: bool = True) -> Iterator[Pulling]:
    site = create_small_site(folder / "data")
    if is_placed:
        with closing(open_store(store_url(site.data_dir))) as store, store.sensors.writing() as lines:
            name = SensorName(ORGANIZATION.id, "axis-3d", SERIAL, "")
            lines.note_heard(ORGANIZATION.id, "axis-3d", SERIAL, heard_again(None, BEGIN))
            place(lines, lines.line(name, BEGIN), Placement("entrance", is_swapped=False))
    settings = folder / "pull.json"
    settings.write_text(json.dumps({"organization": ORGANIZATION.id, "source": sources}))
    run = Pulling(site, settings, started(site, settings))
    try:
        yield run
    finally:
        run.service.kill()


def address(asked: Camera, **changed: object) -> dict[str, Any]:
    return {
        "name": "source",
        "kind": "url",
        "format": "axis-3d-export",
        "url": asked.url,
        "serial": SERIAL,
        "timezone": "UTC",
        "interval": 5,
    } | changed


def drop(folder: Path, format_: str = "axis-3d", **changed: object) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    return {
        "name": "source",
        "kind": "folder",
        "format": format_,
        "folder": str(folder),
        "interval": 1,
    } | changed


def put(folder: Path, name: str, content: str) -> None:
    """Whole at once: the folder is looked at many times a second."""
    unfinished = folder / f".{name}"
    unfinished.write_text(content)
    unfinished.rename(folder / name)


def names(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


async def test_a_camera_is_asked_again_and_nothing_counts_twice(tmp_path: Path) -> None:
    with camera(body=rows((3, 1), (2, 0))) as asked, pulling(tmp_path, address(asked)) as run:
        await run.taken(1)
        assert run.counted(5) == [(3, 1), (2, 0)]
        asked.body = rows((3, 1), (2, 0), (4, 4))
        await run.taken(2)
        assert run.counted(5) == [(3, 1), (2, 0), (4, 4)]
        assert run.feed()["nextTry"]
        run.service.kill()
        run.again()
        await run.taken(1)
        assert run.counted(5) == [(3, 1), (2, 0), (4, 4)]


async def test_an_interval_that_still_runs_counts_once_it_is_over(tmp_path: Path) -> None:
    # The second ends in one to two minutes: a busy machine has that long to begin.
    first = datetime.now(UTC).replace(second=0, microsecond=0)
    with (
        camera(body=rows((3, 1), (2, 0), first=first)) as asked,
        pulling(tmp_path, address(asked)) as run,
    ):
        await run.taken(1)
        asked.body = rows((3, 1), (7, 0), first=first)
        hasty_service.set_ahead(ahead_file(run.settings), 2 * MINUTE)
        wanted = [(3, 1), (7, 0)]
        await eventually(lambda: run.counted(2, first=first) == wanted, pause=0.1)


async def test_a_camera_asks_for_a_digest_and_for_a_body(tmp_path: Path) -> None:
    body = "<Span>{yesterday} {today} {tomorrow}</Span>"
    login = {"user": USER, "password": PASSWORD, "login": "digest", "body": body}
    with (
        camera(body=rows((3, 1)), asks_digest=True) as asked,
        pulling(tmp_path, address(asked, **login)) as run,
    ):
        await run.taken(1)
        assert run.counted(2) == [(3, 1)]
        method, headers, content = asked.asked[-1]
        assert method == "POST /export"
        assert headers["content-type"] == "application/xml"
        dates = (datetime.now(UTC).date() + timedelta(days=days) for days in (-1, 0, 1))
        assert content.decode() == f"<Span>{' '.join(map(str, dates))}</Span>"
        run.service.stop()
        assert PASSWORD not in run.service.log()


async def test_an_answer_that_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    with camera(body=rows((3, 1)), knows_etags=True) as asked, pulling(tmp_path, address(asked)) as run:
        await run.taken(1)
        await eventually(lambda: len(asked.asked) >= 2, pause=0.1)
        assert "if-none-match" in asked.asked[1][1]
        await run.well()
        assert run.feed()["taken"] == 1


AMISS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "fails": ({"status": 500}, "it answers 500"),
    "password": ({"asks_digest": True}, "it answers 401: user, password or token are not right"),
    "elsewhere": (
        {"status": 302, "headers": {"Location": "http://192.0.2.1/x?token=secret"}},
        "another host",
    ),
    "circle": ({"status": 302, "headers": {"Location": "/export"}}, "redirects more than 3 times"),
    "large": ({"body": b"x" * (8 * 1024 * 1024 + 1)}, "it answers more than 8,388,608 bytes"),
    "page": ({"body": b"<html>"}, "nothing can be taken of what it answers"),
    "packed": ({"headers": {"Content-Encoding": "gzip"}}, "it answers packed"),
}
"""By the name of a source: how its camera is, and what is told of it."""


async def test_what_is_amiss_with_addresses_is_told_of_each_until_it_is_well(tmp_path: Path) -> None:
    with ExitStack() as opened:
        asked = {name: opened.enter_context(camera(**given)) for name, (given, _) in AMISS.items()}
        sources = [address(one, name=name) for name, one in asked.items()]
        run = opened.enter_context(pulling(tmp_path, *sources))
        for name, (_, says) in AMISS.items():
            await run.troubled(says, name)
            assert run.feed(name)["nextTry"]
        assert "secret" not in run.service.log()
        for number, one in enumerate(asked.values()):
            # In this order, in which no answer meanwhile is amiss in another way.
            one.body = rows((3, 1), first=BEGIN + number * MINUTE)
            one.status, one.headers, one.asks_digest = 200, {}, False
        for name in AMISS:
            await run.well(name)
            await run.taken(1, name)
        assert run.counted(9) == [(3, 1)] * len(AMISS)
        told = [line for line in run.service.log().splitlines() if "source in trouble" in line]
        assert sorted(AMISS) == sorted(name for name in AMISS for line in told if f"source='{name}'" in line)


async def test_a_camera_that_hangs_keeps_nobody_waiting(tmp_path: Path) -> None:
    hangs = Event()
    folder = tmp_path / "drop"
    with (
        camera(hangs=hangs) as asked,
        pulling(tmp_path, address(asked, name="slow"), drop(folder)) as run,
    ):
        await eventually(lambda: bool(asked.asked), pause=0.05)
        put(folder, "a.json", report(0, 5))
        await run.taken(1)
        assert run.counted(1) == [(5, 0)]
        hangs.set()
        assert run.service.stop() == 0


async def test_files_are_counted_once_and_moved(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    with pulling(tmp_path, drop(folder)) as run:
        put(folder, "a.json", report(0, 5))
        await run.taken(1)
        put(folder, "a.json", report(0, 5))
        put(folder, "b.json", report(1, 2))
        await run.taken(3)
        assert run.counted(3) == [(5, 0), (2, 0)]
        await eventually(lambda: names(folder) == ["done/a-2.json", "done/a.json", "done/b.json"])


async def test_a_file_of_which_nothing_can_be_read_is_refused_and_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    with pulling(tmp_path, drop(folder)) as run:
        put(folder, "a.json", "half of {")
        put(folder, "b.json", report(1, 2))
        await eventually(
            lambda: names(folder) == ["done/b.json", "refused/a.json", "refused/a.json.why.txt"], pause=0.1
        )
        why = (folder / "refused" / "a.json.why.txt").read_text()
        assert why.startswith("Nothing of this file was counted: body: Invalid JSON")
        assert run.feed()["refused"] == 1
        assert "file refused" in run.service.log()


async def test_a_file_that_is_written_slowly_counts_whole(tmp_path: Path) -> None:
    folder, whole = tmp_path / "drop", report(0, 5)
    with pulling(tmp_path, drop(folder, interval=hasty_service.HASTE)) as run:
        with (folder / "a.json").open("w") as writer:
            for start in range(0, len(whole), 80):
                writer.write(whole[start : start + 80])
                writer.flush()
                await asyncio.sleep(0.6)
        await run.taken(1)
        assert run.counted(1) == [(5, 0)]
        assert run.feed()["refused"] == 0


async def test_our_own_rows_are_set_and_a_later_file_replaces_them(tmp_path: Path) -> None:
    folder, header = tmp_path / "drop", "timestamp,passageId,forward,backward\n"
    with pulling(tmp_path, drop(folder, "counts-csv")) as run:
        put(folder, "a.csv", f"{header}{BEGIN.isoformat()},entrance,3,1\n")
        await run.taken(1)
        assert run.counted(1) == [(3, 1)]
        put(folder, "b.csv", f"{header}{BEGIN.isoformat()},entrance,4,1\n")
        await run.taken(2)
        assert run.counted(1) == [(4, 1)]
        put(folder, "c.csv", f"{header}{BEGIN.isoformat()},nowhere,4,1\n")
        await eventually(lambda: "refused/c.csv" in names(folder), pause=0.1)
        assert "nowhere" in (folder / "refused" / "c.csv.why.txt").read_text()


async def test_a_mapping_reads_what_no_adapter_knows(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    mapping = {
        "kind": "interval",
        "rows": "rows",
        "serial": "body.id",
        "start": "row.from",
        "end": "row.to",
        "forward": "row.in",
        "backward": "row.out",
    }
    with pulling(tmp_path, drop(folder, "mapping", mapping=mapping)) as run:
        row = {"from": BEGIN.isoformat(), "to": (BEGIN + MINUTE).isoformat(), "in": 3, "out": 1}
        put(folder, "a.json", json.dumps({"id": "T-1", "rows": [row]}))
        await run.taken(1)
        with closing(open_store(store_url(run.site.data_dir))) as store:
            waiting = {one.name.serial: one.waiting for one in store.sensors.lines(ORGANIZATION.id)}
        assert waiting["T-1"] == 1


async def test_a_source_names_a_mapping_that_is_kept_and_waits_until_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    written: dict[str, Any] = {"kind": "interval", "rows": "rows", "serial": "body.id"}
    written |= {"start": "row.from", "end": "row.to", "forward": "row.in", "backward": "row.out"}
    with pulling(tmp_path, drop(folder, "=gym-doors")) as run:
        row = {"from": BEGIN.isoformat(), "to": (BEGIN + MINUTE).isoformat(), "in": 3, "out": 1}
        put(folder, "a.json", json.dumps({"id": "T-1", "rows": [row]}))
        await run.troubled("no counters of 'gym-doors' are known")
        assert not [one for one in names(folder) if one.startswith("refused")]
        with closing(open_store(store_url(run.site.data_dir))) as store:
            keep_mapping(store, "gym-doors", written)
        await run.taken(1)
        assert run.feed()["trouble"] is None
        with closing(open_store(store_url(run.site.data_dir))) as store:
            kept = {one.name: one.waiting for one in store.sensors.lines(ORGANIZATION.id)}
        assert kept[SensorName(ORGANIZATION.id, "gym-doors", "T-1", "")] == 1


def keep_mapping(store: Store, name: str, written: dict[str, Any]) -> None:
    store.mappings.keep(ORGANIZATION.id, name, written, lambda _: None, SERVICE_ITSELF)


async def test_an_address_that_cannot_be_reached_is_told_in_words(tmp_path: Path) -> None:
    with camera() as asked:
        names_of = {"refused": "http://127.0.0.1:1/", "unknown": "http://nowhere.invalid/"}
        sources = [address(asked, name=name, url=url) for name, url in names_of.items()]
        with pulling(tmp_path, *sources) as run:
            await run.troubled("it cannot be reached: ", "refused")
            await run.troubled("it cannot be reached: ", "unknown")
            refused, unknown = (run.feed(name)["trouble"] for name in names_of)
            assert refused == "it cannot be reached: Connection refused"
            assert unknown != "it cannot be reached: no connection"


async def test_a_folder_that_is_not_there_is_told_and_taken_up_when_it_comes(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    source = drop(folder)
    folder.rmdir()
    with pulling(tmp_path, source) as run:
        await run.troubled("the folder cannot be read and written: No such file or directory")
        assert not run.feed()["isConnected"]
        folder.mkdir()
        put(folder, "a.json", report(0, 5))
        await run.taken(1)
        await run.well()
        assert run.feed()["isConnected"]
        assert "source works again" in run.service.log()


async def test_a_file_that_cannot_be_claimed_is_not_lost(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        folder = disk.folder / "drop"
        with pulling(tmp_path, drop(folder)) as run:
            await eventually((folder / "taking").exists, pause=0.05)
            run.service.freeze()
            put(folder, "a.json", report(0, 5))
            disk.make_read_only()
            run.service.thaw()
            await run.troubled("'a.json' cannot be moved to taking/: Read-only file system")
            disk.make_writable()
            await run.taken(1)
            await run.well()
            assert run.counted(1) == [(5, 0)]


async def test_a_file_that_cannot_be_moved_counts_once_and_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    with pulling(tmp_path, drop(folder)) as run:
        with small_disk(folder / "done"):  # nothing is moved from one disk to another
            put(folder, "a.json", report(0, 5))
            await run.troubled("'a.json' is done, and cannot be moved to where such files go")
            put(folder, "b.json", report(1, 2))
            await run.taken(2)
            assert run.counted(2) == [(5, 0), (2, 0)]
        await run.well()
        assert names(folder) == ["done/a.json", "done/b.json"]
        assert run.feed()["taken"] == 2


async def test_a_full_disk_of_the_store_loses_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    with small_disk(tmp_path / "disk") as disk, pulling(disk.folder, drop(folder)) as run:
        put(folder, "a.json", report(0, 1))
        await run.taken(1)
        disk.fill()
        for minute in range(1, 120):
            put(folder, f"b{minute:03}.json", report(minute, 1))
        await eventually(lambda: "reports cannot be stored" in run.service.log(), pause=0.05)
        disk.make_room()
        await eventually(lambda: len(names(folder / "done")) == 120, pause=0.1)
        await run.well()
        assert run.counted(200) == [(1, 0)] * 120


async def test_what_waits_for_a_place_stays_in_the_folder_when_no_more_may(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    with pulling(tmp_path, drop(folder), is_placed=False) as run:
        run.service.kill()
        with closing(open_store(store_url(run.site.data_dir))) as store, store.sensors.writing() as lines:
            name = SensorName(ORGANIZATION.id, "axis-3d", SERIAL, "")
            lines.note_heard(ORGANIZATION.id, "axis-3d", SERIAL, heard_again(None, BEGIN))
            line = lines.line(name, BEGIN)
            for _ in range(MOST_WAITING):
                lines.keep_waiting(line, WaitingReport(BEGIN, "{}"))
        put(folder, "a.json", report(0, 5))
        run.again()
        await run.troubled("'a.json'")
        assert names(folder) == ["taking/a.json"]


@pytest.mark.parametrize("most", [8, *in_the_soak(12)])
async def test_kills_lose_no_file_and_count_none_twice(tmp_path: Path, most: int) -> None:
    folder, chance, files = tmp_path / "drop", Random(3), 50 * most
    with pulling(tmp_path, drop(folder)) as run:
        for minute in range(files):
            put(folder, f"{minute:03}.json", report(minute, 1 + minute % 3))
            os.utime(folder / f"{minute:03}.json", (minute + 1, minute + 1))
        kills = 0
        while len(names(folder / "done")) < files and kills < most:
            await eventually((folder / "taking").exists, pause=0.01)
            await asyncio.sleep(chance.uniform(0.2, 0.6))
            run.service.kill()
            kills += 1
            run.again()
        await eventually(
            lambda: (folder / "done").exists() and len(names(folder / "done")) == files, pause=0.1
        )
        assert run.counted(files) == [(1 + minute % 3, 0) for minute in range(files)]
        assert names(folder) == [f"done/{minute:03}.json" for minute in range(files)]
        assert kills
