from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from api_client import Client
from service.demo_data import SDU_ROOMS
from service.replay.rooms_replay import read_room_days
from tests.facts.recordings import ORGANIZATION, Recordings, headroom, import_recordings
from tests.running_service import start_service


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The recordings in a store that no server has open; imported by the first process of a run that asks."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    folder, whole = shared / "imported-recordings", shared / "imported-recordings.whole"
    with (shared / "imported-recordings.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            folder.mkdir()
            import_recordings(folder)
            whole.touch()
    return folder


@pytest.fixture(scope="session")
def recordings(
    imported: Path, tmp_path_factory: pytest.TempPathFactory, lasting: set[int]
) -> Iterator[Recordings]:
    data_dir = shutil.copytree(imported, tmp_path_factory.mktemp("facts") / "service")
    key = headroom(data_dir, "keys", "create", "--organization", ORGANIZATION, "--name", "facts")
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    client = Client(service.base_url, key, timeout=30.0)
    try:
        yield Recordings(
            client, client.site("hardbruecke"), client.site("sdu-rooms"), read_room_days(SDU_ROOMS)
        )
    finally:
        client.close()
        service.stop()
