"""A day that is neither just begun nor about to end, at whatever hour a test runs."""

from __future__ import annotations

from datetime import UTC, datetime


def zone_at_noon() -> str:
    """A time zone whose present day is half over, so that what is counted is in it at any hour of a test."""
    return f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"
