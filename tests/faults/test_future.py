"""Values that are dated in the future, and clocks that disagree: nothing of tomorrow is shown as of now."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from playwright.sync_api import Page

from api_client import FUTURE
from live import FeedKey, FeedState, Hub, Subscription
from live.browser_messages import encode_feed
from live.clock import Moment, SystemClock, local_zone
from live.reducer import inside
from tests.eventually import eventually
from tests.faults.conftest import Watch, shows
from tests.faults.misbehaving_server import (
    Call,
    MisbehavingServer,
    answer_value,
    date_header,
    decline,
    envelope,
    event,
    failure,
    misbehaving_server,
    point,
    stream_of,
)
from tests.live.conftest import SWIFT, StartRelay
from tests.running_service import ROOT

TOMORROW = -24 * 60
"""Minutes ago."""
DAY = timedelta(days=1)


def minutes_known(feed: Subscription) -> list[float | None]:
    return [inside(reading) for reading in feed.snapshot.readings]


async def test_a_point_of_tomorrow_is_skipped_and_the_present_goes_on(watch: Watch) -> None:
    stream = stream_of(event(point(5)), event(point(999, minutes_ago=TOMORROW)))
    async with misbehaving_server(stream, answer_value(5)) as server:
        feed = watch(server.base_url)
        await eventually(lambda: feed.snapshot.skipped == {FUTURE: 1} and minutes_known(feed) == [5])
        await eventually(lambda: shows(feed, 5))
        await server.streams[0].send(event(point(6)))
        await eventually(lambda: shows(feed, 6))


async def test_a_minute_that_is_a_little_ahead_is_taken(watch: Watch) -> None:
    async with misbehaving_server(stream_of(event(point(5, minutes_ago=-1)))) as server:
        feed = watch(server.base_url)
        await eventually(lambda: shows(feed, 5))


def give_the_future_everywhere(server: MisbehavingServer) -> None:
    async def history(call: Call) -> None:
        await call.answer(body=envelope([point(999, minutes_ago=TOMORROW)]))

    server.newest = server.other = history


@pytest.mark.parametrize("declined", [False, True], ids=["streaming", "polling"])
async def test_a_service_that_is_all_in_the_future_is_late_and_says_why(
    watch: Watch, *, declined: bool
) -> None:
    stream = decline if declined else stream_of(event(point(999, minutes_ago=TOMORROW)))
    async with misbehaving_server(stream) as server:
        give_the_future_everywhere(server)
        feed = watch(server.base_url, refill=0.05)
        states = set()

        def is_late() -> bool:
            states.add(feed.snapshot.state)
            return feed.snapshot.state is FeedState.LATE

        await eventually(is_late)
        assert "future" in feed.snapshot.reason
        await asyncio.sleep(0.3)
        assert is_late()
        assert FeedState.LIVE not in states
        assert feed.snapshot.readings == ()


async def test_one_value_of_tomorrow_in_a_service_does_not_darken_a_stream_that_lives(watch: Watch) -> None:
    async with misbehaving_server(stream_of(event(point(5)))) as server:
        give_the_future_everywhere(server)
        feed = watch(server.base_url)
        await eventually(lambda: any(call.is_newest for call in server.calls) and shows(feed, 5))
        await asyncio.sleep(0.3)
        assert shows(feed, 5)


async def test_a_browser_is_told_nothing_of_the_future(start_relay: StartRelay) -> None:
    async with misbehaving_server(stream_of(event(point(999, minutes_ago=TOMORROW)))) as server:
        give_the_future_everywhere(server)
        relay = start_relay(server.base_url)
        async with relay.screen(FeedKey("site-1")) as screen:
            await eventually(lambda: any("future" in str(told) for told in screen.named("change")))
        assert "999" not in str([told["feeds"] for _, told in screen.events if "feeds" in told])


async def test_a_service_whose_clock_is_ahead_is_judged_by_it_until_it_is_right(watch: Watch) -> None:
    ahead = DAY

    async def stream(call: Call) -> None:
        await call.open_stream(headers=date_header(ahead=ahead))
        await call.send(event(point(7, minutes_ago=TOMORROW)))
        await call.hold()

    async def answer_newest(call: Call) -> None:
        body = envelope([point(7, minutes_ago=TOMORROW)] if ahead else [point(3)])
        await call.answer(body=body, headers=date_header(ahead=ahead))

    async with misbehaving_server(stream, answer_newest) as server:
        server.other = answer_newest
        feed = watch(server.base_url, refill=0.1, silence=0.1)
        await eventually(lambda: shows(feed, 7) and "24 h ahead" in feed.snapshot.reason)
        ahead = timedelta()
        await eventually(lambda: shows(feed, 3))
        assert set(minutes_known(feed)) == {3}  # one, or two where the minute turns meanwhile
        assert feed.snapshot.reason == ""


async def test_a_dashboard_whose_own_clock_is_behind_still_shows_the_present(watch: Watch) -> None:
    """To this machine the service seems a day ahead; its points are right by its own clock."""

    async def stream(call: Call) -> None:
        await call.open_stream(headers=date_header(ahead=DAY))
        await call.send(event(point(7, minutes_ago=TOMORROW)))
        await call.hold()

    async def nothing_more(call: Call) -> None:
        await call.answer(body=envelope([]), headers=date_header(ahead=DAY))

    async with misbehaving_server(stream, nothing_more) as server:
        server.other = nothing_more
        feed = watch(server.base_url, first_check=60.0)
        await eventually(lambda: shows(feed, 7))


async def test_a_failure_that_tells_another_time_takes_no_value_away(watch: Watch) -> None:
    async def fail(call: Call) -> None:
        body = failure("INTERNAL_ERROR", "It broke.")
        await call.answer("500 Internal Server Error", body, headers=date_header(ahead=-timedelta(hours=1)))

    values = stream_of(event(point(4, minutes_ago=1)) + event(point(5)))
    async with misbehaving_server(values, fail) as server:
        server.other = fail
        feed = watch(server.base_url, silence=0.1, refill=0.1)
        await eventually(lambda: len(server.calls) > 6)
        assert minutes_known(feed) == [4, 5]
        assert "future" not in feed.snapshot.reason


@pytest.mark.parametrize("hours", [-14, 14])
async def test_today_and_the_trend_go_by_the_clock_of_the_service(hours: int) -> None:
    class WrongClock(SystemClock):
        def now(self) -> Moment:
            moment = super().now()
            return Moment(moment.monotonic, moment.wall + timedelta(hours=hours))

    async def stream(call: Call) -> None:
        await call.open_stream(headers=date_header())
        await call.send(event(point(7)))
        await call.hold()

    async def nothing_more(call: Call) -> None:
        await call.answer(body=envelope([]), headers=date_header())

    async with misbehaving_server(stream, nothing_more) as server:
        server.other = nothing_more
        hub = Hub(server.base_url, "secret-key", limits=SWIFT, clock=WrongClock())
        try:
            feed = hub.subscribe(FeedKey("site-1"))
            await eventually(lambda: shows(feed, 7) and not feed.snapshot.awaits_past)
            told = encode_feed(feed.snapshot, hub.now(), local_zone("Etc/UTC"))
            assert (told["entrances_today"], len(told["points"])) == (1, 1)
        finally:
            hub.close()


def test_a_browser_forgets_a_point_that_was_taken_back(page: Page) -> None:
    page.add_script_tag(content=(ROOT / "gauge/relay_link.js").read_text(encoding="utf-8"))
    merged = page.evaluate("() => mergePoints([[60, 1], [120, 2], [86400, 999]], [[180, 3]], 200, 180)")
    assert merged == [[60, 1], [120, 2], [180, 3]]
    assert page.evaluate("() => mergePoints([[86400, 999]], [], 200, null)") == []
