"""What a feed asks a service for, and how it fills the past; the faults are in tests/faults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from live import FeedKey, FeedState, Hub, Subscription
from live.questions import since, span_of_today
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_value,
    envelope,
    event,
    failure,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT

ZURICH = ZoneInfo("Europe/Zurich")
KEY = FeedKey("site-1")
Subscribe = Callable[..., Subscription]


@pytest.fixture
def subscribe() -> Iterator[Subscribe]:
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, key: FeedKey = KEY, **limits: Any) -> Subscription:
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **limits)))
        return hubs[-1].subscribe(key, timezone="Europe/Zurich")

    yield start
    for hub in hubs:
        hub.close()


@pytest.fixture
async def service() -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server(stream_of(event(point(3))), answer_value(3)) as started:
        yield started


def history(*values: int) -> Script:
    """Answers with these values, the last of them two minutes ago."""

    async def script(call: Call) -> None:
        points = [point(value, minutes_ago=2 + back) for back, value in enumerate(reversed(values))]
        await call.answer(body=envelope(points[::-1]))

    return script


def values(feed: Subscription) -> list[float | None]:
    return [inside(reading) for reading in feed.snapshot.readings]


async def test_the_stream_is_asked_for_todays_minutes_in_the_sites_zone(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    subscribe(service, FeedKey("site-1", ("hall", "cafe")))
    await eventually(lambda: bool(service.streams))
    body = dict(service.streams[0].body)
    minutes, unit = body.pop("from").split(" ", 1)
    assert 120 <= int(minutes) <= 1440
    assert unit == "minutes ago"
    assert body == {
        "metrics": ["visitorsInside", "entrances", "exits"],
        "siteId": "site-1",
        "to": "now",
        "granularity": "minute",
        "timezone": "Europe/Zurich",
        "filter": {"zoneIds": ["hall", "cafe"]},
        "live": True,
    }
    assert service.streams[0].headers["accept"] == "text/event-stream"
    assert service.streams[0].headers["x-api-key"] == "key"


@pytest.mark.parametrize(
    ("now", "hours"),
    [
        ("2026-06-01T22:30:00+00:00", 2.0),
        ("2026-06-01T10:00:00+00:00", 12.0),
        ("2026-03-29T12:00:00+00:00", 13.0),
        ("2026-10-25T12:00:00+00:00", 14.0),
    ],
)
def test_today_goes_back_to_local_midnight_but_at_least_two_hours(now: str, hours: float) -> None:
    assert span_of_today(datetime.fromisoformat(now), ZURICH) == timedelta(hours=hours)


def test_no_more_than_a_day_is_asked_by_minute() -> None:
    late = datetime(2026, 10, 25, 22, 50, tzinfo=UTC)
    assert span_of_today(late, ZURICH) > timedelta(days=1)
    assert since(KEY, "Europe/Zurich", span_of_today(late, ZURICH)).from_ == "1440 minutes ago"


async def test_a_service_that_refuses_a_range_with_live_is_streamed_plainly_and_asked_for_the_past(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    plain = service.stream

    async def refuse_range(call: Call) -> None:
        if "from" in call.body:
            await call.answer("400 Bad Request", failure("INVALID_BODY", "No range with live."))
        else:
            await plain(call)

    service.stream, service.other = refuse_range, history(1, 2)
    feed = subscribe(service)
    await eventually(lambda: values(feed) == [1, 2, 3] and feed.snapshot.state is FeedState.LIVE)
    assert feed.snapshot.reconnects == 0


async def test_a_question_that_is_refused_in_any_form_is_named(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    async def refuse(call: Call) -> None:
        await call.answer("400 Bad Request", failure("UNKNOWN_ZONE", "There is no zone 'hall'."))

    service.stream = refuse
    feed = subscribe(service, FeedKey("site-1", ("hall",)))
    await eventually(lambda: feed.snapshot.state is FeedState.REFUSED)
    assert "There is no zone 'hall'." in feed.snapshot.reason
    assert len(service.streams) == 2


async def test_a_range_that_is_ignored_is_read_beside_the_stream(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    service.other = history(1, 2)
    feed = subscribe(service)
    await eventually(lambda: values(feed) == [1, 2, 3])


async def test_counts_that_arrive_late_are_taken_in(service: MisbehavingServer, subscribe: Subscribe) -> None:
    service.other = history(1, 2)
    feed = subscribe(service, refill=0.05)
    await eventually(lambda: values(feed) == [1, 2, 3])
    service.other = history(1, 7)
    await eventually(lambda: values(feed) == [1, 7, 3])
    assert len(service.streams) == 1


async def test_past_that_cannot_be_read_does_not_cost_the_newest_value(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    async def fail(call: Call) -> None:
        await call.answer("500 Internal Server Error", failure("INTERNAL_ERROR", "No past."))

    service.other = fail
    feed = subscribe(service, refill=0.02)
    await eventually(lambda: len(service.calls) > 8)
    assert feed.snapshot.state is FeedState.LIVE
    assert len(service.streams) == 1


async def test_the_top_zone_is_asked_for_once_even_while_values_flow(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    async def name_zones(call: Call) -> None:
        zones = {"matchingFilters": {"zoneIds": ["shop"]}}
        await call.answer(body=envelope([point(3) | zones]))

    service.latest = name_zones
    feed = subscribe(service)
    await eventually(lambda: feed.snapshot.top_zone_ids == ("shop",))
    assert feed.snapshot.server_tag == "misbehaving"
    assert sum(call.is_latest for call in service.calls) == 1
