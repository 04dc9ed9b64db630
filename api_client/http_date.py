"""Dates as HTTP headers tell them (RFC 9110, 5.6.7)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from api_client.plausible import END

_BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Before it no clock is that has been set."""


def http_date(text: str) -> datetime | None:
    """The moment, UTC, also where no zone is told; None for what is no date of these centuries."""
    try:
        date = parsedate_to_datetime(text)
        moment = date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return moment if _BEGINNING <= moment < END else None
