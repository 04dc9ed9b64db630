"""By how much the number inside of past days was wrong, for each who came in."""

from __future__ import annotations

from typing import NamedTuple


class ErrorPart(NamedTuple):
    """People that a count leaves over for each who came in; below 0, so many it lacks."""

    low: float
    high: float
    days: int
    """Of which it is known."""
    held: int
    """Of these: on so many it lay between both ends, at least."""
    came: float
    """People, on the day in the middle of these."""
    were_right: bool = False
    """Whether it was 0 on all of them."""
    left_out: int = 0
    """Days that are counted whole, too, but on which nobody came, or less than half as many as usual."""
