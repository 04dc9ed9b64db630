"""What all parts of one feed share: its service, its clocks and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from api_client import AsyncClient
from api_client.site_now import newest_query
from contract import MetricsQuery
from live import queries
from live.clock import Clock, Moment
from live.limits import FeedLimits
from live.snapshot import FeedKey


@dataclass(frozen=True, slots=True)
class FeedContext:
    key: FeedKey
    timezone: str
    """IANA name of the site's zone."""
    client: AsyncClient
    limits: FeedLimits
    clock: Clock
    random: Random

    def now(self) -> float:
        """Monotonic seconds."""
        return self.clock.now().monotonic

    def moment(self) -> Moment:
        """The wall is the service's clock, where that is known."""
        return Moment(self.now(), self.client.service_time)

    def newest_query(self) -> MetricsQuery:
        return newest_query(self.key.site_id, self.timezone, self.key.zone_ids)

    def minutes_query(self, span: timedelta) -> MetricsQuery:
        """The minutes of the last `span`."""
        return queries.since(self.key, self.timezone, span)

    def spread(self, seconds: float) -> float:
        """About so many, so that feeds which were opened or cut off together do not ask together for ever."""
        return seconds * self.random.uniform(0.8, 1.2)
