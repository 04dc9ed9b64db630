from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from contract import MetricKey, MetricPoint, Number
from live.clock import Moment
from live.events import (
    AccessRefused,
    CheckFailed,
    Connected,
    EventsSkipped,
    FeedEvent,
    HistoryReceived,
    ReadingsReceived,
    ReplayEnded,
    StreamLost,
    StreamProven,
    ValueConfirmed,
)
from live.queries import usable
from live.reducer import KEPT, OFFLINE_AFTER, inside, reduce
from live.snapshot import FeedKey, FeedState, Reading, Snapshot

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
EMPTY = Snapshot(FeedKey("site"))
AWAITING = replace(EMPTY, awaits_past=True)


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


def through(newest: datetime) -> ReplayEnded:
    """The end of a replay over a stream that was opened at noon."""
    return ReplayEnded(newest, NOON)


def streamed(*readings: Reading) -> tuple[FeedEvent, ...]:
    """A stream that was opened, brought these and no more for a while."""
    return Connected(), received(*readings), through(max(one.measured_at for one in readings))


LIVE = after(*streamed(reading(0, 5)))


def test_a_connection_alone_is_not_live() -> None:
    assert after(Connected()).state is FeedState.CONNECTING


def test_a_recent_value_makes_a_feed_live_and_confirms_it() -> None:
    assert LIVE.state is FeedState.LIVE
    assert LIVE.confirmed_at == at(2).monotonic
    assert LIVE.since == at(2).wall
    assert inside(LIVE.newest) == 5


def test_an_old_first_value_is_shown_but_not_live() -> None:
    snapshot = after(Connected(), received(reading(-90, 5)))
    assert inside(snapshot.newest) == 5
    assert snapshot.state is FeedState.CONNECTING
    assert snapshot.confirmed_at is None


def test_what_is_replayed_after_a_reconnect_is_neither_told_nor_live_before_the_newest_is_known() -> None:
    lost = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(9))
    minutes = [reading(minute, 50 + minute) for minute in (10, 20, 28, 29, 30)]
    back = at(30 * 60)
    snapshot = reduce(lost, Connected(), back)
    for one in minutes:
        snapshot = reduce(snapshot, received(one), back)
        assert (snapshot.reported, snapshot.state) == (LIVE.reported, FeedState.RECONNECTING)
    assert reduce(snapshot, through(minutes[1].measured_at), back) == snapshot
    for known in (through(minutes[-1].measured_at), ValueConfirmed(minutes[-1])):
        shown = reduce(snapshot, known, back)
        assert (shown.reported, shown.state) == ((*LIVE.reported, *minutes), FeedState.LIVE)


def test_the_newest_minute_of_a_replay_that_breaks_off_is_the_last_known() -> None:
    lost = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(9))
    again = after(Connected(), received(reading(5, 9)), StreamLost("Again.", 0.0, 2), start=lost)
    assert again.reported == (*LIVE.reported, reading(5, 9))
    assert after(Connected(), received(reading(6, 7)), start=again).reported == again.reported
    first = after(Connected(), received(reading(-60, 9)), StreamLost("It broke.", 0.0, 1))
    assert first.reported == (reading(-60, 9),)


def test_a_replay_behind_which_no_check_answers_is_late_with_the_last_known_value() -> None:
    late = after(Connected(), received(reading(-60, 9)), CheckFailed("No answer."))
    assert (late.reported, late.state) == ((reading(-60, 9),), FeedState.LATE)


def test_a_replay_goes_on_behind_a_check_that_failed_and_no_old_minute_of_it_is_live() -> None:
    late = after(Connected(), received(reading(-300, 9)), CheckFailed("No answer."))
    on = after(received(reading(-299, 8)), through(reading(-299, 8).measured_at), start=late)
    assert (on.reported[-1], on.state) == (reading(-299, 8), FeedState.LATE)
    assert on.confirmed_at is None
    assert on.awaits_past
    rest = [reading(minute, 3) for minute in range(-298, 1)]
    ended = after(received(*rest), through(reading(0, 3).measured_at), start=on)
    assert (inside(ended.reported[-1]), ended.state) == (3, FeedState.LIVE)
    assert not ended.awaits_past


