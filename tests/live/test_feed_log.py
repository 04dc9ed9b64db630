"""What the operator reads of a feed, by a clock of the test, and of a real one whose streams end at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
import structlog

from live import FeedKey, FeedState, Hub
from live.feed_log import FeedLog, LogLimits
from live.snapshot import Snapshot
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, misbehaving_server
from tests.live.conftest import SWIFT

KEY = FeedKey("site")
DAY = 86_400.0
UP = Snapshot(KEY, FeedState.LIVE, since=datetime(2026, 6, 1, 12, tzinfo=UTC))
DOWN = replace(UP, state=FeedState.RECONNECTING, reason="The service ended the stream.")
OFFLINE = replace(UP, state=FeedState.OFFLINE, reason="The service cannot be reached.")


@dataclass
class Waiting:
    due: float
    call: Callable[[], None]
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


@dataclass
class Watched:
    """A feed whose time passes when the test says so."""

    now: float = 0.0
    waiting: list[Waiting] = field(default_factory=list)
    lines: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        self.log = FeedLog(KEY, lambda: self.now, later=self.later)

    def later(self, seconds: float, call: Callable[[], None]) -> Waiting:
        self.waiting.append(Waiting(self.now + seconds, call))
        return self.waiting[-1]

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        self.waiting = [one for one in self.waiting if not one.is_cancelled]
        for one in sorted(self.waiting, key=lambda one: one.due):
            if one.due <= end and not one.is_cancelled:
                self.now = one.due
                self.waiting.remove(one)
                one.call()
        self.now = end

    def lose(self, seconds: float, down: Snapshot = DOWN) -> None:
        self.log.note(down)
        self.pass_by(seconds)
        self.log.note(UP)

    def flap(self, seconds: float) -> None:
        """Up for five seconds and down for three, for so long."""
        end = self.now + seconds
        while self.now < end:
            self.pass_by(5.0)
            self.lose(3.0)

    def events(self) -> list[str]:
        return [line["event"] for line in self.lines]


@pytest.fixture
def watched() -> Iterator[Watched]:
    with structlog.testing.capture_logs() as lines:
        yield Watched(lines=lines)


def test_an_outage_is_a_line_when_it_begins_and_one_when_it_ends(watched: Watched) -> None:
    watched.log.note(UP)
    watched.log.note(DOWN)
    watched.pass_by(10.0)
    watched.log.note(OFFLINE)
    watched.pass_by(DAY)
    watched.log.note(UP)
    assert watched.events() == ["feed up", "feed down", "feed up"]


def test_a_month_of_streams_that_end_is_some_forty_lines(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(30 * DAY)
    told = Counter(watched.events())
    assert told["feed down"] == told["feed up"] - 1 == 3
    assert told["feed goes down and up"] == 1
    assert told["feed went down and up"] == 30
    sums = [line for line in watched.lines if line["event"] == "feed went down and up"]
    assert sum(line["times"] for line in sums) > 310_000
    assert {line["longest_seconds"] for line in sums} == {3}


def test_among_them_a_real_outage_is_told_when_it_has_lasted_and_when_it_is_over(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(DAY / 2)
    before = len(watched.lines)
    watched.log.note(DOWN)
    watched.pass_by(30.0)
    watched.log.note(OFFLINE)
    assert len(watched.lines) == before + 1, "another kind is told at once"
    watched.log.note(UP)
    watched.flap(3600.0)
    before = len(watched.lines)
    watched.log.note(DOWN)
    watched.pass_by(59.0)
    assert len(watched.lines) == before
    watched.pass_by(2.0)
    assert watched.events()[before:] == ["feed down"]
    watched.log.note(UP)
    assert watched.events()[before:] == ["feed down", "feed up"]


def test_a_loss_of_another_kind_is_told_once(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(600.0)
    before = len(watched.lines)
    for _ in range(5):
        watched.lose(2.0, OFFLINE)
    assert watched.events()[before:] == ["feed down", "feed up"]


def test_reasons_that_are_never_the_same_fill_no_log(watched: Watched) -> None:
    watched.log.note(UP)
    for number in range(1000):
        watched.lose(2.0, replace(OFFLINE, reason=f"Error {number}."))
    assert len(watched.lines) < 30


def test_outages_that_come_again_and_again_are_told_if_they_last_longer_and_longer(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(600.0)
    before = len(watched.lines)
    for _ in range(24 * 30):
        watched.lose(61.0)
        watched.pass_by(59.0)
    assert len(watched.lines) - before < 10
    watched.lose(700.0)
    assert watched.events()[-2:] == ["feed down", "feed up"]


def test_a_feed_that_stays_up_again_is_told_one_by_one_again(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(600.0)
    watched.pass_by(2 * 3600.0)
    assert watched.lines[-1]["event"] == "feed went down and up"
    assert watched.lines[-1]["note"] == "from now on told one by one again"
    watched.lose(2.0)
    assert watched.events()[-2:] == ["feed down", "feed up"]


def test_what_nobody_looks_at_any_more_is_told_nothing_of(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(600.0)
    watched.log.note(DOWN)
    before = len(watched.lines)
    watched.log.closed()
    watched.pass_by(DAY)
    assert len(watched.lines) == before


def test_the_first_sum_comes_after_an_hour(watched: Watched) -> None:
    watched.log.note(UP)
    watched.flap(LogLimits().steady + 60.0)
    assert watched.events().count("feed went down and up") == 1


async def test_a_service_that_ends_every_stream_of_a_place_without_counts_fills_no_log() -> None:
    async def end_soon(call: Call) -> None:
        await call.open_stream()
        await asyncio.sleep(0.12)

    async with misbehaving_server(end_soon) as server:
        hub = Hub(server.base_url, "key", limits=replace(SWIFT, first_check=0.02, unheard=60.0))
        try:
            with structlog.testing.capture_logs() as log, hub.subscribe(KEY):
                await eventually(lambda: len(server.streams) > 60)
                downs = [line for line in log if line["event"] == "feed down"]
        finally:
            hub.close()
    assert 1 <= len(downs) <= 3
    assert [line for line in log if line["event"] == "feed goes down and up"]
