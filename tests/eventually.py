"""Waiting for what must come, without saying how fast."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds after which a test gives up; nothing is expected to take this long."""


async def eventually(holds: Callable[[], bool], *, patience: float = PATIENCE, pause: float = 0.01) -> None:
    """Return as soon as `holds`, polling; fail when it does not in time. Seldom, if asking costs much."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(pause)


def wait_until(holds: Callable[[], bool], *, patience: float = PATIENCE, pause: float = 0.05) -> None:
    """As `eventually`, where nothing else is to go on meanwhile."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(pause)
