"""Any bytes where a real service pulls: in the files of a folder, and as what addresses answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from service.pull_settings import FORMATS
from service.sensors.adapters import ADAPTERS
from tests import hasty_service
from tests.camera import camera
from tests.damaged import ANY_BYTES, damaged
from tests.eventually import eventually
from tests.running_service import RunningService, start_service
from tests.service.sensors.adapters.payload_files import payload
from tests.small_site import ORGANIZATION, count, create_small_site

LATELY: Final = datetime.now(UTC).replace(second=0, microsecond=0)
MAPPING: Final = {
    "kind": "event",
    "serial": "row.sn",
    "end": "row.at",
    "forward": "row.people",
    "identity": "row.id || row.at",
}
EXPORTED: Final = {"start": "2026-03-28 09:00:00", "end": "2026-03-28 09:01:00", "in": 1, "out": 2}
SEARCHED: Final = b"""<CountingStatisticsResult version="2.0"><responseStatusStrg>OK</responseStatusStrg>
<matchList><matchElement><timeSpan><startTime>2026-03-28T09:00:00</startTime><endTime>2026-03-28T09:15:00</endTime>
</timeSpan><enterCount>3</enterCount><exitCount>1</exitCount></matchElement></matchList></CountingStatisticsResult>"""
SOUND: Final = {
    **{maker: payload(maker) for maker in ADAPTERS},
    "axis-3d-export": json.dumps({"data": [EXPORTED]}).encode(),
    "hikvision-search": SEARCHED,
    "mapping": json.dumps({"sn": "S-1", "at": LATELY.isoformat(), "people": 1}).encode(),
    "counts-json": json.dumps([count(LATELY)]).encode(),
    "counts-csv": f"timestamp,passageId,forward,backward\n{LATELY.isoformat()},entrance,1,2\n".encode(),
}
PIECES: Final = (
    b"\x00",
    b"\xff\xfe",
    b"1e400",
    b"9" * 400,
    b"null",
    b'"\\ud800"',
    b"<!DOCTYPE a>",
    b"]]",
    b"\r\n",
)
EACH: Final = 12
"""Bodies of a format, the sound one among them."""


def bodies_of(format_: str) -> list[bytes]:
    sound, found = SOUND[format_], list[bytes]()

    @settings(max_examples=EACH - 1, database=None)
    @given(ANY_BYTES | damaged(sound, pieces=PIECES) | st.just(b""))
    def draw(body: bytes) -> None:
        found.append(body)

    draw()
    return [sound, *found][:EACH]


def source(name: str, format_: str, **changed: object) -> dict[str, Any]:
    of_export = (
        {"serial": "S-1", "timezone": "Europe/Zurich"} if format_.endswith(("export", "search")) else {}
    )
    mapped = {"mapping": MAPPING} if format_ == "mapping" else {}
    return {"name": name, "format": format_} | of_export | mapped | changed


@contextmanager
def pulling(folder: Path, sources: Collection[dict[str, Any]]) -> Iterator[RunningService]:
    site, file = create_small_site(folder / "data"), folder / "pull.json"
    file.write_text(json.dumps({"organization": ORGANIZATION.id, "source": list(sources)}))
    environment = {"HEADROOM_SERVICE_PULL": str(file)}
    service = start_service(site.data_dir, environment=environment, program=hasty_service.PROGRAM)
    try:
        yield service
        log = service.log()
        assert "Traceback" not in log
        assert "unforeseen" not in log
        assert "not understood" not in log
        assert httpx.get(f"{service.base_url}/healthz").status_code == httpx.codes.OK
        assert service.stop() == 0
    finally:
        service.kill()


async def test_each_file_of_any_bytes_is_taken_or_refused(tmp_path: Path) -> None:
    sources, folders = [], {}
    for format_ in FORMATS:
        folder = folders[format_] = tmp_path / format_
        folder.mkdir()
        for number, body in enumerate(bodies_of(format_)):
            (folder / f"{number}.json").write_bytes(body)
        sources.append(source(format_, format_, kind="folder", folder=str(folder), interval=1))
    with pulling(tmp_path, sources):
        for format_, folder in folders.items():
            dropped = [*folder.glob("*.json")]

            def is_done(folder: Path = folder) -> bool:
                return not [*folder.glob("*.json"), *folder.glob("taking/*")]

            await eventually(is_done, pause=0.1)
            assert (folder / "done" / "0.json").exists(), f"the sound one of {format_}"
            assert len([*folder.glob("*/*.json")]) >= len(dropped)


async def test_what_an_address_answers_is_taken_or_refused_whatever_it_is(tmp_path: Path) -> None:
    sources = []
    with ExitStack() as serving:
        for format_ in FORMATS:
            for number, body in enumerate(bodies_of(format_)[:3]):
                name = f"{format_}-{number}"
                answering = serving.enter_context(camera(body=body))
                sources.append(source(name, format_, kind="url", url=answering.url, interval=5))
        with pulling(tmp_path, sources) as service:

            def feeds() -> dict[str, Any]:
                found: dict[str, Any] = httpx.get(f"{service.base_url}/healthz").json()["data"]["feeds"]
                return found

            await eventually(
                lambda: all(one["taken"] or one["refused"] for one in feeds().values()), pause=0.2
            )
            for name, feed in feeds().items():
                assert feed["isConnected"], name
                if name.endswith("-0"):
                    assert feed["taken"], name
