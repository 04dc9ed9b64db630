from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from contract import MetricKey, MetricPoint, Number
from live.clock import Moment
from live.questions import usable
from live.reducer import (
    KEPT,
    OFFLINE_AFTER,
    AccessRefused,
    CheckFailed,
    Connected,
    EventsSkipped,
    FeedEvent,
    HistoryReceived,
    ReadingsReceived,
    StreamLost,
    StreamProven,
    ValueConfirmed,
    inside,
    reduce,
)
from live.snapshot import FeedKey, FeedState, Reading, Snapshot

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
EMPTY = Snapshot(FeedKey("site"))


def at(seconds: float) -> Moment:
    return Moment(1000.0 + seconds, NOON + timedelta(seconds=seconds))


def reading(minutes: int, value: int) -> Reading:
    return Reading(NOON + timedelta(minutes=minutes), {MetricKey.VISITORS_INSIDE: value})


def received(*readings: Reading) -> ReadingsReceived:
    return ReadingsReceived(readings)


def after(*events: FeedEvent, start: Snapshot = EMPTY) -> Snapshot:
    """The snapshot after these events, one second apart."""
    snapshot = start
    for second, event in enumerate(events):
        snapshot = reduce(snapshot, event, at(second))
    return snapshot


LIVE = after(Connected(), received(reading(0, 5)))


def test_a_connection_alone_is_not_live() -> None:
    assert after(Connected()).state is FeedState.CONNECTING


def test_a_recent_value_makes_a_feed_live_and_confirms_it() -> None:
    assert LIVE.state is FeedState.LIVE
    assert LIVE.confirmed_at == at(1).monotonic
    assert LIVE.since == at(1).wall
    assert inside(LIVE.latest) == 5


def test_an_old_first_value_is_shown_but_not_live() -> None:
    snapshot = after(Connected(), received(reading(-90, 5)))
    assert inside(snapshot.latest) == 5
    assert snapshot.state is FeedState.CONNECTING
    assert snapshot.confirmed_at is None


def test_a_check_that_stands_by_an_old_value_makes_it_live() -> None:
    snapshot = after(Connected(), received(reading(-90, 5)), ValueConfirmed(reading(-90, 5)))
    assert snapshot.state is FeedState.LIVE
    assert snapshot.confirmed_at == at(2).monotonic


def test_readings_of_a_minute_replace_each_other_and_order_does_not_matter() -> None:
    parts = [reading(-2, 1), reading(-1, 2), reading(0, 3)]
    for order in permutations(parts):
        assert after(*map(received, order)).readings == tuple(parts)
    assert after(received(reading(0, 3)), received(reading(0, 4))).readings == (reading(0, 4),)


def test_an_older_reading_does_not_confirm_the_newest_value() -> None:
    snapshot = reduce(LIVE, received(reading(-1, 9)), at(50))
    assert snapshot.confirmed_at == LIVE.confirmed_at
    assert inside(snapshot.latest) == 5


def test_history_fills_the_past_and_confirms_nothing() -> None:
    snapshot = reduce(EMPTY, HistoryReceived((reading(-2, 1), reading(-1, 2))), at(0))
    assert len(snapshot.readings) == 2
    assert snapshot.state is FeedState.CONNECTING
    assert snapshot.confirmed_at is None


def test_empty_history_changes_nothing() -> None:
    assert reduce(LIVE, HistoryReceived(()), at(9)) is LIVE


