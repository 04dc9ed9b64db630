from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from analysis.time_to_full import LONGEST, Pace, present_pace
from contract import MetricKey, MetricPoint

NOON = datetime(2026, 6, 29, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def minutes(count: int, *, came: int, went: int, last: int = 60, end: datetime = NOON) -> list[MetricPoint]:
    """The minutes before `end`, of which the last one has `last` people inside."""
    return [
        MetricPoint(
            timestamp=end - ago * MINUTE,
            metrics={
                MetricKey.VISITORS_INSIDE: last - (ago - 1) * (came - went),
                MetricKey.ENTRANCES: came,
                MetricKey.EXITS: went,
            },
        )
        for ago in range(count, 0, -1)
    ]


def test_at_the_present_pace_it_is_full_when_the_places_left_are_taken() -> None:
    """Told of the last minute by its start, as the live view dates it."""
    pace = present_pace(minutes(40, came=3, went=1), NOON)
    assert pace == Pace(NOON - MINUTE, 60, 30, 15)
    assert pace.until(100) == NOON + 19 * MINUTE
    assert pace.until(61) == NOON


def test_what_was_before_the_last_quarter_of_an_hour_does_not_count() -> None:
    rush = minutes(30, came=20, went=0, end=NOON - 15 * MINUTE)
    assert present_pace([*rush, *minutes(15, came=2, went=1)], NOON) == Pace(NOON - MINUTE, 60, 15, 15)


def test_where_people_leave_or_as_many_come_it_is_never_full() -> None:
    for went in (2, 5):
        pace = present_pace(minutes(20, came=2, went=went), NOON)
        assert pace is not None
        assert pace.until(61) is None


def test_what_is_full_already_is_full_now() -> None:
    pace = present_pace(minutes(20, came=0, went=3), NOON)
    assert pace is not None
    assert pace.until(60) == NOON - MINUTE


def test_no_pace_holds_for_long() -> None:
    pace = Pace(NOON, 0, 15, 15)
    assert pace.until(LONGEST / MINUTE) == NOON + LONGEST
    assert pace.until(LONGEST / MINUTE + 1) is None


@pytest.mark.parametrize("counted", [0, 9])
def test_too_few_minutes_tell_no_pace(counted: int) -> None:
    assert present_pace(minutes(counted, came=2, went=1), NOON) is None


def test_old_minutes_tell_no_pace() -> None:
    assert present_pace(minutes(60, came=2, went=1, end=NOON - 6 * MINUTE), NOON) is None


def test_missing_minutes_are_not_minutes_in_which_nobody_came() -> None:
    known = minutes(15, came=2, went=1)
    pace = present_pace([*known[:3], *known[6:]], NOON)
    assert pace == Pace(NOON - MINUTE, 60, 12, 12)
    assert pace.net == 1


def test_points_that_lack_a_metric_are_not_counted() -> None:
    inside = [
        MetricPoint(timestamp=one.timestamp, metrics={MetricKey.VISITORS_INSIDE: 5})
        for one in minutes(15, came=2, went=1)
    ]
    assert present_pace(inside, NOON) is None
