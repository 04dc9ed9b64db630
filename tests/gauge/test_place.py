"""What the drawing of a place computes, without a browser."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated


@pytest.mark.parametrize(
    ("share", "is_trusted", "filled"),
    [(0, True, 0), (35, True, 0.35), (140, True, 1), (35, False, None), (None, True, None)],
)
def test_a_zone_is_filled_to_a_share_that_one_can_stand_by(
    share: float | None, is_trusted: bool, filled: float | None
) -> None:
    view = {"share": share, "freshness": {"isTrusted": is_trusted}}
    assert evaluated("filledPart(given[0])", view) == filled
