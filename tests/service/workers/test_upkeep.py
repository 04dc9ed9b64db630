from __future__ import annotations

import itertools
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from contract.minutes import MINUTES_A_DAY
from service.application_state import ApplicationState
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store import series_import
from service.store.protocol import Store
from service.workers import upkeep
from service.workers.upkeep import Upkeep
from tests.eventually import eventually
from tests.service.store.test_series_import import DAYS, FILE, forward_of, is_sound, left_in
from tests.small_site import create_small_site

LOOKS = 100


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
        people = forward_of(tmp_path)
        worker = Upkeep()
        await worker.start(_over(served, retention_days=62))
        # The last day of each site stays.
        await eventually(lambda: 0 < forward_of(tmp_path) < 2 * people // DAYS)
        await worker.stop()
        assert is_sound(served)


@pytest.mark.parametrize("days", [None, 62])
async def test_nothing_is_folded_without_a_setting_nor_soon_after_the_clock_went_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int | None
) -> None:
    create_small_site(tmp_path)
    monkeypatch.setattr(upkeep, "_INTERVAL_SECONDS", 0.01)
    asked = itertools.count()
    # Right as the worker begins, then a year ahead.
    worker = Upkeep(lambda: time.time() + (next(asked) > 0) * 365 * 86_400)
    with closing(open_store(store_url(tmp_path))) as served:
        served.imports.store(FILE)
        people = forward_of(tmp_path)
        await worker.start(_over(served, retention_days=days))
        await eventually(lambda: next(asked) > LOOKS)
        await worker.stop()
        assert forward_of(tmp_path) == people


def _over(store: Store, **settings: int | None) -> ApplicationState:
    return cast(ApplicationState, SimpleNamespace(store=store, settings=ServiceSettings(**settings)))  # type: ignore[arg-type]
