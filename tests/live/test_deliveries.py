"""Counters that deliver in blocks: when one is late, and when it is only between two blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live.cadence import Cadence, learn, spans_to_ask
from live.clock import local_zone
from live.deliveries import Deliveries
from live.snapshot import Reading

MINUTE = timedelta(minutes=1)
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
ZONE = local_zone("Etc/UTC")
BLOCKS = st.sampled_from([1, 2, 5, 10, 15, 30, 60])
Counts = Callable[[datetime], bool]


def always(_at: datetime) -> bool:
    return True


def shop_hours(at: datetime) -> bool:
    return 9 <= at.hour < 20


class Came(NamedTuple):
    """After so many minutes a post came that holds all minutes counted before it, and not sent yet."""

    minute: int
    delay: float = 0.1
    """Minutes between the end of the last minute and the post."""


class Watched:
    """A feed, looked at twice a minute, of a counter whose posts came at given times."""

    def __init__(self, posts: Iterable[Came], counts: Counts = always, *, begin: datetime = NOON) -> None:
        self.posts = [
            (begin + (post.minute + post.delay) * MINUTE, begin + post.minute * MINUTE) for post in posts
        ]
        self.counts = counts
        self.now = begin
        self.known: list[Reading] = [Reading(begin - MINUTE, {})]
        self.deliveries = Deliveries()
        self._cadence: Cadence | None = None

    def until(self, minutes: float) -> Iterator[timedelta | None]:
        """The usual gap where it is silent, else None, at each look until so much later."""
        end = self.now + minutes * MINUTE
        while self.now < end:
            self.wait(0.5)
            yield self.silence()

    def wait(self, minutes: float) -> None:
        end = self.now + minutes * MINUTE
        while self.now < end:
            self.now += MINUTE / 2
            while self.posts and self.posts[0][0] <= self.now:
                self._take(self.posts.pop(0)[1])
            self.deliveries = self.deliveries.seen(self.known, self.now)

    def is_ever_silent(self, minutes: float) -> bool:
        return any(gap is not None for gap in self.until(minutes))

    def silence(self) -> timedelta | None:
        newest = self.known[-1].measured_at
        if self._cadence is None or not self._cadence.covers(self.now):
            spans = spans_to_ask(newest, self.now, ZONE)
            past = [[at for at in minutes(span.start, span.end) if self.counts(at)] for span in spans]
            self._cadence = learn(spans, past, self.now, ZONE)
        return self._cadence.silence(newest, self.now - self.deliveries.allowance)

    def age(self) -> timedelta:
        return self.now - self.known[-1].measured_at

    def _take(self, end: datetime) -> None:
        start = self.known[-1].measured_at + MINUTE
        self.known += [Reading(at, {}) for at in minutes(start, end) if self.counts(at)]


def minutes(start: datetime, end: datetime) -> Iterator[datetime]:
    while start < end:
        yield start
        start += MINUTE


def every(block: int, long: int, *, first: int | None = None) -> list[Came]:
    return [Came(minute) for minute in range(block if first is None else first, long + 1, block)]


@settings(max_examples=30, deadline=None)
@given(BLOCKS, st.data())
def test_no_counter_is_silent_between_its_blocks_nor_after_a_feed_was_opened_within_one(
    block: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, block))
    delays = data.draw(st.lists(st.floats(0, min(block / 3, 10)), min_size=8, max_size=8))
    posts = [Came(first + block * number, delay) for number, delay in enumerate(delays)]
    watched = Watched(posts)
    age = data.draw(st.integers(0, block - first), label="minutes since the block before")
    watched.known = [Reading(NOON - (age + 1) * MINUTE, {})]
    assert not watched.is_ever_silent(posts[-1].minute + 1)


@settings(max_examples=30, deadline=None)
@given(BLOCKS, st.data())
def test_a_counter_that_stopped_is_missed_after_its_next_block(block: int, data: st.DataObject) -> None:
    jitter = data.draw(st.lists(st.floats(0, min(block / 4, 5)), min_size=6, max_size=6))
    watched = Watched(Came(block * (1 + number), delay) for number, delay in enumerate(jitter))
    watched.wait(block * 6 + 6)
    expected = max(timedelta(minutes=15), (2 * block + 5) * MINUTE)
    silent_at = next(watched.age() for gap in watched.until(400) if gap is not None)
    assert expected <= silent_at <= expected + (2 * max(jitter) + 2) * MINUTE
    assert abs(watched.deliveries.block - block * MINUTE) <= MINUTE


def test_of_a_feed_just_opened_a_block_of_an_hour_is_not_ruled_out_but_no_more() -> None:
    watched = Watched([])
    silent_at = next(watched.age() for gap in watched.until(200) if gap is not None)
    assert timedelta(minutes=75) <= silent_at <= timedelta(minutes=76)


def test_two_minutes_that_came_at_once_tell_that_each_does() -> None:
    watched = Watched([Came(1), Came(2)])
    watched.wait(1.5)
    assert watched.deliveries.allowance == timedelta(hours=1)
    watched.wait(1)
    assert watched.deliveries.allowance == timedelta()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([1, 5, 15]), st.integers(30, 600))
def test_an_outage_whose_backlog_comes_at_once_teaches_nothing(block: int, outage: int) -> None:
    before, after = 8 * block, 8 * block + outage
    watched = Watched([*every(block, before), *every(block, after + 8 * block, first=after)])
    watched.wait(before + 1)
    allowance = watched.deliveries.allowance
    watched.wait(outage)
    for _ in range(7):
        watched.wait(block)
        assert abs(watched.deliveries.allowance - allowance) <= MINUTE


def test_a_backlog_in_several_posts_is_one_delivery() -> None:
    watched = Watched(every(15, 75))
    watched.wait(76)
    watched.known += [Reading(watched.known[-1].measured_at + 4 * MINUTE, {})]
    for seconds in range(3, 15, 3):
        watched.known += [Reading(watched.known[-1].measured_at + 3 * MINUTE, {})]
        came = watched.deliveries.seen(watched.known, NOON + 90 * MINUTE + timedelta(seconds=seconds))
        watched.deliveries = came
    assert watched.deliveries.recent[-1].block == 13 * MINUTE
    assert watched.deliveries.block == 15 * MINUTE


@pytest.mark.parametrize("block", [5, 15, 30, 60])
def test_what_was_learned_is_forgotten_after_a_few_single_minutes(block: int) -> None:
    watched = Watched([*every(block, 6 * block), *every(1, 6 * block + 30, first=6 * block + 1)])
    watched.wait(6 * block + 1)
    assert watched.deliveries.block == block * MINUTE
    watched.wait(5)
    assert (watched.deliveries.block, watched.deliveries.allowance) == (MINUTE, timedelta())


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from([1, 5, 15, 30]), min_size=4, max_size=4), st.integers(2, 6))
def test_a_mixture_is_never_silent_once_its_longest_block_came_twice(pattern: list[int], rounds: int) -> None:
    longest = max(pattern)
    lengths = [*pattern, longest] * (rounds + 1)  # the longest is among any five that follow one another
    ends = [sum(lengths[: number + 1]) for number in range(len(lengths))]
    watched = Watched(map(Came, ends))
    watched.wait(ends[9] + 1)
    assert not watched.is_ever_silent(ends[-1] - ends[9])


@pytest.mark.parametrize("block", [1, 5, 15, 30, 60])
def test_a_shop_whose_counter_sends_blocks_is_not_silent_at_closing_time_nor_when_it_opens(
    block: int,
) -> None:
    morning = NOON.replace(hour=8)
    watched = Watched(every(block, 3 * 24 * 60), shop_hours, begin=morning)
    watched.known = [Reading(morning - timedelta(hours=12, minutes=1), {})]
    assert not watched.is_ever_silent(2 * 24 * 60)


@pytest.mark.parametrize(("block", "after"), [(1, 15), (15, 37), (30, 67)])
def test_a_shop_that_does_not_begin_to_count_is_missed_when_its_first_blocks_should_have_come(
    block: int, after: int
) -> None:
    morning = NOON.replace(hour=8)
    watched = Watched(every(block, 12 * 60 + block), shop_hours, begin=morning)
    watched.known = [Reading(morning - timedelta(hours=12, minutes=1), {})]
    assert not watched.is_ever_silent(24 * 60)
    silent_at = next(watched.now for gap in watched.until(24 * 60) if gap is not None)
    opened = morning + timedelta(hours=25)
    assert opened + (after - 4) * MINUTE <= silent_at <= opened + (after + 1) * MINUTE


def test_what_came_while_the_service_was_not_heard_teaches_nothing() -> None:
    watched = Watched(every(1, 10))
    watched.wait(11)
    known = watched.deliveries
    readings = [*watched.known, *(Reading(NOON + after * MINUTE, {}) for after in range(10, 50))]
    again = known.unseen().seen(readings, NOON + 51 * MINUTE)
    assert again.recent == known.recent
    assert again.newest == NOON + 49 * MINUTE


def test_a_service_that_publishes_each_minute_late_is_given_that_time() -> None:
    watched = Watched(Came(minute, 20) for minute in range(1, 200))
    assert not watched.is_ever_silent(200)
    assert watched.deliveries.block == MINUTE
    assert watched.deliveries.allowance > 30 * MINUTE


def test_rare_counts_that_come_at_once_are_no_blocks() -> None:
    watched = Watched(every(1, 120), lambda at: at.minute % 12 == 0)
    watched.wait(120)
    assert (watched.deliveries.block, watched.deliveries.allowance) == (MINUTE, timedelta())


def test_minutes_that_are_read_after_the_newest_one_was_pushed_belong_to_its_delivery() -> None:
    known = [Reading(NOON, {})]
    deliveries = Deliveries().seen(known, NOON + MINUTE)
    for block in (1, 2):
        newest = NOON + 30 * block * MINUTE
        pushed = [*known, Reading(newest, {})]
        deliveries = deliveries.seen(pushed, newest + MINUTE)
        known = [Reading(at, {}) for at in minutes(NOON, newest + MINUTE)]
        deliveries = deliveries.seen(known, newest + 2 * MINUTE)
    assert deliveries.block == 30 * MINUTE
    assert [delivery.lateness for delivery in deliveries.recent] == [30 * MINUTE] * 2
