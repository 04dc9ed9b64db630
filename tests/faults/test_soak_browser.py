"""Fault 35, the browser's half: a day of updates, one a second, leaves the page as small as it was."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.e2e.scripted_relay import ScriptedRelay, feed, serving

UPDATES = 100_000
ROUNDS = 10
PATIENCE = 60_000
HERO = {
    "feed": "shop",
    "kind": "hero",
    "title": "Shop",
    "subtitle": "",
    "capacity": 100,
    "href": None,
    "timezone": "Europe/Zurich",
}


class Held(NamedTuple):
    """What the page holds after its rubbish was collected."""

    heap: int
    """Bytes of JavaScript objects."""
    nodes: int
    listeners: int


class DayInAMinute(ScriptedRelay):
    """Its clock goes on by a second with each update."""

    def __init__(self) -> None:
        super().__init__()
        self.began = time.time()
        self.items = [HERO]
        self.feeds = {"shop": feed(self.began)}
        self.now = lambda: self.began + len(self.changes)

    def tell(self, updates: int) -> None:
        """One feed a second; a point each time, of the minute that it falls into."""
        told = len(self.changes)
        # All in one go: the relay takes what is there each time it looks.
        self.changes += [self._change(second) for second in range(told, told + updates)]

    def _change(self, second: int) -> dict[str, Any]:
        now, inside = self.began + second, second % 997
        minute = int(now) // 60 * 60
        return {"shop": feed(now, inside=inside, points=[[minute, inside]])}


@pytest.fixture
def relay() -> DayInAMinute:
    return DayInAMinute()


@pytest.fixture
def address(relay: DayInAMinute) -> Iterator[str]:
    with serving(relay) as url:
        yield url


@pytest.mark.soak
def test_fault_35_a_hundred_thousand_updates_leave_the_browser_as_it_was(
    page: Page, address: str, relay: DayInAMinute
) -> None:
    page.goto(address)
    expect(page.locator(".hero .number")).to_have_text("80")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    held = []
    for number in range(1, ROUNDS + 1):
        relay.tell(UPDATES // ROUNDS)
        expected = str((UPDATES // ROUNDS * number - 1) % 997)
        page.wait_for_function(
            "expected => document.querySelector('.hero .number').textContent === expected",
            arg=expected,
            timeout=PATIENCE,
        )
        held.append(measured(session))
        print(f"fault 35: after {len(relay.changes):>7,} updates {held[-1]}")  # noqa: T201 -- figures
    settled, last = held[2], held[-1]
    assert last.heap < settled.heap + 1_000_000
    assert last.nodes < settled.nodes * 1.2
    assert last.listeners == settled.listeners


def measured(session: CDPSession) -> Held:
    session.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return Held(*(int(metrics[name]) for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")))
