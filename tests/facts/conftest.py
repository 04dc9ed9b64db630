from __future__ import annotations

from collections.abc import Iterator

import pytest

from api_client import Client
from service.demo_data import SDU_ROOMS
from service.replay import read_room_days
from tests.facts.recordings import ORGANIZATION, Recordings, headroom, import_recordings
from tests.running_service import start_service


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recordings]:
    data_dir = tmp_path_factory.mktemp("facts")
    import_recordings(data_dir)
    key = headroom(data_dir, "keys", "create", "--organization", ORGANIZATION, "--name", "facts")
    service = start_service(data_dir)
    client = Client(service.base_url, key, timeout=30.0)
    try:
        yield Recordings(
            client, client.site("hardbruecke"), client.site("sdu-rooms"), read_room_days(SDU_ROOMS)
        )
    finally:
        client.close()
        service.stop()
