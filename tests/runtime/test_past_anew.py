"""A past that a service told wrongly at first: how long it is believed, how it is read again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from analysis.history_request import HistoryRequest
from analysis.league_entry import Measure
from analysis.league_period import Days, league_ranges
from analysis.subject import whole_site
from analysis.time_range import whole_day
from contract import Granularity, MetricKey, MetricsQuery, Site, SiteSummary, parse_instant
from runtime.league_entries import Question, read_league
from runtime.past_anew import forget_past
from runtime.reads import read_metrics
from runtime.recorded_days import read_recorded_day
from runtime.sound_days import read_sound_days
from tests.scripted_service import KEY, ScriptedService, scripted_service

UTC_ZONE: Final = ZoneInfo("Etc/UTC")
HOUR: Final = timedelta(hours=1)
LONG_AGO: Final = date(2026, 3, 2)


@dataclass
class Loading(ScriptedService):
    """Has counted 3 in each bucket of any range, and says so of a `part` of them, and `each`."""

    part: float = 1.0
    each: float = 3

    def past_points(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        now, step = self.now(), timedelta(minutes=1) if query.get("granularity") == "minute" else HOUR
        zone = ZoneInfo(query.get("timezone") or "Etc/UTC")
        start, end = (parse_instant(query[name], now=now, timezone=zone) for name in ("from", "to"))
        starts = [start + step * number for number in range(int((end - start) / step * self.part))]
        metrics = {"visitorsInside": self.each, "entrances": self.each, "exits": self.each}
        return [{"timestamp": one.astimezone(UTC).isoformat(), "metrics": metrics} for one in starts]


class Watch:
    """What a cache reads the time from; it can be put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead.total_seconds()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loading]:
    with scripted_service(Loading()) as running:
        monkeypatch.setenv("HEADROOM_BASE_URL", running.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        assert isinstance(running, Loading)
        yield running


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    found = Watch()
    monkeypatch.setattr("runtime.cache.time", SimpleNamespace(monotonic=found.monotonic))
    return found


def hours_of(day: date, site_id: str = "a") -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.ENTRANCES,),
        site_id=site_id,
        granularity=Granularity.HOUR,
        from_=f"{day}T00:00:00",
        to=f"{day + timedelta(days=1)}T00:00:00",
    )


def told(query: MetricsQuery) -> float:
    return sum(float(point.metrics["entrances"]) for point in read_metrics(query).points)


def test_half_of_a_day_is_believed_for_minutes_and_the_whole_for_an_hour(
    service: Loading, watch: Watch
) -> None:
    query = hours_of(LONG_AGO)
    service.part = 0.5
    assert told(query) == 36
    service.part = 1.0
    watch.ahead = timedelta(minutes=4)
    assert (told(query), len(service.asked)) == (36, 1)
    watch.ahead = timedelta(minutes=6)
    assert (told(query), len(service.asked)) == (72, 2)
    watch.ahead = timedelta(minutes=60)
    assert (told(query), len(service.asked)) == (72, 2)
    watch.ahead = timedelta(minutes=70)
    assert (told(query), len(service.asked)) == (72, 3), "counts come late, too"


def test_zeros_are_believed_for_minutes(service: Loading, watch: Watch) -> None:
    service.each = 0
    assert told(hours_of(LONG_AGO)) == 0
    service.each = 3
    watch.ahead = timedelta(minutes=6)
    assert told(hours_of(LONG_AGO)) == 72


def test_yesterday_is_believed_for_minutes_however_much_of_it_is_there(
    service: Loading, watch: Watch
) -> None:
    query = hours_of(datetime.now(UTC).date() - timedelta(days=1))
    told(query)
    watch.ahead = timedelta(minutes=6)
    told(query)
    assert len(service.asked) == 2


def test_whoever_wants_it_read_again_gets_it_at_once_and_so_do_all_others(service: Loading) -> None:
    service.each = 1
    assert told(hours_of(LONG_AGO)) == told(hours_of(LONG_AGO, "b")) == 24
    service.each = 3
    forget_past("a")
    assert told(hours_of(LONG_AGO)) == 72
    assert told(hours_of(LONG_AGO, "b")) == 24, "nobody has asked for that"
    forget_past(None)
    assert told(hours_of(LONG_AGO, "b")) == 72


def test_a_viewer_who_presses_without_end_has_it_read_once_in_some_seconds(
    service: Loading, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("runtime.past_anew.monotonic", lambda: now[0])
    told(hours_of(LONG_AGO))
    for _ in range(100):
        forget_past("a")
        told(hours_of(LONG_AGO))
    assert len(service.asked) == 2
    now[0] += 3
    assert forget_past("a") == 3, "whoever presses is told when it was read"
    assert forget_past("b") == 0, "of another site nobody has"
    now[0] += 3
    assert forget_past("a") == 0
    told(hours_of(LONG_AGO))
    assert len(service.asked) == 3


def test_what_takes_dozens_of_questions_is_read_again_with_the_rest(service: Loading) -> None:
    site = Site(id="a", name="A", timezone="Etc/UTC")
    now = datetime.now(UTC)
    day = now.date() - timedelta(days=3)
    range_ = whole_day(day, UTC_ZONE)
    request = HistoryRequest("a", (whole_site(site),), (MetricKey.ENTRANCES,), range_, UTC_ZONE, now)
    ranges = league_ranges(Days(day, day), now, UTC_ZONE)
    summary = SiteSummary(id="a", name="A", timezone="Etc/UTC")
    question = Question(
        HistoryRequest("a", (whole_site(summary),), request.metrics, range_, UTC_ZONE, now),
        ranges,
        Measure.ENTRANCES,
    )

    def read_all() -> int:
        before = len(service.asked)
        read_league({"a": question}, 30.0)
        read_recorded_day(site, {"A": whole_site(site)}, request)
        read_sound_days(request, [day])
        return len(service.asked) - before

    first = read_all()
    assert first >= 3
    assert read_all() == 0
    forget_past("b")
    assert read_all() == 0
    forget_past("a")
    assert read_all() == first


def test_a_replay_made_of_what_was_known_is_believed_no_longer_than_that(
    service: Loading, watch: Watch
) -> None:
    site, range_ = Site(id="a", name="A", timezone="Etc/UTC"), whole_day(LONG_AGO, UTC_ZONE)
    whole = whole_site(site)
    request = HistoryRequest("a", (whole,), (MetricKey.ENTRANCES,), range_, UTC_ZONE, datetime.now(UTC))

    def came(name: str) -> float:
        read = read_recorded_day(site, {name: whole}, request)
        return sum(one or 0 for one in read.day.places[name].entrances)

    first, service.each = came("one name"), 4
    watch.ahead = timedelta(minutes=50)
    assert came("another name") == first, "the questions are the same"
    watch.ahead = timedelta(minutes=65)
    assert came("another name") > first
