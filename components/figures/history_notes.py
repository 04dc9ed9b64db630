"""Notes, and what was set by hand, on the history chart: a line through all panels, numbered at the top."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from datetime import datetime

from analysis.bucket_table import starts_of
from analysis.history_data import HistoryData
from components.figures.bucket_axis import BucketAxis
from components.figures.note_marks import MOST_DRAWN
from components.figures.stacked_panels import Panel
from components.figures.template import palette_of
from contract.buckets import next_bucket_start


def draw_notes(panels: Sequence[Panel], data: HistoryData, axis: BucketAxis, theme: str | None) -> None:
    palette = palette_of(theme)
    line = {"color": palette.text, "width": 1, "dash": "dashdot"}
    starts = starts_of(data.table)
    for number, moment in enumerate(data.marked[:MOST_DRAWN], 1):
        at = _place(moment, starts, data, axis)
        if at is None:
            continue
        for panel in panels:
            words = str(number) if panel is panels[0] else ""
            panel.mark(at, words, line=line, font={"color": palette.text})


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
