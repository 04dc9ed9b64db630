"""From when on the rest of today is quieter: answers found by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from analysis.ahead_answer import Ahead, HourAhead
from analysis.forecast import Expected, Forecast
from analysis.quieter import quieter_from, worth_waiting_for

NOON = datetime(2026, 6, 29, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def found(people: Sequence[float | None]) -> Ahead:
    """From noon on; None: nothing can be told."""
    hours = tuple(
        HourAhead(NOON + place * HOUR, None, is_untold=True)
        if one is None
        else HourAhead(NOON + place * HOUR, Expected(0.9 * one, one, 1.1 * one))
        for place, one in enumerate(people)
    )
    return Ahead((), hours, Forecast({}, 5), None)


@pytest.mark.parametrize(
    ("people", "hours"),
    [
        ([50, 60, 55, 30, 20], 3),
        ([50, 60, 30, 55, 20], 4),  # a lull is no end
        ([60, 60, 60], None),
        ([60, 30], 1),
        ([20, 60], None),
        ([60, 55, 0, 0], None),  # it closes: nobody comes then
        ([60, 55, 20, None], None),  # who will be there later is not known to be fewer
        ([60, None, 20], 2),
        ([None], None),
        ([], None),
    ],
)
def test_quieter_is_what_stays_so_until_the_end(people: list[float | None], hours: int | None) -> None:
    expected = None if hours is None else NOON + hours * HOUR
    assert quieter_from(found(people)) == expected


def test_passers_by_are_told_the_same_hour_while_it_is_busy() -> None:
    busy = found([50, 60, 55, 30, 20])
    assert worth_waiting_for(busy) == quieter_from(busy) == NOON + 3 * HOUR


@pytest.mark.parametrize("present", [20.0, None])
def test_before_the_rush_they_are_told_nothing(present: float | None) -> None:
    assert quieter_from(found([present, 60, 20])) == NOON + 2 * HOUR
    assert worth_waiting_for(found([present, 60, 20])) is None


def test_of_a_few_people_they_are_told_nothing() -> None:
    assert worth_waiting_for(found([9.9, 3])) is None
    assert worth_waiting_for(found([10, 3])) == NOON + HOUR
