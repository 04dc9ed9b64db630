"""From when on a wall calls the rest of a usual day quieter, as its browser reads it out of that day."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.gauge_scripts import evaluated
from tests.running_service import ROOT

SCRIPT = (ROOT / "screens" / "wall" / "quieter.js").read_text(encoding="utf-8")
NOON, ONE, FIVE = 12 * 60, 13 * 60, 17 * 60


def typical(usual: Callable[[float], float]) -> list[list[float]]:
    """Of the middle of each quarter of an hour."""
    middles = [15 * quarter + 7.5 for quarter in range(96)]
    return [[minute, usual(minute)] for minute in middles]


def hill(minute: float) -> float:
    """Highest at 14:00 with 90; from 16:00 on two thirds of it or less, nobody from 20:00 on."""
    return max(0.0, 90 - abs(minute - 14 * 60) / 4)


def terrace(minute: float) -> float:
    """Ninety from 09:00 to 17:00, then thirty until 21:00."""
    return 90 if 9 * 60 <= minute < FIVE else 30 if FIVE <= minute < 21 * 60 else 0


def quieter(points: Sequence[Sequence[float]], minute: float) -> float | None:
    call = f"(function () {{ {SCRIPT}; return quieterFrom(given[0], given[1]); }})()"
    found: float | None = evaluated(call, points, minute)
    return found


def test_it_is_quieter_when_it_stays_below_two_thirds_of_the_highest_to_come() -> None:
    assert quieter(typical(hill), ONE) == 16 * 60
    assert quieter(typical(terrace), NOON) == FIVE


def test_it_is_told_to_the_next_half_hour() -> None:
    def until_twenty_past(minute: float) -> float:
        return terrace(minute - 15)

    assert quieter(typical(until_twenty_past), NOON) == FIVE + 30


def test_as_the_highest_is_over_it_is_quieter_later() -> None:
    assert quieter(typical(hill), 15 * 60 + 30) == FIVE


@pytest.mark.parametrize("minute", [8 * 60, 18 * 60])
def test_before_the_rush_and_after_it_nothing_is_told(minute: float) -> None:
    """In the morning it is quiet already; after 17:00 all that comes is alike, and then it closes."""
    assert quieter(typical(terrace), minute) is None


def test_a_lull_is_not_the_end() -> None:
    def with_lull(minute: float) -> float:
        return 20 if NOON <= minute < ONE else terrace(minute)

    assert quieter(typical(with_lull), 11 * 60) == FIVE


def test_what_closes_is_not_quieter() -> None:
    def shop(minute: float) -> float:
        return 90 if 9 * 60 <= minute < FIVE else 0

    assert quieter(typical(shop), NOON) is None


def test_of_a_few_people_it_is_not_told() -> None:
    assert quieter(typical(lambda minute: terrace(minute) / 10), NOON) is None
    assert quieter(typical(lambda minute: terrace(minute) / 9), NOON) == FIVE


def test_where_the_usual_is_not_known_it_is_not_told() -> None:
    known = typical(terrace)
    without_evening = [point for point in known if point[0] < FIVE]
    without_five = [point for point in known if not FIVE <= point[0] < FIVE + 60]
    hours = [point for point in known if point[0] % 60 == 7.5]
    for points in ([], without_evening, without_five, hours):
        assert quieter(points, NOON) is None
