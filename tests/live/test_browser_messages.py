from __future__ import annotations

from datetime import UTC, datetime, timedelta

from contract import MetricKey
from live import FeedKey, FeedState, GrantedFeed, Reading, Snapshot
from live.browser_messages import FeedChange, FeedEncoder
from live.clock import Moment

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
FEED = GrantedFeed(FeedKey("site-1"), "Europe/Zurich")
READINGS = tuple(
    Reading(NOON - timedelta(minutes=back), {MetricKey.VISITORS_INSIDE: back}) for back in range(119, -1, -1)
)


def whole_feed(number: int = 0) -> FeedChange:
    """A change of its own, as it is told to somebody who knows nothing yet."""
    snapshot = Snapshot(FEED.key, FeedState.LIVE, readings=READINGS, reconnects=number)
    return FeedChange(FEED, snapshot, None)


def at(seconds: float) -> Moment:
    return Moment(1000.0 + seconds, NOON + timedelta(seconds=seconds))


def test_what_many_need_at_once_is_encoded_once() -> None:
    encoder, change = FeedEncoder(), whole_feed()
    assert encoder.encode(change, at(0)) is encoder.encode(change, at(0.4))
    assert encoder.size == len(encoder.encode(change, at(0.4)))


def test_what_is_too_old_to_be_shared_is_not_kept() -> None:
    encoder = FeedEncoder()
    changes = [whole_feed(number) for number in range(100)]
    for change in changes:
        encoder.encode(change, at(0))
    last = encoder.encode(whole_feed(), at(60))
    assert encoder.size == len(last)


def test_a_burst_is_kept_within_bounds() -> None:
    encoder = FeedEncoder()
    changes = [whole_feed(number) for number in range(6000)]
    sizes = []
    for change in changes:
        encoder.encode(change, at(0))
        sizes.append(encoder.size)
    assert max(sizes) <= 5 * 1024 * 1024
    assert sizes[-1] > 0
