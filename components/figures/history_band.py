"""Between how many people may really have been inside, as a faint band behind the line of History."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from analysis.bucket_table import stretches
from analysis.history_data import HistoryData
from components.figures.bucket_axis import BucketAxis
from components.figures.stacked_panels import Panel
from components.figures.template import palette_of
from contract import MetricKey

NAME: Final = "by past days"


def band_ends(data: HistoryData, metric: MetricKey) -> Sequence[tuple[float, float] | None]:
    """Of each row; empty where none is drawn."""
    return data.band.ends if data.band and metric is MetricKey.VISITORS_INSIDE else ()


def draw_band(
    panel: Panel, metric: MetricKey, data: HistoryData, axis: BucketAxis, theme: str | None
) -> None:
    """Interrupted where it is not told; to be drawn before the line."""
    ends = band_ends(data, metric)
    x: list[Any] = []
    y: list[float | None] = []
    for first, after in stretches([one is not None for one in ends]):
        told = [one for one in ends[first:after] if one]
        # One alone is as wide as its bucket: a line up and down would not be seen.
        alone = [axis.left[first], axis.right[first]]
        places = alone if len(told) == 1 else [one.item() for one in axis.middle[first:after]]
        told *= len(places) // len(told)
        x += [*places, *reversed(places), None]
        y += [*(high for _, high in told), *(low for low, _ in reversed(told)), None]
    if x:
        panel.trace(
            type="scatter", mode="lines", x=x, y=y, fill="toself", name=NAME, hoverinfo="skip",
            showlegend=False, line={"width": 0}, fillcolor=palette_of(theme).line,
        )  # fmt: skip
