"""A chart, and below it what saves it as a picture that says by itself of what and when it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from analysis.subject import Subject, SubjectKind, whole_site
from analysis.time_range import TimeRange
from components.chart_picture import chart_picture
from components.figures.plotly_locale import locale_config
from components.figures.template import colours_on_white
from components.number_format import Formats, zone_words
from components.panels.viewer import viewer_theme
from components.sentences.range_words import range_in_years
from components.tables.downloads import picture_stem, site_slug
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
    return Picture(title, [when, " ".join(filter(None, words))], file)


def fixed_chart(figure: go.Figure, key: str, alt: str, formats: Formats, picture: Picture) -> None:
    """One that is looked at, not zoomed into: bars and maps of whole hours and days.

    `key` is the chart's own on its page; `alt` tells it to those who do not see it.
    """
    _chart(figure, key, alt, _config(formats, _TOOLS + _OF_ZOOM), picture)


def zoomed_chart(figure: go.Figure, key: str, alt: str, formats: Formats, picture: Picture) -> None:
    """Likewise one that can be zoomed into; the picture has what is seen of it."""
    _chart(figure, key, alt, _config(formats, _TOOLS), picture)


def _config(formats: Formats, without: Sequence[str]) -> dict[str, object]:
    return {"displaylogo": False, "modeBarButtonsToRemove": without} | locale_config(formats)


def _chart(figure: go.Figure, key: str, alt: str, config: Mapping[str, object], picture: Picture) -> None:
    with st.container(gap="xsmall"):
        st.plotly_chart(figure, theme=None, key=key, config=dict(config), alt=alt)
        chart_picture(
            key, title=picture.title, words=picture.words, file=picture.file,
            colours=colours_on_white(viewer_theme()),
        )  # fmt: skip
