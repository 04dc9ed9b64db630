from __future__ import annotations

from live import FeedKey


def test_no_two_feeds_have_one_name() -> None:
    keys = [
        FeedKey("a/b"),
        FeedKey("a%2Fb"),
        FeedKey("a", ("b",)),
        FeedKey("a", ("b", "c")),
        FeedKey("a", ("b,c",)),
        FeedKey("a", ("b%2Cc",)),
        FeedKey("a", ("",)),
        FeedKey("a"),
    ]
    assert len({key.name for key in keys}) == len(keys)


def test_the_name_of_a_feed_is_that_of_its_site_and_zones() -> None:
    assert FeedKey("Zürich 1").name == "Zürich 1"
    assert FeedKey("shop", ("hall", "café")).name == "shop/hall,café"