def test_a_replay_cut_behind_a_check_that_failed_leaves_the_newest_minute_that_it_brought() -> None:
    late = after(Connected(), received(reading(-300, 9)), CheckFailed("No answer."))
    cut = after(received(reading(-1, 8)), StreamLost("It broke.", 0.0, 1), start=late)
    assert (cut.reported[-1], cut.state) == (reading(-1, 8), FeedState.RECONNECTING)


def test_a_replay_on_trial_behind_a_late_value_is_told_when_it_is_through() -> None:
    late = after(CheckFailed("Asked for in vain."), start=LIVE)
    replayed = reduce(reduce(late, Connected(), at(3600)), received(reading(20, 9)), at(3600))
    assert (replayed.reported, replayed.state) == (LIVE.reported, FeedState.LATE)


def test_half_a_replay_is_not_the_past_of_today() -> None:
    half = after(Connected(), received(reading(-300, 9)))
    asked = reduce(half, ValueConfirmed(reading(0, 3), replay=through(reading(-300, 9).measured_at)), at(5))
    assert (asked.state, asked.awaits_past) == (FeedState.LIVE, True)
    first = reduce(half, received(reading(0, 3)), at(5))
    more = after(
        ValueConfirmed(reading(0, 3)), received(reading(0, 4)), received(reading(-299, 8)), start=first
    )
    assert (more.state, more.awaits_past) == (FeedState.LIVE, True)
    assert after(through(reading(0, 3).measured_at), start=more).awaits_past
    rest = received(*(reading(minute, 8) for minute in range(-298, 0)))
    assert not after(rest, through(reading(0, 3).measured_at), start=more).awaits_past


def test_a_replay_that_goes_on_with_the_running_minute_half_way_is_not_the_past_of_today() -> None:
    half = [reading(minute, 9) for minute in range(-300, -150)]
    jumped = after(*streamed(*half, reading(0, 3)))
    assert (inside(jumped.reported[-1]), jumped.state, jumped.awaits_past) == (3, FeedState.LIVE, True)


def test_a_replay_that_pauses_half_way_is_not_whole_because_a_check_tells_the_newest() -> None:
    half = [reading(minute, 9) for minute in range(-300, -150)]
    paused = after(*streamed(*half), start=EMPTY)
    asked = reduce(paused, ValueConfirmed(reading(0, 3), replay=through(half[-1].measured_at)), at(5))
    again = reduce(asked, ValueConfirmed(reading(0, 3), replay=through(half[-1].measured_at)), at(30))
    assert (asked.awaits_past, again.awaits_past) == (True, True)


def test_minutes_of_a_service_that_ignores_the_range_are_not_the_past_of_today() -> None:
    ignored = after(*streamed(reading(-1, 4), reading(0, 5)))
    assert (ignored.state, ignored.awaits_past) == (FeedState.LIVE, True)
    assert after(ValueConfirmed(reading(0, 5), replay=through(NOON)), start=ignored).awaits_past


def test_a_gap_that_a_lost_stream_left_lets_the_past_be_asked_for_again() -> None:
    known = after(*streamed(*(reading(minute, 9) for minute in range(-60, 1))))
    assert not known.awaits_past
    lost = reduce(known, StreamLost("It broke.", 0.0, 1), at(9))
    newest = reading(120, 3)
    back = at(120 * 60)
    assert reduce(lost, ValueConfirmed(newest, polling=True), back).awaits_past
    assert reduce(reduce(lost, Connected(), back), ValueConfirmed(newest), back).awaits_past
    filled = received(*(reading(minute, 5) for minute in range(1, 120)))
    replayed = reduce(reduce(lost, Connected(), back), filled, back)
    assert not reduce(replayed, ValueConfirmed(newest), back).awaits_past


