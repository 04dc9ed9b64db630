from __future__ import annotations

from datetime import UTC, datetime

import pytest

from analysis.drift import Drift
from contract import MetricKey
from gauge.levels import Thresholds
from live.snapshot import FeedKey, FeedState, Reading, Snapshot
from screens.definition import ViewKind, Words
from screens.shown import ShownFeed, ShownView
from screens.troubles import ShownBook, troubles_of

SINCE = datetime(2026, 11, 21, 13, 2, tzinfo=UTC)
SHOP, HALL = FeedKey("shop"), FeedKey("shop", ("hall",))


def view(*keys: FeedKey, error: str = "") -> ShownView:
    feeds = tuple(ShownFeed(key, key.name, "Europe/Zurich", None) for key in keys)
    return ShownView(
        ViewKind.NUMBER, 20, Thresholds(), Words(), "", "Etc/UTC", feeds, error, "r-1" if error else "", SINCE
    )


def counted(inside: float | None = 3) -> tuple[Reading, ...]:
    return (Reading(SINCE, {} if inside is None else {MetricKey.VISITORS_INSIDE: inside}),)


def snapshot_of(key: FeedKey) -> Snapshot:
    if key == SHOP:
        return Snapshot(key, FeedState.LIVE, readings=counted())
    return Snapshot(
        key, FeedState.OFFLINE, SINCE, "The service cannot be reached.", "Asked again", None, "r-2"
    )


def test_a_view_that_failed_is_told_with_its_request() -> None:
    (trouble,) = troubles_of([view(SHOP), view(error="No such site.")], snapshot_of)
    assert (trouble.view, trouble.reason, trouble.since, trouble.request_id) == (
        2,
        "No such site.",
        SINCE,
        "r-1",
    )


def test_a_feed_in_trouble_is_told_and_a_sound_one_is_not() -> None:
    (trouble,) = troubles_of([view(SHOP, HALL)], snapshot_of)
    assert (trouble.title, trouble.reason, trouble.next_step, trouble.request_id) == (
        "shop/hall",
        "The service cannot be reached.",
        "Asked again",
        "r-2",
    )


def test_a_live_feed_without_a_number_that_can_be_stood_by_is_told() -> None:
    """A wall shows none for it either."""
    drift = Drift(SINCE, unentered=118, unentered_at=SINCE, peak=40, minutes=9, judged=9)
    found = {
        state: [
            trouble.reason
            for snapshot in (
                Snapshot(SHOP, state, SINCE),
                Snapshot(SHOP, state, SINCE, readings=counted(None)),
                Snapshot(SHOP, state, SINCE, readings=counted(), drift=drift),
            )
            for trouble in troubles_of([view(SHOP)], lambda _key, told=snapshot: told)  # type: ignore[misc]
        ]
        for state in (FeedState.LIVE, FeedState.POLLING, FeedState.CONNECTING)
    }
    told = [
        *["There are no counts of this place yet."] * 2,
        "The number inside is unreliable: 118 more people had left than come.",
    ]
    assert found == {FeedState.LIVE: told, FeedState.POLLING: told, FeedState.CONNECTING: []}


@pytest.mark.parametrize("state", [FeedState.SILENT, FeedState.UNCERTAIN])
def test_a_feed_without_counts_is_told_with_the_time_of_the_last_one(state: FeedState) -> None:
    quiet = Snapshot(SHOP, state, SINCE, "Counts usually come every minute.", readings=counted())
    (trouble,) = troubles_of([view(SHOP)], lambda _key: quiet)
    assert (trouble.reason, trouble.since) == ("Counts usually come every minute.", SINCE)


def test_what_was_shown_is_forgotten_unless_a_wall_looks() -> None:
    now = 1000.0
    book = ShownBook(lambda: now)
    book.note("1", [view(SHOP)])
    assert len(book.of("1", is_watched=False)) == 1
    now += 600
    assert book.of("1", is_watched=False) == ()
    assert len(book.of("1", is_watched=True)) == 1
    assert book.of("2", is_watched=True) == ()


def test_deleted_screens_are_dropped_and_watched_ones_are_not() -> None:
    """A stream lasts two hours at most; a wall that looks on asks for its screen again."""
    now = 1000.0
    book = ShownBook(lambda: now)
    book.note("deleted", [view(SHOP)])
    for _ in range(2):
        book.note("watched", [view(SHOP)])
        assert len(book.of("deleted", is_watched=True)) == 1
        now += 7000
        assert len(book.of("watched", is_watched=True)) == 1
    book.note("other", [view(SHOP)])
    assert book.of("deleted", is_watched=True) == ()
    assert len(book.of("watched", is_watched=True)) == 1
