"""What is estimated of times without counts: whether it is asked for, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.estimates import Estimates
from analysis.subject import Subject
from components.number_format import Formats
from components.panels.url_choice import url_pills
from components.plain_text import plain, plain_name
from components.sentences.estimate_words import HOW, HOW_UNDRAWN, estimate_words

_ON = "on"
_OFF = "off"
ESTIMATES = (_ON, _OFF)
"""Values of `estimates` in a link."""


def estimates_choice() -> bool:
    """Whether what is missing is estimated."""
    return url_pills("Missing counts", {_ON: "Estimate them"}, "estimates", nothing=_OFF) == _ON


def estimates_panel(
    subjects: Sequence[Subject], estimates: Estimates | None, formats: Formats, *, is_drawn: bool
) -> None:
    """A line for each zone or door of which something is estimated; nothing where nobody asked for it.

    `is_drawn`: the chart shows it.
    """
    if estimates is None:
        return
    said = {subject: estimate_words(subject, estimates, formats) for subject in subjects}
    for subject, sentences in said.items():
        if sentences:
            name = f"**{plain_name(subject.label)}:** " if len(subjects) > 1 else ""
            st.markdown(name + plain(" ".join(sentences)))
    if estimates.hours:
        st.caption(HOW if is_drawn else HOW_UNDRAWN)
    elif not any(said.values()):
        st.caption("Estimates: nothing is missing here of which such days before tell.")
