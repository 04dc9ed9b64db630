from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter

from analysis.drift import Drift
from analysis.site_report import SiteReport
from api_client import Client
from api_client.site_now import NO_COUNT
from components.tables.site_states import SiteState, inside_together, progress_of, states_of
from contract import MetricPoint, SiteSummary
from gauge.levels import Thresholds
from live import FeedKey, FeedState, GrantedFeed, Hub, Reading, Snapshot, ToldSite
from live.cadence import same_clock
from live.deliveries import Deliveries, Delivery
from runtime.past_minutes import Drifts, Silences
from runtime.resources import close_resources, get_hub
from runtime.site_reports import SiteReader, is_cut_off
from tests.eventually import eventually
from tests.faults.misbehaving_server import answer_failure, misbehaving_server
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SITE, SmallSite, create_small_site, store_counts

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
LAST = NOW - timedelta(minutes=90)
HOUR = timedelta(hours=1)
DAYS = (1, 7, 14, 21)
ZURICH = ZoneInfo("Europe/Zurich")
UNKNOWN = Deliveries()
FEED = GrantedFeed(FeedKey("told"), "Europe/Zurich")


@dataclass
class Feeds:
    """What is known of all feeds; none is open."""

    learned: Deliveries = UNKNOWN

    def deliveries(self, _key: FeedKey) -> Deliveries:
        return self.learned

    def snapshot(self, key: FeedKey) -> Snapshot:
        return Snapshot(key)

    def latest(self, _site_id: str, _patience: float = 0.0) -> ToldSite | None:
        return None


def read_twice(
    base_url: str, key: str, site: SiteSummary = SITE, deliveries: Deliveries = UNKNOWN
) -> tuple[SiteReport, SiteReport]:
    with Client(base_url, key) as client:
        reader = SiteReader(client, (base_url, key), Feeds(deliveries))
        first = reader.read(site, None)
        return first, reader.read(site, first)


def counted(
    folder: Path, *, usually_open: bool, deliveries: Deliveries = UNKNOWN
) -> tuple[SiteReport, SiteReport]:
    """Of a site that counted each minute until LAST; on other days until then, too, or for hours more."""
    created = create_small_site(folder)
    end = NOW + timedelta(hours=2) if usually_open else LAST
    minutes = [LAST - timedelta(minutes=minute) for minute in range(180)]
    for days in DAYS:
        span = (end - LAST) // timedelta(minutes=1) + 180
        then = same_clock(end, days, ZURICH)
        minutes += [then - timedelta(minutes=minute) for minute in range(span)]
    store_counts(folder, [(minute, "entrance", 1, 1) for minute in minutes])
    service = start_service(folder)
    try:
        return read_twice(service.base_url, created.read_key, deliveries=deliveries)
    finally:
        service.kill()


def test_a_site_is_silent_when_counts_that_usually_come_do_not(tmp_path: Path) -> None:
    first, second = counted(tmp_path, usually_open=True)
    assert (first.measured_at, first.silent_since, first.is_judged) == (LAST, None, False)
    assert (second.silent_since, second.is_judged) == (LAST, True)
    assert (first.capacity, first.devices_offline) == (100, 1)


def test_a_site_whose_feed_showed_that_it_delivers_each_hour_is_not_silent_yet(tmp_path: Path) -> None:
    hourly = Delivery(LAST, LAST - HOUR, LAST - HOUR, LAST)
    known = Deliveries((hourly, hourly))
    first, second = counted(tmp_path, usually_open=True, deliveries=known)
    assert (first.is_judged, first.silent_since, second.silent_since) == (False, None, None)


def test_a_site_that_usually_has_closed_by_now_is_not_silent(tmp_path: Path) -> None:
    _, second = counted(tmp_path, usually_open=False)
    assert (second.measured_at, second.silent_since, second.is_judged) == (LAST, None, True)


