"""The clock of the service, which tests replace by one of theirs."""

from __future__ import annotations

from datetime import UTC, datetime


def present() -> datetime:
    """The present instant, in UTC."""
    return datetime.now(UTC)
