"""Dates as HTTP headers tell them (RFC 9110, 5.6.7)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def http_date(text: str) -> datetime | None:
    """The moment, UTC, also where no zone is told; None for what is no date of the calendar."""
    try:
        date = parsedate_to_datetime(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
