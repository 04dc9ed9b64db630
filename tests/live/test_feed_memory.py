"""What is kept of feeds that nobody looks at any more: that of the last ones, never of all that ever were."""

from __future__ import annotations

from time import monotonic

from live.deliveries import Deliveries
from live.feed_memory import FeedMemory
from live.snapshot import FeedKey


def visit(memory: FeedMemory, key: FeedKey) -> None:
    """Somebody looks at it, learns when its counts come and that its past is refused, and leaves."""
    memory.opened(key, monotonic)
    memory.counters.deliveries[key] = Deliveries()
    memory.refusals.refused(key, monotonic() + 600)
    memory.closed(key)


def test_of_ever_new_sites_only_the_last_are_kept() -> None:
    memory = FeedMemory(most_closed=10)
    for number in range(1000):
        visit(memory, FeedKey(f"site-{number}"))
    kept = {FeedKey(f"site-{number}") for number in range(990, 1000)}
    assert set(memory.counters.deliveries) == set(memory._logs) == kept
    assert set(memory.refusals._sites) == {key.site_id for key in kept}


def test_a_feed_that_is_open_or_was_opened_again_is_kept_however_many_come_and_go() -> None:
    memory = FeedMemory(most_closed=10)
    watched, often = FeedKey("watched"), FeedKey("often")
    log = memory.opened(watched, monotonic)
    memory.counters.deliveries[watched] = Deliveries()
    for number in range(100):
        visit(memory, FeedKey(f"site-{number}"))
        visit(memory, often)
    assert {watched, often} <= set(memory.counters.deliveries)
    assert memory.opened(watched, monotonic) is log


def test_what_a_zone_is_refused_outlives_other_zones_of_its_site() -> None:
    memory = FeedMemory(most_closed=1)
    hall, cafe = FeedKey("shop", ("hall",)), FeedKey("shop", ("cafe",))
    visit(memory, hall)
    visit(memory, cafe)
    assert not memory.refusals.may_ask(cafe, monotonic())
    assert memory.refusals.may_ask(hall, monotonic())
