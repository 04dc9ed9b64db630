"""What is estimated of times without counts: whether it is asked for, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.estimates import Estimates, estimated_metrics
from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from analysis.subject import Subject
from components.number_format import Formats
from components.panels.url_choice import url_pills
from components.plain_text import plain_name, plain_sentences
from components.sentences.estimate_words import (
    HOW,
    NOTHING,
    TOO_OFTEN,
    drawn_words,
    estimate_words,
    unestimated_words,
)

_ON = "on"
_OFF = "off"
ESTIMATES = (_ON, _OFF)
"""Values of `estimates` in a link."""


def estimates_choice() -> bool:
    """Whether what is missing is estimated."""
    return url_pills("Missing counts", {_ON: "Estimate them"}, "estimates", nothing=_OFF) == _ON


def estimates_panel(
    request: HistoryRequest,
    subjects: Sequence[Subject],
    estimates: Estimates | None,
    data: HistoryData | None,
    formats: Formats,
) -> None:
    """A line for each zone or door of which something is estimated; nothing where nobody asked for it.

    `data` is what the chart shows; None: there is none, since nothing is counted nor estimated.
    """
    if estimates is None:
        return
    said = {subject: estimate_words(subject, estimates, formats) for subject in subjects}
    for subject, sentences in said.items():
        if sentences:
            name = f"**{plain_name(subject.label)}:** " if len(subjects) > 1 else ""
            st.markdown(name + plain_sentences(sentences))
    notes = [unestimated_words(request)]
    if estimates.is_too_often:
        notes.insert(0, TOO_OFTEN)
    elif estimates.hours:
        notes = [HOW, drawn_words(estimates, data), *notes]
    elif estimated_metrics(request) and not any(said.values()):
        notes.insert(0, NOTHING)
    if any(notes):
        st.caption(plain_sentences(notes))
