from __future__ import annotations

import asyncio
import threading

from service.broadcast import Broadcast

SOON = 10.0
NOT_YET = 0.05


async def test_news_from_another_thread_reaches_those_who_watch_the_site() -> None:
    broadcast = Broadcast()
    with broadcast.subscribe("here", "key") as here, broadcast.subscribe("there", "key") as there:
        thread = threading.Thread(target=broadcast.publish, args=({"here": 7},))
        thread.start()
        assert await here.news(SOON)
        assert not await there.news(NOT_YET)
        thread.join()


async def test_many_commits_are_one_piece_of_news() -> None:
    broadcast = Broadcast()
    with broadcast.subscribe("here", "key") as subscription:
        for _ in range(1000):
            broadcast.publish({"here": 7})
        assert await subscription.news(SOON)
        assert not await subscription.news(NOT_YET)


async def test_news_during_a_pause_is_kept_for_after_it() -> None:
    broadcast = Broadcast()
    with broadcast.subscribe("here", "key") as subscription:
        broadcast.publish({"here": 7})
        await subscription.pause(NOT_YET)
        assert await subscription.news(SOON)


async def test_a_stream_that_has_to_end_is_woken() -> None:
    broadcast = Broadcast()
    with broadcast.subscribe("here", "revoked") as ended, broadcast.subscribe("here", "good") as other:
        waiting = [asyncio.create_task(ended.news(SOON)), asyncio.create_task(ended.pause(SOON))]
        await asyncio.sleep(0)
        broadcast.end_streams_of("revoked")
        await asyncio.wait_for(asyncio.gather(*waiting), SOON / 2)
        assert ended.ended
        assert not other.ended


async def test_after_the_end_every_new_stream_ends_at_once() -> None:
    broadcast = Broadcast()
    broadcast.close_soon()
    await asyncio.sleep(NOT_YET)
    with broadcast.subscribe("here", "key") as late:
        assert late.ended
        assert not await late.news(SOON)


async def test_subscribers_and_their_keys_are_counted_while_they_stay() -> None:
    broadcast = Broadcast()
    with broadcast.subscribe("here", "one"), broadcast.subscribe("there", "two"):
        assert broadcast.subscriber_count == 2
        assert broadcast.key_ids == {"one", "two"}
    assert broadcast.subscriber_count == 0
    assert broadcast.key_ids == set()


async def test_changes_of_a_site_are_kept_as_the_earliest_minute() -> None:
    broadcast = Broadcast()
    changes = broadcast.watch("here")
    with broadcast.subscribe("here", "key") as subscription:
        for first_minute in (9, 7, 8):
            broadcast.publish({"here": first_minute, "there": 1})
        assert await subscription.news(SOON)
        assert changes.take() == 7
        assert changes.take() is None
        broadcast.publish({"there": 3})
        await asyncio.sleep(0)
        assert changes.take() is None
