"""Whoever is to tell other processes of what was stored is called after it is, and only then."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from service.store.errors import UnknownPassageError
from service.store.protocol import PassageCount, Store, WriteMode
from tests.eventually import wait_until
from tests.every_store import Opened, opener
from tests.small_site import create_records

MINUTE = 29_000_000


def test_each_commit_is_told_once_it_can_be_seen_and_nothing_that_failed(opened: Opened) -> None:
    store, other = opened(), opened()
    create_records(store)
    told: list[bool] = []
    store.announce_by(lambda: told.append(other.metrics.poll_changes()))
    store.metrics.append([PassageCount("entrance", MINUTE, 1, 0)], WriteMode.ADD)
    assert told == [True]
    with pytest.raises(UnknownPassageError):
        store.metrics.append([PassageCount("nowhere", MINUTE, 1, 0)], WriteMode.ADD)
    store.metrics.newest("corner-shop", metrics=())
    assert len(told) == 1
    store.announce_by(None)
    store.metrics.append([PassageCount("entrance", MINUTE, 1, 0)], WriteMode.ADD)
    assert len(told) == 1


def test_while_another_tells_a_server_does_not_and_does_so_again_afterwards(tmp_path: Path) -> None:
    with opener("postgresql", tmp_path) as opened:
        store, other = opened(), opened()
        create_records(store)
        _tells_once_nobody_else_does(store, other)


def _tells_once_nobody_else_does(store: Store, other: Store) -> None:
    other.wait_for_changes(60, threading.Event())  # it listens from now on
    wait_until(lambda: not _hears(other, 1))  # what was stored before is told a moment later
    store.announce_by(lambda: None)
    store.metrics.append([PassageCount("entrance", MINUTE, 1, 0)], WriteMode.ADD)
    assert not _hears(other, 0.5)
    store.announce_by(None)
    store.metrics.append([PassageCount("entrance", MINUTE, 1, 0)], WriteMode.ADD)
    assert _hears(other, 60)


def _hears(store: Store, seconds: float) -> bool:
    """Also what was told before; it listens already."""
    began = time.monotonic()
    store.wait_for_changes(seconds, threading.Event())
    return time.monotonic() - began < seconds
