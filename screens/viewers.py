"""Who looks at which screen now: the streams that are open in this process, and in others."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address
from threading import Lock
from typing import Final

from starlette.concurrency import run_in_threadpool

_SYSTEM: Final = re.compile(r"\(([^)]*)\)")
_SYSTEM_PARTS: Final = 2
_BROWSER_NAMES: Final = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "Chrome": "Chrome",
    "Version": "Safari",
}
"""What a browser writes of itself -> its name; the first that occurs, since most claim to be others too."""
_LONGEST_AGENT: Final = 48
_MOST_LEFT: Final = 10_000
"""Screens of which it is remembered when the last viewer left; more than one dashboard ever keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class Viewer:
    address: str
    """Shortened, so that it does not identify a household."""
    agent: str
    """Browser and system, shortened."""
    since: datetime
    """UTC."""


class ViewerRegistry:
    """Safe to share between threads."""

    def __init__(self, others: Callable[[], Mapping[str, Sequence[Viewer]]] = dict) -> None:
        """`others` gives those of other dashboards, by screen id."""
        self._others = others
        self._lock = Lock()
        self._viewers: defaultdict[str, set[Viewer]] = defaultdict(set)
        self._left: dict[str, datetime] = {}

    @contextmanager
    def looking(self, screen_id: str, address: str, agent: str) -> Iterator[None]:
        """Count a viewer of this screen for as long as the block lasts."""
        viewer = Viewer(shortened_address(address), shortened_agent(agent), datetime.now(UTC))
        with self._lock:
            self._viewers[screen_id].add(viewer)
        try:
            yield
        finally:
            with self._lock:
                self._note_left(screen_id)
                self._viewers[screen_id].discard(viewer)
                if not self._viewers[screen_id]:
                    del self._viewers[screen_id]

    def _note_left(self, screen_id: str) -> None:
        """The one that was left longest ago stands first, and goes where there are too many."""
        self._left.pop(screen_id, None)
        self._left[screen_id] = datetime.now(UTC)
        if len(self._left) > _MOST_LEFT:
            del self._left[next(iter(self._left))]

    def of(self, screen_id: str) -> tuple[Viewer, ...]:
        """At all dashboards, the longest there first."""
        everybody = (*self.here().get(screen_id, ()), *self._others().get(screen_id, ()))
        return tuple(sorted(everybody, key=lambda viewer: viewer.since))

    def here(self) -> dict[str, tuple[Viewer, ...]]:
        """In this process, by screen id; of a screen at which nobody looks there is none."""
        with self._lock:
            return {screen_id: tuple(own) for screen_id, own in self._viewers.items()}

    def last_seen(self, screen_id: str) -> datetime | None:
        """When the last one that left did, UTC; None: nobody left."""
        with self._lock:
            return self._left.get(screen_id)


class Openings:
    """Writes down which screens walls opened, in the background: no wall waits for the file.

    To be used within one event loop. `write` is given all that were opened since it began last, in a worker
    thread, one call at a time; it raises nothing.
    """

    def __init__(self, write: Callable[[Collection[str]], None]) -> None:
        self._write = write
        self._opened: set[str] = set()
        self._writing: asyncio.Task[None] | None = None

    def note(self, screen_id: str) -> None:
        self._opened.add(screen_id)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())

    async def _write_all(self) -> None:
        while self._opened:
            opened, self._opened = self._opened, set()
            await run_in_threadpool(self._write, opened)


def shortened_address(address: str) -> str:
    """The network of an IP address: `192.168.1.*`, `2001:db8:1::*`."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv4Address):
        return f"{address.rpartition('.')[0]}.*"
    groups = parsed.exploded.split(":")[:3]
    return ":".join(f"{int(group, 16):x}" for group in groups) + "::*"


def shortened_agent(agent: str) -> str:
    """`Chrome 85 on X11; Linux armv7l` of a browser's long line."""
    system = _SYSTEM.search(agent)
    where = "; ".join(system[1].split("; ")[:_SYSTEM_PARTS]) if system else ""
    names = [name for name in _BROWSER_NAMES if f"{name}/" in agent]
    if not names:
        return (where or agent)[:_LONGEST_AGENT] or "unknown"
    version = agent.partition(f"{names[0]}/")[2].partition(".")[0]
    browser = f"{_BROWSER_NAMES[names[0]]} {version}"
    return f"{browser} on {where}"[:_LONGEST_AGENT] if where else browser[:_LONGEST_AGENT]