@pytest.fixture
def drifting(tmp_path: Path) -> Iterator[tuple[RunningService, SmallSite]]:
    """More people leave than come, at a service that holds the number at 0."""
    site = create_small_site(tmp_path)
    minutes = [NOW - timedelta(minutes=minute) for minute in range(90)]
    store_counts(tmp_path, [(minute, "entrance", 1, 2) for minute in minutes])
    service = start_service(tmp_path)
    yield service, site
    service.kill()


def test_a_number_that_drift_spoils_is_unreliable(drifting: tuple[RunningService, SmallSite]) -> None:
    service, site = drifting
    first, second = read_twice(service.base_url, site.read_key)
    assert (first.is_unreliable, first.is_judged) == (False, False)
    assert (second.is_unreliable, second.is_judged, second.silent_since) == (True, True, None)


def test_what_an_open_feed_knows_of_drift_is_not_asked_again(
    drifting: tuple[RunningService, SmallSite],
) -> None:
    service, site = drifting
    key = FeedKey(site.site_id)
    shown = Snapshot(key, state=FeedState.LIVE, readings=(Reading(NOW, {}),))
    with Client(service.base_url, site.read_key) as client:
        drifts = Drifts(client.metrics, (service.base_url, "another"), lambda _: shown)
        assert not drifts.is_spoiling(GrantedFeed(key, "Europe/Zurich"), NOW)
        drift = Drift(NOW, unentered=50, peak=60, minutes=100, judged=100)
        shown = replace(shown, drift=drift)
        assert drifts.is_spoiling(GrantedFeed(key, "Europe/Zurich"), NOW)


def test_a_site_without_a_count_has_no_value_and_needs_no_past(tmp_path: Path) -> None:
    created = create_small_site(tmp_path)
    service = start_service(tmp_path)
    try:
        first, _ = read_twice(service.base_url, created.read_key)
    finally:
        service.kill()
    assert (first.inside, first.measured_at, first.is_judged) == (None, None, True)
    assert first.failure == ""


@pytest.mark.parametrize(
    ("known_for", "past", "entrances", "counted_for"),
    [
        (20, range(0), 0, 20),
        (20, range(30, 2, -1), 0, 3),
        (20, range(0), 1, 20),
        (20, range(30, 0, -1), 1, 1),
        (5, range(30, 0, -1), 0, 5),
    ],
    ids=[
        "dated anew",
        "counted meanwhile",
        "dated anew with its crossings",
        "somebody came",
        "too young to ask",
    ],
)
def test_an_answer_about_now_proves_no_count_by_itself(
    known_for: int, past: range, entrances: int, counted_for: int
) -> None:
    scripted = ScriptedService(metrics={"visitorsInside": 7, "entrances": entrances, "exits": 0}, past=past)
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        newest = TypeAdapter(MetricPoint).validate_python(scripted.point())
        known = now - timedelta(minutes=known_for)
        found = Silences(client.metrics, lambda _: UNKNOWN).counted_at(FEED, newest, known, now)
    assert found
    assert abs(found - (now - timedelta(minutes=counted_for))) <= timedelta(minutes=1)


