"""What a feed asks a service for, and how it fills the past; the faults are in tests/faults."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from live import FeedKey, FeedState, Subscription
from live.browser_messages import encode_feed
from live.clock import Moment
from live.queries import since, span_of_today
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    Script,
    answer_failure,
    answer_value,
    envelope,
    event,
    failure,
    misbehaving_server,
    one_after_another,
    point,
    stream_of,
)
from tests.live.conftest import Subscribe, let_replays_pause

ZURICH = ZoneInfo("Europe/Zurich")
KEY = FeedKey("site-1")


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
    # The present count may have begun before midnight, at a daily reset of any hour.
    assert (minutes, unit) == ("1440", "minutes ago")
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

    service.stream = service.newest = refuse
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
    await eventually(lambda: len(service.calls) > 8 and feed.snapshot.state is FeedState.LIVE)
    assert len(service.streams) == 1


async def test_the_top_zone_is_asked_for_once_even_while_values_flow(
    service: MisbehavingServer, subscribe: Subscribe
) -> None:
    async def name_zones(call: Call) -> None:
        zones = {"matchingFilters": {"zoneIds": ["shop"]}}
        await call.answer(body=envelope([point(3) | zones]))

    service.newest = name_zones
    feed = subscribe(service)
    await eventually(lambda: feed.snapshot.top_zone_ids == ("shop",))
    assert feed.snapshot.server_tag == "misbehaving"
    assert sum(call.is_newest for call in service.calls) == 1


async def test_a_replay_of_the_day_shows_nothing_before_it_is_through(subscribe: Subscribe) -> None:
    """Slower than the first check is due; a service that is asked answers with the newest value at once."""
    replay = range(600, 9, -20)

    async def stream(call: Call) -> None:
        await call.open_stream()
        for back in replay:
            await call.send(event(point(back, minutes_ago=back)))
            await asyncio.sleep(0.02)
        await call.hold()

    async with misbehaving_server(stream, answer_value(5, minutes_ago=1)) as service:
        feed = subscribe(service)
        told = await _all_told(feed, lambda: _is_whole(feed))
    assert {value for value, _ in told} == {None, 5}
    assert len({total for _, total in told} - {None}) == 1


async def test_a_replay_that_goes_on_behind_failing_checks_shows_none_of_its_minutes(
    subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_replays_pause(monkeypatch, 2.5)

    async def stream(call: Call) -> None:
        await call.open_stream()
        for back in range(600, 9, -20):
            await call.send(event(point(back, minutes_ago=back)))
            await asyncio.sleep(0.1)
        await call.send(event(point(5)))
        await call.hold()

    async with misbehaving_server(stream, answer_failure) as service:
        feed = subscribe(service, silence=2.0, recheck=0.1)
        states = set()

        def is_live() -> bool:
            states.add(feed.snapshot.state)
            return feed.snapshot.state is FeedState.LIVE

        told = await _all_told(feed, is_live)
    assert FeedState.LATE in states
    assert {value for value, _ in told} == {None, 5}


async def test_a_replay_after_a_reconnect_moves_no_number_before_it_is_through(
    subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last minutes come one by one, too; no check answers while it runs, which would tell the newest."""
    let_replays_pause(monkeypatch, 5.0)
    is_shown = asyncio.Event()

    async def break_off(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(100, minutes_ago=60)))
        await is_shown.wait()

    async def replay(call: Call) -> None:
        await call.open_stream()
        for back in (*range(59, 3, -5), 3, 2, 1, 0):
            told_before = len(feed.snapshot.readings)
            await call.send(event(point(back, minutes_ago=back)))
            await eventually(lambda: len(feed.snapshot.readings) > told_before)  # noqa: B023 -- awaited here
        await call.hold()

    script = one_after_another(break_off, replay)
    newest = one_after_another(answer_value(100, minutes_ago=60), Call.hold)
    async with misbehaving_server(script, newest) as service:
        feed = subscribe(service, answer=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
        is_shown.set()
        told = await _all_told(feed, lambda: len(feed.snapshot.reported) > 1)
    assert {value for value, _ in told} == {100, 0}


@asynccontextmanager
async def overtaking_feed(
    subscribe: Subscribe, answer: Callable[[Call], Awaitable[None]]
) -> AsyncIterator[Subscription]:
    """A feed whose replay brings another minute while its check waits for `answer`, which comes now."""
    asked, overtaken = asyncio.Event(), asyncio.Event()

    async def stream(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(9, minutes_ago=300)))
        await asked.wait()
        await call.send(event(point(8, minutes_ago=299)))
        await call.hold()

    async def answer_late(call: Call) -> None:
        asked.set()
        await overtaken.wait()
        await answer(call)

    async with misbehaving_server(stream, answer_late) as service:
        feed = subscribe(service, answer=60.0)
        await eventually(lambda: len(feed.snapshot.readings) > 1)
        overtaken.set()
        yield feed


