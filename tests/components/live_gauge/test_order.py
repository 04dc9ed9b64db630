"""In which order places stand on a page, and what it takes to change it."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated


@pytest.mark.parametrize(
    ("shares", "step", "order"),
    [
        ([3, 90, -1, 50, 90.5], 0, [90.5, 90, 50, 3, -1]),
        ([90, 93, 50], 5, [90, 93, 50]),
        ([90, 96, 50], 5, [96, 90, 50]),
        ([-1, 2, 1], 5, [2, 1, -1]),
        ([-1, -1], 0, [-1, -1]),
    ],
    ids=["at first", "a little fuller", "much fuller", "no more trusted", "none known"],
)
def test_a_place_passes_another_only_by_a_step(shares: list[float], step: float, order: list[float]) -> None:
    assert evaluated("fullestFirst(given[0], Number, given[1])", shares, step) == order


def test_what_is_not_trusted_is_not_called_full() -> None:
    full = "fullness({ share: 97, freshness: { isTrusted: given[0] } })"
    assert (evaluated(full, True), evaluated(full, False)) == (97, -1)
