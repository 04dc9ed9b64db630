"""The client of the administrator's API: against the service itself, and against one that plays tricks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from api_client import (
    AdministratorClient,
    BrokenAnswer,
    Forbidden,
    InvalidQuery,
    NotFound,
    Unavailable,
    administrator,
)
from contract.administration import AskedKey, PlacedAt
from tests.administered import Administered, administered
from tests.faults.misbehaving_server import Call, envelope, failure, misbehaving_server


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Administered]:
    with administered(tmp_path_factory.mktemp("managed")) as opened:
        yield opened


@pytest.fixture
def client(managed: Administered) -> Iterator[AdministratorClient]:
    with AdministratorClient(managed.service.base_url, managed.admin_key) as opened:
        yield opened


def test_a_counter_is_listed_placed_and_taken_down(
    managed: Administered, client: AdministratorClient
) -> None:
    managed.report("ACCC8E00000A", 15, 1)
    (waiting,) = client.sensors()
    assert (waiting.serial, waiting.placement, waiting.site_id, waiting.waiting) == (
        "ACCC8E00000A",
        None,
        None,
        1,
    )
    placed = PlacedAt(passage_id="entrance", is_swapped=True)
    assert client.place(waiting.number, placed, person="Ada") == {"counted": 1}
    (hung,) = client.sensors()
    assert (hung.placement, hung.site_id, hung.is_online) == (placed, "corner-shop", True)
    assert client.place(waiting.number, PlacedAt(passage_id=None)) == {}


def test_counters_are_dismissed_in_parts_and_may_be_ignored(
    managed: Administered, client: AdministratorClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administrator, "_DISMISSED_AT_ONCE", 2)
    strangers = [f"ACCC8E0000D{number}" for number in range(5)]
    for serial in strangers:
        managed.report(serial, 1, 1)
    numbers = [one.number for one in client.sensors() if one.serial in strangers]
    assert client.dismiss(numbers[:1], is_ignored=True, person="Ada") == 1
    assert [one.number for one in client.sensors() if one.is_ignored] == numbers[:1]
    assert client.dismiss(numbers, is_ignored=False) == 5
    assert not [one for one in client.sensors() if one.serial in strangers]
    with pytest.raises(NotFound, match="waits to be placed"):
        client.dismiss(numbers, is_ignored=False)


def test_a_key_is_made_rotated_and_revoked(client: AdministratorClient) -> None:
    made = client.make_key(AskedKey(name="Till", scope="read", site_ids=("corner-shop",)), person="Ada")
    assert made.site_ids == ("corner-shop",)
    successor = client.rotate_key(made.id, 3600)
    assert successor.secret != made.secret
    listed = client.keys()
    by_id = {key.id: key for key in listed}
    assert by_id[made.id].replaced_by == successor.id
    assert by_id[made.id].expires_at is not None
    assert client.revoke_key(successor.id).revoked_at is not None


def test_what_the_service_does_not_do_is_told_in_its_words(
    managed: Administered, client: AdministratorClient
) -> None:
    with pytest.raises(NotFound) as missing:
        client.place(999, PlacedAt(passage_id="entrance"))
    assert missing.value.said == "There is no sensor 999."
    with pytest.raises(InvalidQuery) as last:
        client.revoke_key(managed.admin_key.split("_")[1])
    assert last.value.code == "LAST_ADMIN_KEY"
    with AdministratorClient(managed.service.base_url, managed.site.read_key) as reader:
        with pytest.raises(Forbidden):
            reader.keys()
        assert [record.operation for record in reader.recent_errors] == ["list keys"]


async def test_what_writes_is_sent_once_and_says_for_whom() -> None:
    async def busy(call: Call) -> None:
        await call.answer("503 Service Unavailable", failure("SERVICE_UNAVAILABLE", "Busy."))

    async with misbehaving_server(busy) as server:
        server.other = busy
        with AdministratorClient(server.base_url, "k") as client, pytest.raises(Unavailable):
            await asyncio.to_thread(client.make_key, AskedKey(name="Till", scope="read"), person="Ada")
    (call,) = server.calls
    assert (call.method, call.path, call.body) == ("POST", "/admin/keys", {"name": "Till", "scope": "read"})
    assert call.headers["x-acting-for"] == "Ada"


@pytest.mark.parametrize("data", [{"id": "no list"}, [{"number": "x"}], "text", None])
async def test_an_answer_that_makes_no_sense_is_an_error_and_no_empty_list(data: Any) -> None:
    async def odd(call: Call) -> None:
        await call.answer(body=envelope(data))

    async with misbehaving_server(odd) as server:
        server.other = odd
        with AdministratorClient(server.base_url, "k") as client, pytest.raises(BrokenAnswer):
            await asyncio.to_thread(client.sensors)
