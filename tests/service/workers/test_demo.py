from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import cast
from zoneinfo import ZoneInfo

import pytest
import structlog

from contract import CROSSINGS, Granularity, MetricKey
from contract.minutes import minute_number
from service.application_state import ApplicationState
from service.dashboard_key import DEMO_ORGANIZATION
from service.open_store import open_store, store_url
from service.replay.stop_replay import TIMEZONE, passage_id
from service.store.protocol import Bucket, BucketQuery, CountSeries, PassageCount, Store, WriteMode
from service.workers import demo
from tests.eventually import eventually
from tests.small_disk import small_disk

NOW = datetime(2026, 11, 18, 7, 31, 12, 500_000, tzinfo=ZoneInfo("Europe/Zurich")).astimezone(UTC)
COUNTED = (*CROSSINGS, MetricKey.VISITORS_INSIDE)
DEADLINE = 60.0


class ShortSource:
    """A source of the demo with a history of two days, so that a test loads in a moment."""

    def __init__(self, source: demo.CountSource) -> None:
        self.record = source.record
        self.history = timedelta(days=2)
        self.series = source.series
        self.so_far = source.so_far


def at(now: datetime) -> Callable[[], datetime]:
    return lambda: now


@pytest.fixture(scope="module", autouse=True)
def short_history() -> Iterator[None]:
    sources = tuple(ShortSource(source) for source in demo.demo_sources())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "demo_sources", lambda: sources)
        yield


