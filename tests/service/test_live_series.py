from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.broadcast import SiteChanges
from service.live_series import LiveReader, LiveSeries, event
from service.query.points import RecentPoints

TEN = datetime(2025, 6, 3, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FIRST = int(TEN.timestamp()) // 60


def point(after: int, exits: int) -> dict[str, Any]:
    return {"timestamp": TEN + after * MINUTE, "metrics": {"exits": exits}}


class Site:
    """Exits by minute after ten, all of them recent, and a series that reads them."""

    def __init__(self, *exits: int) -> None:
        self.exits = dict(enumerate(exits))
        self.oldest = 0
        self.readings: list[int] = []
        self.failures: list[Exception] = []
        self.changes = SiteChanges("site")
        self.series = LiveSeries(self.changes, self.read, recall=lambda _: None, in_thread=asyncio.to_thread)

    def read(self, first_minute: int) -> RecentPoints:
        if self.failures:
            raise self.failures.pop()
        first = max(first_minute - FIRST, self.oldest)
        self.readings.append(first)
        points = [point(after, exits) for after, exits in sorted(self.exits.items()) if after >= first]
        return RecentPoints(TEN + self.oldest * MINUTE, TEN + first * MINUTE, points)

    async def reader(self) -> LiveReader:
        await self.series.catch_up()
        return LiveReader(self.series)

    def change(self, changes: dict[int, int]) -> None:
        self.exits |= changes
        self.changes.note(FIRST + min(changes))


def events(*points: tuple[int, int]) -> bytes:
    return b"".join(event(point(*one)) for one in points)


async def test_first_news_is_the_newest_bucket_alone() -> None:
    reader = await Site(1, 2, 3).reader()
    assert await reader.news() == events((2, 3))
    assert await reader.news() == b""


async def test_last_state_of_a_minute_comes_with_the_first_of_the_next() -> None:
    site = Site(1)
    reader = await site.reader()
    await reader.news()
    site.change({0: 5})
    site.change({0: 9})
    site.change({1: 1})
    assert await reader.news() == events((0, 9), (1, 1))


async def test_late_change_is_followed_by_the_newest_though_that_did_not_change() -> None:
    site = Site(1, 2, 3, 4)
    reader = await site.reader()
    await reader.news()
    site.change({0: 7, 2: 8})
    assert await reader.news() == events((0, 7), (2, 8), (3, 4))
    assert await reader.news() == b""


async def test_commit_that_leaves_every_value_as_it_was_sends_nothing() -> None:
    site = Site(1, 2)
    reader = await site.reader()
    await reader.news()
    site.change({0: 1})
    assert await reader.news() == b""
    assert site.readings == [0, 0]


async def test_what_changed_is_read_from_the_earliest_minute_on_and_once_for_all_readers() -> None:
    site = Site(1, 2, 3, 4)
    readers = [await site.reader() for _ in range(3)]
    await asyncio.gather(*(reader.news() for reader in readers))
    site.change({3: 5})
    site.change({1: 6})
    site.change({2: 7})
    told = await asyncio.gather(*(reader.news() for reader in readers))
    assert told == [events((1, 6), (2, 7), (3, 5))] * 3
    assert site.readings == [0, 1]


async def test_reader_that_was_held_up_gets_all_that_changed_meanwhile_once() -> None:
    site = Site(1, 2, 3)
    slow, quick = await site.reader(), await site.reader()
    await slow.news()
    for exits in range(10, 20):
        site.change({0: exits})
        assert await quick.news() == events((0, exits), (2, 3))
    site.change({1: 7})
    assert await slow.news() == events((0, 19), (1, 7), (2, 3))


async def test_what_changes_while_it_is_read_is_not_lost() -> None:
    site = Site(1, 2)
    reader = await site.reader()
    await reader.news()
    reading, go_on = threading.Event(), threading.Event()
    read = site.read

    def slow_read(first_minute: int) -> RecentPoints:
        points = read(first_minute)
        reading.set()
        go_on.wait(10)
        return points

    site.series._read = slow_read
    site.change({1: 3})
    news = asyncio.create_task(reader.news())
    await asyncio.to_thread(reading.wait, 10)
    site.change({0: 9})
    go_on.set()
    assert await news == events((1, 3))
    assert await reader.news() == events((0, 9), (1, 3))


async def test_reading_that_failed_is_made_up_for() -> None:
    site = Site(1, 2)
    reader = await site.reader()
    await reader.news()
    site.change({0: 9})
    site.failures.append(OSError("disk"))
    with pytest.raises(OSError, match="disk"):
        await reader.news()
    site.change({1: 5})
    assert await reader.news() == events((0, 9), (1, 5))


async def test_buckets_that_are_not_recent_any_more_are_let_go_but_for_the_newest() -> None:
    site = Site(1, 2, 3)
    reader = await site.reader()
    await reader.news()
    site.oldest = 100
    site.changes.note(0)
    assert await reader.news() == b""
    assert site.series.newest == events((2, 3))
    site.change({100: 1})
    assert await reader.news() == events((100, 1))
    assert list(site.series._starts) == [(FIRST + 100) * 60]


async def test_newest_is_told_again_when_a_clock_that_went_back_takes_buckets_away() -> None:
    site = Site(1, 2, 3)
    reader = await site.reader()
    await reader.news()
    del site.exits[2]
    site.changes.note(0)
    assert await reader.news() == events((1, 2))


async def test_change_that_memory_holds_is_not_read() -> None:
    site = Site(1, 2)
    recalled = RecentPoints(TEN, TEN + MINUTE, [point(1, 9)])
    site.series._recall = lambda first: recalled if first == FIRST + 1 else None
    reader = await site.reader()
    await reader.news()
    site.change({1: 9})
    assert await reader.news() == events((1, 9))
    assert site.readings == [0]
    site.change({0: 5})
    assert await reader.news() == events((0, 5), (1, 9))
    assert site.readings == [0, 0]


async def test_stream_waits_for_the_next_reading_unless_another_has_read_for_it() -> None:
    site = Site(1, 2)
    one, other = await site.reader(), await site.reader()
    await asyncio.gather(one.news(), other.news())
    site.change({1: 9})
    assert other.rest() > 0
    await one.news()
    assert other.rest() == 0
    assert await other.news() == events((1, 9))
    assert other.rest() > 0
