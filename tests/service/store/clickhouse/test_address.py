from __future__ import annotations

import pytest

from service.store.clickhouse.address import read_archive_address
from service.store.errors import StoreUrlError


def test_an_address_is_read_with_what_is_asked_of_the_server() -> None:
    url = "clickhouses://headroom:p%40ss@ch.example/years?cluster=shops&answer_seconds=5&max_threads=2"
    address = read_archive_address(url)
    assert (address.host, address.port, address.is_secure) == ("ch.example", 8443, True)
    assert (address.username, address.password, address.database) == ("headroom", "p@ss", "years")
    assert (address.cluster, address.answer_seconds, dict(address.settings)) == (
        "shops",
        5,
        {"max_threads": "2"},
    )


def test_what_is_not_said_is_as_the_server_has_it() -> None:
    address = read_archive_address("clickhouse://ch.example")
    assert (address.port, address.username, address.database) == (8123, "default", "headroom")
    assert address.told == "ch.example:8123/headroom"
    assert (address.cluster, dict(address.settings)) == (None, {})


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:secret@ch.example/a",
        "clickhouse:/secret",
        "clickhouse://u:secret@ch.example:port/a",
        "clickhouse://u:an-@-and-secret@ch.example/a",
        "clickhouse://u:secret@ch.example/a?answer_seconds=0",
        "clickhouse://u:secret@ch.example/a?answer_seconds=soon",
    ],
)
def test_what_is_none_is_refused_without_what_it_may_hold(url: str) -> None:
    with pytest.raises(StoreUrlError) as refused:
        read_archive_address(url)
    assert "secret" not in str(refused.value)


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(read_archive_address("clickhouse://u:secret@ch.example/a"))