@pytest.fixture(scope="module")
def loaded_once(short_history: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a store was loaded at `NOW` and closed."""
    folder = tmp_path_factory.mktemp("loaded")
    with closing(open_store(store_url(folder))) as store:
        demo.load(store, clock=at(NOW))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Empty."""
    opened = open_store(store_url(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def loaded(loaded_once: Path, tmp_path: Path) -> Iterator[Store]:
    """Loaded at `NOW`, without anything in between."""
    with closing(open_store(store_url(copytree(loaded_once, tmp_path / "loaded")))) as opened:
        yield opened


def minutes_stored(store: Store, end: datetime = NOW + timedelta(days=30)) -> dict[str, list[Bucket]]:
    return {
        source.record.site.id: store.metrics.buckets(
            BucketQuery(
                site_id=source.record.site.id,
                metrics=COUNTED,
                start=NOW - timedelta(days=10),
                end=end,
                granularity=Granularity.MINUTE,
                timezone=ZoneInfo("Etc/UTC"),
            )
        )
        for source in demo.demo_sources()
    }


def minute_start(instant: datetime) -> datetime:
    return instant.replace(second=0, microsecond=0)


def test_loading_creates_the_organization_and_its_three_sites(loaded: Store) -> None:
    sites, total = loaded.catalogue.list_sites(DEMO_ORGANIZATION.id, limit=10, offset=0)
    assert total == 3
    assert {record.site.id for record in sites} == {"hardbruecke", "shop", "sdu-rooms"}
    assert [(one.id, one.name) for one in loaded.catalogue.organizations()] == [("demo", "Headroom demo")]


def test_the_demo_opens_on_a_site_whose_doors_miscount_nobody(loaded: Store) -> None:
    """The first of the list is what pages open on."""
    sites, _ = loaded.catalogue.list_sites(DEMO_ORGANIZATION.id, limit=10, offset=0)
    assert [record.site.id for record in sites] == ["shop", "sdu-rooms", "hardbruecke"]


def test_the_past_is_loaded_from_a_daily_reset_to_the_last_whole_minute(loaded: Store) -> None:
    for source in demo.demo_sources():
        record = source.record
        buckets = minutes_stored(loaded)[record.site.id]
        begins = buckets[0].start.astimezone(ZoneInfo(record.site.timezone or ""))
        assert (begins.hour, begins.minute) == (record.daily_reset_hour, 0)
        assert buckets[-1].start == minute_start(NOW) - timedelta(minutes=1)


def test_loading_twice_changes_nothing(loaded: Store) -> None:
    once = minutes_stored(loaded)
    demo.load(loaded, clock=at(NOW))
    assert minutes_stored(loaded) == once


def test_an_interrupted_load_goes_on_and_ends_as_an_uninterrupted_one(store: Store, loaded: Store) -> None:
    class PowerCutError(Exception):
        pass

    metrics = store.metrics
    append, left = metrics.append_series, [2]

    def failing_append(series: Iterable[CountSeries]) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise PowerCutError
        append(series)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_MINUTES_AT_ONCE", 700)
        patch.setattr(metrics, "append_series", failing_append)
        with pytest.raises(PowerCutError):
            demo.load(store, clock=at(NOW - timedelta(minutes=5)))
    demo.load(store, clock=at(NOW))
    assert minutes_stored(store) == minutes_stored(loaded)


def test_a_load_that_is_told_to_stop_ends_with_what_it_is_storing_and_goes_on_when_called_again(
    store: Store, loaded: Store
) -> None:
    metrics, stop, stored = store.metrics, threading.Event(), list[CountSeries]()
    append = metrics.append_series

    def append_and_stop(series: Iterable[CountSeries]) -> None:
        stored.extend(series)
        append(stored)
        stop.set()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_MINUTES_AT_ONCE", 700)
        patch.setattr(metrics, "append_series", append_and_stop)
        with structlog.testing.capture_logs() as log:
            demo.load(store, stop, clock=at(NOW))
    sites = {site_id: len(minutes) for site_id, minutes in minutes_stored(store).items()}
    assert sites == {"hardbruecke": 700, "sdu-rooms": 0, "shop": 0}
    assert {len(series.minutes) for series in stored} == {700}
    assert log == [], "it is not said to be stored"
    demo.load(store, clock=at(NOW))
    assert minutes_stored(store) == minutes_stored(loaded)


async def test_a_worker_that_is_stopped_while_it_loads_neither_plays_nor_is_ready(store: Store) -> None:
    loading, played = threading.Event(), list[Store]()

    def load(_: Store, stop: threading.Event) -> None:
        loading.set()
        assert stop.wait(DEADLINE)

    worker = demo.DemoWorker(load, lambda store, _: played.append(store))
    await worker.start(cast(ApplicationState, SimpleNamespace(store=store)))
    await eventually(loading.is_set)
    await worker.stop()
    assert played == []
    assert worker.unready is not None


def test_second_by_second_the_player_stores_who_has_crossed(loaded: Store) -> None:
    player = demo.Player(loaded, demo.demo_sources())
    entrances = []
    for second in range(60):
        player.feed(minute_start(NOW) + timedelta(seconds=second))
        newest = loaded.metrics.newest("hardbruecke", metrics=COUNTED)
        assert newest is not None
        assert newest.start == minute_start(NOW)
        entrances.append(newest.values[MetricKey.ENTRANCES])
    assert entrances == sorted(entrances)
    assert entrances[5] < entrances[30] < entrances[59]


def test_playing_through_a_minute_leaves_what_loading_it_later_would(loaded: Store, store: Store) -> None:
    player = demo.Player(loaded, demo.demo_sources())
    for second in range(0, 200, 7):
        player.feed(NOW + timedelta(seconds=second))
    end = minute_start(NOW + timedelta(seconds=196))
    demo.load(store, clock=at(end))
    assert minutes_stored(loaded, end) == minutes_stored(store, end)


def test_a_restart_after_downtime_fills_the_gap_and_counts_nobody_twice(
    loaded: Store, loaded_once: Path, tmp_path: Path
) -> None:
    demo.Player(loaded, demo.demo_sources()).feed(NOW)
    later = NOW + timedelta(hours=7, seconds=21)
    restarted = demo.Player(loaded, demo.demo_sources())
    restarted.feed(later)
    restarted.feed(later)
    other = open_store(store_url(copytree(loaded_once, tmp_path / "other")))
    for source in demo.demo_sources():
        demo.catch_up(other, source, minute_number(NOW), minute_number(later))
    demo.Player(other, demo.demo_sources()).feed(later)
    assert minutes_stored(loaded) == minutes_stored(other)
    other.close()


def test_a_clock_that_goes_back_takes_nothing_away(loaded: Store) -> None:
    player = demo.Player(loaded, demo.demo_sources())
    player.feed(NOW)
    before = minutes_stored(loaded)
    player.feed(NOW - timedelta(minutes=3))
    assert minutes_stored(loaded) == before


def test_a_second_in_which_nobody_crosses_writes_nothing(loaded: Store) -> None:
    night = NOW.replace(hour=2)
    player = demo.Player(loaded, demo.demo_sources())
    player.feed(night)
    told: list[Mapping[str, int]] = []
    loaded.metrics.add_listener(told.append)
    player.feed(night)
    assert told == []


def test_an_outage_in_the_recording_stays_missing_while_it_is_played(store: Store) -> None:
    outage = datetime.fromisoformat("2024-03-14T03:00:00").replace(tzinfo=TIMEZONE) + timedelta(weeks=9 * 15)
    demo.load(store, clock=at(outage))
    demo.Player(store, demo.demo_sources()).feed(outage)
    newest = store.metrics.newest("hardbruecke", metrics=COUNTED)
    assert newest is not None
    assert newest.start.astimezone(TIMEZONE).strftime("%H:%M") == "16:44"


def test_play_feeds_until_it_is_stopped_and_survives_a_failed_write(loaded: Store) -> None:
    started = time.monotonic()
    stop = threading.Event()
    append, failures = loaded.metrics.append, [OSError("disk full")]

    def append_after_failures(counts: Sequence[PassageCount], mode: WriteMode, **_: None) -> bool:
        if failures:
            raise failures.pop()
        return append(counts, mode)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_PAUSE_AFTER_FAILURE", 0.01)
        patch.setattr(loaded.metrics, "append", append_after_failures)
        thread = threading.Thread(
            target=demo.play,
            args=(loaded, stop),
            kwargs={"clock": lambda: NOW + timedelta(seconds=time.monotonic() - started)},
        )
        thread.start()
        deadline = time.monotonic() + DEADLINE
        while minutes_stored(loaded)["hardbruecke"][-1].start < minute_start(NOW):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        stop.set()
        thread.join(DEADLINE)
    assert not thread.is_alive()
    assert failures == []


def test_passages_of_the_demo_are_unique_across_its_sites() -> None:
    passages = [passage.id for source in demo.demo_sources() for passage in source.record.site.passages]
    assert len(passages) == len(set(passages))
    assert passage_id("Ost-Süd") in passages


async def test_full_disk_under_the_load_is_logged_once_and_the_load_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_PAUSE_AFTER_FAILURE", 0.01)
    attempts: list[Store] = []

    def load(store: Store, _: threading.Event) -> None:
        attempts.append(store)
        demo.load(store, clock=at(NOW))

    with small_disk(tmp_path / "disk", 64) as disk, closing(open_store(store_url(disk.folder))) as store:
        disk.fill(but=1_000_000)
        worker = demo.DemoWorker(load, lambda *_: None)
        with structlog.testing.capture_logs() as log:
            await worker.start(cast(ApplicationState, SimpleNamespace(store=store)))
            await eventually(lambda: len(attempts) > 5)
            assert worker.unready is not None
            disk.make_room()
            await eventually(lambda: worker.unready is None)
            await worker.stop()
        assert minutes_stored(store)["shop"]
    said = [line["event"] for line in log if line["event"].startswith("store ")]
    assert said == ["store cannot be written", "store can be written again"]
