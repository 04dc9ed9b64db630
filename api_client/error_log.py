"""The last errors of a client, for the page that shows the connection."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import Final, NamedTuple

from api_client.errors import ApiClientError

_KEPT: Final = 50


class ErrorRecord(NamedTuple):
    time: datetime
    """UTC."""
    operation: str
    code: str
    message: str
    request_id: str


class ErrorLog:
    """The newest errors, bounded; safe to use from several threads."""

    def __init__(self) -> None:
        self._records: deque[ErrorRecord] = deque(maxlen=_KEPT)

    def add(self, operation: str, error: ApiClientError) -> None:
        record = ErrorRecord(datetime.now(UTC), operation, error.code, error.message, error.request_id)
        self._records.append(record)

    def note(self, operation: str, code: str, message: str) -> None:
        """What was left out of an answer that was used; once, however often it is asked for."""
        known = ((record.operation, record.code, record.message) for record in self._records.copy())
        if (operation, code, message) not in known:
            self._records.append(ErrorRecord(datetime.now(UTC), operation, code, message, ""))

    def newest_first(self) -> tuple[ErrorRecord, ...]:
        return tuple(reversed(self._records.copy()))
