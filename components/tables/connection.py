"""What is known of the connection to the service, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import pandas as pd

from analysis.names import one_line

LIVE: Final = "live"
_SHOWN_START: Final = 5
_SHOWN_END: Final = 2
_LEAST_HIDDEN: Final = 8
"""A key so short that fewer characters would stay hidden is hidden whole."""


STATE_WORDS: Final[Mapping[str, str]] = {
    "connecting": "Connecting",
    "live": "Live",
    "late": "Late",
    "reconnecting": "Reconnecting",
    "polling": "Polling",
    "offline": "Offline",
    "silent": "No counts",
    "uncertain": "Uncertain",
    "refused": "Refused",
}
"""A gauge says the same ones, and "Checking" where past days are being read."""


class StreamRow(NamedTuple):
    """One stream that the dashboard holds open, for all who look at it."""

    place: str
    """A site, or a zone of one, by name."""
    feed: str
    """The ids that it is asked for by."""
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
    is_since_sure: bool = True
    """Whether it is known that the state began no earlier than `since`."""


class ReaderRow(NamedTuple):
    """The passages of one site, which are read in turn for all who look at its drawing."""

    place: str
    read: int
    listed: int | None
    """How many it has; None: not known yet."""
    reason: str
    """What keeps any of them unread; empty: nothing."""
    viewers: int


class ErrorRow(NamedTuple):
    """One failed request to the service."""

    time: datetime
    operation: str
    code: str
    message: str
    request_id: str


def place_name(
    site_id: str,
    zone_ids: Sequence[str],
    sites: Mapping[str, str],
    zones: Mapping[str, Mapping[str, str]],
) -> str:
    """`Shop, Hall`. `sites` are labels by id, `zones` by site id and id; what is in neither is its id."""
    known = zones.get(site_id, {})
    return ", ".join([sites.get(site_id, site_id), *(known.get(zone_id, zone_id) for zone_id in zone_ids)])


def masked(key: str) -> str:
    """The first five and the last two characters of a key; nothing of a short one."""
    if not key:
        return "none"
    if len(key) < _SHOWN_START + _SHOWN_END + _LEAST_HIDDEN:
        return "•" * 8
    return f"{key[:_SHOWN_START]}…{key[-_SHOWN_END:]}"


def streams_table(rows: Sequence[StreamRow], write: Callable[[datetime], str] = str) -> pd.DataFrame:
    """Those that are not live come first. `since` is in words, its moment as `write` writes it."""
    ordered = sorted(rows, key=lambda row: (row.state == LIVE, row.place.casefold(), row.feed))
    table = pd.DataFrame([_shown(row) for row in ordered], columns=list(StreamRow._fields))
    table["since"] = [_since(row, write) for row in ordered]
    return table.drop(columns="is_since_sure")


def readers_table(rows: Sequence[ReaderRow]) -> pd.DataFrame:
    """The columns are the fields of `ReaderRow`; those of which there is something to tell come first."""
    ordered = sorted(rows, key=lambda row: (not row.reason, row.place.casefold()))
    return pd.DataFrame([_shown(row) for row in ordered], columns=list(ReaderRow._fields))


def errors_table(rows: Sequence[ErrorRow]) -> pd.DataFrame:
    """The columns are the fields of `ErrorRow`; newest first."""
    ordered = sorted(rows, key=lambda row: row.time, reverse=True)
    return pd.DataFrame([_shown(row) for row in ordered], columns=list(ErrorRow._fields))


def troubled_streams(rows: Sequence[StreamRow], write: Callable[[datetime], str] = str) -> pd.DataFrame:
    """Those that are not live, in words: `place`, `state`, `since`, `reason`, `next_step`."""
    table = streams_table([row for row in rows if row.state != LIVE], write)
    table["state"] = [STATE_WORDS.get(state, state) for state in table["state"]]
    return table[["place", "state", "since", "reason", "next_step"]]


def _since(row: StreamRow, write: Callable[[datetime], str]) -> str | None:
    """As a gauge says it: a trouble that was there before the first value began nobody knows when."""
    if row.since is None:
        return None
    return write(row.since) if row.is_since_sure else f"{write(row.since)} or before"


def _shown(row: StreamRow | ReaderRow | ErrorRow) -> list[object]:
    return [one_line(value) if isinstance(value, str) else value for value in row]
