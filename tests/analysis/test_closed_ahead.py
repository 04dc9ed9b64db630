"""Closed time ahead, as browsers are told it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from analysis.closed_ahead import AHEAD, closed_spans, is_closed_at, range_ahead
from analysis.time_range import TimeRange

MIDNIGHT = datetime(2026, 11, 23, tzinfo=UTC)
NIGHT = TimeRange(MIDNIGHT, MIDNIGHT + timedelta(hours=8))


@pytest.mark.parametrize("hours", [0, 9, 23.9])
def test_what_lies_ahead_is_the_same_all_day_and_reaches_two_weeks(hours: float) -> None:
    now = (MIDNIGHT + timedelta(hours=hours)).astimezone(timezone(timedelta(hours=-5)))
    range_ = range_ahead(now)
    assert range_.start == MIDNIGHT
    assert range_.end - now >= AHEAD


def test_what_is_closed_beyond_is_not_said_to_open() -> None:
    range_ = range_ahead(MIDNIGHT)
    for_good = TimeRange(MIDNIGHT + timedelta(days=3), range_.end)
    start = MIDNIGHT.timestamp()
    assert closed_spans([NIGHT, for_good], range_) == [(start, start + 8 * 3600), (start + 3 * 86400, None)]


def test_a_place_is_open_from_the_minute_on_in_which_it_opens() -> None:
    spans = closed_spans([NIGHT], range_ahead(MIDNIGHT))
    moments = [MIDNIGHT + timedelta(hours=hours) for hours in (0, 7.99, 8, 9)]
    assert [is_closed_at(moment, spans) for moment in moments] == [True, True, False, False]
    assert is_closed_at(MIDNIGHT + timedelta(days=900), [(MIDNIGHT.timestamp(), None)])
    assert not is_closed_at(MIDNIGHT, [])
