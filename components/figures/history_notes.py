"""Notes, and what was set by hand, on the history chart: a line through all panels, numbered at the top."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from components.figures.bucket_axis import BucketAxis
from components.figures.note_marks import MOST_DRAWN
from components.figures.stacked_panels import Panel
from components.figures.template import palette_of
from contract.buckets import next_bucket_start

_NEAR: Final = 0.12
"""Part of the x axis: the widest number, at the top of a phone's plot, with room beside it."""


def draw_notes(panels: Sequence[Panel], data: HistoryData, axis: BucketAxis, theme: str | None) -> None:
    palette = palette_of(theme)
    line = {"color": palette.text, "width": 1, "dash": "dashdot"}
    starts = starts_of(data.table)
    places = [_place(moment, starts, data, axis) for moment in data.marked[:MOST_DRAWN]]
    drawn = [(at, str(number)) for number, at in enumerate(places, 1) if at is not None]
    sides = _sides([at for at, _ in drawn], axis)
    for (at, number), side in zip(drawn, sides, strict=True):
        for panel in panels:
            words = number if panel is panels[0] else ""
            panel.mark(at, words, line=line, font={"color": palette.text}, xanchor=side)


def _sides(places: Sequence[datetime], axis: BucketAxis) -> list[str]:
    """Which side of its number each line lies on, as plotly says it.

    Numbers stand right of their lines. Near the end of the plot they stand left of them, since beside the
    plot the limits have their names; so does one that would else meet the number of the next line.
    """
    whole = axis.right[-1] - axis.left[0]
    sides: list[str] = []
    following = axis.right[-1]
    is_left_of_line = True
    for at in reversed(places):
        has_room_before = at - axis.left[0] >= _NEAR * whole
        is_left_of_line = is_left_of_line and has_room_before and following - at < _NEAR * whole
        sides.append("right" if is_left_of_line else "left")
        following = at
    return sides[::-1]


def _place(
    moment: datetime, starts: Sequence[datetime], data: HistoryData, axis: BucketAxis
) -> datetime | None:
    """Where a moment lies on the axis, naive as that is; None: before its first bucket."""
    index = bisect(starts, moment) - 1
    if index < 0:
        return None
    start, left, right = starts[index], axis.left[index], axis.right[index]
    end = next_bucket_start(start, data.granularity, data.timezone)
    return left + min(1.0, (moment - start) / (end - start)) * (right - left)
