"""The newest minutes of many sites, read together: when a process begins, and after others have stored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import Engine, event

from contract import CROSSINGS, MetricKey
from service.store import metrics
from service.store.protocol import Bucket, PassageCount, Store, WriteMode
from tests.crowded_site import MINUTE, NOON, ORGANIZATION, crowded_site
from tests.every_store import Opened

ASKED = (*CROSSINGS, MetricKey.VISITORS_INSIDE)
A_YEAR_AGO = -365 * 24 * 60


@contextmanager
def counted_statements() -> Iterator[Callable[[], int]]:
    """How many were put to a database since, by this thread: what was stored is announced by another one."""
    asked, own = 0, threading.get_ident()

    def note(*_: object) -> None:
        nonlocal asked
        asked += threading.get_ident() == own

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield lambda: asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def save(store: Store, *site_ids: str) -> None:
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich", site_id=one) for one in site_ids])


def add(store: Store, site_id: str, *minutes: int, passage: str = "north") -> None:
    counts = [PassageCount(f"{site_id}-{passage}", MINUTE + after, 2, 1) for after in minutes]
    store.metrics.append(counts, WriteMode.ADD)


def newest(store: Store, site_ids: Sequence[str]) -> list[Bucket | None]:
    zones = ((), ("hall",), ("loft",))
    return [
        store.metrics.newest(site_id, zone_ids=zone_ids, metrics=ASKED)
        for site_id in site_ids
        for zone_ids in zones
    ]


@pytest.mark.parametrize("together", [2, 500])
def test_sites_read_together_are_as_each_by_itself(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """Never counted, counted a year ago, at some doors lately, and with minutes that have not begun."""
    site_ids = [f"shop-{number}" for number in range(5)]
    writing = opened(clock=lambda: NOON)
    save(writing, *site_ids)
    add(writing, "shop-1", A_YEAR_AGO)
    add(writing, "shop-2", A_YEAR_AGO, -3)
    add(writing, "shop-2", A_YEAR_AGO - 5, passage="stairs")
    add(writing, "shop-3", -2, 7, 9)
    add(writing, "shop-4", 4)
    monkeypatch.setattr(metrics, "_SITES_TOGETHER", together)
    now = [NOON]
    reading = opened(clock=lambda: now[0])
    assert newest(reading, site_ids) == newest(writing, site_ids)
    assert [bucket is None for bucket in newest(reading, site_ids)[::3]] == [True, False, False, False, True]
    now[0] = NOON + timedelta(minutes=8)
    reading.metrics.poll_changes()
    starts = [bucket and (bucket.start - NOON) / timedelta(minutes=1) for bucket in newest(reading, site_ids)]
    assert starts[::3] == [None, A_YEAR_AGO, -3, 7, 4]


def test_more_sites_take_no_more_statements(opened: Opened) -> None:
    def asked_of(work: Callable[[], object]) -> int:
        with counted_statements() as asked:
            work()
            return asked()

    def everywhere(count: int) -> None:
        counts = [PassageCount(f"shop-{number}-north", MINUTE, 1, 0) for number in range(count)]
        writing.metrics.append(counts, WriteMode.ADD)

    writing = opened(clock=lambda: NOON)
    found = []
    for count in (2, 8):
        save(writing, *(f"shop-{number}" for number in range(count)))
        everywhere(count)
        begins = asked_of(lambda: opened(clock=lambda: NOON))
        reading = opened(clock=lambda: NOON)
        everywhere(count)
        found.append((begins, asked_of(reading.metrics.poll_changes)))
    assert found[0] == found[1]
