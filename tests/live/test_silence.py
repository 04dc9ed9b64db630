"""A feed whose service lives while its counter does not, before a service that says what was counted when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from api_client import AsyncClient
from contract import MetricKey, parse_instant
from live import FeedKey, FeedState, Hub, Reading, Snapshot, Subscription
from live.clock import SystemClock
from live.feed_context import FeedContext
from live.silence import AT_ONCE, CounterMemory, Silence
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    answer_failure,
    date_header,
    decline,
    envelope,
    event,
    failure,
    misbehaving_server,
    this_minute,
)
from tests.live.conftest import SWIFT

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
KEY = FeedKey("site-1")


@dataclass
class Counter:
    """A counter of every minute that stopped `stopped` ago."""

    stopped: timedelta = 2 * HOUR
    is_open: Callable[[datetime], bool] = lambda _: True
    """Whether minutes are counted at that time, UTC."""
    now: datetime = field(default_factory=this_minute)
    fills: timedelta | None = None
    """How long ago what came late ends; what is asked for today has it."""
    dates_anew: bool = False
    """Whether each question for the newest value is answered with the present minute."""
    refuses_the_past: bool = False
    past_waits: float = 0.01
    """Seconds that each question about past days takes."""
    ends_after: float | None = None
    """Seconds after which a stream ends, as behind a proxy."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Questions about past days."""
    block: int = 1
    """Minutes that came together last; the newest of them is pushed, the others are in what is asked for."""
    checks: int = 0
    """Answers to questions for the newest value; each tells the time by the service's clock."""
    under_way: int = 0
    most_under_way: int = 0

    @property
    def newest(self) -> datetime:
        return self.now - self.stopped

    @property
    def date(self) -> str:
        """The header that tells the time by the service's clock."""
        return date_header(ahead=self.now - this_minute())

    def pass_by(self, span: timedelta) -> None:
        """Let so much time pass by the service's clock, in which nothing comes."""
        self.now += span
        self.stopped += span
        self.checks = 0

    def deliver(self, minutes: int) -> None:
        self.stopped -= minutes * MINUTE
        self.block = minutes

    def point(self, at: datetime) -> dict[str, Any]:
        values = {"visitorsInside": 7, "entrances": 1, "exits": 0}
        return {"timestamp": at.isoformat(), "metrics": values}

    async def stream(self, call: Call) -> None:
        await call.open_stream(headers=self.date)
        told, end = None, time.monotonic() + (self.ends_after or 1e9)
        while time.monotonic() < end:
            if told != self.newest:
                told = self.newest
                await call.send(event(self.point(told)))
            await asyncio.sleep(0.02)

    async def answer_newest(self, call: Call) -> None:
        body = envelope([self.point(self.now if self.dates_anew else self.newest)])
        await call.answer(body=body, headers=self.date)
        self.checks += 1

    async def history(self, call: Call) -> None:
        if "ago" in call.body["from"]:
            last = self.now - (self.fills or self.stopped)
            minutes = [last - MINUTE * back for back in range(3 if self.fills else self.block)]
            body = envelope([self.point(at) for at in reversed(minutes)])
            await call.answer(body=body, headers=self.date)
            return
        self.asked.append(call.body)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(self.past_waits)
        self.under_way -= 1
        if self.refuses_the_past:
            await call.answer("403 Forbidden", failure("FORBIDDEN_ACCESS", "No past for you."))
            return
        start, end = (
            parse_instant(call.body[edge], now=self.now, timezone=ZoneInfo("Etc/UTC"))
            for edge in ("from", "to")
        )
        minutes = [start + MINUTE * after for after in range((end - start) // MINUTE)]
        body = envelope([self.point(at) for at in minutes if self.is_open(at)])
        await call.answer(body=body, headers=self.date)


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.fixture
async def service(counter: Counter) -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server(counter.stream, counter.answer_newest) as started:
        started.other = counter.history
        yield started


@pytest.fixture
def open_hub() -> Iterator[Callable[..., Hub]]:
    hubs: list[Hub] = []

    def start(service: MisbehavingServer, **limits: Any) -> Hub:
        # An answer that takes long on a busy machine would be asked for again.
        swift = {"answer": 30.0, "first_check": 0.02, "cadence": 0.02, "poll": 0.02} | limits
        hubs.append(Hub(service.base_url, "key", limits=replace(SWIFT, **swift)))
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.close()


OpenHub = Callable[..., Hub]


def is_(feed: Subscription, state: FeedState) -> bool:
    return feed.snapshot.state is state


def has_delivered(hub: Hub, blocks: list[timedelta]) -> bool:
    return [delivery.block for delivery in hub.deliveries(KEY).recent] == blocks


async def test_a_counter_that_stopped_is_silent_although_its_service_lives(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    hub = open_hub(service, silence=0.05)
    feed = hub.subscribe(KEY, timezone="Europe/Zurich")
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.usual_gap == MINUTE
    assert feed.snapshot.since == counter.newest
    assert feed.snapshot.reason == "Counts usually come every minute."
    assert hub.health().open_streams == 1
    checks = sum(call.is_newest for call in service.calls)
    await eventually(lambda: sum(call.is_newest for call in service.calls) > checks + 2)
    assert is_(feed, FeedState.SILENT)
    assert len(counter.asked) == 5


async def test_since_when_it_is_silent_is_told_by_the_clock_of_the_service(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.now += 5 * HOUR
    feed = open_hub(service).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.since == counter.newest


@pytest.mark.parametrize("closes", [True, False])
async def test_an_old_count_is_uncertain_until_past_days_are_read(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub, *, closes: bool
) -> None:
    plain, may_answer = counter.history, asyncio.Event()

    async def hold_the_past(call: Call) -> None:
        if "ago" not in call.body["from"]:
            await may_answer.wait()
        await plain(call)

    service.other = hold_the_past
    counter.is_open = lambda _: not closes
    feed = open_hub(service, silence=0.05).subscribe(KEY)
    await eventually(lambda: not is_(feed, FeedState.CONNECTING))
    assert is_(feed, FeedState.UNCERTAIN)
    calls = len(service.calls)
    await eventually(lambda: len(service.calls) > calls + 5)
    assert is_(feed, FeedState.UNCERTAIN)
    assert not feed.snapshot.is_past_unread
    may_answer.set()
    await eventually(lambda: not is_(feed, FeedState.UNCERTAIN))
    assert is_(feed, FeedState.LIVE if closes else FeedState.SILENT)


@pytest.mark.parametrize("minutes", [2, 30, 70])
async def test_a_count_as_young_as_a_block_may_be_is_live_at_once(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub, minutes: int
) -> None:
    counter.stopped = minutes * MINUTE
    counter.refuses_the_past = True
    feed = open_hub(service, silence=0.05).subscribe(KEY)
    await eventually(lambda: not is_(feed, FeedState.CONNECTING))
    await eventually(lambda: counter.checks > 3)
    assert is_(feed, FeedState.LIVE)


async def test_what_was_judged_holds_while_further_past_days_are_read(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    """A place that is closed for longer than a cadence holds does not grey in between."""
    counter.is_open = lambda _: False
    feed = open_hub(service, silence=0.05).subscribe(KEY)
    await eventually(lambda: len(counter.asked) == 5 and counter.checks > 3 and is_(feed, FeedState.LIVE))
    counter.refuses_the_past = True
    counter.pass_by(15 * HOUR - 10 * MINUTE)
    await eventually(lambda: counter.checks > 3)
    counter.pass_by(20 * MINUTE)
    await eventually(lambda: feed.snapshot.is_past_unread and counter.checks > 3)
    assert is_(feed, FeedState.LIVE)
    counter.pass_by(10 * MINUTE)
    await eventually(lambda: is_(feed, FeedState.UNCERTAIN))


async def test_a_newer_minute_makes_it_live_at_once(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    feed = open_hub(service).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    counter.stopped = MINUTE
    await eventually(lambda: is_(feed, FeedState.LIVE))
    assert feed.snapshot.usual_gap is None
    assert feed.snapshot.reason == ""
    counter.stopped = 2 * HOUR
    assert is_(feed, FeedState.LIVE)


async def test_what_came_late_is_read_as_soon_as_a_counter_is_back(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    feed = open_hub(service, refill=600.0).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    counter.deliver(100)
    await eventually(lambda: len(feed.snapshot.readings) > 90)


async def test_the_first_push_of_a_stream_that_was_opened_again_proves_no_count(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    reopened = asyncio.Event()

    async def tell_and_end(call: Call) -> None:
        await call.open_stream()
        await call.send(event(counter.point(counter.now if len(service.streams) > 1 else counter.newest)))
        if len(service.streams) > 3:
            reopened.set()
            await call.hold()
        await asyncio.sleep(0.15)

    service.stream = tell_and_end
    with capture_logs() as lines:
        feed = open_hub(service).subscribe(KEY)
        await reopened.wait()
        await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.newest is not None
    assert feed.snapshot.newest.measured_at == counter.newest
    assert "feed counts again" not in [line["event"] for line in lines]


async def test_counts_that_only_fill_the_past_leave_it_silent(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    feed = open_hub(service, refill=0.05).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    counter.fills = 90 * MINUTE
    await eventually(lambda: len(feed.snapshot.readings) > 3)
    newest = feed.snapshot.newest
    assert newest is not None
    assert newest.measured_at == counter.now - 90 * MINUTE
    assert is_(feed, FeedState.SILENT)
    counter.fills = MINUTE
    await eventually(lambda: is_(feed, FeedState.LIVE))


async def test_a_place_that_is_closed_at_this_time_every_day_is_not_silent(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    closed_at, back_at = counter.newest.time(), (counter.newest + 12 * HOUR).time()

    def is_open(at: datetime) -> bool:
        is_closed = at.time() > closed_at or at.time() < back_at
        if closed_at < back_at:
            is_closed = closed_at < at.time() < back_at
        return not is_closed

    counter.is_open = is_open
    feed = open_hub(service, silence=0.05).subscribe(KEY)
    await eventually(lambda: len(counter.asked) == 5 and counter.under_way == 0)
    calls = len(service.calls)
    await eventually(lambda: len(service.calls) > calls + 3)
    assert is_(feed, FeedState.LIVE)
    assert len(counter.asked) == 5


async def test_minutes_that_come_while_past_days_are_asked_for_let_them_be_asked_for_once(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    """A newer minute that is old, too, begins another absence, which waits for the next pause."""
    counter.is_open = lambda _: False
    plain = counter.history

    async def let_time_pass(call: Call) -> None:
        if "ago" not in call.body["from"]:
            counter.stopped -= MINUTE
            newest = counter.newest
            await eventually(lambda: feed.snapshot.newest is not None)
            await eventually(lambda: feed.snapshot.newest.measured_at >= newest)  # type: ignore[union-attr]
        await plain(call)

    service.other = let_time_pass
    feed = open_hub(service, cadence=5.0).subscribe(KEY)
    await eventually(lambda: len(counter.asked) == 5 and counter.under_way == 0)
    await asyncio.sleep(0.5)
    assert len(counter.asked) == 5


async def test_past_days_are_learned_over_streams_that_end_before_all_are_read(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.past_waits, counter.ends_after = 0.3, 1.0
    feed = open_hub(service).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))


async def test_against_a_service_that_gives_no_past_an_old_count_is_uncertain_and_it_is_asked_once(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.refuses_the_past = True
    feed = open_hub(service, silence=0.05).subscribe(KEY)
    await eventually(lambda: feed.snapshot.is_past_unread)
    calls = len(service.calls)
    await eventually(lambda: len(service.calls) > calls + 8)
    assert is_(feed, FeedState.UNCERTAIN)
    assert feed.snapshot.is_past_unread
    assert feed.snapshot.since == counter.newest
    assert feed.snapshot.reason == "Past days cannot be read, so whether counts are missing is not known."
    assert len(counter.asked) == 1


async def test_a_past_that_can_be_read_again_tells_what_is_missed(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.refuses_the_past = True
    feed = open_hub(service, silence=0.05, cadence_again=0.1).subscribe(KEY)
    await eventually(lambda: feed.snapshot.is_past_unread)
    counter.refuses_the_past = False
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert not feed.snapshot.is_past_unread


async def test_after_a_newer_minute_nothing_of_the_past_is_unread(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.refuses_the_past = True
    feed = open_hub(service).subscribe(KEY)
    await eventually(lambda: feed.snapshot.is_past_unread)
    counter.stopped = MINUTE
    await eventually(lambda: not feed.snapshot.is_past_unread)
    assert is_(feed, FeedState.LIVE)


async def test_it_is_silent_when_it_is_polled_and_polled_when_it_is_back(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    service.stream = decline
    hub = open_hub(service)
    feed = hub.subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert hub.health().open_streams == 0
    counter.stopped = MINUTE
    await eventually(lambda: is_(feed, FeedState.POLLING))


@pytest.mark.parametrize("streams", [True, False])
async def test_a_service_that_dates_its_last_value_anew_does_not_hide_the_silence(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub, *, streams: bool
) -> None:
    counter.dates_anew = True
    service.stream = counter.stream if streams else decline
    feed = open_hub(service, silence=0.05, refill=0.05).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.newest is not None
    assert feed.snapshot.newest.measured_at == counter.newest
    counter.fills = MINUTE
    await eventually(lambda: is_(feed, FeedState.LIVE if streams else FeedState.POLLING))


async def test_a_dead_counter_is_silent_although_its_value_is_dated_anew_before_its_replay_comes(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    """Today's past cannot be read, so that the replay alone tells."""

    async def replay_late(call: Call) -> None:
        await call.open_stream()
        await eventually(lambda: is_(feed, FeedState.LIVE))
        for back in range(20, -1, -1):
            await call.send(event(counter.point(counter.newest - back * MINUTE)))
        await call.hold()

    async def past_days_alone(call: Call) -> None:
        await (answer_failure if "ago" in call.body["from"] else counter.history)(call)

    counter.dates_anew = True
    service.stream, service.other = replay_late, past_days_alone
    feed = open_hub(service, silence=60.0).subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.reported[-1].measured_at == counter.newest


async def test_a_site_that_was_never_counted_waits_and_asks_for_no_past(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    async def nothing(call: Call) -> None:
        await call.answer(body=envelope([]))

    async def quiet(call: Call) -> None:
        await call.open_stream()
        await call.hold()

    service.stream, service.newest, service.other = quiet, nothing, nothing
    feed = open_hub(service, silence=0.02).subscribe(KEY)
    await eventually(lambda: len(service.calls) > 8)
    assert feed.snapshot.reason == "There are no counts of this place yet."
    assert counter.asked == []


async def test_a_counter_that_delivers_in_blocks_is_silent_only_when_its_next_block_is_missed(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    counter.stopped = 12 * MINUTE
    hub = open_hub(service, silence=0.05, refill=0.05, linger=0.01)
    feed = hub.subscribe(KEY)
    await eventually(lambda: is_(feed, FeedState.LIVE))
    with capture_logs() as lines:
        for number, passing in enumerate((19, 30, 30), 1):
            counter.pass_by(passing * MINUTE)
            await eventually(lambda: counter.checks > 5)
            counter.deliver(30)
            await eventually(partial(has_delivered, hub, [30 * MINUTE] * number))
        assert hub.deliveries(KEY).block == 30 * MINUTE
        feed.close()
        await eventually(lambda: hub.health().feeds == ())
        counter.pass_by(60 * MINUTE)
        feed = hub.subscribe(KEY)
        await eventually(lambda: counter.checks > 3 and is_(feed, FeedState.LIVE))
        assert [line for line in lines if "silent" in line["event"]] == []
    counter.pass_by(10 * MINUTE)
    await eventually(lambda: is_(feed, FeedState.SILENT))
    assert feed.snapshot.usual_gap == 30 * MINUTE
    assert feed.snapshot.reason == "Counts usually come about every 30 minutes."
    counter.pass_by(20 * MINUTE)
    await eventually(lambda: counter.checks > 3)
    counter.deliver(90)
    await eventually(lambda: is_(feed, FeedState.LIVE))
    assert hub.deliveries(KEY).block == 30 * MINUTE


async def test_those_that_close_together_ask_one_after_the_other(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    async def tell_once(call: Call) -> None:
        await call.open_stream()
        await call.send(event(counter.point(counter.newest)))
        await call.hold()

    service.stream = tell_once
    counter.is_open = lambda _: False
    hub = open_hub(service, answer=10.0, cadence=1.0)
    feeds = [hub.subscribe(FeedKey(f"site-{number}")) for number in range(30)]
    await eventually(lambda: len(counter.asked) == 5 * len(feeds))
    assert counter.most_under_way <= AT_ONCE


async def test_the_operator_reads_when_a_counter_falls_silent_and_when_it_is_back(
    service: MisbehavingServer, counter: Counter, open_hub: OpenHub
) -> None:
    with capture_logs() as lines:
        feed = open_hub(service, silence=0.05).subscribe(KEY)
        await eventually(lambda: is_(feed, FeedState.SILENT))
        calls = len(service.calls)
        await eventually(lambda: len(service.calls) > calls + 3)
        counter.stopped = MINUTE
        await eventually(lambda: is_(feed, FeedState.LIVE))
        await eventually(lambda: any(line["event"] == "feed counts again" for line in lines))
    told = [line["event"] for line in lines if line.get("feed") == KEY.name]
    assert told == ["feed up", "feed silent", "feed counts again"]


async def test_past_days_that_could_not_be_read_stay_unread_while_a_stream_replays() -> None:
    """At each reconnect it would say "Checking" else: nothing is learned of a minute of a replay."""
    now = this_minute()
    client = AsyncClient("http://127.0.0.1:9", "key", timeout=1.0, attempts=1, now=lambda: now)
    context = FeedContext(KEY, "Europe/Zurich", client, SWIFT, SystemClock(), Random(1))
    old = Reading(now - 3 * HOUR, {MetricKey.VISITORS_INSIDE: 5})
    snapshot = known = Snapshot(KEY, FeedState.LIVE, readings=(old,))
    silence = Silence(context, CounterMemory(), snapshot=lambda: snapshot, changed=lambda: None)
    try:
        await silence._learn_if_due()
        unread = silence.judged(known)
        assert (unread.state, unread.is_past_unread) == (FeedState.UNCERTAIN, True)
        snapshot = replace(known, reported_until=old.measured_at)
        await silence._learn_if_due()
        assert silence.judged(snapshot) == replace(unread, reported_until=old.measured_at)
    finally:
        await client.close()
