"""What can happen to a feed: what its stream brings, what an answer tells, and what ends.

A `reason` is for administrators, a `summary` says the same to everybody else; empty: the reason does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from live.snapshot import Reading


@dataclass(frozen=True, slots=True)
class Connected:
    """The service has accepted the stream; no value has come yet."""


@dataclass(frozen=True, slots=True)
class ReadingsReceived:
    """What came over the stream together, in any order."""

    readings: tuple[Reading, ...]
    is_first: bool = False
    """Whether the stream was just opened: it begins with the newest value, whenever that was counted."""


@dataclass(frozen=True, slots=True)
class ReplayEnded:
    """No further minute has come for a while after the stream was opened."""

    newest: datetime
    """The newest minute that the stream has brought."""
    opened: datetime
    """When it brought its first one: what is older has been replayed."""


@dataclass(frozen=True, slots=True)
class HistoryReceived:
    """Past minutes that were asked for; they say nothing about the newest value."""

    readings: tuple[Reading, ...]
    is_today: bool = False
    """Whether all of today was asked for, not the last minutes alone."""


@dataclass(frozen=True, slots=True)
class EventsSkipped:
    """Events that hold no usable value; one reason each."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StreamProven:
    """The stream has stayed open long enough to be trusted instead of polling."""


@dataclass(frozen=True, slots=True)
class ValueConfirmed:
    """The service was asked for its newest value and answered; `reading` is None when it has none."""

    reading: Reading | None
    top_zone_ids: tuple[str, ...] = ()
    server_tag: str = ""
    polling: bool = False
    """Whether there is no stream, and values are asked for."""
    replay: ReplayEnded | None = None
    """The end of the stream's replay, where it has brought past minutes and none for a while."""
    retry_at: float | None = None
    """When the stream is tried again, in monotonic seconds, while polling."""
    is_replaying: bool = False
    """Whether the stream brings minutes right now, none of which is known to be the newest."""


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """The service was asked for its newest value and gave none that can be trusted; the stream stays open."""

    reason: str
    request_id: str = ""
    next_step: str = "Asking again."
    retry_at: float | None = None
    """When the stream is tried again, in monotonic seconds, while polling."""
    summary: str = ""
    is_replaying: bool = False
    """Whether the stream brings minutes right now, none of which is known to be the newest."""


@dataclass(frozen=True, slots=True)
class StreamLost:
    """No stream, and no value by other means."""

    reason: str
    retry_at: float
    failures: int
    """Attempts in a row without a value."""
    request_id: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class AccessRefused:
    """The service refuses the key, the site or the query."""

    reason: str
    retry_at: float
    request_id: str = ""
    summary: str = ""


FeedEvent = (
    Connected
    | ReadingsReceived
    | ReplayEnded
    | HistoryReceived
    | EventsSkipped
    | StreamProven
    | ValueConfirmed
    | CheckFailed
    | StreamLost
    | AccessRefused
)