def test_readings_older_than_the_kept_span_go() -> None:
    edge = int(KEPT.total_seconds() // 60)
    snapshot = after(received(reading(-edge - 1, 1), reading(-edge, 2), reading(0, 3)))
    assert [inside(kept) for kept in snapshot.readings] == [2, 3]


def test_a_failed_check_makes_a_live_feed_late_with_the_reason() -> None:
    late = reduce(LIVE, CheckFailed("The service failed.", "r-1"), at(40))
    assert (late.state, late.reason, late.request_id) == (FeedState.LATE, "The service failed.", "r-1")
    assert late.confirmed_at == LIVE.confirmed_at
    assert reduce(late, ValueConfirmed(reading(0, 5)), at(45)).state is FeedState.LIVE


def test_a_check_that_answers_with_less_than_is_known_confirms_nothing() -> None:
    for answer in (None, reading(-30, 2)):
        snapshot = reduce(LIVE, ValueConfirmed(answer), at(40))
        assert snapshot.state is FeedState.LATE
        assert inside(snapshot.latest) == 5


def test_a_check_may_lag_behind_the_stream_by_the_publication_delay() -> None:
    snapshot = reduce(LIVE, ValueConfirmed(reading(-1, 2)), at(40))
    assert snapshot.state is FeedState.LIVE
    assert inside(snapshot.latest) == 5


def test_a_site_without_counts_is_live_and_says_so() -> None:
    snapshot = after(Connected(), ValueConfirmed(None))
    assert snapshot.state is FeedState.LIVE
    assert "no counts" in snapshot.reason


def test_the_top_zone_is_learned_from_a_check_and_kept() -> None:
    learned = reduce(LIVE, ValueConfirmed(reading(0, 5), ("shop",), "v1"), at(9))
    kept = reduce(learned, ValueConfirmed(reading(0, 5)), at(10))
    assert (kept.top_zone_ids, kept.server_tag) == (("shop",), "v1")


def test_a_lost_stream_keeps_the_value_and_tells_when_it_is_tried_again() -> None:
    lost = reduce(LIVE, StreamLost("It broke.", at(60).monotonic, 1, "r-2"), at(50))
    assert (lost.state, lost.reason, lost.request_id) == (FeedState.RECONNECTING, "It broke.", "r-2")
    assert lost.retry_at == at(60).monotonic
    assert lost.next_step
    assert inside(lost.latest) == 5
    assert lost.reconnects == 1


def test_many_failures_in_a_row_are_offline() -> None:
    lost = reduce(LIVE, StreamLost("It broke.", 0.0, OFFLINE_AFTER), at(50))
    assert lost.state is FeedState.OFFLINE


def test_since_is_when_the_state_began_not_when_it_was_last_told() -> None:
    first = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(50))
    second = reduce(first, StreamLost("It broke again.", 0.0, 2), at(70))
    assert second.since == at(50).wall
    assert second.reason == "It broke again."


def test_a_refusal_is_a_state_of_its_own() -> None:
    refused = reduce(LIVE, AccessRefused("No such key.", at(200).monotonic, "r-3"), at(50))
    assert (refused.state, refused.retry_at) == (FeedState.REFUSED, at(200).monotonic)


def test_a_stream_on_trial_stays_polling_until_it_has_lasted() -> None:
    polling = reduce(LIVE, ValueConfirmed(reading(0, 5), polling=True, retry_at=1.0), at(9))
    trial = reduce(reduce(polling, Connected(), at(10)), received(reading(0, 6)), at(11))
    assert (trial.state, inside(trial.latest)) == (FeedState.POLLING, 6)
    assert reduce(trial, StreamProven(), at(15)).state is FeedState.LIVE
    lost = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(50))
    assert reduce(lost, StreamProven(), at(15)) is lost


def test_skipped_events_are_counted_by_reason() -> None:
    snapshot = after(EventsSkipped(("not JSON", "not JSON")), EventsSkipped(("not JSON", "other")))
    assert snapshot.skipped == {"not JSON": 3, "other": 1}
    assert snapshot.state is FeedState.CONNECTING


READINGS = st.builds(reading, st.integers(-200, 0), st.integers(0, 99))


@given(st.lists(st.lists(READINGS, min_size=1, max_size=5)))
def test_whatever_arrives_readings_ascend_by_minute_and_the_newest_never_goes_back(
    batches: list[list[Reading]],
) -> None:
    snapshot, newest = EMPTY, NOON - timedelta(days=9)
    for batch in batches:
        snapshot = reduce(snapshot, ReadingsReceived(tuple(batch)), at(0))
        minutes = [kept.measured_at for kept in snapshot.readings]
        assert minutes == sorted(set(minutes))
        assert minutes[-1] >= newest
        newest = minutes[-1]


def test_only_points_of_whole_minutes_are_readings() -> None:
    """Today's entrances are the sum of its readings: a minute told a thousand times must not be."""
    metrics: dict[str, Number] = {"visitorsInside": 5, "entrances": 9}
    whole = MetricPoint(timestamp=NOON, metrics=metrics)
    within = [MetricPoint(timestamp=NOON + timedelta(microseconds=n), metrics=metrics) for n in (1, 10**6)]
    readings, reasons = usable([*within, whole])
    assert [one.measured_at for one in readings] == [NOON]
    assert reasons == ("not of a whole minute",) * 2
