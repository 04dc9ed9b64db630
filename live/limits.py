"""The times and numbers by which a feed judges its stream, and the relay its readers; tests compress them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FeedLimits:
    """All times in seconds."""

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
    beat: float = 1.0
    """How often the hub's loop notes that it turns."""
    linger: float = 60.0
    """A feed without subscribers stays open this long: pages come and go."""


@dataclass(frozen=True, slots=True)
class RelayLimits:
    """All times in seconds."""

    heartbeat: float = 15.0
    gather: float = 0.02
    """Changes that come within this time of the first travel with it: one count changes several feeds."""
    merge: float = 0.2
    """Shortest time between two messages; changes in between travel in the next."""
    send: float = 20.0
    """A reader that takes no byte for this long is cut."""
    lifetime: tuple[float, float] = (3600.0, 7200.0)
    """Each response ends after a time drawn from this span, so that their returns are spread."""
    retry: tuple[int, int] = (2000, 4000)
    """Milliseconds after which a browser comes back, drawn anew for each, for the same reason."""