def test_the_last_minutes_alone_are_not_the_past_of_today_either() -> None:
    half = after(Connected(), received(reading(-300, 9)))
    recent = HistoryReceived((reading(-1, 3), reading(0, 3)))
    assert after(recent, start=half).awaits_past
    assert not after(replace(recent, is_today=True), start=half).awaits_past


def test_a_replay_that_is_through_without_a_reading_of_it_is_not_live() -> None:
    late = after(Connected(), CheckFailed("No answer."))
    for state in (after(Connected()), late):
        assert after(through(NOON), start=state).state is state.state


def test_a_replay_behind_a_repeated_value_is_neither_live_nor_told_half_way() -> None:
    lost = reduce(after(*streamed(counted(-120, 5, 2))), StreamLost("It broke.", 0.0, 1), at(9))
    again = ReadingsReceived((counted(0, 5, 0),), is_first=True)
    half = after(Connected(), again, received(counted(-60, 9, 4)), through(NOON), start=lost)
    assert (half.reported, half.state) == (lost.reported, FeedState.RECONNECTING)


def test_an_old_minute_ends_no_doubt() -> None:
    late = after(CheckFailed("Asked for in vain."), start=LIVE)
    old = reduce(late, received(reading(20, 9)), at(3600 * 2))
    assert (inside(old.newest), old.state) == (9, FeedState.LATE)


def test_a_refusal_tells_the_last_known_value_of_a_replay() -> None:
    refused = after(Connected(), received(reading(-60, 9)), AccessRefused("No such key.", 0.0))
    assert (refused.reported, refused.state) == ((reading(-60, 9),), FeedState.REFUSED)


def test_an_answer_without_a_value_tells_no_minute_of_a_replay_that_begins_late() -> None:
    replayed = after(Connected(), ValueConfirmed(None), received(reading(-300, 9)))
    assert (replayed.reported, replayed.confirmed_at) == ((), at(1).monotonic)


def test_how_recent_a_minute_is_goes_by_the_clock_of_the_service() -> None:
    behind = NOON - timedelta(hours=1)
    minute = Reading(behind, LIVE.readings[0].values)
    lost = reduce(after(Connected(), received(minute)), StreamLost("It broke.", 0.0, 1), at(1))
    back = reduce(reduce(lost, Connected(), at(2)), received(minute), at(2))
    assert reduce(back, through(behind), at(3)).state is FeedState.RECONNECTING
    assert reduce(back, through(behind), Moment(1003.0, behind)).state is FeedState.LIVE


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
    assert inside(snapshot.newest) == 5


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
        assert inside(snapshot.newest) == 5


def test_a_check_may_lag_behind_the_stream_by_the_publication_delay() -> None:
    snapshot = reduce(LIVE, ValueConfirmed(reading(-1, 2)), at(40))
    assert snapshot.state is FeedState.LIVE
    assert inside(snapshot.newest) == 5


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
    assert inside(lost.newest) == 5
    assert lost.reconnects == 1


def test_many_failures_in_a_row_are_offline() -> None:
    lost = reduce(LIVE, StreamLost("It broke.", 0.0, OFFLINE_AFTER), at(50))
    assert lost.state is FeedState.OFFLINE


def test_since_is_when_the_state_began_not_when_it_was_last_told() -> None:
    first = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(50))
    second = reduce(first, StreamLost("It broke again.", 0.0, 2), at(70))
    assert second.since == at(50).wall
    assert second.reason == "It broke again."


def test_an_outage_does_not_begin_anew_when_it_lasts() -> None:
    first = reduce(LIVE, StreamLost("It broke.", 0.0, 1), at(50))
    lasting = reduce(first, StreamLost("It broke again.", 0.0, OFFLINE_AFTER), at(70))
    assert (lasting.state, lasting.since) == (FeedState.OFFLINE, at(50).wall)


def test_a_refusal_is_a_state_of_its_own() -> None:
    refused = reduce(LIVE, AccessRefused("No such key.", at(200).monotonic, "r-3"), at(50))
    assert (refused.state, refused.retry_at) == (FeedState.REFUSED, at(200).monotonic)


