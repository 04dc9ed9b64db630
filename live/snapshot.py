"""What is known about a feed at one moment: an immutable value that pages and screens draw from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from typing import Final, NamedTuple

from analysis.drift import Drift
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
    """No stream is given, or each is cut at once, as behind a buffering proxy: values are asked for."""
    OFFLINE = "offline"
    """Nothing has been reached for a while; attempts go on, further apart."""
    SILENT = "silent"
    """The service is heard, over the stream or by asking, but its counter is not: no count has come for much
    longer than is usual at this time of day."""
    UNCERTAIN = "uncertain"
    """The service is heard, but the newest count is so old that its counter may have died, and past days
    have not shown yet: they are being read, or cannot be."""
    REFUSED = "refused"
    """The service refuses the key or the site (401, 403, 404); asked again every few minutes."""


STREAMING: Final = frozenset({FeedState.LIVE, FeedState.LATE})
"""Both are states of an open stream."""
UP: Final = frozenset(
    {FeedState.LIVE, FeedState.LATE, FeedState.POLLING, FeedState.SILENT, FeedState.UNCERTAIN}
)
"""States in which the service is heard."""


_PARTING: Final = str.maketrans({"%": "%25", "/": "%2F", ",": "%2C"})
"""How ids are written where these part them."""


class FeedKey(NamedTuple):
    """What distinguishes one upstream stream from another, within one service and API key."""

    site_id: str
    zone_ids: tuple[str, ...] = ()
    """Empty: the site's top zone, whichever that is."""

    @property
    def name(self) -> str:
        """Text form, stable, used by the relay and the browser: `site` or `site/zone,zone`.

        What parts the ids is escaped within them: no two feeds have one name.
        """
        site, *zones = (id_.translate(_PARTING) for id_ in (self.site_id, *self.zone_ids))
        return f"{site}/{','.join(zones)}" if zones else site


class CrossingsKey(NamedTuple):
    """Who crosses the passages of a site."""

    site_id: str

    @property
    def name(self) -> str:
        """As of a feed, and of none: no id has a slash there."""
        return f"{self.site_id.translate(_PARTING)}//passages"


LiveKey = FeedKey | CrossingsKey
"""Whatever the hub keeps true for those who look."""


class Reading(NamedTuple):
    """One minute of a feed."""

    measured_at: datetime
    """Start of the minute, UTC, as the service states it."""
    values: Mapping[MetricKey, Number]


MINUTE_OF: Final = attrgetter("measured_at")
"""The minute of a reading, to sort and to search by."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    key: FeedKey
    state: FeedState = FeedState.CONNECTING
    since: datetime | None = None
    """When the state began, or the reconnecting that made it OFFLINE: UTC, wall clock; None: not yet. Of a
    feed that is SILENT or UNCERTAIN, the start of its newest minute: nothing was counted since."""
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
    usual_gap: timedelta | None = None
    """Of a silent feed, the usual time between two counts at this time of day."""
    is_past_unread: bool = False
    """Whether it is not known if counts are missed, since the past days that would tell could not be read."""
    readings: tuple[Reading, ...] = ()
    """By minute, ascending, merged by timestamp; about the last 25 hours."""
    reported_until: datetime | None = None
    """While a stream may be replaying minutes, so that none of them is known to be the newest: the last one
    that was reported before; None: all may be reported."""
    unproven: datetime | None = None
    """The newest minute, where only an answer about now or a stream that was just opened has brought it: it
    may be one before, dated anew."""
    awaits_past: bool = False
    """Whether the minutes of today may still be on their way, so that their sum is not yet one of today."""
    drift: Drift | None = None
    """Drift of the finished minutes since the last daily reset; None: not known."""
    earlier_drifts: tuple[Drift, ...] = ()
    """Drifts between earlier daily resets, in order, as far as the readings go back."""
    top_zone_ids: tuple[str, ...] = ()
    """Zones the service says it answered for, when it said so."""
    server_tag: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Events that could not be used, by reason."""
    reconnects: int = 0
    summary: str = ""
    """The reason for those who are no administrators; empty: it is for everybody."""

    @property
    def newest(self) -> Reading | None:
        return self.readings[-1] if self.readings else None

    @property
    def reported(self) -> tuple[Reading, ...]:
        """The readings that may be shown: the last of them is the newest value, or the last known one."""
        if self.reported_until is None:
            return self.readings
        return self.readings[: bisect_right(self.readings, self.reported_until, key=MINUTE_OF)]
