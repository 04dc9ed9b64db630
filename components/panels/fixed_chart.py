"""A chart, and what saves it as a picture and its data as files, which say of what and when they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure

from analysis.names import LONGEST_NAME, one_line
from analysis.subject import Subject, SubjectKind, whole_site
from analysis.time_range import TimeRange
from components.chart_picture import chart_picture
from components.figures.plotly_locale import locale_config
from components.figures.template import colours_on_white
from components.number_format import Formats, zone_words
from components.panels.data_files import Files, data_buttons
from components.panels.viewer import viewer_theme
from components.plain_text import plain
from components.sentences.range_words import range_in_years
from components.tables.downloads import (
    COMPLETENESS,
    OF,
    ROWS,
    TIME_ZONE,
    UNITS,
    WHEN,
    picture_stem,
    site_slug,
)
from contract import SiteSummary

_TOOLS: Final = ["select2d", "lasso2d"]
_OF_ZOOM: Final = ["zoom2d", "pan2d"]


class Picture(NamedTuple):
    """What a chart says of itself where it is handed on; texts on one line, for people."""

    title: str
    words: Sequence[str]
    """Paragraphs below the title: of when it is, in which time zone, how complete, what its marks mean."""
    file: str
    """Name of the file, without an ending."""
    timezone: str
    """Name of the IANA database, or several names."""


class ChartData(NamedTuple):
    """The table of a chart as its panel knows it; the period and the time zone are those of its `Picture`."""

    table: Callable[[], pd.DataFrame]
    """Made when a file is asked for."""
    rows: str
    """A sentence: what a row is, and by what it is named."""
    units: str
    """In what its numbers are, by column."""
    counted: str
    """A sentence: on how much of what should be counted it rests."""
    texts: Collection[str] = ()
    """Columns whose words are not ours."""


class Whose(NamedTuple):
    """Of which site, or of which part of it, a chart is."""

    site: SiteSummary
    subject: Subject | None = None


def picture_of(
    whose: Whose, what: str, range_: TimeRange, words: Sequence[str], *, timezone: ZoneInfo, formats: Formats
) -> Picture:
    """When it is and in which time zone is said here, `words` follow."""
    site, subject = whose
    part = one_line(subject.label, LONGEST_NAME) if subject and subject.kind is not SubjectKind.SITE else ""
    title = f"{', '.join(filter(None, (whole_site(site).label, part)))}: {what}"
    when = f"{range_in_years(range_, timezone, formats)}, {zone_words(timezone.key)}."
    file = picture_stem((site_slug(site), part, what), range_, timezone)
    return Picture(title, [when, " ".join(filter(None, words))], file, timezone.key)


def fixed_chart(
    figure: BaseFigure, key: str, alt: str, formats: Formats, picture: Picture, *, data: ChartData | None,
    legend: str = "",
) -> None:  # fmt: skip
    """One that is looked at, not zoomed into: bars and maps of whole hours and days.

    `key` is the chart's own on its page; `alt` tells it to those who do not see it. Without `data` the page
    has its table and files elsewhere. `legend`: what its marks mean, which paper has on the same page as it.
    """
    with st.container(key=f"explained-{key}"):
        with st.container(gap="xsmall"):
            _chart(figure, key, alt, _config(formats, _TOOLS + _OF_ZOOM), picture)
            if data:
                data_files(key, picture, data)
        if legend:
            st.caption(plain(legend))


def zoomed_chart(figure: BaseFigure, key: str, alt: str, formats: Formats, picture: Picture) -> None:
    """Likewise one that can be zoomed into; the picture has what is seen of it, a table below its data."""
    with st.container(gap="xsmall"):
        _chart(figure, key, alt, _config(formats, _TOOLS), picture)


def data_files(key: str, picture: Picture, data: ChartData) -> None:
    """What saves a table, below its chart, or alone where it has none; `picture` says of what it is."""
    when, *more = picture.words
    known = " ".join(filter(None, more))
    about = {
        OF: picture.title,
        WHEN: when,
        TIME_ZONE: picture.timezone,
        ROWS: data.rows,
        UNITS: data.units,
        COMPLETENESS: data.counted,
        **({"To be known": known} if known else {}),
        "Missing": "An empty cell means that there is no such number; it is never 0.",
    }
    data_buttons(Files(data.table, about, picture.file, data.texts), key)


def _config(formats: Formats, without: Sequence[str]) -> dict[str, object]:
    return {"displaylogo": False, "modeBarButtonsToRemove": without} | locale_config(formats)


def _chart(figure: BaseFigure, key: str, alt: str, config: Mapping[str, object], picture: Picture) -> None:
    st.plotly_chart(figure, theme=None, key=key, config=dict(config), alt=alt)
    chart_picture(
        key, title=picture.title, words=picture.words, file=picture.file,
        colours=colours_on_white(viewer_theme()),
    )  # fmt: skip
