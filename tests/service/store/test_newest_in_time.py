"""Minutes that lie in the future, stored while a clock was wrong: not the newest until time reaches them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from contract import MetricKey
from service.store.protocol import PassageCount, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.every_store import Opened

NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
MINUTE = int(NOON.timestamp()) // 60


class Clock:
    def __init__(self) -> None:
        self.present = NOON

    def __call__(self) -> datetime:
        return self.present


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(opened: Opened, clock: Clock) -> Store:
    store = opened(clock=clock)
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


def add(store: Store, *minutes: int) -> None:
    store.metrics.append([PassageCount("north", MINUTE + after, 1, 0) for after in minutes], WriteMode.ADD)


def newest(store: Store, **asked: tuple[str, ...]) -> int | None:
    bucket = store.metrics.newest("crowded", metrics=[MetricKey.ENTRANCES], **asked)
    return bucket and int(bucket.start.timestamp()) // 60 - MINUTE


def heard_by(store: Store) -> list[dict[str, int]]:
    heard: list[dict[str, int]] = []

    def listen(changes: Mapping[str, int]) -> None:
        heard.append({site_id: first - MINUTE for site_id, first in changes.items()})

    store.metrics.add_listener(listen)
    return heard


def test_minute_that_has_not_begun_is_not_the_newest(store: Store) -> None:
    add(store, -3, 1, 10 * 24 * 60)
    assert newest(store) == newest(store, passage_ids=("north",)) == -3


def test_only_minutes_of_the_future_are_as_none(store: Store) -> None:
    add(store, 1)
    assert newest(store) is None


def test_minute_becomes_the_newest_when_time_reaches_it(store: Store, clock: Clock) -> None:
    add(store, 0, 2, 5)
    seen = []
    for _ in range(7):
        seen.append(newest(store))
        clock.present += timedelta(minutes=1)
    assert seen == [0, 0, 2, 2, 2, 5, 5]


def test_minute_that_is_reached_is_news_once(store: Store, clock: Clock) -> None:
    add(store, 0, 2)
    heard = heard_by(store)
    assert not store.metrics.poll_changes()
    clock.present += timedelta(minutes=2)
    assert store.metrics.poll_changes()
    assert heard == [{"crowded": 2}]
    assert not store.metrics.poll_changes()


def test_minute_that_is_reached_is_news_also_when_it_was_asked_for_first(store: Store, clock: Clock) -> None:
    add(store, 0, 2)
    heard = heard_by(store)
    clock.present += timedelta(minutes=3)
    assert newest(store) == 2
    assert heard == [{"crowded": 2}]


def test_clock_that_goes_back_takes_the_newest_minute_along(store: Store, clock: Clock) -> None:
    add(store, -60, 0)
    assert newest(store) == 0
    clock.present -= timedelta(minutes=1)
    assert newest(store) == -60
    clock.present += timedelta(minutes=1)
    assert newest(store) == 0


def test_newest_minute_is_the_same_after_a_restart(store: Store, clock: Clock, opened: Opened) -> None:
    add(store, -3, 7)
    assert newest(opened(clock=clock)) == -3