def test_a_stream_on_trial_stays_polling_until_it_has_lasted() -> None:
    polling = reduce(LIVE, ValueConfirmed(reading(0, 5), polling=True, retry_at=1.0), at(9))
    trial = reduce(reduce(polling, Connected(), at(10)), received(reading(0, 6)), at(11))
    assert (trial.state, inside(trial.newest)) == (FeedState.POLLING, 6)
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


def counted(minutes: int, inside: int, entrances: int) -> Reading:
    values = {MetricKey.VISITORS_INSIDE: inside, MetricKey.ENTRANCES: entrances, MetricKey.EXITS: 0}
    return Reading(NOON + timedelta(minutes=minutes), values)


def test_a_check_that_repeats_the_value_under_a_newer_minute_counts_no_minute() -> None:
    start = after(Connected(), received(counted(-60, 5, 2)))
    for answer in (counted(0, 5, 2), counted(0, 5, 0)):
        confirmed = reduce(start, ValueConfirmed(answer), at(5))
        assert confirmed.readings == start.readings
        assert confirmed.state is FeedState.LIVE
        assert confirmed.confirmed_at == at(5).monotonic


def test_a_stream_that_begins_with_the_value_under_a_newer_minute_counts_no_minute() -> None:
    for again in (counted(9, 5, 3), counted(9, 5, 0)):
        first = ReadingsReceived((again,), is_first=True)
        begun = after(received(counted(0, 5, 3)), first)
        assert begun.readings == (counted(0, 5, 3),)
        assert begun.confirmed_at == at(1).monotonic
        assert after(first, received(again), start=begun).newest == again
    assert after(received(counted(0, 5, 3)), ReadingsReceived((counted(9, 6, 1),), is_first=True)).newest == (
        counted(9, 6, 1)
    )


def test_the_first_value_that_is_told_counts_no_minute_where_the_past_shows_it_dated_anew() -> None:
    past = (counted(-60, 4, 2), counted(-30, 5, 1))
    for again, known in ((counted(0, 5, 0), past), (counted(0, 5, 2), (*past, counted(0, 5, 2)))):
        asked = after(ValueConfirmed(again, polling=True))
        assert (asked.reported, asked.awaits_past) == ((again,), True)
        read = reduce(asked, HistoryReceived(past, is_today=True), at(9))
        assert (read.reported, read.awaits_past, read.state) == (known, False, FeedState.POLLING)


DEAD = (counted(-120, 4, 2), counted(-110, 5, 1), counted(-100, 5, 0))
"""The last minutes of a counter that died long ago; each answer dates its value anew."""
ANEW = ValueConfirmed(counted(0, 5, 0))


def test_a_minute_that_was_dated_anew_goes_when_a_replay_behind_it_is_through() -> None:
    asked = after(Connected(), ANEW)
    running = after(received(*DEAD[:2]), received(DEAD[2]), start=asked)
    assert (running.reported[-1], running.state) == (counted(0, 5, 0), FeedState.LIVE)
    replayed = reduce(running, through(DEAD[2].measured_at), at(9))
    assert (replayed.reported, replayed.state) == (DEAD, FeedState.LIVE)
    assert reduce(replayed, ValueConfirmed(counted(1, 5, 0)), at(60)).reported == DEAD


def test_a_minute_that_was_dated_anew_goes_however_late_the_minutes_before_it_are_heard_of() -> None:
    asked = after(Connected(), ANEW, received(*DEAD))
    for news in (HistoryReceived(DEAD, is_today=True), ValueConfirmed(counted(1, 5, 0))):
        assert reduce(asked, news, at(60)).newest == DEAD[-1]
    recent = reduce(asked, HistoryReceived(()), at(60))
    assert recent.newest == counted(0, 5, 0)
    assert reduce(replace(recent, awaits_past=False), HistoryReceived(()), at(61)).newest == DEAD[-1]


