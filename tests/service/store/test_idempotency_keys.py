"""Keys that a request is stored under, while the clocks of the machine are wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.store.protocol import PassageCount, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_site
from tests.every_store import Opened

NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
DAY = timedelta(days=1)


class Clocks:
    """The wall clock, which may be set, and the monotonic one, which only runs."""

    def __init__(self) -> None:
        self.wall = NOON
        self.running = 1234.5

    def pass_by(self, span: timedelta) -> None:
        self.wall += span
        self.running += span.total_seconds()

    def restart(self) -> None:
        """As when the machine starts again: the monotonic clock begins anew."""
        self.running = 3.0

    def open(self, opened: Opened) -> Store:
        return opened(clock=lambda: self.wall, monotonic=lambda: self.running)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def store(opened: Opened, clocks: Clocks) -> Store:
    store = clocks.open(opened)
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


def is_stored(store: Store, key: str) -> bool:
    """Whether counts under this key are taken as new."""
    minute = int(NOON.timestamp()) // 60
    return store.metrics.append(
        [PassageCount("north", minute, 1, 0)], WriteMode.ADD, idempotency=(key, "digest")
    )


@pytest.mark.parametrize("jump", [8 * DAY, -8 * DAY, 4000 * DAY])
def test_key_is_remembered_whatever_the_wall_clock_is_set_to(
    store: Store, clocks: Clocks, jump: timedelta
) -> None:
    assert is_stored(store, "before")
    clocks.wall += jump
    assert is_stored(store, "during")
    assert not is_stored(store, "before")
    clocks.wall -= jump
    assert is_stored(store, "after")
    assert [is_stored(store, key) for key in ("before", "during", "after")] == [False] * 3


def test_key_is_remembered_for_seven_days_and_then_forgotten(store: Store, clocks: Clocks) -> None:
    assert is_stored(store, "old")
    clocks.pass_by(7 * DAY)
    assert is_stored(store, "new")
    assert not is_stored(store, "old")
    clocks.pass_by(timedelta(seconds=2))
    assert is_stored(store, "newest")
    assert is_stored(store, "old")


def test_keys_of_earlier_runs_age_while_the_service_runs(
    store: Store, clocks: Clocks, opened: Opened
) -> None:
    assert is_stored(store, "old")
    clocks.pass_by(4 * DAY)
    assert is_stored(store, "middle")
    clocks.restart()
    again = clocks.open(opened)
    clocks.pass_by(2 * DAY)
    assert is_stored(again, "late")
    assert not is_stored(again, "old")
    clocks.pass_by(1.1 * DAY)
    assert is_stored(again, "latest")
    assert not is_stored(again, "middle")
    assert is_stored(again, "old")


def test_two_processes_do_not_make_keys_age_twice_as_fast(
    store: Store, clocks: Clocks, opened: Opened
) -> None:
    other = clocks.open(opened)
    assert is_stored(store, "old")
    for hour in range(7 * 24):
        clocks.pass_by(timedelta(hours=1))
        assert is_stored(other if hour % 2 else store, f"hour {hour}")
    assert not is_stored(store, "old")
