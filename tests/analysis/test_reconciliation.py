from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.reconciliation import reconciled
from service.store.zone_series import PassageMinutes, zone_minutes

FIRST = datetime(2026, 6, 1, 8, tzinfo=UTC)
KATHMANDU = ZoneInfo("Asia/Kathmandu")
UTC_ZONE = ZoneInfo("Etc/UTC")

Row = tuple[int, int, int, int]
"""Minute from the first, people inside, entrances, exits."""


def points(*rows: Row) -> list[tuple[datetime, dict[str, int]]]:
    return [
        (FIRST + timedelta(minutes=minute), {"visitorsInside": inside, "entrances": came, "exits": went})
        for minute, inside, came, went in rows
    ]


def test_a_number_that_follows_its_doors_leaves_nothing() -> None:
    (hour,) = reconciled(points((0, 5, 5, 0), (1, 7, 3, 1), (2, 4, 0, 3)), UTC_ZONE)
    assert (hour.start, hour.came, hour.went, hour.change) == (FIRST, 3, 4, -1)
    assert (hour.residual, hour.added, hour.taken) == (0, 0, 0)
    assert hour.minutes == (2, 60)


def test_who_went_out_uncounted_and_who_was_forgotten_are_told_apart() -> None:
    """Four leave where one is inside; then a count begins again with six inside."""
    rows = points((0, 1, 0, 0), (1, 0, 0, 4), (2, 6, 6, 0), (3, 0, 0, 0))
    (hour,) = reconciled(rows, UTC_ZONE)
    assert (hour.added, hour.taken, hour.residual) == (3, 6, -3)


def test_minutes_after_a_gap_and_without_a_metric_are_left_out() -> None:
    rows = points((0, 1, 1, 0), (1, 2, 1, 0), (5, 9, 1, 0), (6, 10, 1, 0))
    rows.insert(2, (FIRST + timedelta(minutes=2), {"visitorsInside": 3}))
    (hour,) = reconciled(rows, UTC_ZONE)
    assert hour.minutes == (2, 60)
    assert hour.residual == 0


def test_hours_are_those_of_the_local_clock() -> None:
    """Hours of Kathmandu begin at a quarter past."""
    rows = points(*((minute, 0, 0, 0) for minute in range(60)))
    assert [hour.start.minute for hour in reconciled(rows, KATHMANDU)] == [15, 15]
    assert [hour.minutes.present for hour in reconciled(rows, KATHMANDU)] == [14, 45]


def test_nothing_is_told_of_nothing() -> None:
    assert reconciled([], UTC_ZONE) == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=200))
def test_what_is_added_is_what_the_service_hid(flows: list[tuple[int, int]]) -> None:
    came, went = np.array(flows).T
    stored = zone_minutes(
        [PassageMinutes(np.arange(len(flows)), came, went)], 0, len(flows), resets=[0], inside_before=0
    )
    rows = points(*np.column_stack((stored.minutes, stored.inside, stored.entrances, stored.exits)).tolist())
    hours = reconciled(rows, UTC_ZONE)
    assert sum(hour.added for hour in hours) == stored.hidden[1:].sum()
    assert sum(hour.taken for hour in hours) == 0