def test_a_stream_that_begins_with_its_replay_and_the_value_dated_anew_counts_no_minute() -> None:
    first = ReadingsReceived((*DEAD, counted(0, 5, 0)), is_first=True)
    lost = reduce(after(*streamed(counted(-200, 9, 1))), StreamLost("It broke.", 0.0, 1), at(9))
    for start in (EMPTY, lost):
        replayed = after(Connected(), first, through(NOON), start=start)
        assert replayed.newest == DEAD[-1]
        assert replayed.reported == start.reported


def test_crossings_of_a_minute_that_the_past_does_not_have_are_not_counted_twice() -> None:
    past = (counted(-30, 9, 1), counted(-20, 12, 3), counted(1, 13, 1))
    asked = after(Connected(), ValueConfirmed(counted(0, 12, 3)), received(counted(1, 13, 1)))
    assert reduce(asked, HistoryReceived(past, is_today=True), at(9)).reported == past
    known = (*past[:2], counted(0, 12, 3), past[2])
    assert reduce(asked, HistoryReceived(known, is_today=True), at(9)).reported == known


def test_a_minute_that_was_pushed_or_is_of_the_past_is_not_taken_for_one_dated_anew() -> None:
    asked = after(Connected(), ANEW)
    push, past = received(counted(0, 5, 0)), HistoryReceived((*DEAD, counted(0, 5, 0)), is_today=True)
    for proof in ([push, received(*DEAD)], [push, ANEW, received(*DEAD)], [received(*DEAD), past]):
        assert after(*proof, through(NOON), start=asked).reported == (*DEAD, counted(0, 5, 0))


def test_a_value_that_is_repeated_soon_is_as_good_as_new() -> None:
    """A service of every minute would lose its newest one each time it is connected to."""
    soon = (counted(-3, 5, 1), counted(-2, 5, 0))
    replayed = after(Connected(), ANEW, received(*soon), through(soon[-1].measured_at))
    assert replayed.reported == (*soon, counted(0, 5, 0))


def test_an_answer_repeats_no_minute_of_a_replay_that_goes_on() -> None:
    """Else a minute of it that has the same value by chance would be told, and those after it."""
    running = after(Connected(), received(counted(-300, 5, 2)))
    asked = reduce(running, replace(ANEW, is_replaying=True), at(5))
    assert asked.reported[-1] == counted(0, 5, 0)
    on = after(received(counted(-290, 9, 4)), received(counted(0, 5, 0)), start=asked)
    assert (on.reported[-1], on.state) == (counted(0, 5, 0), FeedState.LIVE)


def test_a_replay_that_only_paused_is_not_told_further_after_a_minute_of_the_same_value() -> None:
    paused = after(Connected(), ANEW, received(*DEAD), through(DEAD[-1].measured_at))
    assert after(received(counted(-90, 9, 4)), start=paused).reported == DEAD


def test_no_minute_of_a_replay_that_goes_on_is_the_last_known_one() -> None:
    running = after(Connected(), received(reading(-300, 9)))
    failed = CheckFailed("No answer.", is_replaying=True)
    older = ValueConfirmed(reading(-400, 9), is_replaying=True)
    for doubt in (failed, older, replace(older, reading=None)):
        doubted = reduce(running, doubt, at(5))
        assert (doubted.reported, doubted.state) == ((), FeedState.LATE)
        ended = after(received(reading(-1, 8)), through(reading(-1, 8).measured_at), start=doubted)
        assert (ended.reported[-1], ended.state) == (reading(-1, 8), FeedState.LIVE)
        quiet = after(received(reading(-10, 8)), through(reading(-10, 8).measured_at), start=doubted)
        assert (quiet.reported[-1], quiet.state) == (reading(-10, 8), FeedState.LATE)


def test_a_check_in_whose_minute_somebody_was_counted_is_taken_in() -> None:
    start = after(Connected(), received(counted(-60, 5, 2)))
    for answer in (counted(0, 6, 2), counted(0, 5, 1)):
        assert reduce(start, ValueConfirmed(answer), at(5)).newest == answer


