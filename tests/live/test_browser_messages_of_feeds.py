from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.drift import Drift
from contract import MetricKey
from live.browser_messages import encode_feed
from live.clock import Moment
from live.snapshot import FeedKey, FeedState, Reading, Snapshot

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 1, 10, 0, 30, tzinfo=UTC)
MOMENT = Moment(5000.0, NOW)


def reading(at: datetime, inside: int, entrances: int | None = 1) -> Reading:
    values = {MetricKey.VISITORS_INSIDE: inside, MetricKey.EXITS: 1}
    return Reading(at, values | ({} if entrances is None else {MetricKey.ENTRANCES: entrances}))


def snapshot(*readings: Reading) -> Snapshot:
    return Snapshot(FeedKey("site"), FeedState.LIVE, since=NOW, readings=readings)


def test_a_feed_without_a_value_is_all_unknown() -> None:
    assert encode_feed(Snapshot(FeedKey("site")), MOMENT, ZURICH) == {
        "state": "connecting",
        "since": None,
        "reason": "",
        "next": "",
        "retry_in": None,
        "is_summary": False,
        "usual_gap": None,
        "past_unread": False,
        "inside": None,
        "measured_at": None,
        "confirmed_age": None,
        "drift": None,
        "left_over": None,
        "spoilt_until": None,
        "entrances_today": None,
        "exits_today": None,
        "today_since": None,
        "today_until": datetime(2026, 6, 1, 22, tzinfo=UTC).timestamp(),
        "counted_today": None,
        "fullest_today": None,
        "leapt_at": None,
        "points": [],
    }


def test_ages_and_waits_come_from_the_monotonic_clock() -> None:
    encoded = encode_feed(replace(snapshot(), confirmed_at=4988.0, retry_at=5003.5), MOMENT, ZURICH)
    assert encoded["confirmed_age"] == 12.0
    assert encoded["retry_in"] == 3.5


def test_the_usual_gap_of_a_silent_feed_is_in_seconds() -> None:
    silent = replace(snapshot(), state=FeedState.SILENT, usual_gap=timedelta(minutes=10))
    encoded = encode_feed(silent, MOMENT, ZURICH)
    assert (encoded["state"], encoded["usual_gap"]) == ("silent", 600.0)


def test_points_go_back_two_hours() -> None:
    readings = [reading(NOW.replace(second=0) - timedelta(minutes=back), back) for back in range(130, -1, -1)]
    points = encode_feed(snapshot(*readings), MOMENT, ZURICH)["points"]
    assert points[0] == [int((NOW.replace(second=0) - timedelta(minutes=119)).timestamp()), 119]
    assert points[-1] == [int(NOW.replace(second=0).timestamp()), 0]


def test_a_reader_gets_only_points_that_are_new_or_replaced() -> None:
    first, second = (reading(NOW - timedelta(minutes=back), 1) for back in (2, 1))
    known = snapshot(first, second)
    replaced = reading(second.measured_at, 7)
    third = reading(NOW, 8)
    points = encode_feed(snapshot(first, replaced, third), MOMENT, ZURICH, known=known)["points"]
    assert [inside for _, inside in points] == [7, 8]
    assert encode_feed(known, MOMENT, ZURICH, known=known)["points"] == []


def test_today_begins_at_midnight_of_the_sites_zone() -> None:
    midnight = datetime(2026, 5, 31, 22, 0, tzinfo=UTC)
    yesterday, today = reading(midnight - timedelta(minutes=1), 3, 10), reading(midnight, 4, 20)
    encoded = encode_feed(snapshot(yesterday, today, reading(NOW, 5, 30)), MOMENT, ZURICH)
    assert encoded["entrances_today"] == 50
    assert encoded["exits_today"] == 2
    assert encoded["today_since"] == midnight.timestamp()


def test_today_ends_when_the_clocks_of_the_sites_zone_say_so() -> None:
    change = datetime(2027, 10, 31, 1, 0, tzinfo=UTC)
    encoded = encode_feed(snapshot(), Moment(5000.0, change), ZURICH)
    assert encoded["today_until"] == (change + timedelta(hours=22)).timestamp(), "it has 25 hours"


def test_a_day_that_is_not_covered_from_midnight_says_since_when() -> None:
    start = datetime(2026, 6, 1, 6, 17, tzinfo=UTC)
    assert encode_feed(snapshot(reading(start, 3)), MOMENT, ZURICH)["today_since"] == start.timestamp()


def test_how_many_minutes_of_today_are_counted_is_told_from_the_first_to_the_last() -> None:
    start = datetime(2026, 6, 1, 6, 17, tzinfo=UTC)
    minutes = [start + timedelta(minutes=late) for late in (0, 1, 2, 3, 64, 65, 66)]
    counted = encode_feed(snapshot(*(reading(at, 3) for at in minutes)), MOMENT, ZURICH)["counted_today"]
    assert counted == (7, 67)


def test_of_counts_that_stand_hours_apart_it_is_not_known_which_minutes_are_missing() -> None:
    start = datetime(2026, 6, 1, 4, 0, tzinfo=UTC)
    hourly = [reading(start + timedelta(hours=late), 3) for late in range(4)]
    assert encode_feed(snapshot(*hourly), MOMENT, ZURICH)["counted_today"] is None


def test_a_day_without_a_reading_has_no_totals() -> None:
    encoded = encode_feed(snapshot(reading(NOW - timedelta(days=1), 3)), MOMENT, ZURICH)
    assert encoded["inside"] == 3
    assert (encoded["entrances_today"], encoded["exits_today"], encoded["today_since"]) == (None, None, None)