async def test_a_stream_of_which_a_piece_overtakes_a_check_is_live_with_no_replayed_minute(
    subscribe: Subscribe,
) -> None:
    async with overtaking_feed(subscribe, answer_value(5)) as feed:
        told = await _all_told(feed, lambda: feed.snapshot.state is FeedState.LIVE)
    assert {value for value, _ in told} == {None, 5}


async def test_a_replayed_minute_that_overtakes_an_answer_without_a_value_is_not_live(
    subscribe: Subscribe,
) -> None:
    seen = set()

    async def answer_nothing(call: Call) -> None:
        await call.answer(body=envelope([]))

    async with overtaking_feed(subscribe, answer_nothing) as feed:

        def is_late() -> bool:
            seen.add(feed.snapshot.state)
            return feed.snapshot.state is FeedState.LATE

        await eventually(is_late)
    assert FeedState.LIVE not in seen


async def test_the_newest_value_is_asked_for_when_a_replay_ends_before_it(subscribe: Subscribe) -> None:
    """Its minutes come on and on, so that no silence lets a check be made; none of them is recent."""

    async def stream(call: Call) -> None:
        await call.open_stream()
        while True:
            await call.send(event(point(3, minutes_ago=10)))
            await asyncio.sleep(0.01)

    async with misbehaving_server(stream, answer_value(3, minutes_ago=10)) as service:
        feed = subscribe(service, first_check=60.0, silence=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)


async def test_the_sums_of_today_wait_for_a_replay_behind_the_newest_minute(
    subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("live.filling._QUIET", 1.5)

    async def stream(call: Call) -> None:
        await call.open_stream()
        await call.send(event(point(5)))
        for back in range(30, 10, -1):
            await call.send(event(point(back, minutes_ago=back)))
            await asyncio.sleep(0.05)
        await call.hold()

    async with misbehaving_server(stream, answer_value(5)) as service:
        feed = subscribe(service, cut=60.0)
        told = await _all_told(feed, lambda: _is_whole(feed))
        assert len(feed.snapshot.readings) >= 21  # one more where a minute ends meanwhile
    assert {value for value, _ in told} == {None, 5}


async def test_the_sums_of_today_wait_for_a_replay_that_begins_late(subscribe: Subscribe) -> None:
    is_seen = asyncio.Event()

    async def stream(call: Call) -> None:
        await call.open_stream()
        await is_seen.wait()
        for back in (4, 3, 2, 1):
            await call.send(event(point(back, minutes_ago=back)))
        await call.hold()

    async with misbehaving_server(stream, answer_value(5, minutes_ago=1)) as service:
        feed = subscribe(service, cut=60.0)
        await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
        assert feed.snapshot.awaits_past
        is_seen.set()
        await eventually(lambda: len(feed.snapshot.readings) == 4 and not feed.snapshot.awaits_past)


@pytest.mark.parametrize("replayed", [range(100, 60, -1), ()])
async def test_the_sums_of_today_wait_for_the_past_where_the_stream_brings_half_of_it_or_none(
    subscribe: Subscribe, replayed: Sequence[int]
) -> None:
    async def stream(call: Call) -> None:
        await call.open_stream()
        await call.send(b"".join(event(point(back, minutes_ago=back)) for back in replayed))
        await call.send(event(point(5, minutes_ago=1)) + event(point(5)))
        await call.hold()

    async with misbehaving_server(stream, answer_value(5)) as service:
        service.other = answer_failure
        feed = subscribe(service, refill=0.1, silence=0.3)
        await eventually(lambda: len(service.calls) > 6 and feed.snapshot.state is FeedState.LIVE)
        assert feed.snapshot.awaits_past
        service.other = history(*range(99))
        await eventually(lambda: _is_whole(feed))
        assert len(feed.snapshot.readings) >= 101


async def test_streams_cut_within_a_replay_leave_the_past_to_be_asked_for(subscribe: Subscribe) -> None:
    async def stream(call: Call) -> None:
        await call.open_stream()
        for back in range(100, 90, -1):
            await call.send(event(point(back, minutes_ago=back)))
            await asyncio.sleep(0.03)

    async with misbehaving_server(stream, answer_value(5)) as service:
        service.other = history(*range(99))
        feed = subscribe(service, first_check=0.05)
        await eventually(lambda: bool(feed.snapshot.newest) and not feed.snapshot.awaits_past)
        assert len(feed.snapshot.readings) >= 99


async def _all_told(
    feed: Subscription, is_over: Callable[[], bool]
) -> set[tuple[float | None, float | None]]:
    """What a browser is told of who is inside, and of today's entrances, until `is_over` and once after."""
    told = set()

    def looked() -> bool:
        over = is_over()
        encoded = encode_feed(feed.snapshot, Moment(time.monotonic(), datetime.now(UTC)), ZURICH)
        told.add((encoded["inside"], encoded["entrances_today"]))
        return over

    await eventually(looked)
    return told


def _is_whole(feed: Subscription) -> bool:
    return feed.snapshot.state is FeedState.LIVE and not feed.snapshot.awaits_past