def crossing(minutes: int, value: int, entrances: int, exits: int) -> Reading:
    values = {
        MetricKey.VISITORS_INSIDE: value,
        MetricKey.ENTRANCES: entrances,
        MetricKey.EXITS: exits,
    }
    return Reading(NOON + timedelta(minutes=minutes), values)


DRIFTING = (crossing(0, 5, 5, 0), crossing(1, 0, 0, 25), crossing(2, 0, 0, 8))


def test_drift_is_judged_of_the_minutes_that_are_over() -> None:
    snapshot = after(received(*DRIFTING[:2]))
    assert snapshot.drift is not None
    assert snapshot.drift.people == 0
    later = reduce(snapshot, received(DRIFTING[2]), at(120))
    assert later.drift is not None
    assert (later.drift.people, later.drift.is_spoiling) == (20, True)


def minutes_that_lose(first: int, after: int, per_hour: int) -> list[Reading]:
    """In minutes after noon; so many people leave uncounted each hour, and nobody is inside."""
    return [crossing(minute, 0, 0, per_hour * (minute % 60 == 0)) for minute in range(first, after)]


def test_between_midnight_and_the_reset_the_count_is_judged_from_its_beginning_on_the_day_before() -> None:
    """It is noon, the count began at 16:00, and midnight was at 00:00, with somebody inside."""
    evening = [crossing(-1201, 9, 9, 0), crossing(-1200, 0, 0, 0), *minutes_that_lose(-1199, -720, 5)]
    night = [crossing(-720, 2, 2, 0), *(crossing(minute, 2, 0, 0) for minute in range(-719, 1))]
    for read in (
        [received(*evening, *night)],
        [received(*night), HistoryReceived(tuple(evening), is_today=True)],
    ):
        drift = after(*read).drift
        assert drift is not None
        assert (drift.since, drift.people) == (NOON - timedelta(minutes=1200), 35)
        assert drift.is_spoiling
        assert drift.is_begin_seen


def test_a_zero_where_reading_began_is_not_the_beginning_of_a_count() -> None:
    day = minutes_that_lose(-1439, 1, 5)
    alone = after(received(*day)).drift
    assert alone is not None
    assert (alone.is_spoiling, alone.is_begin_seen) == (True, False)
    waits = after(received(*day[-300:]), start=AWAITING).drift
    assert waits is not None
    assert (waits.people, waits.is_spoiling) == (20, False)


def test_drift_is_judged_again_once_the_past_has_come() -> None:
    waits = after(received(*minutes_that_lose(-299, 1, 5)), start=AWAITING)
    assert waits.drift is not None
    assert not waits.drift.is_spoiling
    read = reduce(waits, HistoryReceived(waits.readings, is_today=True), at(9))
    assert not read.awaits_past
    assert read.drift is not None
    assert (read.drift.is_spoiling, read.drift.is_begin_seen) == (True, True)


def test_a_count_whose_reset_does_not_show_is_judged_by_its_last_day_for_as_long_as_a_feed_lives() -> None:
    snapshot = after(received(*minutes_that_lose(-1439, 1, 5)))
    for hour in range(1, 5):
        moment = at(hour * 3600)
        snapshot = reduce(snapshot, received(*minutes_that_lose(60 * hour - 59, 60 * hour + 1, 5)), moment)
        assert snapshot.drift is not None
        assert (snapshot.drift.is_spoiling, snapshot.drift.is_begin_seen) == (True, False)


def test_drift_is_not_judged_again_while_only_the_newest_minute_changes() -> None:
    snapshot = after(received(*DRIFTING))
    again = reduce(snapshot, received(crossing(2, 0, 0, 9)), at(121))
    assert again.readings != snapshot.readings
    assert again.drift is snapshot.drift


def test_drift_is_judged_again_when_a_past_minute_comes_late() -> None:
    late = HistoryReceived((crossing(1, 0, 0, 5),))
    snapshot = reduce(after(received(*DRIFTING)), late, at(121))
    assert snapshot.drift is not None
    assert snapshot.drift.people == 0
