"""What is known of the connection to the service, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

import pandas as pd

from components.plain_text import one_line

_SHOWN_START: Final = 5
_SHOWN_END: Final = 2
_LEAST_HIDDEN: Final = 8
"""A key so short that fewer characters would stay hidden is hidden whole."""


class StreamRow(NamedTuple):
    """One stream that the dashboard holds open, for all who look at it."""

    feed: str
    state: str
    since: datetime | None
    reason: str
    next_step: str
    viewers: int
    measured_at: datetime | None
    """Start of the newest minute, UTC."""
    reconnects: int
    skipped: int
    """Events that could not be used."""
    request_id: str


class ErrorRow(NamedTuple):
    time: datetime
    operation: str
    code: str
    message: str
    request_id: str


def masked(key: str) -> str:
    """The first five and the last two characters of a key; nothing of a short one."""
    if not key:
        return "none"
    if len(key) < _SHOWN_START + _SHOWN_END + _LEAST_HIDDEN:
        return "•" * 8
    return f"{key[:_SHOWN_START]}…{key[-_SHOWN_END:]}"


def streams_table(rows: Sequence[StreamRow]) -> pd.DataFrame:
    """Those that are not live come first."""
    ordered = sorted(rows, key=lambda row: (row.state == "live", row.feed))
    return pd.DataFrame([_shown(row) for row in ordered], columns=list(StreamRow._fields))


def errors_table(rows: Sequence[ErrorRow]) -> pd.DataFrame:
    """Newest first."""
    ordered = sorted(rows, key=lambda row: row.time, reverse=True)
    return pd.DataFrame([_shown(row) for row in ordered], columns=list(ErrorRow._fields))


def _shown(row: StreamRow | ErrorRow) -> list[object]:
    return [one_line(value) if isinstance(value, str) else value for value in row]
