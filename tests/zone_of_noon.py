"""A day that is neither just begun nor about to end, at whatever hour a test runs."""

from __future__ import annotations

from datetime import UTC, datetime


def zone_of_noon() -> str:
    """The time zone in which it is between twelve and one."""
    behind = datetime.now(UTC).hour - 12  # the names of these zones tell how far they are behind UTC
    return f"Etc/GMT{behind:+d}" if behind else "Etc/GMT"