def test_a_total_without_any_value_is_missing_not_zero() -> None:
    encoded = encode_feed(snapshot(reading(NOW, 3, None)), MOMENT, ZURICH)
    assert encoded["entrances_today"] is None
    assert encoded["exits_today"] == 1


@pytest.mark.parametrize(
    ("now", "midnight"),
    [
        ("2026-03-29T10:00:00+00:00", "2026-03-28T23:00:00+00:00"),
        ("2026-10-25T10:00:00+00:00", "2026-10-24T22:00:00+00:00"),
    ],
)
def test_a_day_on_which_the_clocks_change_begins_at_its_own_midnight(now: str, midnight: str) -> None:
    start = datetime.fromisoformat(midnight)
    readings = snapshot(reading(start - timedelta(minutes=1), 1, 100), reading(start, 1, 1))
    encoded = encode_feed(readings, Moment(0.0, datetime.fromisoformat(now)), ZURICH)
    assert encoded["entrances_today"] == 1


def test_a_drift_is_told_only_where_it_spoils_the_number() -> None:
    since, at = NOW - timedelta(hours=4), NOW - timedelta(hours=1)
    drift = Drift(since, unentered=118, unentered_at=at, peak=37, minutes=200, judged=200)
    told = encode_feed(replace(snapshot(), drift=drift), MOMENT, ZURICH)["drift"]
    assert told == {"people": 118, "since": since.timestamp(), "begun": True, "at": at.timestamp()}
    unseen = encode_feed(replace(snapshot(), drift=replace(drift, is_begin_seen=False)), MOMENT, ZURICH)
    assert unseen["drift"]["begun"] is False
    small = replace(drift, peak=1000)
    assert encode_feed(replace(snapshot(), drift=small), MOMENT, ZURICH)["drift"] is None


def test_people_who_were_left_over_when_the_count_began_are_told_where_they_are_many() -> None:
    reset = NOW - timedelta(hours=6)
    present = Drift(reset, peak=50, minutes=360, judged=360)
    before = Drift(
        NOW - timedelta(hours=24), until=reset, unleft=84, is_whole=False, peak=90, minutes=1000, judged=1000
    )

    def left_over(*counts: Drift) -> object:
        judged = replace(snapshot(), drift=present, earlier_drifts=counts)
        return encode_feed(judged, MOMENT, ZURICH)["left_over"]

    assert left_over(before) == {"people": 84, "at": reset.timestamp()}
    night = Drift(reset, until=NOW - timedelta(hours=2), minutes=240, judged=240, is_reset_seen=True)
    assert left_over(before, night) == left_over(before), "a shop that opened since"
    assert left_over(replace(before, unleft=9)) is None
    assert left_over(replace(before, peak=900)) is None
    assert left_over(replace(before, is_reset_seen=False)) is None
    assert left_over(replace(before, unleft=0, unentered=84)) is None


def test_minutes_of_a_spoilt_count_mean_no_more_once_the_next_one_has_begun() -> None:
    reset = NOW - timedelta(minutes=40)
    present = Drift(reset, peak=5, minutes=40, judged=40)
    before = Drift(
        NOW - timedelta(hours=24), until=reset, unentered=118, unentered_at=reset - timedelta(hours=3),
        peak=37, minutes=1000, judged=1000,
    )  # fmt: skip

    def spoilt_until(*counts: Drift) -> object:
        judged = replace(snapshot(), drift=present, earlier_drifts=counts)
        return encode_feed(judged, MOMENT, ZURICH)["spoilt_until"]

    assert spoilt_until(before) == reset.timestamp()
    assert spoilt_until(replace(before, unentered=2)) is None
    quiet = Drift(reset, until=reset + timedelta(minutes=10), peak=5, minutes=10, judged=10)
    assert spoilt_until(before, quiet) == reset.timestamp()
    yesterday = replace(before, until=NOW - timedelta(hours=20))
    assert spoilt_until(yesterday) is None, "Neither of the last hours nor of today."


def test_while_connecting_no_minute_of_the_past_is_told_as_the_newest() -> None:
    past = [reading(NOW - timedelta(hours=hours), 7) for hours in (11, 10)]
    nothing = past[0].measured_at - timedelta(minutes=1)
    connecting = replace(snapshot(*past), state=FeedState.CONNECTING, reported_until=nothing)
    assert encode_feed(connecting, MOMENT, ZURICH) == encode_feed(
        Snapshot(FeedKey("site"), since=NOW), MOMENT, ZURICH
    )
    newest = reading(NOW - timedelta(minutes=1), 9)
    told = encode_feed(snapshot(*past, newest), MOMENT, ZURICH, known=connecting)
    assert (told["inside"], told["entrances_today"], len(told["points"])) == (9, 3, 1)


def test_after_a_reconnect_the_last_known_minute_stays_until_the_newest_is_known() -> None:
    known, replayed = reading(NOW - timedelta(hours=1), 7), reading(NOW - timedelta(minutes=30), 9)
    held = replace(snapshot(known, replayed), state=FeedState.RECONNECTING, reported_until=known.measured_at)
    told = encode_feed(held, MOMENT, ZURICH)
    assert (told["inside"], told["measured_at"]) == (7, known.measured_at.timestamp())
    released = encode_feed(replace(held, reported_until=None), MOMENT, ZURICH, known=held)
    assert [inside for _, inside in released["points"]] == [9]


def test_what_is_no_sum_of_today_yet_is_not_told() -> None:
    told = encode_feed(replace(snapshot(reading(NOW, 7)), awaits_past=True), MOMENT, ZURICH)
    assert told["inside"] == 7
    assert [told[key] for key in ("entrances_today", "exits_today", "today_since")] == [None] * 3
