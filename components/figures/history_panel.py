"""One panel of the history chart: one metric of every zone or passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

from analysis.bucket_table import stretches
from analysis.counted_minutes import rows_in_part
from analysis.history_data import HistoryData, closed_rows, cut_stay_rows, missing_rows
from analysis.untrusted import SPOILT_METRICS, untrusted_rows
from components.figures.bucket_axis import BucketAxis, Edges, Moments
from components.figures.history_band import band_ends
from components.figures.history_bubbles import bubbles
from components.figures.history_estimates import estimate_tops
from components.figures.history_limits import draw_limits
from components.figures.stacked_panels import Panel
from components.figures.template import CLOSED_SHADE, palette_of, plotly_text, series_colours
from components.number_format import Formats
from components.sentences.metric_words import reduction
from contract import METRICS, MetricKey, MetricKind, Unit
from gauge.levels import Thresholds

_MOST_BARS: Final = 200
MOST_DIRECT_LABELS: Final = 3
"""Up to so many lines carry their names themselves; beyond, a legend does."""
_LONGEST_LABEL: Final = 24
"""Characters of a name beside its line or in the legend; pointing at the line shows more."""
_FEW_POINTS: Final = 32
_HEADROOM: Final = 1.12
"""The y axis ends a little above the highest value, so that labels have room."""
_LABEL_GAP: Final = 0.1
"""Least distance of two labels, as a part of the y axis."""
_SECONDS: Final = 60

_NO_BUBBLE_OF_THE_AXIS: Final = "text"
"""Else plotly adds the time of the axis, which for a thin line is another one than its own. A trace with a
template for its texts has no such setting."""

Values = list[float | None]
Trace = dict[str, Any]
Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class HistoryPanel:
    """Draws one metric into one panel of a figure: lines, hatching, labels, limits."""

    panel: Panel
    metric: MetricKey
    data: HistoryData
    axis: BucketAxis
    texts: list[str]
    """When each bucket is."""
    earlier_texts: list[str]
    """When each bucket of the other period is."""
    theme: str | None
    formats: Formats
    thresholds: Thresholds

    def draw(self) -> None:
        self._title()
        bottom, top = self.panel.y_axis["range"] = self._extent()
        self._shade(bottom, top)
        self._hatch(bottom, top)
        for label, colour in zip(self.data.labels, self._colours(), strict=True):
            values = self._values(self.data.table, label)
            if values is None:
                continue
            if self.data.earlier is not None:
                self._earlier(label, colour)
            self._present(label, colour, values)
        if 1 < len(self.data.labels) <= MOST_DIRECT_LABELS:
            self._direct_labels(top)
        if self.metric is MetricKey.VISITORS_INSIDE and (capacity := self.data.capacity):
            draw_limits(
                self.panel, capacity, self.thresholds, top, theme=self.theme, formats=self.formats
            )  # fmt: skip
        self._clock_changes()

    @property
    def _is_flow(self) -> bool:
        """Whether it belongs to whole buckets, and not to a moment in each."""
        return METRICS[self.metric].kind is MetricKind.FLOW

    def _colours(self) -> list[str]:
        colours = series_colours(self.theme)
        return [colours[index % len(colours)] for index in range(len(self.data.labels))]

    def _values(self, table: pd.DataFrame, label: str) -> Values | None:
        """Ready to draw: None where missing, time inside in minutes; None where the metric is not asked."""
        column = (label, self.metric)
        if column not in table.columns:
            return None
        scale = _SECONDS if METRICS[self.metric].unit is Unit.SECONDS else 1
        numbers: list[float] = (table[column].to_numpy(dtype=float) / scale).tolist()
        return [None if isnan(value) else value for value in numbers]

    def _extent(self) -> tuple[float, float]:
        """Where the y axis begins and ends; 0 is always on it."""
        tables = [self.data.table] + ([] if self.data.earlier is None else [self.data.earlier])
        drawn = (self._values(table, label) or () for table in tables for label in self.data.labels)
        seen = [value for values in drawn for value in values if value is not None]
        seen += [end for ends in band_ends(self.data, self.metric) if ends for end in ends]
        seen += estimate_tops(self.data, self.metric)
        return min([0, *(value * _HEADROOM for value in seen)]), max([*seen, 1.0]) * _HEADROOM

    def _title(self) -> None:
        explained = reduction(self.metric, self.data.aggregation, self.data.granularity)
        self.panel.annotation(
            text=f"<b>{METRICS[self.metric].label}</b>  {explained}",
            xref=f"{self.panel.x} domain", x=0, xanchor="left",
            yref=f"{self.panel.y} domain", y=1, yanchor="bottom",
        )  # fmt: skip

    def _shade(self, bottom: float, top: float) -> None:
        """Closed time, under all else."""
        axis, rows = self.axis, stretches(closed_rows(self.data))
        edges = axis.edges_of(rows) if axis.offset is None else axis.within(self.data.closed)
        self._area(edges, bottom, top, name="closed", line={"width": 0}, fillcolor=CLOSED_SHADE)

    def _hatch(self, bottom: float, top: float) -> None:
        colour = palette_of(self.theme).quiet_text
        pattern = {"shape": "/", "fgcolor": colour, "bgcolor": "rgba(0,0,0,0)", "size": 8, "solidity": 0.12}
        edges, line = self.axis.edges_of(missing_rows(self.data)), {"width": 0, "color": colour}
        self._area(edges, bottom, top, name="no data", line=line, fillpattern=pattern)

    def _area(self, edges: Sequence[Edges], bottom: float, top: float, *, name: str, **look: Any) -> None:
        """Between these edges, and over all of the panel's height."""
        if edges:
            # Around each: up on the left, down on the right, back, and a pause.
            outline = [at for left, right in edges for at in (left, left, right, right, left, None)]
            self.panel.trace(
                type="scatter", mode="lines", x=outline,
                y=[bottom, top, top, bottom, bottom, None] * len(edges), fill="toself", name=name,
                hoverinfo="skip", showlegend=False, **look,
            )  # fmt: skip

    def _present(self, label: str, colour: str, values: Values) -> None:
        if not self._is_flow:
            self._line(label, colour, values)
        elif len(self.data.labels) == 1 and len(values) <= _MOST_BARS:
            self._bars(label, colour, values)
        else:
            self._steps(label, colour, values)

    def _line(self, label: str, colour: str, values: Values) -> None:
        """In the colour of the label, and grey where the number inside, or the time inside, means nothing."""
        spoilt = untrusted_rows(self.data, label) if self.metric in SPOILT_METRICS else [False] * len(values)
        if self.metric is MetricKey.TIME_SPENT:
            spoilt = [any(row) for row in zip(spoilt, cut_stay_rows(self.data, label), strict=True)]
        sound = [None if is_spoilt else value for value, is_spoilt in zip(values, spoilt, strict=True)]
        if any(spoilt):
            grey = palette_of(self.theme).quiet_text
            self._part_of_line(label, grey, _beside(values, spoilt), in_legend=False)
        self._part_of_line(label, colour, sound)

    def _part_of_line(self, label: str, colour: str, values: Values, *, in_legend: bool = True) -> None:
        whole = [None if cut else value for value, cut in zip(values, self.data.cut, strict=True)]
        solid = self._trace(label, self.axis.middle, whole, colour, markers=_markers(whole))
        self.panel.trace(**(solid if in_legend else solid | {"showlegend": False}))
        dashed = _beside(values, self.data.cut)
        if any(value is not None for value in dashed):
            self.panel.trace(
                **self._trace(label, self.axis.middle, dashed, colour, dash="dot", markers=_markers(dashed))
            )

    def _bars(self, label: str, colour: str, values: Values) -> None:
        in_part = rows_in_part(self.data, label)
        opacity = [0.4 if part else 1.0 for part in in_part]
        self.panel.trace(
            type="bar", x=self.axis.left, y=values, width=[0.92 * width for width in self.axis.widths],
            offset=0, marker={"color": colour, "opacity": opacity},
            name=plotly_text(label, _LONGEST_LABEL), hoverinfo=_NO_BUBBLE_OF_THE_AXIS,
            hovertext=self._bubbles(label, values), legendgroup=label, showlegend=False,
        )  # fmt: skip
        for index, part in enumerate(in_part):
            if part and (value := values[index]) is not None:
                self.panel.shape(
                    type="rect", x0=self.axis.left[index], x1=self.axis.right[index], y0=0, y1=value,
                    line={"color": colour, "dash": "dot", "width": 1.5},
                )  # fmt: skip

    def _steps(self, label: str, colour: str, values: Values) -> None:
        in_part = rows_in_part(self.data, label)
        whole = [None if part else value for value, part in zip(values, in_part, strict=True)]
        self.panel.trace(**self._stepped(label, whole, colour))
        part = [value if part else None for value, part in zip(values, in_part, strict=True)]
        if any(value is not None for value in part):
            self.panel.trace(**self._stepped(label, part, colour, dash="dot"))

    def _earlier(self, label: str, colour: str) -> None:
        assert self.data.earlier is not None
        values = self._values(self.data.earlier, label)
        if values is None or all(value is None for value in values):
            return
        single = len(self.data.labels) == 1
        colour = palette_of(self.theme).text if single else colour
        hints = bubbles(
            self.data, (label, self.metric), values, self.earlier_texts, self.formats, are_earlier=True
        )
        if self._is_flow:
            trace = self._stepped(label, values, colour)
        else:
            trace = self._trace(label, self.axis.middle, values, colour)
        thin = {
            "name": f"{plotly_text(label)}, before",
            "opacity": 0.75,
            "line": trace["line"] | {"width": 1},
            "showlegend": False,
            "hovertext": _twice(hints) if self._is_flow else hints,
        }
        self.panel.trace(**(trace | thin))

    def _stepped(self, label: str, values: Values, colour: str, *, dash: str = "solid") -> Trace:
        """Each bucket from its left edge to its right, so that the last one before a gap has its width."""
        trace = self._trace(label, self.axis.edges, values, colour, dash=dash)
        return trace | {"y": _twice(values), "hovertext": _twice(trace["hovertext"])}

    def _trace(
        self,
        label: str,
        x: Moments,
        values: Values,
        colour: str,
        *,
        dash: str = "solid",
        markers: list[int] | None = None,
    ) -> Trace:
        return {
            "type": "scatter", "x": x, "y": values,
            "mode": "lines+markers" if markers else "lines", "connectgaps": False,
            "line": {"color": colour, "width": 2, "dash": dash, "shape": "linear"},
            "marker": {"size": np.array(markers) if markers else None, "color": colour, "line": {"width": 0}},
            "name": plotly_text(label, _LONGEST_LABEL),
            "hovertext": self._bubbles(label, values), "hoverinfo": _NO_BUBBLE_OF_THE_AXIS,
            "legendgroup": label, "showlegend": self.panel.row == 1 and dash == "solid",
        }  # fmt: skip

    def _bubbles(self, label: str, values: Values) -> list[str]:
        return bubbles(self.data, (label, self.metric), values, self.texts, self.formats)

    def _direct_labels(self, top: float) -> None:
        """Each line's name at its highest point, pushed down where two would touch, below the title."""
        found = []
        for label, colour in zip(self.data.labels, self._colours(), strict=True):
            values = self._values(self.data.table, label) or []
            there = [(value, index) for index, value in enumerate(values) if value is not None]
            if there:
                found.append((*max(there), label, colour))
        height = top
        for value, index, label, colour in sorted(found, reverse=True):
            height = min(value, height - top * _LABEL_GAP)
            self.panel.annotation(
                x=self.axis.middle[index].item(), y=height, text=plotly_text(label, _LONGEST_LABEL),
                yanchor="bottom", font={"color": colour},
            )  # fmt: skip

    def _clock_changes(self) -> None:
        line = {"color": palette_of(self.theme).quiet_text, "dash": "dot", "width": 1}
        left, right = self.axis.left[0], self.axis.right[-1]
        for moment, how in self.axis.changes:
            # Within the plot: beside it the limits have their names.
            side = "right" if moment - left > (right - left) / 2 else "left"
            self.panel.mark(moment, how, line=line, xanchor=side)


def _twice(each: Sequence[Each]) -> list[Each]:
    """For both edges of each bucket."""
    return [one for one in each for _ in range(2)]


def _beside(values: Values, chosen: Sequence[bool]) -> Values:
    """The values of the chosen buckets and of their neighbours, so that their line meets the others'."""
    last = len(values) - 1
    near = [
        chosen[index] or (index > 0 and chosen[index - 1]) or (index < last and chosen[index + 1])
        for index in range(len(values))
    ]
    return [value if shown else None for value, shown in zip(values, near, strict=True)]


def _markers(values: Values) -> list[int] | None:
    """A dot for a point without neighbours, which no line would show; for all where there are few."""
    few = len(values) <= _FEW_POINTS
    padded = [None, *values, None]
    alone = [before is None and after is None for before, after in zip(padded[:-2], padded[2:], strict=True)]
    return [6 if few or lonely else 0 for lonely in alone] if few or any(alone) else None
