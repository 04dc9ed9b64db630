"""What the operator reads of a feed, by a clock of the test, and of a real one whose streams end at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from sys import getrefcount
from typing import Any

import pytest
import structlog

from live import FeedKey, FeedState, Hub
from live.feed_log import FeedLog
from live.snapshot import Snapshot
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, misbehaving_server
from tests.live.conftest import SWIFT

KEY = FeedKey("site")
HOUR, DAY = 3600.0, 86_400.0
ATTEMPT = 10.0
"""Seconds from one to the next."""
UP = Snapshot(KEY, FeedState.LIVE, since=datetime(2026, 6, 1, 12, tzinfo=UTC))
DOWN = replace(UP, state=FeedState.RECONNECTING, reason="The service ended the stream.")
OFFLINE = replace(UP, state=FeedState.OFFLINE, reason="The service cannot be reached.")


@dataclass
class Watched:
    """A feed whose time passes when the test says so; each attempt is a snapshot."""

    now: float = 0.0
    shown: Snapshot | None = None
    lines: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        self.log = FeedLog(KEY, lambda: self.now)

    def note(self, snapshot: Snapshot) -> None:
        self.shown = snapshot
        self.log.note(snapshot)

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + ATTEMPT, end)
            if self.shown:
                self.log.note(self.shown)

    def lose(self, seconds: float, down: Snapshot = DOWN) -> None:
        self.note(down)
        self.pass_by(seconds)
        self.note(UP)

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
    watched.note(UP)
    watched.note(DOWN)
    watched.pass_by(10.0)
    watched.note(OFFLINE)
    watched.pass_by(DAY)
    watched.note(UP)
    assert watched.events() == ["feed up", "feed down", "feed up"]


def test_a_month_of_streams_that_end_is_some_forty_lines(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(30 * DAY)
    told = Counter(watched.events())
    assert told["feed down"] == told["feed up"] - 1 == 3
    assert told["feed goes down and up"] == 1
    assert told["feed went down and up"] == 30
    sums = [line for line in watched.lines if line["event"] == "feed went down and up"]
    assert sum(line["times"] for line in sums) > 310_000
    assert {line["longest_seconds"] for line in sums} == {3}


def test_among_them_a_real_outage_is_told_when_it_has_lasted_and_when_it_is_over(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(DAY / 2)
    before = len(watched.lines)
    watched.note(DOWN)
    watched.pass_by(30.0)
    watched.note(OFFLINE)
    assert len(watched.lines) == before + 1, "another kind is told at once"
    watched.note(UP)
    watched.flap(HOUR)
    before = len(watched.lines)
    watched.note(DOWN)
    watched.pass_by(59.0)
    assert len(watched.lines) == before
    watched.pass_by(2.0)
    assert watched.events()[before:] == ["feed down"]
    watched.note(UP)
    assert watched.events()[before:] == ["feed down", "feed up"]


def test_a_loss_of_another_kind_is_told_once(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(600.0)
    before = len(watched.lines)
    for _ in range(5):
        watched.lose(2.0, OFFLINE)
    assert watched.events()[before:] == ["feed down", "feed up"]


def test_reasons_that_are_never_the_same_fill_no_log(watched: Watched) -> None:
    watched.note(UP)
    for number in range(1000):
        watched.lose(2.0, replace(OFFLINE, reason=f"Error {number}."))
    assert len(watched.lines) < 30


def test_outages_that_come_again_and_again_are_told_if_they_last_longer_and_longer(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(600.0)
    before = len(watched.lines)
    for _ in range(24 * 30):
        watched.lose(61.0)
        watched.pass_by(59.0)
    assert len(watched.lines) - before < 10
    watched.lose(700.0)
    assert watched.events()[-2:] == ["feed down", "feed up"]


def test_a_feed_that_stays_up_again_is_told_one_by_one_again(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(600.0)
    watched.pass_by(2 * HOUR)
    assert watched.lines[-1]["event"] == "feed went down and up"
    assert watched.lines[-1]["note"] == "from now on told one by one again"
    watched.lose(2.0)
    assert watched.events()[-2:] == ["feed down", "feed up"]


def test_how_long_a_loss_lasted_at_which_nobody_looked_is_not_told(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(600.0)
    watched.note(DOWN)
    watched.log.closed()
    watched.shown = None
    watched.pass_by(DAY)
    before = len(watched.lines)
    watched.note(UP)
    assert [line["longest_seconds"] for line in watched.lines[before:]] == [3]


def test_a_feed_that_is_opened_again_goes_on_where_it_was(watched: Watched) -> None:
    watched.note(UP)
    watched.note(DOWN)
    watched.log.closed()
    watched.note(DOWN)
    assert watched.events() == ["feed up", "feed down"]
    watched.note(UP)
    watched.log.closed()
    watched.note(UP)
    assert watched.events() == ["feed up", "feed down", "feed up"]


def test_of_a_feed_that_was_closed_no_snapshot_is_kept(watched: Watched) -> None:
    """It has the minutes of a day, and the log is kept for as long as the dashboard runs."""
    last = replace(DOWN)
    before = getrefcount(last)
    watched.log.note(last)
    watched.log.closed()
    assert getrefcount(last) == before


def test_the_first_sum_comes_after_an_hour(watched: Watched) -> None:
    watched.note(UP)
    watched.flap(HOUR + 60.0)
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
