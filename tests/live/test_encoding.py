from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract import MetricKey
from live.clock import Moment
from live.encoding import encode_feed
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
        "request_id": "",
        "inside": None,
        "measured_at": None,
        "confirmed_age": None,
        "entrances_today": None,
        "exits_today": None,
        "today_since": None,
        "points": [],
    }


def test_ages_and_waits_come_from_the_monotonic_clock() -> None:
    encoded = encode_feed(replace(snapshot(), confirmed_at=4988.0, retry_at=5003.5), MOMENT, ZURICH)
    assert encoded["confirmed_age"] == 12.0
    assert encoded["retry_in"] == 3.5


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


def test_a_day_that_is_not_covered_from_midnight_says_since_when() -> None:
    start = datetime(2026, 6, 1, 6, 17, tzinfo=UTC)
    assert encode_feed(snapshot(reading(start, 3)), MOMENT, ZURICH)["today_since"] == start.timestamp()


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
