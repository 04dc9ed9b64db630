from __future__ import annotations

from datetime import date, timedelta

from service.simulator.shop import PASSAGES
from service.simulator.visits import OPEN_HOURS, visits_of

SATURDAY = date(2026, 11, 21)
CLOSING = OPEN_HOURS * 3600
NEIGHBOURS = {sides for one, other in PASSAGES.values() for sides in ((one, other), (other, one))}


def test_the_same_seed_and_date_give_the_same_visits() -> None:
    assert visits_of(SATURDAY, "headroom") == visits_of(SATURDAY, "headroom")


def test_another_seed_or_date_gives_other_visits() -> None:
    assert visits_of(SATURDAY, "headroom") != visits_of(SATURDAY, "other")
    assert visits_of(SATURDAY, "headroom") != visits_of(SATURDAY - timedelta(weeks=1), "headroom")


def test_nobody_visits_on_a_sunday() -> None:
    assert visits_of(SATURDAY + timedelta(days=1), "headroom") == []


def test_everyone_comes_after_opening_and_has_left_before_closing() -> None:
    for day in (SATURDAY - timedelta(days=offset) for offset in range(14)):
        for visit in visits_of(day, "headroom"):
            assert 0 <= visit.entered[0] < visit.left < CLOSING


def test_everyone_walks_through_doors_and_forward_in_time() -> None:
    for visit in visits_of(SATURDAY, "headroom"):
        seconds, left, entered = zip(*visit.crossings(), strict=True)
        assert list(seconds) == sorted(seconds)
        assert set(zip(left, entered, strict=True)) <= NEIGHBOURS
        assert (left[0], entered[-1]) == (None, None)


def test_arrivals_come_in_order() -> None:
    arrivals = [visit.entered[0] for visit in visits_of(SATURDAY, "headroom")]
    assert arrivals == sorted(arrivals)
