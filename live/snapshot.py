"""What is known about a feed at one moment: an immutable value that pages and screens draw from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from contract import MetricKey, Number


class FeedState(StrEnum):
    """How far the newest value can be trusted right now."""

    CONNECTING = "connecting"
    """The first connection is being made; nothing is known yet."""
    LIVE = "live"
    """The stream is open and the value is fresh, or a check confirmed it."""
    LATE = "late"
    """The stream is open, but the value is older than it should be and no check confirms it."""
    RECONNECTING = "reconnecting"
    """The stream broke; the next attempt is scheduled."""
    POLLING = "polling"
    """The stream is cut at once again and again, as behind a buffering proxy: values are asked for."""
    OFFLINE = "offline"
    """Nothing has been reached for a while; attempts go on, further apart."""
    REFUSED = "refused"
    """The service refuses the key or the site (401, 403, 404); asked again every few minutes."""


class FeedKey(NamedTuple):
    """What distinguishes one upstream stream from another, within one service and API key."""

    site_id: str
    zone_ids: tuple[str, ...] = ()
    """Empty: the site's top zone, whichever that is."""

    @property
    def name(self) -> str:
        """Text form, stable, used by the relay and the browser: `site` or `site/zone,zone`."""
        return "/".join((self.site_id, ",".join(self.zone_ids))) if self.zone_ids else self.site_id


class Reading(NamedTuple):
    """One minute of a feed."""

    measured_at: datetime
    """Start of the minute, UTC, as the service states it."""
    values: Mapping[MetricKey, Number]


@dataclass(frozen=True, slots=True)
class Snapshot:
    key: FeedKey
    state: FeedState = FeedState.CONNECTING
    since: datetime | None = None
    """When the state began, UTC, wall clock; None before the first attempt."""
    reason: str = ""
    """Why the state is what it is, for people."""
    next_step: str = ""
    """What will happen next, for people; empty while all is well."""
    retry_at: float | None = None
    """When it will happen, on the hub's monotonic clock, in seconds."""
    request_id: str = ""
    """Request id of the answer that led to a refusal or an error, to quote to support."""
    confirmed_at: float | None = None
    """When the service last stood by the newest value (an event or a check), monotonic seconds."""
    readings: tuple[Reading, ...] = ()
    """By minute, ascending, merged by timestamp; about the last 26 hours."""
    top_zone_ids: tuple[str, ...] = ()
    """Zones the service says it answered for, when it said so."""
    server_tag: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Events that could not be used, by reason."""
    reconnects: int = 0

    @property
    def latest(self) -> Reading | None:
        return self.readings[-1] if self.readings else None
