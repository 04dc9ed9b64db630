"""Time zones by their IANA names: which there are, the same for all who ask or answer."""

from __future__ import annotations

from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_NO_PLACES: Final = frozenset({"localtime", "Factory", "posixrules"})
"""Files beside those of the time zones: the machine's own, one that says "not set", and a default."""


@cache
def timezone_names() -> frozenset[str]:
    """All that this machine knows."""
    return frozenset(available_timezones()) - _NO_PLACES


def zone_named(name: str) -> ZoneInfo | None:
    """None when there is no such time zone, or this machine does not know it."""
    # A name that is listed cannot lead ZoneInfo to any other file.
    return ZoneInfo(name) if name in timezone_names() else None
