"""Which past days mean something, read from a service over real HTTP, and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads
from zoneinfo import ZoneInfo

import pytest

from analysis.ahead_answer import ahead_request
from analysis.history_request import HistoryRequest
from analysis.subject import whole_site
from api_client import ApiClientError
from contract import MetricKey
from contract.buckets import local_midnight
from runtime import get_client
from runtime.background import begin
from runtime.sound_days import _pool, read_sound_days
from tests.eventually import eventually
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SITE, SmallSite, create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
TODAY = date(2026, 3, 31)
"""Two days after the clocks went forward."""
SOUND, SPOILT, LEFT_OVER, AFTER, EMPTY = (TODAY - timedelta(days=ago) for ago in (6, 5, 4, 3, 2))


def counts_of(day: date, *, come: int, leave: int) -> Iterator[tuple[datetime, str, int, int]]:
    """From nine to ten some come each minute, from then to eleven some leave."""
    nine = datetime.combine(day, time(9), ZURICH).astimezone(UTC)
    for minute in range(120):
        came, left = (come, 0) if minute < 60 else (0, leave)
        yield nine + timedelta(minutes=minute), "entrance", came, left


@pytest.fixture(scope="module")
def site_and_service(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[SmallSite, RunningService]]:
    data_dir: Path = tmp_path_factory.mktemp("sound-days")
    site = create_small_site(data_dir)
    counts = [
        *counts_of(SOUND, come=2, leave=2),
        *counts_of(SPOILT, come=1, leave=3),
        *counts_of(LEFT_OVER, come=3, leave=0),
        *counts_of(AFTER, come=2, leave=2),
    ]
    for ago in range(7):  # a counter that lives reports its zeros
        midnight = local_midnight(TODAY - timedelta(days=ago), ZURICH)
        known = {start for start, *_ in counts}
        if TODAY - timedelta(days=ago) != EMPTY:
            minutes = (midnight + timedelta(minutes=minute) for minute in range(24 * 60))
            counts += [(start, "entrance", 0, 0) for start in minutes if start not in known]
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    yield site, service
    service.kill()


@pytest.fixture
def request_of(
    site_and_service: tuple[SmallSite, RunningService], monkeypatch: pytest.MonkeyPatch
) -> HistoryRequest:
    site, service = site_and_service
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    now = datetime.combine(TODAY, time(14), ZURICH)
    subject = whole_site(SITE)
    return ahead_request(SITE.id, subject, MetricKey.VISITORS_INSIDE, timezone=ZURICH, now=now)


def test_a_day_means_something_unless_its_drift_is_large(request_of: HistoryRequest) -> None:
    assert read_sound_days(request_of, [SOUND, SPOILT, EMPTY]) == {
        SOUND: local_midnight(SOUND, ZURICH),
        SPOILT: None,
        EMPTY: local_midnight(EMPTY, ZURICH),
    }


def test_who_was_left_over_shows_at_the_reset_of_the_next_day(request_of: HistoryRequest) -> None:
    """180 are forgotten at four in the morning: their day means nothing, the next one does from then on."""
    found = read_sound_days(request_of, [LEFT_OVER, AFTER])
    assert found[LEFT_OVER] is None
    assert found[AFTER] == datetime.combine(AFTER, time(4), ZURICH)


def test_a_day_is_read_once(request_of: HistoryRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_sound_days(request_of, [SOUND])
    monkeypatch.setattr(type(get_client()), "metrics", lambda *_: pytest.fail("it was asked for again"))
    assert read_sound_days(request_of, [SOUND]) == first


def test_where_no_day_can_be_read_the_reason_is_raised(
    request_of: HistoryRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    with pytest.raises(ApiClientError):
        read_sound_days(request_of, [SOUND, SPOILT])
    assert read_sound_days(request_of, []) == {}


def requests_of(sites: int) -> list[HistoryRequest]:
    now, subject = datetime.combine(TODAY, time(14), ZURICH), whole_site(SITE)
    return [
        ahead_request(f"site-{one}", subject, MetricKey.VISITORS_INSIDE, timezone=ZURICH, now=now)
        for one in range(sites)
    ]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ScriptedService, Event]]:
    """A service that answers no question about the past of eight sites before the event."""
    held = Event()
    with scripted_service(ScriptedService(held={f"site-{one}": held for one in range(8)})) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        yield service, held
        held.set()


async def test_however_many_look_a_slow_service_is_asked_for_six_days_at_once(
    slow: tuple[ScriptedService, Event],
) -> None:
    service, held = slow
    days = [SOUND, SPOILT, EMPTY]

    with ThreadPoolExecutor(8) as threads:
        viewers = [threads.submit(read_sound_days, one, days) for one in requests_of(8)]
        await eventually(lambda: len(service.asked) >= 6 and _pool._work_queue.qsize() == 8 * len(days) - 6)
        assert len(service.asked) == 6
        held.set()
        found = await asyncio.gather(*map(asyncio.wrap_future, viewers))
    assert [set(one) for one in found] == [set(days)] * 8


async def test_once_the_viewer_has_left_no_more_days_are_asked_for(
    slow: tuple[ScriptedService, Event],
) -> None:
    service, held = slow
    first, second = requests_of(2)

    days = [TODAY - timedelta(days=ago) for ago in range(1, 29)]
    outcome = begin(partial(read_sound_days, first, days))
    await eventually(lambda: len(service.asked) == 6)
    outcome.cancel()
    await eventually(lambda: "background" not in {thread.name for thread in enumerate_threads()})
    held.set()
    # Days are read in turn: those of the next viewer come after all that were left to read.
    await asyncio.to_thread(read_sound_days, second, [SOUND])
    whole_days = [query for query in service.asked if query["from"].endswith("T00:00:00")]
    asked_days = [query["siteId"] for query in whole_days if query["to"].endswith("T00:00:00")]
    assert asked_days.count("site-0") == 6
    assert asked_days.count("site-1") == 1
