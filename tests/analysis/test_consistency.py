from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from analysis.bucket_table import Completeness
from analysis.consistency import consistency
from analysis.count_days import CountDay, Hours

DAYS = [CountDay(date(2026, 6, 1), 0, 24)]


def hours(came: float, inside: float, spent: float, few: dict[int, Completeness] | None = None) -> Hours:
    full = np.ones(24)
    return Hours(came * full, came * full, inside * full, spent * full, few or {})


def test_sixty_an_hour_who_stay_half_an_hour_are_thirty_inside() -> None:
    found = consistency(hours(60, 30, 1800), DAYS)
    assert found is not None
    assert (found.inside, found.expected, found.hours) == (30, 30, 24)
    assert found.agrees


def test_a_number_inside_that_is_too_high_disagrees() -> None:
    found = consistency(hours(60, 36, 1800), DAYS)
    assert found is not None
    assert found.percent == pytest.approx(20)
    assert not found.agrees


def test_an_hour_of_which_half_is_counted_weighs_half() -> None:
    known = hours(60, 30, 1800, dict.fromkeys(range(24), Completeness(30, 60)))
    found = consistency(known, DAYS)
    assert found is not None
    assert found.expected == 60, "in half an hour as many came as elsewhere in an hour"


@pytest.mark.parametrize("known", [hours(2, 1, 1800), hours(60, 30, np.nan), hours(0, 30, 1800)])
def test_where_few_came_or_no_time_is_told_nothing_is_said(known: Hours) -> None:
    assert consistency(known, DAYS) is None


def test_hours_outside_the_days_do_not_count() -> None:
    assert consistency(hours(60, 30, 1800), []) is None
