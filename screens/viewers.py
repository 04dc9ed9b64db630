"""Who looks at which screen now: the streams that are open in this process.

Where several dashboards serve the same screens, each knows its own viewers only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address
from threading import Lock
from typing import Final

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


@dataclass(frozen=True, slots=True, eq=False)
class Viewer:
    address: str
    """Shortened, so that a household cannot be told by it."""
    agent: str
    """Browser and system, shortened."""
    since: datetime
    """UTC."""


class ViewerRegistry:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._viewers: defaultdict[str, set[Viewer]] = defaultdict(set)

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
                self._viewers[screen_id].discard(viewer)
                if not self._viewers[screen_id]:
                    del self._viewers[screen_id]

    def of(self, screen_id: str) -> tuple[Viewer, ...]:
        """The longest there first."""
        with self._lock:
            return tuple(sorted(self._viewers.get(screen_id, ()), key=lambda viewer: viewer.since))


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
