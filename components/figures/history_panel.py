"""One panel of the history chart: one metric of every zone or passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from components.figures.bucket_axis import BucketAxis
from components.figures.template import palette_of, plotly_text, series_colours
from components.tables.history_data import HistoryData
from components.tables.metric_words import LABELS, reduction
from components.tables.subject import FLOWS
from components.tables.summary import missing_stretches
from contract import MetricKey

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

Values = list[float | None]


@dataclass(frozen=True, slots=True)
class HistoryPanel:
    figure: go.Figure
    row: int
    metric: MetricKey
    data: HistoryData
    axis: BucketAxis
    texts: list[str]
    theme: str | None

    def draw(self) -> None:
        self._title()
        top = self._top()
        self.figure.update_yaxes(range=[0, top], row=self.row, col=1)
        self._hatch(top)
        for label, colour in zip(self.data.labels, self._colours(), strict=True):
            values = self._values(self.data.table, label)
            if values is None:
                continue
            if self.data.earlier is not None:
                self._earlier(label, colour)
            self._present(label, colour, values)
        if 1 < len(self.data.labels) <= MOST_DIRECT_LABELS:
            self._direct_labels(top)
        self._capacity(top)
        self._clock_changes()

    def _colours(self) -> list[str]:
        colours = series_colours(self.theme)
        return [colours[place % len(colours)] for place in range(len(self.data.labels))]

    def _values(self, table: pd.DataFrame, label: str) -> Values | None:
        """Ready to draw: None where missing, time inside in minutes; None where the metric is not asked."""
        column = (label, self.metric)
        if column not in table.columns:
            return None
        scale = _SECONDS if self.metric is MetricKey.TIME_SPENT else 1
        return [None if pd.isna(value) else value / scale for value in table[column]]

    def _top(self) -> float:
        tables = [self.data.table] + ([] if self.data.earlier is None else [self.data.earlier])
        seen = [
            value
            for table in tables
            for label in self.data.labels
            for value in self._values(table, label) or ()
            if value is not None
        ]
        return max([*seen, 1.0]) * _HEADROOM

    def _title(self) -> None:
        explained = reduction(self.metric, self.data.aggregation, self.data.granularity)
        self.figure.add_annotation(
            text=f"<b>{LABELS[self.metric]}</b>  {explained}",
            xref="x domain", x=0, xanchor="left", yref="y domain", y=1, yanchor="bottom",
            row=self.row, col=1,
        )  # fmt: skip

    def _hatch(self, top: float) -> None:
        x: list[datetime | None] = []
        y: Values = []
        for first, after in missing_stretches(self.data.table):
            left, right = self.axis.left[first], self.axis.right[after - 1]
            x += [left, left, right, right, left, None]
            y += [0, top, top, 0, 0, None]
        if not x:
            return
        colour = palette_of(self.theme).quiet_text
        pattern = {"shape": "/", "fgcolor": colour, "bgcolor": "rgba(0,0,0,0)", "size": 8, "solidity": 0.12}
        self._add(
            go.Scatter(
                x=x, y=y, mode="lines", line={"width": 0}, fill="toself", fillpattern=pattern,
                name="no data", hoverinfo="skip", showlegend=False,
            )
        )  # fmt: skip

    def _present(self, label: str, colour: str, values: Values) -> None:
        if self.metric not in FLOWS:
            self._line(label, colour, values)
        elif len(self.data.labels) == 1 and len(values) <= _MOST_BARS:
            self._bars(label, colour, values)
        else:
            self._steps(label, colour, values)

    def _line(self, label: str, colour: str, values: Values) -> None:
        whole = [None if cut else value for value, cut in zip(values, self.data.cut, strict=True)]
        self._add(self._trace(label, self.axis.middle, whole, colour, markers=_markers(whole)))
        dashed = _beside_cut(values, self.data.cut)
        if any(value is not None for value in dashed):
            self._add(
                self._trace(label, self.axis.middle, dashed, colour, dash="dot", markers=_markers(dashed))
            )

    def _bars(self, label: str, colour: str, values: Values) -> None:
        opacity = [0.4 if cut else 1.0 for cut in self.data.cut]
        self._add(
            go.Bar(
                x=self.axis.left, y=values, width=[0.92 * width for width in self.axis.widths], offset=0,
                marker={"color": colour, "opacity": opacity}, customdata=self.texts,
                name=plotly_text(label, _LONGEST_LABEL),
                hovertemplate=self._hover(label), legendgroup=label, showlegend=False,
            )
        )  # fmt: skip
        for place, cut in enumerate(self.data.cut):
            if cut and (value := values[place]) is not None:
                self.figure.add_shape(
                    type="rect", x0=self.axis.left[place], x1=self.axis.right[place], y0=0, y1=value,
                    line={"color": colour, "dash": "dot", "width": 1.5}, row=self.row, col=1,
                )  # fmt: skip

    def _steps(self, label: str, colour: str, values: Values) -> None:
        whole = [None if cut else value for value, cut in zip(values, self.data.cut, strict=True)]
        self._add(self._stepped(label, whole, colour))
        part = [value if cut else None for value, cut in zip(values, self.data.cut, strict=True)]
        if any(value is not None for value in part):
            self._add(self._stepped(label, part, colour, dash="dot"))

    def _earlier(self, label: str, colour: str) -> None:
        assert self.data.earlier is not None
        values = self._values(self.data.earlier, label)
        if values is None or all(value is None for value in values):
            return
        single = len(self.data.labels) == 1
        colour = palette_of(self.theme).text if single else colour
        draw = self._stepped if self.metric in FLOWS else self._plain
        trace = draw(label, values, colour, dash="solid")
        trace.update(
            name=f"{plotly_text(label)}, before",
            opacity=0.75,
            line_width=1,
            showlegend=False,
            hovertemplate=self._hover(f"{label}, before"),
        )
        self._add(trace)

    def _plain(self, label: str, values: Values, colour: str, *, dash: str) -> go.Scatter:
        return self._trace(label, self.axis.middle, values, colour, dash=dash)

    def _stepped(self, label: str, values: Values, colour: str, *, dash: str = "solid") -> go.Scatter:
        """Each bucket from its left edge to its right, so that the last one before a gap has its width."""
        x: list[datetime | None] = []
        y: Values = []
        texts: list[str] = []
        for left, right, value, text in zip(self.axis.left, self.axis.right, values, self.texts, strict=True):
            x += [left, right]
            y += [value, value]
            texts += [text, text]
        trace = self._trace(label, x, y, colour, dash=dash)
        return trace.update(customdata=texts)

    def _trace(
        self,
        label: str,
        x: Sequence[datetime | None],
        values: Values,
        colour: str,
        *,
        dash: str = "solid",
        markers: list[int] | None = None,
    ) -> go.Scatter:
        return go.Scatter(
            x=x, y=values, mode="lines+markers" if markers else "lines", connectgaps=False,
            line={"color": colour, "width": 2, "dash": dash, "shape": "linear"},
            marker={"size": markers, "color": colour, "line": {"width": 0}}, customdata=self.texts,
            name=plotly_text(label, _LONGEST_LABEL), hovertemplate=self._hover(label), legendgroup=label,
            showlegend=self.row == 1 and dash == "solid",
        )  # fmt: skip

    def _hover(self, label: str) -> str:
        unit = " min" if self.metric is MetricKey.TIME_SPENT else ""
        return f"%{{customdata}}<br>{plotly_text(label)}: <b>%{{y:,.1~f}}{unit}</b><extra></extra>"

    def _direct_labels(self, top: float) -> None:
        """Each line's name at its highest point, pushed apart where two would touch."""
        found = []
        for label, colour in zip(self.data.labels, self._colours(), strict=True):
            values = self._values(self.data.table, label) or []
            there = [(value, place) for place, value in enumerate(values) if value is not None]
            if there:
                found.append((*max(there), label, colour))
        height = -top
        for value, place, label, colour in sorted(found):
            height = max(value, height + top * _LABEL_GAP)
            self.figure.add_annotation(
                x=self.axis.middle[place], y=height, text=plotly_text(label, _LONGEST_LABEL),
                yanchor="bottom", font={"color": colour}, row=self.row, col=1,
            )  # fmt: skip

    def _capacity(self, top: float) -> None:
        capacity = self.data.capacity
        if self.metric is not MetricKey.VISITORS_INSIDE or capacity is None or capacity > top:
            return
        self.figure.add_hline(
            y=capacity, line={"color": palette_of(self.theme).quiet_text, "dash": "dash", "width": 1},
            annotation={"text": "capacity", "xanchor": "left", "yanchor": "bottom"},
            annotation_position="top left", row=self.row, col=1,
        )  # fmt: skip

    def _clock_changes(self) -> None:
        line = {"color": palette_of(self.theme).quiet_text, "dash": "dot", "width": 1}
        for place, how in self.axis.changes:
            self.figure.add_vline(x=place.isoformat(), line=line, row=self.row, col=1)
            self.figure.add_annotation(
                x=place, yref="y domain", y=1, yanchor="top", xanchor="left", text=how, row=self.row, col=1
            )

    def _add(self, trace: Any) -> None:
        self.figure.add_trace(trace, row=self.row, col=1)


def _beside_cut(values: Values, cut: Sequence[bool]) -> Values:
    """The values of cut buckets and of their neighbours, so that the dashes meet the line."""
    last = len(values) - 1
    near = [
        cut[place] or (place > 0 and cut[place - 1]) or (place < last and cut[place + 1])
        for place in range(len(values))
    ]
    return [value if shown else None for value, shown in zip(values, near, strict=True)]


def _markers(values: Values) -> list[int]:
    """A dot for a point without neighbours, which no line would show; for all where there are few."""
    few = len(values) <= _FEW_POINTS
    padded = [None, *values, None]
    alone = [before is None and after is None for before, after in zip(padded[:-2], padded[2:], strict=True)]
    return [6 if few or lonely else 0 for lonely in alone]
