"""The answer about the past: sentences first, then the chart that proves them, the table and the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from components.figures.history_chart import history_chart
from components.number_format import Formats
from components.panels.viewer import viewer_theme
from components.plain_text import LONGEST_NAME, one_line, plain
from components.tables.bucket_table import BUCKET_START
from components.tables.downloads import About, to_csv, to_excel, to_parquet
from components.tables.history_data import HistoryData
from components.tables.history_request import HistoryRequest
from components.tables.metric_words import LABELS
from components.tables.peak_search import FoundPeak
from components.tables.sentences import answers_of, changes_of, present_buckets
from components.tables.subject import Subject
from components.tables.summary import missing_stretches
from contract import MetricKey

_MOMENT_FORMATS = {"minute": "YYYY-MM-DD HH:mm Z", "hour": "YYYY-MM-DD HH:mm Z"}


def summary_panel(
    subjects: Sequence[Subject],
    data: HistoryData,
    peaks: Mapping[Subject, FoundPeak],
    formats: Formats,
) -> None:
    """What the chart shows, in words; of several zones each in a line of its own."""
    for subject in subjects:
        said = [*answers_of(subject, data, peaks.get(subject), formats), *changes_of(subject, data, formats)]
        if said:
            name = f"**{plain(subject.label, LONGEST_NAME)}:** " if len(subjects) > 1 else ""
            st.markdown(name + plain(" ".join(said)))
    notes = [present_buckets(data, formats), f"Times are local to {data.timezone.key}."]
    if any(data.cut):
        notes.append("Dotted: a bucket that is not over, or that the range cuts.")
    if missing_stretches(data.table):
        notes.append("Hatched: no counts are stored.")
    if data.earlier is not None:
        notes.append("Thin line: the earlier period.")
    st.caption(plain(" ".join(notes)))


def chart_panel(data: HistoryData, formats: Formats, *, revision: str) -> None:
    """`revision` names the view: while it stays, the viewer's zoom stays."""
    st.plotly_chart(
        history_chart(data, theme=viewer_theme(), formats=formats, revision=revision),
        theme=None,
        key="history-chart",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
        alt=_alternative(data, formats),
    )


def table_panel(data: HistoryData) -> None:
    shown = data.table.copy()
    shown.columns = [
        _heading(metric) if len(data.labels) == 1 else f"{one_line(label, LONGEST_NAME)}: {_heading(metric)}"
        for label, metric in data.columns
    ]
    number = st.column_config.NumberColumn(format="localized")
    pattern = _MOMENT_FORMATS.get(data.granularity, "YYYY-MM-DD")
    moment = st.column_config.DatetimeColumn(
        f"From ({data.timezone.key})", format=pattern, timezone=data.timezone.key
    )
    st.dataframe(
        shown, placeholder="–",
        column_config={BUCKET_START: moment} | dict.fromkeys(shown.columns, number),
    )  # fmt: skip


def downloads_panel(data: HistoryData, about: About, *, name: str) -> None:
    """`name` begins the files' names."""
    csv, excel, parquet = st.columns(3)
    stem = f"{name}_{data.granularity}"
    csv.download_button(
        "CSV", to_csv(data.table), f"{stem}.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch",
    )  # fmt: skip
    excel.download_button(
        "Excel", lambda: to_excel(data.table, about), f"{stem}.xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        icon=":material/download:", on_click="ignore", width="stretch",
    )  # fmt: skip
    parquet.download_button(
        "Parquet", lambda: to_parquet(data.table, about), f"{stem}.parquet",
        "application/vnd.apache.parquet", icon=":material/download:", on_click="ignore", width="stretch",
    )  # fmt: skip


def nothing_stored(request: HistoryRequest, formats: Formats) -> None:
    first, last = (moment.astimezone(request.timezone) for moment in request.range)
    span = f"{formats.moment(first)} and {formats.moment(last)} ({request.timezone.key})"
    st.info(f"No counts are stored between {plain(span)}. Choose another range.")


def _heading(metric: MetricKey) -> str:
    return f"{LABELS[metric]}, s" if metric is MetricKey.TIME_SPENT else LABELS[metric]


def _alternative(data: HistoryData, formats: Formats) -> str:
    """The chart for those who do not see it."""
    said = [
        f"{one_line(label, LONGEST_NAME)}, {LABELS[metric]}: {_extent(data, (label, metric), formats)}"
        for label, metric in data.columns
    ]
    return f"Chart by {data.granularity}. {'; '.join(said)}. {present_buckets(data, formats)}"


def _extent(data: HistoryData, column: tuple[str, MetricKey], formats: Formats) -> str:
    values = data.table[column].dropna()
    if values.empty:
        return "no counts"
    show = formats.duration if column[1] is MetricKey.TIME_SPENT else formats.number
    return f"{show(float(values.min()))} to {show(float(values.max()))}"
