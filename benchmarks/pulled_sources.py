"""Counters that do not push: one keeps what it counted until it is asked, others drop files into a folder."""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import httpx

from benchmarks.acknowledged import Acknowledged
from benchmarks.mounted_counters import ORGANIZATION, PATIENCE
from benchmarks.pushing_sources import PAUSE, Source
from benchmarks.simulated_counters import Sent, SimulatedCounter, Way
from tests.camera import camera

EACH: Final = 10 * PAUSE
"""Seconds between two reports: what is pulled is read every few seconds."""
FORMATS: Final = {Way.COUNTS: "counts-json"}
"""What the service calls a format that is not called as its way is."""


class PulledSource(Source):
    @property
    def source_name(self) -> str:
        """One by which it is read soon after each start: when that is follows from the name."""
        names = (f"{self.counter.serial}-{number}" for number in range(1_000))
        return min(names, key=lambda name: crc32(name.encode()))

    def setting(self) -> dict[str, Any]:
        """Its entry in the file of settings."""
        raise NotImplementedError

    def read_by(self, client: httpx.Client) -> None:
        """Return when all that lies there has been read by the service, which runs and is not killed."""
        raise NotImplementedError

    def _feed(self, client: httpx.Client) -> dict[str, Any]:
        found: dict[str, Any] = client.get("/healthz").json()["data"]["feeds"][f"pull/{self.source_name}"]
        return found


class AskedSource(PulledSource):
    """An AXIS 3D People Counter that answers all that it has counted, more with each minute."""

    def __init__(self, counter: SimulatedCounter, means: str, oracle: Acknowledged, begin: datetime) -> None:
        super().__init__(counter, means, oracle, begin)
        self._rows: list[dict[str, Any]] = []
        self._serving = ExitStack()
        self._camera = self._serving.enter_context(camera(body=b'{"data": []}'))

    def setting(self) -> dict[str, Any]:
        return {
            "name": self.source_name,
            "kind": "url",
            "format": "axis-3d-export",
            "url": self._camera.url,
            "serial": self.counter.serial,
            "timezone": "Etc/UTC",
            "interval": 5,
        }

    def send_all(self) -> None:
        for sent in self.next_sent():
            self._rows += _exported(sent)
            self._camera.body = json.dumps({"data": self._rows}).encode()
            self.note(sent)
            time.sleep(EACH)

    def read_by(self, client: httpx.Client) -> None:
        # What was asked now may be answered already, without the last report; the next one is answered whole.
        asked, deadline = len(self._camera.asked), time.monotonic() + PATIENCE
        while len(self._camera.asked) < asked + 2 or self._feed(client)["trouble"]:
            assert time.monotonic() < deadline, f"it is not read: {self._feed(client)}"
            time.sleep(PAUSE)
        self._serving.close()


class FolderSource(PulledSource):
    """Each report is a file, which is there as a whole at once."""

    def __init__(
        self, counter: SimulatedCounter, means: str, oracle: Acknowledged, begin: datetime, folder: Path
    ) -> None:
        super().__init__(counter, means, oracle, begin)
        self._folder = folder
        folder.mkdir(parents=True)

    def setting(self) -> dict[str, Any]:
        return {
            "name": self.source_name,
            "kind": "folder",
            "format": FORMATS.get(self.counter.way, self.counter.way.value),
            "folder": str(self._folder),
            "interval": 1,
        }

    def send_all(self) -> None:
        for number, sent in enumerate(self.next_sent()):
            unfinished = self._folder / f"{number:06}.json.part"
            unfinished.write_bytes(sent.body)
            unfinished.rename(unfinished.with_suffix(""))
            self.note(sent)
            time.sleep(EACH)

    def read_by(self, client: httpx.Client) -> None:
        deadline = time.monotonic() + PATIENCE
        while left := [*self._folder.glob("*.json"), *self._folder.glob("taking/*")]:
            assert time.monotonic() < deadline, f"{len(left)} files are not read: {self._feed(client)}"
            time.sleep(PAUSE)
        assert not (self._folder / "refused").exists(), self._folder


def _exported(sent: Sent) -> list[dict[str, Any]]:
    """The rows of an export that tell what the report does which the same camera pushes."""
    rows = []
    for one in json.loads(sent.body)["data"]["measurements"]:
        times = {
            name: datetime.fromisoformat(one[told]) for name, told in (("start", "utcFrom"), ("end", "utcTo"))
        }
        people = {item["direction"]: item["count"] for item in one["items"]}
        rows.append({name: f"{at:%Y-%m-%d %H:%M:%S}" for name, at in times.items()} | people)
    return rows


def pull_environment(file: Path, sources: Collection[PulledSource]) -> dict[str, str]:
    """The settings of all of them are written into the file."""
    settings = {"organization": ORGANIZATION.id, "source": [one.setting() for one in sources]}
    file.write_text(json.dumps(settings))
    return {"HEADROOM_SERVICE_PULL": str(file)}
