"""The demo: two replayed recordings and a simulated shop, with their past loaded and their present played.

A thread of its own loads what is missing of the past, then feeds the present at the pace of the clock.

Everything is written with `WriteMode.SET`: each count is a function of its minute (and, in the minute that is
running, of the second), so writing a minute again changes nothing. That is what makes an interrupted load, a
restart and a gap simple: go on from the newest minute that is stored, that minute included.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Final, Protocol
from zoneinfo import ZoneInfo

import structlog

from contract import ErrorCode, ErrorEntry, MetricKey
from contract.minutes import MINUTES_A_DAY, minute_number, minute_start
from service.application_state import ApplicationState
from service.clock import present
from service.dashboard_key import DEMO_ORGANIZATION
from service.demo_data import HARDBRUECKE, SDU_ROOMS
from service.exception_handlers import entry
from service.ingest.count_report import CountReport, store_report, store_series
from service.replay.rooms_replay import RoomsReplay, read_room_days
from service.replay.stop_replay import StopReplay, read_stop
from service.simulator.shop_visits import ShopSimulation
from service.store.errors import StoreError
from service.store.protocol import CountSeries, PassageCount, SiteRecord, Store, WriteMode

_MINUTES_AT_ONCE: Final = 28 * MINUTES_A_DAY
"""Minutes of one site in one transaction while the past is loaded."""

_PAUSE_AFTER_FAILURE: Final = 5.0
"""Seconds."""

_STOP_DEADLINE: Final = 2.0
"""Seconds after which what is being stored is given up with the process."""

_STARTING: Final = entry(
    ErrorCode.SERVICE_STARTING,
    "The demo's counts up to this minute are being stored. A first start takes up to a minute.",
)
_FAILED: Final = entry(
    ErrorCode.SERVICE_UNAVAILABLE, "The demo's counts could not be loaded; the service's log says why."
)
_NOT_STORED: Final = entry(
    ErrorCode.SERVICE_UNAVAILABLE,
    "The demo's counts cannot be stored yet, it is tried again; the service's log says why.",
)

_NEVER: Final = threading.Event()

Clock = Callable[[], datetime]


class CountSource(Protocol):
    """A site and what crosses its passages, at any time."""

    record: SiteRecord
    history: timedelta
    """How far back the first start loads."""

    def series(self, first: int, end: int) -> Iterable[CountSeries]:
        """Whole minutes of [first, end), since the epoch, by passage; a missing minute is left out."""

    def so_far(self, now: datetime) -> Iterable[PassageCount]:
        """The minute that is running, as far as `now`."""


@cache
def demo_sources() -> tuple[CountSource, ...]:
    return (
        StopReplay(read_stop(HARDBRUECKE), DEMO_ORGANIZATION.id),
        RoomsReplay(read_room_days(SDU_ROOMS), DEMO_ORGANIZATION.id),
        ShopSimulation(DEMO_ORGANIZATION.id),
    )


def load(store: Store, stop: threading.Event = _NEVER, *, clock: Clock = present) -> None:
    """Save the demo's sites and store what is missing of their past, up to the minute that is running.

    After `stop` it ends with what it is storing. Can be called again at any time, also after it was
    interrupted: it goes on where it stopped.
    """
    log = structlog.get_logger()
    store.catalogue.save(DEMO_ORGANIZATION, [source.record for source in demo_sources()])
    # The recordings stay: to look through them at every full collection would take a tenth of the load.
    gc.freeze()
    for source in demo_sources():
        started = time.monotonic()
        now = minute_number(clock())
        first = next_minute(store, source, now)
        catch_up(store, source, first, now, stop)
        if stop.is_set():
            return
        log.info(
            "demo history stored",
            site=source.record.site.id,
            minutes=now - first,
            seconds=round(time.monotonic() - started, 1),
        )


def play(store: Store, stop: threading.Event, *, clock: Clock = present) -> None:
    """Feed all sites once a second until `stop`, beginning with what was missed since the newest minute."""
    log = structlog.get_logger()
    player = Player(store, demo_sources())
    pause = 0.0
    while not stop.wait(pause):
        try:
            player.feed(clock())
            pause = 1 - clock().microsecond / 1e6
        except StoreError:
            # The store's own log line says why, once.
            pause = _PAUSE_AFTER_FAILURE
        except Exception:  # the supervisor's edge: nothing may end the demo
            log.exception("demo not fed, trying again", seconds=_PAUSE_AFTER_FAILURE)
            pause = _PAUSE_AFTER_FAILURE


class Player:
    """Keeps the sites of some sources up to date, second by second."""

    def __init__(self, store: Store, sources: Sequence[CountSource]) -> None:
        self._store = store
        self._sources = sources
        self._fed: datetime | None = None
        self._stored: frozenset[PassageCount] = frozenset()
        """Counts of the running minute as last stored: a second in which nobody crosses writes nothing."""

    def feed(self, now: datetime) -> None:
        """Store everyone who has crossed by `now`. A clock that goes back is waited for."""
        if self._fed and now < self._fed:
            return
        if self._fed is None or minute_number(now) > minute_number(self._fed):
            self._complete_minutes_before(minute_number(now))
            self._stored = frozenset()
        counts = frozenset(count for source in self._sources for count in source.so_far(now))
        if changed := counts - self._stored:
            store_report(self._store, CountReport(tuple(changed), organization_id=None, mode=WriteMode.SET))
        self._stored = counts
        self._fed = now

    def _complete_minutes_before(self, minute: int) -> None:
        for source in self._sources:
            first = minute_number(self._fed) if self._fed else next_minute(self._store, source, minute)
            catch_up(self._store, source, first, minute)


def catch_up(store: Store, source: CountSource, first: int, end: int, stop: threading.Event = _NEVER) -> None:
    """Store the minutes of [first, end) in order, so that an interruption leaves no hole behind it."""
    for start in range(first, end, _MINUTES_AT_ONCE):
        if stop.is_set():
            return
        store_series(store, source.series(start, min(start + _MINUTES_AT_ONCE, end)))


def next_minute(store: Store, source: CountSource, now: int) -> int:
    """The minute to go on from: the newest one stored, or the first of the history."""
    site = source.record.site
    newest = store.metrics.newest(site.id, metrics=(MetricKey.ENTRANCES,))
    first = history_start(source, now)
    return min(max(minute_number(newest.start), first), now) if newest else first


def history_start(source: CountSource, now: int) -> int:
    """A daily reset, so that no level begins in the middle of a day."""
    record = source.record
    timezone = ZoneInfo(record.site.timezone or "Etc/UTC")
    local = (minute_start(now) - source.history).astimezone(timezone)
    reset = local.replace(hour=record.daily_reset_hour, minute=0, second=0, microsecond=0, fold=0)
    return minute_number(reset)


class DemoWorker:
    """Loads and plays the demo; the service answers when it is loaded."""

    name = "demo"

    def __init__(
        self,
        load: Callable[[Store, threading.Event], None] = load,
        play: Callable[[Store, threading.Event], None] = play,
    ) -> None:
        self._load = load
        self._play = play
        self._stop = threading.Event()
        self.unready: ErrorEntry | None = _STARTING

    async def start(self, state: ApplicationState) -> None:
        self._thread = threading.Thread(target=self._run, args=(state.store,), name=self.name, daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        self._stop.set()
        await asyncio.to_thread(self._thread.join, _STOP_DEADLINE)

    def _run(self, store: Store) -> None:
        log = structlog.get_logger()
        try:
            loaded = self._load_when_possible(store)
        except Exception:
            log.exception("demo not loaded")
            self.unready = _FAILED
            return
        if not loaded:
            return
        self.unready = None
        try:
            self._play(store, self._stop)
        except Exception:
            log.exception("demo stopped playing")

    def _load_when_possible(self, store: Store) -> bool:
        """Load until it is done: over a full disk, too, it goes on where it stopped. False: `stop` came."""
        while True:
            try:
                self._load(store, self._stop)
            except StoreError:
                # The store's own log line says why, once.
                self.unready = _NOT_STORED
                if self._stop.wait(_PAUSE_AFTER_FAILURE):
                    return False
            else:
                return not self._stop.is_set()
