"""Live values: the hub keeps feeds of a v3 service true, the relay passes them on to browsers.

`Hub` is the one background thread; `Snapshot` what it knows of a feed; `relay_routes` what a browser opens,
with a token that `StreamSigner` signed.
"""

from live.audience import RelayLimits
from live.crossings import MOST_PASSAGES
from live.feed_context import FeedLimits
from live.health import (
    LAG_BOUNDS,
    FeedCounters,
    FeedHealth,
    HubHealth,
    LagCounters,
    PassageCounters,
    ReaderHealth,
    RelayCounters,
    relay_counters,
)
from live.hub import Hub, HubClosedError, Subscription
from live.latest_sites import ToldSite
from live.relay import STREAM, FeedStream, close_streams, relay_routes, viewer_count
from live.snapshot import CrossingsKey, FeedKey, FeedState, Reading, Snapshot
from live.tokens import (
    GrantedFeed,
    GrantedPassages,
    StreamGrant,
    StreamSigner,
    TokenError,
    TokenExpiredError,
)

__all__ = [
    "LAG_BOUNDS",
    "MOST_PASSAGES",
    "STREAM",
    "CrossingsKey",
    "FeedCounters",
    "FeedHealth",
    "FeedKey",
    "FeedLimits",
    "FeedState",
    "FeedStream",
    "GrantedFeed",
    "GrantedPassages",
    "Hub",
    "HubClosedError",
    "HubHealth",
    "LagCounters",
    "PassageCounters",
    "ReaderHealth",
    "Reading",
    "RelayCounters",
    "RelayLimits",
    "Snapshot",
    "StreamGrant",
    "StreamSigner",
    "Subscription",
    "TokenError",
    "TokenExpiredError",
    "ToldSite",
    "close_streams",
    "relay_counters",
    "relay_routes",
    "viewer_count",
]
