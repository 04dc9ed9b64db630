from __future__ import annotations

import asyncio
import threading

import pytest

from api_client import ApiClientError, NotFound, Unreachable
from screens.shared_reads import SharedReads
from tests.eventually import eventually

UNREACHABLE = Unreachable("The service cannot be reached.", code="CONNECTION_FAILED")
GONE = NotFound("No such site.", code="SITE_NOT_FOUND")


class Source:
    """Answers what it is told to; counts how often it was asked."""

    def __init__(self, *outcomes: str | ApiClientError) -> None:
        self.outcomes = list(outcomes)
        self.asked = 0

    def read(self, _key: str) -> str:
        outcome = self.outcomes[min(self.asked, len(self.outcomes) - 1)]
        self.asked += 1
        if isinstance(outcome, ApiClientError):
            raise outcome
        return outcome


async def test_many_who_ask_at_once_cost_one_read() -> None:
    gate, asked = threading.Event(), []

    def read(key: str) -> str:
        asked.append(key)
        gate.wait(10)
        return key

    reads = SharedReads(read, fresh=60, failed=60)
    asking = [asyncio.create_task(reads.get("a")) for _ in range(50)]
    await asyncio.sleep(0.05)
    gate.set()
    assert await asyncio.gather(*asking) == ["a"] * 50
    assert asked == ["a"]


async def test_those_who_have_turns_of_their_own_hold_nobody_else_up() -> None:
    gate, asked = threading.Event(), []

    def read(key: str) -> str:
        asked.append(key)
        if key != "wall":
            gate.wait(10)
        return key

    reads, turns = SharedReads(read, fresh=60, failed=60, at_once=1), asyncio.Semaphore(2)
    pages = [asyncio.create_task(reads.get(key, turns)) for key in ("a", "b", "c")]
    await eventually(lambda: len(asked) == 2)
    assert await reads.get("wall") == "wall"
    assert sorted(asked) == ["a", "b", "wall"]
    gate.set()
    assert await asyncio.gather(*pages) == ["a", "b", "c"]


async def test_a_wall_does_not_wait_for_a_turn_of_the_page_that_asked_for_the_same_first() -> None:
    gate, asked = threading.Event(), []

    def read(key: str) -> str:
        asked.append(key)
        if key != "both":
            gate.wait(10)
        return key

    reads, turns = SharedReads(read, fresh=60, failed=60, at_once=1), asyncio.Semaphore(1)
    pages = [asyncio.create_task(reads.get(key, turns)) for key in ("a", "both")]
    await eventually(lambda: asked == ["a"])
    assert await reads.get("both") == "both"
    assert await pages[1] == "both"
    gate.set()
    assert await pages[0] == "a"
    assert asked == ["a", "both"]


async def test_one_who_leaves_does_not_end_the_read_of_the_others() -> None:
    gate = threading.Event()

    def read(key: str) -> str:
        gate.wait(10)
        return key

    reads = SharedReads(read, fresh=60, failed=60)
    leaves, stays = asyncio.create_task(reads.get("a")), asyncio.create_task(reads.get("a"))
    await asyncio.sleep(0.05)
    leaves.cancel()
    gate.set()
    assert await stays == "a"


async def test_a_value_stands_while_it_is_fresh_and_is_read_again_afterwards() -> None:
    kept = SharedReads(Source("one", "two").read, fresh=60, failed=60)
    assert [await kept.get("a"), await kept.get("a")] == ["one", "one"]
    passing = SharedReads(Source("one", "two").read, fresh=0, failed=60)
    assert [await passing.get("a"), await passing.get("a")] == ["one", "two"]


async def test_the_last_known_value_stands_in_while_the_service_is_away() -> None:
    reads = SharedReads(Source("known", UNREACHABLE).read, fresh=0, failed=0)
    assert [await reads.get("a"), await reads.get("a"), await reads.get("a")] == ["known"] * 3


async def test_a_refusal_ends_what_was_known() -> None:
    reads = SharedReads(Source("known", GONE).read, fresh=0, failed=0)
    assert await reads.get("a") == "known"
    with pytest.raises(NotFound):
        await reads.get("a")


async def test_a_failure_is_not_asked_for_again_at_once() -> None:
    source = Source(UNREACHABLE)
    reads = SharedReads(source.read, fresh=60, failed=60)
    for _ in range(5):
        with pytest.raises(Unreachable):
            await reads.get("a")
    assert source.asked == 1


async def test_after_a_failure_the_next_success_counts() -> None:
    reads = SharedReads(Source(UNREACHABLE, "back").read, fresh=60, failed=0)
    with pytest.raises(Unreachable):
        await reads.get("a")
    assert await reads.get("a") == "back"


async def test_a_defect_is_raised_and_not_hidden() -> None:
    def read(_key: str) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await SharedReads(read, fresh=60, failed=60).get("a")
