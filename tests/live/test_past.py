"""What came late, from a service that never sends a minute again on its streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contract import MetricKey, parse_instant
from live import FeedKey, FeedState, Hub, Subscription
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    decline,
    envelope,
    event,
    misbehaving_server,
    point,
    stream_of,
    this_minute,
)
from tests.live.conftest import SWIFT

UTC_ZONE = ZoneInfo("Etc/UTC")
KEY = FeedKey("site-1")


@dataclass
class PlainService:
    """Minutes by how long ago they began; streams tell the newest one when they open and are then silent."""

    minutes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Minutes ago -> visitorsInside, entrances."""
    now: datetime = field(default_factory=this_minute)
    spans: list[timedelta] = field(default_factory=list)
    """What history was asked for."""

    def point(self, back: int) -> dict[str, Any]:
        inside_then, entrances = self.minutes[back]
        values = {"visitorsInside": inside_then, "entrances": entrances, "exits": 0}
        return {"timestamp": (self.now - timedelta(minutes=back)).isoformat(), "metrics": values}

    async def stream(self, call: Call) -> None:
        await call.open_stream()
        await call.send(event(self.point(0)))
        await call.hold()

    async def answer_newest(self, call: Call) -> None:
        await call.answer(body=envelope([self.point(0)]))

    async def history(self, call: Call) -> None:
        start = parse_instant(call.body["from"], now=self.now, timezone=UTC_ZONE)
        self.spans.append(self.now - start)
        asked = [
            back for back in sorted(self.minutes, reverse=True) if self.now - timedelta(minutes=back) >= start
        ]
        await call.answer(body=envelope([self.point(back) for back in asked if back > 0]))


@pytest.fixture
def plain() -> PlainService:
    return PlainService({30: (10, 10), 20: (20, 10), 10: (27, 7), 0: (28, 1)})


@pytest.fixture
async def service(plain: PlainService) -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server(plain.stream, plain.answer_newest) as started:
        started.other = plain.history
        yield started


Subscribe = Callable[..., Subscription]


@pytest.fixture
def subscribe() -> Iterator[Subscribe]:
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, **limits: Any) -> Subscription:
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **limits)))
        return hubs[-1].subscribe(KEY)

    yield start
    for hub in hubs:
        hub.close()


def entrances(feed: Subscription) -> float:
    """Of all that is held: today may have begun a minute ago."""
    return sum(reading.values[MetricKey.ENTRANCES] for reading in feed.snapshot.readings)


def values(feed: Subscription) -> list[float | None]:
    return [inside(reading) for reading in feed.snapshot.readings]


async def test_entrances_of_half_an_hour_ago_are_counted_when_they_come(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    feed = subscribe(service, refill=0.02, refill_day=0.2)
    await eventually(lambda: entrances(feed) == 28)
    plain.minutes |= {30: (50, 50), 20: (60, 10), 10: (67, 7), 0: (68, 1)}
    await eventually(lambda: entrances(feed) == 68)
    assert values(feed)[:3] == [50, 60, 67]
    assert len(service.streams) == 1


async def test_all_of_today_is_read_more_seldom_than_the_last_minutes(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    subscribe(service, refill=0.02, refill_day=0.3)
    await eventually(lambda: sum(span > timedelta(hours=1) for span in plain.spans) > 3)
    recent = sum(span <= timedelta(minutes=15) for span in plain.spans)
    assert recent > len(plain.spans) / 2


async def test_a_minute_after_a_gap_lets_all_of_today_be_read(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    plain.minutes = {100: (10, 10), 40: (20, 10)}

    async def tell_an_old_one(call: Call) -> None:
        await call.open_stream()
        await call.send(event(plain.point(40)))
        await call.hold()

    async def answer_the_old_one(call: Call) -> None:
        await call.answer(body=envelope([plain.point(40)]))

    service.stream, service.newest = tell_an_old_one, answer_the_old_one
    feed = subscribe(service, refill=0.05, refill_day=600.0)
    await eventually(lambda: entrances(feed) == 20 and plain.spans[-1] <= timedelta(minutes=15))
    plain.minutes |= {30: (50, 30), 0: (51, 1)}
    await service.streams[0].send(event(plain.point(0)))
    await eventually(lambda: entrances(feed) == 51)
    asked = len(plain.spans)
    await eventually(lambda: len(plain.spans) > asked + 3)
    assert all(span <= timedelta(minutes=15) for span in plain.spans[asked + 1 :])


async def test_what_an_answer_lacks_stays_and_what_it_corrects_downwards_goes_down(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    feed = subscribe(service, refill=0.02, refill_day=0.05)
    await eventually(lambda: values(feed) == [10, 20, 27, 28])
    del plain.minutes[20]
    plain.minutes[30] = (4, 4)
    await eventually(lambda: values(feed) == [4, 20, 27, 28])


async def test_reading_today_again_without_news_changes_no_snapshot(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    feed = subscribe(service, refill=0.01, refill_day=0.01)
    await eventually(lambda: len(plain.spans) > 3)
    before = feed.snapshot.readings
    asked = len(plain.spans)
    await eventually(lambda: len(plain.spans) > asked + 3)
    assert feed.snapshot.readings is before


async def test_the_past_is_kept_while_values_are_asked_for(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    service.stream = decline
    feed = subscribe(service, refill=0.02, refill_day=0.05, poll=0.02)
    await eventually(lambda: feed.snapshot.state is FeedState.POLLING and entrances(feed) == 28)
    plain.minutes[30] = (50, 50)
    await eventually(lambda: entrances(feed) == 68)


async def test_history_that_the_stream_overtook_does_not_bring_a_minute_back(
    service: MisbehavingServer, plain: PlainService, subscribe: Subscribe
) -> None:
    asked, overtaken = asyncio.Event(), asyncio.Event()

    async def answer_late(call: Call) -> None:
        points = [plain.point(10), plain.point(0)]
        asked.set()
        await overtaken.wait()
        await call.answer(body=envelope(points))

    feed = subscribe(service, refill=0.05)
    await eventually(lambda: values(feed) == [10, 20, 27, 28])
    service.other = answer_late
    await asked.wait()
    plain.minutes |= {10: (26, 6), 0: (31, 4)}
    await service.streams[0].send(event(plain.point(10)) + event(plain.point(0)))
    await eventually(lambda: values(feed) == [10, 20, 26, 31])
    overtaken.set()
    await asyncio.sleep(0.2)
    assert values(feed) == [10, 20, 26, 31]


async def test_a_minute_that_was_taken_for_one_dated_anew_is_asked_for_at_once(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    """Of a counter of every quarter of an hour, by which nobody came."""
    quarters = [point(7, minutes_ago=back, entrances=0) for back in (45, 30, 15, 0)]
    service.stream = stream_of(b"".join(map(event, quarters)))

    async def tell_the_last(call: Call) -> None:
        await call.answer(body=envelope(quarters[-1:]))

    service.newest = service.other = tell_the_last
    feed = subscribe(service, first_check=60.0, cut=1.0, refill=600.0, refill_day=600.0)
    await eventually(lambda: len(feed.snapshot.reported) == 4)
