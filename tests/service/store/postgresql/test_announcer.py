"""What a server tells the others of its commits, as they hear it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from service.open_store import open_store
from service.store.postgresql import announcer
from service.store.postgresql.address import engine_of, read_address
from service.store.postgresql.announcer import CHANNEL, Announcer
from service.store.protocol import PassageCount, Store, WriteMode
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.small_site import create_records

MINUTE = 29_000_000
LONG = 3600.0
"""Seconds that no test waits for."""


class Heard:
    """By somebody who listens, from whichever connections of the server."""

    def __init__(self, listening: psycopg.Connection[Any]) -> None:
        self._listening = listening

    def soon(self, count: int) -> int:
        """How many came until there were so many."""
        return sum(1 for _ in self._listening.notifies(timeout=60, stop_after=count))

    def meanwhile(self) -> int:
        """How many are there that have not been asked for."""
        return sum(1 for _ in self._listening.notifies(timeout=0.3))


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    postgresql_url(tmp_path)
    address = running_postgresql().address
    with psycopg.connect(address, autocommit=True) as listening:
        listening.execute(f"LISTEN {CHANNEL}")
        yield Heard(listening)


def count(store: Store) -> None:
    store.metrics.append([PassageCount("entrance", MINUTE, 1, 0)], WriteMode.ADD)


def test_commits_close_together_are_told_once_and_the_last_of_them_before_it_ends(
    heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcer, "_PAUSE_SECONDS", LONG)
    store = open_store(postgresql_url(tmp_path))
    try:
        assert heard.soon(1) == 1  # its tables are made
        create_records(store)
        for _ in range(20):
            count(store)
        assert heard.meanwhile() == 0
    finally:
        store.close()
    assert heard.soon(1) == 1
    assert heard.meanwhile() == 0


def test_what_is_stored_while_it_is_being_told_is_told_again(
    heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks at once at what was told may look before it is there."""
    monkeypatch.setattr(announcer, "_PAUSE_SECONDS", 0.0)
    engine = engine_of(read_address(postgresql_url(tmp_path))).execution_options(isolation_level="AUTOCOMMIT")
    telling, told = Announcer(engine, "here"), threading.Event()

    def stored_meanwhile(*asked: Any) -> None:
        if f"NOTIFY {CHANNEL}" in asked[2] and not told.is_set():
            told.set()
            telling.announce()

    event.listen(engine, "after_cursor_execute", stored_meanwhile)
    try:
        telling.announce()
        assert heard.soon(2) == 2
        assert heard.meanwhile() == 0
    finally:
        telling.close()
        engine.dispose()


def test_after_a_pause_the_next_is_told_by_itself(heard: Heard, tmp_path: Path) -> None:
    store = open_store(postgresql_url(tmp_path))
    try:
        create_records(store)
        heard.meanwhile()
        for _ in range(3):
            count(store)
            assert heard.soon(1) == 1
    finally:
        store.close()
