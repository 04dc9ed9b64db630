"""What the tests of the wall page share: opening it, and moving time on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from playwright.sync_api import Page

from tests.e2e.scripted_wall import ZONE, ScriptedWall

PATIENCE = 60.0
"""Seconds; nothing is expected to take this long."""
_AT_REST: Final = """asked => {
  const places = JSON.stringify([...document.querySelectorAll('#wall *')].map(node => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return [x, y, width, height];
  }));
  const last = window.lastSeen || {};
  const frames = last.asked === asked && last.places === places ? last.frames + 1 : 0;
  window.lastSeen = { asked, places, frames };
  return frames > 2 && document.querySelector('#wall .clock:not(:empty)') !== null;
}"""


def open_wall(page: Page, address: str) -> None:
    page.goto(f"{address}screen/door")
    at_rest(page)


def at_rest(page: Page) -> None:
    """Before anything is measured: a wall fits its letters in the frame after its room changed. Its clock
    comes with the first values.
    """
    page.wait_for_function(_AT_REST, arg=time.monotonic())


def show_on(page: Page, width: int, height: int) -> None:
    """The wall that is open, on a screen of that size."""
    page.set_viewport_size({"width": width, "height": height})
    at_rest(page)


def at_local_hour(wall: ScriptedWall, hour: int) -> float:
    """Let the server's clock go on from that hour of today in the site's zone; returns the epoch seconds."""
    local = datetime.now(ZoneInfo(ZONE)).replace(hour=hour, minute=30, second=20, microsecond=0)
    ahead = local.timestamp() - time.time()
    wall.now = lambda: time.time() + ahead
    return local.timestamp()


def until(page: Page, holds: Callable[[], bool], *, step: int = 0, told: str = "") -> None:
    """Poll; `step` is by how many seconds an installed clock of the page moves on between two looks; `told`
    is what a failure says besides.
    """
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"it never came true {told}"
        if step:
            page.clock.run_for(step * 1000)
            time.sleep(0.05)
        else:
            page.wait_for_timeout(50)
