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
from live.snapshot import FeedKey


@dataclass(frozen=True, slots=True)
class FeedLimits:
    """The times and numbers by which a feed judges its stream; tests compress them. All times in seconds."""

    answer: float = 10.0
    """Longest pause within the answer to a single query; all of it may take three times as long."""
    idle: float = 45.0
    """Longest time without any byte on a stream; services send a heartbeat about every 15 s."""
    first_check: float = 2.0
    """After a connect without a fresh value, the service is asked for its newest one this soon."""
    silence: float = 25.0
    """Without a value for this long, the service is asked whether the newest one still holds."""
    recheck: float = 5.0
    """Between a check that failed and the one that decides."""
    cut: float = 5.0
    """A stream that ends sooner counts as cut at once."""
    cuts_before_polling: int = 3
    poll: float = 10.0
    """Between two queries while polling."""
    unheard: float = 4.0
    """Without an open stream for this long, the newest value is asked for instead."""
    grace: float = 6.0
    """A live feed whose stream is lost stays live for this long: after `unheard`, time for an answer."""
    refill: float = 60.0
    """Between two readings of the recent past: for counts that arrived late, and for the last second of a
    minute, which a stream of at most one event a second may pass over when the next minute begins."""
    refill_day: float = 600.0
    """Between two readings of all of a day: a sensor that was cut off delivers hours at once, and a service
    need not send them to streams that are open."""
    cadence: float = 30.0
    """Between two looks whether past days should be asked for how often counts usually come."""
    cadence_again: float = 600.0
    """Until past days that could not be read are asked for again."""
    probe: float = 180.0
    """Between two attempts while refused, and the longest pause that a service can ask for."""
    first_wait: float = 1.0
    """Ceiling of the first wait after a lost stream."""
    longest_wait: float = 60.0
    """Highest ceiling of a wait after a lost stream; while polling, about the time between two streams."""
    stable: float = 60.0
    """A stream that lasted this long begins the waits from the first again; one that brought its newest value
    and was not cut at once does, too."""
    question: float = 0.25
    """Between two questions about passages, for all sites that are looked at together."""
    round: float = 5.0
    """From the beginning of one round through the passages of a site to that of the next."""
    offer_again: float = 600.0
    """Between two attempts at that stream where the service has none."""
    looked: float = 120.0
    """For so long after a look at all sites that stream stays open."""
    beat: float = 1.0
    """How often the hub's loop notes that it turns."""
    linger: float = 60.0
    """A feed without subscribers stays open this long: pages come and go."""


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
