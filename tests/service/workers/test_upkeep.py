from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

import pytest

from contract.minutes import MINUTES_A_DAY
from service.application_state import ApplicationState
from service.clock import present
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store import series_import
from service.store.protocol import Store
from service.workers import upkeep
from service.workers.upkeep import Upkeep
from tests.eventually import eventually
from tests.service.store.test_series_import import DAYS, FILE, forward_of, is_sound, left_in
from tests.small_site import create_small_site

LOOKS = 10
NEWEST: Final = datetime(2025, 3, 1, tzinfo=UTC) + timedelta(days=DAYS)
"""After the last of the counts."""


class Killed(BaseException):
    """Ends an import as a signal does that nobody can catch."""


async def test_what_a_killed_import_left_is_stored_by_the_service_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    monkeypatch.setattr(series_import, "_MINUTES_TOGETHER", 1)
    monkeypatch.setattr(series_import, "ROOM_SECONDS", 0.0)
    monkeypatch.setattr(upkeep, "_INTERVAL_SECONDS", 0.01)

    def kill(_: int) -> None:
        raise Killed

    with closing(open_store(store_url(tmp_path))) as served:
        with closing(open_store(store_url(tmp_path))) as command, pytest.raises(Killed):
            command.imports.store(FILE, kill)
        assert left_in(tmp_path) > 0
        worker = Upkeep()
        await worker.start(cast(ApplicationState, SimpleNamespace(store=served, settings=ServiceSettings())))
        await eventually(lambda: left_in(tmp_path) == 0)
        await worker.stop()
        assert forward_of(tmp_path) == len(FILE) * DAYS * MINUTES_A_DAY
        assert is_sound(served)


async def test_minutes_that_are_older_than_the_settings_say_are_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    monkeypatch.setattr(upkeep, "_INTERVAL_SECONDS", 0.01)
    with closing(open_store(store_url(tmp_path))) as served:
        served.imports.store(FILE)
        served.retention.note_believed_time(present())
        people = forward_of(tmp_path)
        worker = Upkeep()
        await worker.start(_over(served, retention_days=62))
        # The last day of each site stays.
        await eventually(lambda: 0 < forward_of(tmp_path) < 2 * people // DAYS)
        await worker.stop()
        assert is_sound(served)


YEARS: Final = timedelta(days=4 * 365)


class Machine:
    """Its clock is as far off as it says; each look takes five hours."""

    def __init__(self, off: timedelta) -> None:
        self.off = off
        self.looks = 0

    def clock(self) -> datetime:
        return NEWEST + timedelta(hours=1) + self.off + timedelta(seconds=self.passing())

    def passing(self) -> float:
        self.looks += 1
        return 9_000.0 * self.looks


async def looked(store: Store, machine: Machine, looks: int = LOOKS, *, days: int | None = 62) -> None:
    """A service that begins, and ends after so many looks."""
    machine.looks = 0
    worker = Upkeep(machine.clock, machine.passing)
    await worker.start(_over(store, retention_days=days))
    await eventually(lambda: machine.looks > 2 * looks)
    await worker.stop()


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, Callable[[], int]]]:
    """A store with some days of counts, and how many people are kept by the minute. Each look folds."""
    create_small_site(tmp_path)
    monkeypatch.setattr(upkeep, "_INTERVAL_SECONDS", 0.001)
    monkeypatch.setattr(upkeep, "_FOLD_SECONDS", 0.0)
    with closing(open_store(store_url(tmp_path))) as store:
        store.imports.store(FILE)
        yield store, lambda: forward_of(tmp_path)


@pytest.mark.parametrize("off", [YEARS, -56 * YEARS / 4, timedelta(0)], ids=["2029", "1970", "right"])
@pytest.mark.parametrize("is_noted", [True, False])
async def test_a_service_that_starts_by_a_wrong_clock_folds_nothing_that_is_young(
    counted: tuple[Store, Callable[[], int]], off: timedelta, *, is_noted: bool
) -> None:
    store, people = counted
    before = people()
    if is_noted:
        store.retention.note_believed_time(NEWEST)
    for _ in range(3):  # it is switched off and on again, and each time it is wrong
        await looked(store, Machine(off))
        assert people() == before
    believed = store.retention.believed_time()
    assert believed
    assert believed < NEWEST + timedelta(days=30)


async def test_what_a_service_that_ran_long_saw_of_the_time_is_kept(
    counted: tuple[Store, Callable[[], int]],
) -> None:
    store, people = counted
    before, machine = people(), Machine(timedelta(days=100))
    for _ in range(25):  # two days each: it has been off for 100
        await looked(store, machine, days=None)
        machine.off += timedelta(days=2)
        assert people() == before, "without a setting nothing is folded"
    await looked(store, machine)
    assert people() < before
    assert is_sound(store)


def _over(store: Store, **settings: int | None) -> ApplicationState:
    return cast(ApplicationState, SimpleNamespace(store=store, settings=ServiceSettings(**settings)))  # type: ignore[arg-type]