class Tomorrow(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + timedelta(days=1)


def test_no_count_is_a_day_old_where_this_machines_clock_was_set_since_the_service_was_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Snapshot(FeedKey(SITE.id), state=FeedState.LIVE, readings=(Reading(NOW, {}),))
    monkeypatch.setattr(Feeds, "snapshot", lambda *_: shown)
    with scripted_service(ScriptedService()) as service, Client(service.base_url, KEY) as client:
        client.sites()
        monkeypatch.setattr("runtime.site_reports.datetime", Tomorrow, raising=False)
        report = SiteReader(client, (service.base_url, KEY), Feeds()).streamed(SITE, None, None)
    assert report is not None
    assert report.as_of - NOW < HOUR


@pytest.mark.parametrize("ahead", [timedelta(minutes=-10), timedelta(days=-3), timedelta(minutes=30)])
@pytest.mark.parametrize(("newest", "is_quiet"), [(1, False), (10, True)])
def test_a_count_is_as_old_as_it_is_by_the_clock_of_its_service(
    ahead: timedelta, newest: int, *, is_quiet: bool
) -> None:
    site = {"id": "told", "name": "Told", "zones": [{"id": "hall", "name": "Hall", "capacity": 100}]}
    summary = SiteSummary(id="told", name="Told")
    scripted = ScriptedService([site], ahead=ahead, newest=newest, past=range(30, newest - 1, -1))
    with scripted_service(scripted) as service:
        for report in read_twice(service.base_url, KEY, summary):
            states = states_of({"told": report}, lambda _: Thresholds())["told"]
            assert (SiteState.QUIET in states) == is_quiet
            assert inside_together([summary], {"told": report}) == (7, 1)
            as_of = progress_of([summary], {"told": report}).as_of
            assert as_of
            assert abs(as_of - scripted.now()) < timedelta(minutes=1)


@pytest.mark.parametrize("inside", [2**53, -57])
def test_a_number_that_no_counter_sends_is_a_failure_of_its_site(inside: float) -> None:
    site = {"id": "told", "name": "Told", "zones": [{"id": "hall", "name": "Hall", "capacity": 100}]}
    scripted = ScriptedService([site], metrics={"visitorsInside": inside, "entrances": 1, "exits": 0})
    with scripted_service(scripted) as service:
        first, second = read_twice(service.base_url, KEY, SiteSummary(id="told", name="Told"))
    assert (first.failure, second.failure) == (NO_COUNT, NO_COUNT)
    assert second.inside is None


async def test_nothing_newer_comes_only_where_no_feed_is_heard_and_no_site_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = datetime.now(UTC)
    fresh = SiteReport(now, inside=7, measured_at=now)
    async with misbehaving_server(answer_failure) as server:
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        try:
            assert not is_cut_off({})
            with get_hub().subscribe(FEED.key):
                await eventually(lambda: get_hub().snapshot(FEED.key).state is FeedState.RECONNECTING)
                assert not is_cut_off({"told": fresh})
                assert is_cut_off({"told": fresh._replace(read_at=now - timedelta(minutes=3))})
                assert is_cut_off({"told": SiteReport(now, failure="No.")})
        finally:
            await asyncio.to_thread(close_resources)


@contextmanager
def looking(base_url: str, key: str) -> Iterator[SiteReader]:
    """A reader beside a hub of which somebody looks at all sites."""
    with Client(base_url, key) as client, closing(Hub(base_url, key)) as hub:
        hub.look_at_sites()
        yield SiteReader(client, (base_url, key), hub)


def test_what_the_stream_of_all_sites_tells_is_asked_for_of_no_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a site was asked for")

    created = create_small_site(tmp_path)
    store_counts(tmp_path, [(NOW - timedelta(minutes=1), "entrance", 3, 1)])
    service = start_service(tmp_path)
    try:
        asked, _ = read_twice(service.base_url, created.read_key)
        with looking(service.base_url, created.read_key) as reader:
            for question in ("newest", "site"):
                monkeypatch.setattr(Client, question, refuse)
            told = reader.read(SITE, None)
    finally:
        service.kill()
    assert told._replace(read_at=asked.read_at) == asked
    assert (told.inside, told.capacity, told.devices_offline) == (2, 100, 1)


def test_a_value_that_comes_as_a_change_is_proven_without_a_question(tmp_path: Path) -> None:
    created = create_small_site(tmp_path)
    store_counts(tmp_path, [(NOW - timedelta(minutes=1), "entrance", 0, 0)])
    service = start_service(tmp_path)
    try:
        with looking(service.base_url, created.read_key) as reader:
            first = reader.read(SITE, None)
            store_counts(tmp_path, [(NOW, "entrance", 0, 0)])
            deadline = time.monotonic() + 60.0
            while (later := reader.read(SITE, None)).measured_at != NOW:
                assert time.monotonic() < deadline
                time.sleep(0.05)
    finally:
        service.kill()
    assert (first.is_proven, first.counted_at) == (False, None)
    assert (later.is_proven, later.counted_at) == (True, NOW)
