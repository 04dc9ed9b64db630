"""Whether a database answers, and who asks while it does not."""

from __future__ import annotations

import pytest

from keeping.reach import DatabaseAwayError, Reach


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def fail(reach: Reach, reason: str = "no route to it") -> None:
    with pytest.raises(DatabaseAwayError, match=reason), reach.asking():
        raise DatabaseAwayError(reason)


def refuse(reach: Reach) -> None:
    with reach.asking():
        reach.answered()
        raise ValueError("refused by what was reached")


def test_while_it_is_away_all_but_one_are_told_so_at_once() -> None:
    clock = Clock()
    reach = Reach("there", clock)
    fail(reach)
    with pytest.raises(DatabaseAwayError), reach.asking():
        pytest.fail("it is asked again too soon")
    clock.now += 10.0
    with reach.asking():
        with pytest.raises(DatabaseAwayError), reach.asking():
            pytest.fail("a second one finds out")
        reach.answered()
    with reach.asking():
        pass
    assert reach.now == ("there", True, None, "")


def test_since_when_it_is_away_is_told_and_what_it_refuses_is_no_absence() -> None:
    clock = Clock()
    reach = Reach("there", clock)
    assert not reach.now.was_reached
    fail(reach)
    since = reach.now.away_since
    assert since
    clock.now += 10.0
    fail(reach, "still not")
    assert (reach.now.away_since, reach.now.reason) == (since, "still not")
    clock.now += 10.0
    with pytest.raises(ValueError, match="refused"):
        refuse(reach)
    assert reach.now == ("there", True, None, "")


def test_who_found_out_that_it_is_still_away_lets_the_next_one_find_out() -> None:
    clock = Clock()
    reach = Reach("there", clock)
    for _ in range(3):
        fail(reach)
        clock.now += 10.0
