from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.count_days import CountDay, Hours
from analysis.drift import drifts
from analysis.residue import DayBalance, day_balance, disagreement, people_wrong
from service.store.zone_series import PassageMinutes, zone_minutes

DAY = CountDay(date(2026, 6, 1), 0, 24)
ALL = np.ones(24, dtype=bool)


def hours(came: dict[int, float], went: dict[int, float], inside: dict[int, float] | None = None) -> Hours:
    entered, left, within = (
        np.array([own.get(hour, 0.0) for hour in range(24)]) for own in (came, went, inside or {})
    )
    return Hours(entered, left, within, np.full(24, np.nan), {})


def balance(came: dict[int, float], went: dict[int, float]) -> DayBalance:
    return day_balance(hours(came, went), ALL, DAY)


@pytest.mark.parametrize(
    ("net", "people"),
    [
        ([], 0),
        ([5, -5], 0),
        ([5, -2], 3),
        ([-4, 4], 4),
        ([10, -30, 5], 20),
        ([-4, 10], 10),
    ],
)
def test_a_count_is_wrong_by_who_left_uncounted_or_who_never_left(net: list[float], people: float) -> None:
    assert people_wrong(np.array(net, dtype=float)) == people


def test_a_day_that_ends_empty_leaves_nothing() -> None:
    found = balance({9: 100, 10: 50}, {12: 30, 18: 120})
    assert (found.residue, found.people, found.peak, found.is_spoilt) == (0, 0, 150, False)
    assert found.is_whole
    assert found.counted == (1440, 1440)


def test_a_day_that_ends_with_people_inside_is_wrong_by_them() -> None:
    found = balance({9: 100}, {18: 60})
    assert (found.residue, found.people, found.is_spoilt) == (40, 40, True)


def test_a_small_residue_beside_a_large_peak_spoils_nothing() -> None:
    assert not balance({9: 1000}, {18: 990}).is_spoilt
    assert not balance({9: 10}, {18: 1}).is_spoilt, "by nine people any counter may err"


def test_the_peak_that_is_told_counts_where_it_is_higher() -> None:
    known = hours({9: 100}, {9: 80}, {9: 90.0})
    assert day_balance(known, ALL, DAY).peak == 90


def test_days_together_leave_out_those_that_are_not_whole() -> None:
    whole = balance({9: 100}, {18: 60})
    missing = whole._replace(is_whole=False)
    found = disagreement([whole, missing, whole])
    assert tuple(found) == (2, 2, 200, 120, 80)
    assert found.percent == 40
    assert disagreement([missing]).percent is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=60, max_size=600))
def test_hours_tell_at_most_what_minutes_tell(flows: list[tuple[int, int]]) -> None:
    came, went = np.array(flows, dtype=float).T
    rows = range(0, len(flows), 60)
    by_hour = np.array([came[row : row + 60].sum() - went[row : row + 60].sum() for row in rows])
    minutes = zone_minutes(
        [PassageMinutes(np.arange(len(flows)), came.astype(int), went.astype(int))],
        0, len(flows), resets=[0], inside_before=0,
    )  # fmt: skip
    first = datetime(2026, 6, 1, tzinfo=UTC)
    points = [
        (
            first + timedelta(minutes=int(minute)),
            {"visitorsInside": int(inside), "entrances": int(entered), "exits": int(left)},
        )
        for minute, inside, entered, left in zip(
            minutes.minutes, minutes.inside, minutes.entrances, minutes.exits, strict=True
        )
    ]
    (drift,) = drifts(points)
    hidden_at_first = max(0, flows[0][1] - flows[0][0])  # the minute before the first point is not known
    left_over = float(minutes.inside[-1])
    assert people_wrong(by_hour) <= max(drift.unentered + hidden_at_first, left_over)
